"""Login methods, the login page, users and passwords; login with a Hugging Face account."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qs

import gradio as gr
from anyio import CapacityLimiter, fail_after
from anyio.to_thread import run_sync
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from engine.access.users import Person, Realm, Role, Users, is_key
from engine.caching import Cache
from engine.errors import AccessError, InputError
from engine.operator_settings import OperatorSettings
from ui.server.address import address_of, is_local
from ui.server.rates import Buckets, Rate
from ui.templating import ASSETS, rendered

# The sender of a request: set by the gate or, if logins are off, identified by the browser's token.

# The key in a request's state for the logged-in person.
PERSON = "redstring_person"


def person_of(settings: OperatorSettings, request: gr.Request, token: str = "") -> Person:
    """Return the sender of a request. ``token``: the browser's secret, accepted only if logins are off.

    Raises AccessError if a login is required and the gate has not set a person.
    """
    if settings.access == "off":
        role = Role.OPERATOR if settings.loopback and is_local(request) else Role.VISITOR
        return Person(token if is_key(token) else "", role, address=address_of(request))
    found = logged_in(request)
    if found is None:
        raise AccessError("this server is open to those who have logged in alone")
    return found


def logged_in(request: gr.Request | Request) -> Person | None:
    """Return the person whom the gate has found, None if there is no gate."""
    found = getattr(request.state, PERSON, None)
    return found if isinstance(found, Person) else None


def counted_as(request: gr.Request | Request) -> str:
    """Return who is charged for what a request stores: the logged-in person, else the address."""
    person = logged_in(request)
    return address_of(request) if person is None else person.key


def by_token(token: str) -> Person:
    """Make a person known only by a browser's token."""
    return Person(token)


# The login page. It needs no script and loads nothing.


def login_page(form: str, message: str = "") -> str:
    """Return the login page around the form of a login method."""
    style = (ASSETS / "login.css").read_text(encoding="utf-8")
    return rendered("login.html", style=style, form=form, message=message)


# The protocol of login methods, and the login by name and password.

LOG = logging.getLogger(__name__)
FORM = "application/x-www-form-urlencoded"
LARGEST_FORM, FORM_SECONDS = 4096, 20.0
# Each check takes 64 MiB and 0.05 s of processor time: limits on concurrent and waiting checks.
CHECKS, WAITING = 2, 32
NAME_TRIES, NAME_SECONDS = 5, 60.0
ADDRESS_TRIES, ADDRESS_SECONDS = 20, 30.0
MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused login: the message, and the ``seconds`` until another try makes sense.

    ``name`` is set only for a known user: other text in that field may be a password.
    """

    status: int
    words: str
    name: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Account:
    """The current state of a name. If ``credential`` changes, the sessions opened with the old one end."""

    role: Role
    credential: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A successful login under a name, with the credential that was checked."""

    name: str
    credential: str = field(default="", repr=False)


class Entrance(Protocol):
    """A login method. ``realm``: the authority for its names; ``form``: the body of its page."""

    realm: Realm
    form: str

    def account(self, name: str) -> Account | None:
        """Return the current account of a name, None if it may not log in. Raises InputError."""

    async def answer(self, request: Request, address: str) -> Admitted | Refused | Response | None:
        """Answer a request without a login; None if it is not for this login method."""


class PasswordEntrance:
    """Login by users file and password. Raises InputError if the file has no users yet."""

    realm: Realm = "login"
    form = (
        '<form method="post" action="login"><label>Name<input name="username" autocomplete="username" '
        'autocapitalize="off" spellcheck="false" maxlength="64" required autofocus></label>'
        '<label>Password<input name="password" type="password" autocomplete="current-password" '
        'maxlength="256" required></label><button>Log in</button></form>'
    )

    def __init__(self, settings: OperatorSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._users = Users(settings.users_path)
        if not list(self._users):
            raise InputError("there is no user yet: python -m engine users add NAME --role operator")
        if not (settings.loopback or settings.trusted_proxies or settings.space_id):
            LOG.warning(
                "passwords come over the network as they are, unless a proxy ends TLS: name it in "
                "REDSTRING_TRUSTED_PROXIES"
            )
        self._names = Buckets(Rate(NAME_TRIES, 1 / NAME_SECONDS), MOST_KNOWN, clock)
        self._addresses = Buckets(Rate(ADDRESS_TRIES, 1 / ADDRESS_SECONDS), MOST_KNOWN, clock)
        self._known: Cache[tuple[str, str], bool] = Cache("addresses of users", MOST_KNOWN)
        self._checks = CapacityLimiter(CHECKS)

    def account(self, name: str) -> Account | None:
        """Return the account from the users file; the credential is the hash of the password."""
        user = self._users.find(name)
        return None if user is None else Account(user.role, user.password)

    async def answer(self, request: Request, address: str) -> Admitted | Refused | None:
        """Check the name and password of a form or a client."""
        if request.url.path.rstrip("/") != "/login" or request.method != "POST":
            return None
        fields = await _fields(request)
        if isinstance(fields, Refused):
            return fields
        name = fields.get("username", "").strip().lower()[:64]
        known = name if self._users.find(name) else ""
        # An address with an earlier successful login is not locked out when strangers guess at the name.
        key = f"{name} from {address}" if self._known.get((name, address)) else name
        for tries, of in ((self._addresses, address), (self._names, key)):
            seconds = tries.take(of)
            if seconds:
                words = f"Too many tries. Wait {max(1, round(seconds))} seconds."
                return Refused(429, words, known, seconds)
        if self._checks.statistics().tasks_waiting >= WAITING:
            return Refused(429, "Too many people log in just now. Try again in a moment.", known, 5)
        password = fields.get("password", "")
        user = await run_sync(self._users.authenticate, name, password, limiter=self._checks)
        if user is None:
            return Refused(401, "Wrong name or password.", known)
        self._addresses.give_back(address, 1)
        self._names.give_back(key, 1)
        self._known.put((name, address), True)
        # The hash that was checked: the file may contain another one by now.
        return Admitted(name, user.password)


async def _fields(request: Request) -> dict[str, str] | Refused:
    """Parse the fields of a small form; each must occur once."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return Refused(415, f"This takes {FORM} and nothing else.")
    body = b""
    try:
        with fail_after(FORM_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST_FORM:
                    return Refused(413, "That is too long for a name and a password.")
        fields = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=True, max_num_fields=8)
    except (TimeoutError, ClientDisconnect):
        return Refused(408, "The form did not arrive.")
    except ValueError:
        return Refused(400, "The form cannot be read.")
    if any(len(values) > 1 for values in fields.values()):
        return Refused(400, "The form has a field twice.")
    return {name: values[0] for name, values in fields.items()}


# Login with a Hugging Face account: OpenID Connect, as in a Space with ``hf_oauth``.

PENDING_COOKIE = "redstring-login"
# Logins between redirect and callback; the oldest are dropped if there are too many.
PENDING_SECONDS, MOST_PENDING = 600.0, 2000
NAME = "huggingface"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


class HuggingFaceEntrance:
    """Login by account; the operator's lists of names give the roles. Raises InputError without a client."""

    realm: Realm = "huggingface"
    form = '<a class="go" href="login/huggingface" target="_blank" rel="opener">Log in with Hugging Face</a>'

    def __init__(self, settings: OperatorSettings, clock: Callable[[], float] = time.monotonic) -> None:
        secret = settings.oauth_client_secret.get_secret_value()
        if not settings.oauth_client_id or not secret:
            raise InputError(
                "REDSTRING_ACCESS=huggingface needs OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET: a Space sets "
                "them where its README says hf_oauth: true"
            )
        self._settings, self._clock = settings, clock
        self._pending: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()
        self._provider = OAuth().register(
            NAME,
            client_id=settings.oauth_client_id,
            client_secret=secret,
            client_kwargs={"scope": settings.oauth_scopes, "code_challenge_method": "S256"},
            server_metadata_url=f"{settings.openid_provider_url}/.well-known/openid-configuration",
        )

    def account(self, name: str) -> Account | None:
        """Return the account by the operator's lists; without a list of members, every account is one."""
        if name in self._settings.operators:
            return Account(Role.OPERATOR)
        if name in self._settings.reviewers:
            return Account(Role.REVIEWER)
        return Account(Role.VISITOR) if not self._settings.members or name in self._settings.members else None

    async def answer(self, request: Request, address: str) -> Admitted | Refused | Response | None:
        """Redirect to the provider, and handle its callback."""
        if request.method != "GET" or request.url.path not in ("/login/huggingface", "/login/callback"):
            return None
        try:
            if request.url.path == "/login/huggingface":
                return await self._go(request)
            return await self._come_back(request)
        except (OAuthError, JoseError):
            return Refused(401, "That did not work. Try again.")
        except (HTTPError, ValueError):
            # The provider was not reached, or its answer does not follow the standard.
            return Refused(502, "Hugging Face cannot be reached just now.")

    async def _go(self, request: Request) -> Response:
        key, state = secrets.token_urlsafe(32), dict[str, Any]()
        request.scope["session"] = state
        back = request.url.replace(path="/login/callback", query="")
        response: Response = await self._provider.authorize_redirect(request, str(back))
        self._pending[key] = (self._clock() + PENDING_SECONDS, state)
        while len(self._pending) > MOST_PENDING:
            self._pending.popitem(last=False)
        response.set_cookie(
            PENDING_COOKIE, key, max_age=int(PENDING_SECONDS), secure=request.url.scheme == "https",
            httponly=True, samesite="lax",
        )  # fmt: skip
        return response

    async def _come_back(self, request: Request) -> Admitted | Refused:
        until, state = self._pending.pop(request.cookies.get(PENDING_COOKIE, ""), (0.0, {}))
        request.scope["session"] = state if self._clock() < until else {}
        token = await self._provider.authorize_access_token(request)
        given = (token.get("userinfo") or {}).get("preferred_username")
        if not isinstance(given, str) or not _NAME.fullmatch(given):
            return Refused(401, "Hugging Face does not say who that is.")
        return Admitted(given.lower())
