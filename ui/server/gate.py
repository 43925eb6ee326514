"""The gate of a page with logins, its sessions, and the owners of page loads."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.access.audit_log import record
from engine.access.users import Person, Role, key_of, server_secret
from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from ui.server.address import address_of
from ui.server.answers import Answers
from ui.server.login import (
    PERSON,
    Admitted,
    Entrance,
    PasswordEntrance,
    Refused,
    counted_as,
    logged_in,
    login_page,
)
from ui.server.routes import POLICY, READ, refuse

# Logged-in sessions, in memory only: a restart logs all users out.

# Limits of sessions, in total and for one name; the oldest are ended first.
MOST, MOST_OF_NAME = 10_000, 20


@dataclass(frozen=True, slots=True)
class Session:
    """A login session. ``credential`` is the one it was opened with; ``until`` is its end, s of the clock."""

    name: str
    credential: str = field(repr=False)
    until: float


class Sessions:
    """Sessions by secret. Only hashes of the secrets are stored. Thread-safe."""

    def __init__(self, hours: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = hours * 3600, clock
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def open(self, name: str, credential: str = "") -> str:
        """Start a session; returns its secret."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._open[_hash(secret)] = Session(name, credential, self._clock() + self._seconds)
            mine = [key for key, session in self._open.items() if session.name == name]
            for key in mine[:-MOST_OF_NAME]:
                del self._open[key]
            while len(self._open) > MOST:
                self._open.popitem(last=False)
        return secret

    def find(self, secret: str) -> Session | None:
        """Return the session of a secret, or None if it does not exist or has ended."""
        with self._lock:
            session = self._open.get(_hash(secret))
            if session is None:
                return None
            if session.until <= self._clock():
                del self._open[_hash(secret)]
                return None
            return session

    def close(self, secret: str) -> None:
        """End a session."""
        with self._lock:
            self._open.pop(_hash(secret), None)

    def end(self, name: str, valid: str | None) -> None:
        """End the sessions of a name that were opened with another credential than the valid one."""
        with self._lock:
            for key, session in [*self._open.items()]:
                if session.name == name and session.credential != valid:
                    del self._open[key]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


# The gate before the application: a user who is not logged in sees only the login page.
#
# It protects the page, its panels, the endpoints, files, uploads and streams in one place, and puts the
# person into the state of each request.

COOKIE = "redstring-session"
# Interval at which an active request checks whether its session has ended, s.
LOOK_SECONDS = 2.0
_FRESH = {"cache-control": "no-store"}


class AccessGate:
    """Admits logged-in users. Raises InputError if the settings have no method of login."""

    def __init__(self, app: ASGIApp, settings: OperatorSettings, entrance: Entrance) -> None:
        self.app, self._settings = app, settings
        self._entrance = entrance
        self._sessions = Sessions(settings.session_hours)
        self._secret = server_secret(settings.home_folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Identify the person and pass the request on, or answer it here."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        request = Request(scope, receive)
        try:
            person = self._person(request)
        except InputError:
            # The log contains the error in the users file; visitors do not see its path.
            response: Response = JSONResponse(
                {"detail": "logging in is not possible at the moment"}, 503, _FRESH
            )
            return await response(scope, receive, send)
        path = request.url.path.rstrip("/")
        if path == "/logout" and request.method == "POST":
            return await self._leave(request, person)(scope, receive, send)
        if person is None or path.startswith("/login"):
            return await (await self._outside(request))(scope, receive, send)
        scope = {**scope, "state": {**scope.get("state", {}), PERSON: person}}
        return await self._let_in(request, scope, receive, send)

    def _person(self, request: Request) -> Person | None:
        session = self._sessions.find(request.cookies.get(COOKIE, ""))
        if session is None:
            return None
        name, account = session.name, self._entrance.account(session.name)
        if account is None or account.credential != session.credential:
            self._sessions.end(name, None if account is None else account.credential)
            return None
        key = key_of(name, self._entrance.realm, self._secret)
        return Person(key, account.role, name, address_of(request))

    async def _let_in(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and disconnect it when its session ends."""
        begun = ended = False

        async def answer(message: Message) -> None:
            nonlocal begun
            begun = True
            if not ended:
                await send(message)

        async def receive_until_ended() -> Message:
            nonlocal ended
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        return await receive()
                if self._has_ended(request):
                    if begun and not ended:
                        ended = True
                        await send({"type": "http.response.body"})
                    return {"type": "http.disconnect"}

        await self.app(scope, receive_until_ended, answer)

    def _has_ended(self, request: Request) -> bool:
        try:
            return self._person(request) is None
        except InputError:
            # The users file cannot be read at the moment: that does not end a session.
            return False

    async def _outside(self, request: Request) -> Response:
        found = await self._entrance.answer(request, address_of(request))
        if isinstance(found, Response):
            return found
        if isinstance(found, Admitted):
            return self._come_in(request, found)
        if isinstance(found, Refused):
            throttled = "throttled" if found.status == 429 else "failed"
            record(
                Person(name=found.name or "(no user)", address=address_of(request)),
                f"log in {throttled}",
                "",
                "refused",
            )
            after = {"retry-after": str(max(1, round(found.seconds)))} if found.seconds else {}
            return self._refuse(request, found.status, found.words, {**_FRESH, **after})
        if request.url.path in ("/", "/login") and request.method in ("GET", "HEAD"):
            return HTMLResponse(login_page(self._entrance.form), headers=_FRESH)
        return self._refuse(request, 401, "Log in first.", _FRESH)

    def _come_in(self, request: Request, admitted: Admitted) -> Response:
        account = self._entrance.account(admitted.name)
        role = Role.VISITOR if account is None else account.role
        person = Person(role=role, name=admitted.name, address=address_of(request))
        record(person, "log in", "", "refused" if account is None else "done")
        if account is None:
            return self._refuse(request, 403, "This account has no access.", _FRESH)
        response: Response = RedirectResponse(_home(request), 303, _FRESH)
        if not _wants_page(request):
            response = JSONResponse({"success": True}, headers=_FRESH)
        # Each login gets a new secret, so a secret that an attacker has set in the browser is useless.
        self._set_cookie(request, response, self._sessions.open(admitted.name, admitted.credential))
        return response

    def _leave(self, request: Request, person: Person | None) -> Response:
        self._sessions.close(request.cookies.get(COOKIE, ""))
        if person is not None:
            record(person, "log out", "", "done")
        response = RedirectResponse(_home(request), 303, _FRESH)
        self._set_cookie(request, response, "", age=0)
        return response

    def _set_cookie(self, request: Request, response: Response, value: str, age: int | None = None) -> None:
        secure = request.url.scheme == "https"
        # Hugging Face shows a Space in a frame; only there are cookies sent in a frame.
        framed = secure and self._entrance.realm == "huggingface"
        age = self._settings.session_hours * 3600 if age is None else age
        response.set_cookie(
            COOKIE, value, max_age=age, secure=secure, httponly=True, samesite="none" if framed else "lax"
        )

    def _refuse(self, request: Request, status: int, words: str, headers: Mapping[str, str]) -> Response:
        if _wants_page(request):
            return HTMLResponse(login_page(self._entrance.form, words), status, headers)
        return JSONResponse({"detail": words, "error": words}, status, headers)


def entrance_of(settings: OperatorSettings) -> Entrance:
    """Return the login method that the operator has chosen. Raises InputError if it is not ready."""
    if settings.access == "huggingface":
        # Cryptography is imported only if it is needed.
        from ui.server.login import HuggingFaceEntrance

        return HuggingFaceEntrance(settings)
    return PasswordEntrance(settings)


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _home(request: Request) -> str:
    """Return the URL of the page relative to the request, also if a proxy adds a path prefix."""
    return "../" * (request.url.path.strip("/").count("/")) or "./"


def behind_gate(app: ASGIApp, settings: OperatorSettings) -> ASGIApp:
    """Put an application behind the login if the operator requires one.

    Raises InputError if the settings have no method of login.
    """
    return app if settings.access == "off" else AccessGate(app, settings, entrance_of(settings))


def access_options(settings: OperatorSettings) -> dict[str, Any]:
    """Return arguments that make Gradio check logins in addition to the gate."""
    return {} if settings.access == "off" else {"auth_dependency": _named}


def _named(request: Request) -> str:
    person: Person = getattr(request.state, PERSON)
    return person.name


# Bind page loads and calls to their owners.
#
# Gradio serves both to every visitor who knows their names: ``session_hash``, which the browser
# chooses, and ``event_id``.
#
# The owner is the person who has logged in; without a login it is the browser, identified by a
# cookie, or by its address if it has no cookie, as in programs. Behind this gate the name of a
# page load includes its owner, so that the same name of another visitor is another page load. The
# gate remembers the owner of each call.

# Calls, and page loads with calls, that are remembered; the oldest are forgotten first.
MOST_OWNERS = 50_000
NAME, BROWSER_COOKIE = "session_hash", "redstring-browser"
HEARTBEAT, ENDS = "/heartbeat/", (b"event: complete", b"event: error")
UNKNOWN = "you have no such call; make it again, and fetch its answer with the same login, browser or address"


class OwnerGate:
    """Answers 404 to a request for the call of another visitor, as for a call that does not exist.

    Runs after the login and the check of bodies. Puts ``answers`` into the streams that fetch them.
    """

    def __init__(self, app: ASGIApp, answers: Answers) -> None:
        self.app, self._answers = app, answers
        self._secret = secrets.token_bytes(32)
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rename the page load of a request, check who owns its call, and pass it on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        kind, owner = scope[POLICY].name, _owner(Request(scope))
        scope, loads = self._renamed(scope, owner)
        if not all(self._owners.get(name) == owner for name in _fetched(kind, scope, loads)):
            return await refuse(scope, receive, send, 404, UNKNOWN)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.body":
                body = message.get("body", b"")
                if kind in ("call", "join"):
                    self._remember(owner, _event(body), loads)
                elif kind in ("result", "queue data"):
                    message = {**message, "body": self._answers.restore(body)}
                if kind == "result" and body.startswith(ENDS):
                    # Gradio has no second answer for it, and would leave the client waiting.
                    self._owners.pop(scope["path"].rsplit("/", 1)[-1], None)
            elif kind == "page" and owner.startswith("address "):
                cookie = f"{BROWSER_COOKIE}={secrets.token_urlsafe(32)}; HttpOnly; Path=/; SameSite=lax"
                secure = "; Secure" if scope["scheme"] == "https" else ""
                MutableHeaders(scope=message).append("set-cookie", cookie + secure)
            await send(message)

        return await self.app(scope, receive, answer)

    def _renamed(self, scope: Scope, owner: str) -> tuple[Scope, list[str]]:
        """Return the request with its page loads renamed, wherever it names them, and their new names."""
        loads: list[str] = []

        def rename(name: str) -> str:
            both = repr((owner, name)).encode()
            loads.append(hashlib.blake2b(both, key=self._secret, digest_size=16).hexdigest())
            return loads[-1]

        body, query = scope.get(READ), scope["query_string"].decode("latin-1")
        if isinstance(body, dict) and isinstance(body.get(NAME), str):
            body[NAME] = rename(body[NAME])
        if NAME in dict(pairs := parse_qsl(query, keep_blank_values=True)):
            query = urlencode([(name, rename(value) if name == NAME else value) for name, value in pairs])
            scope = {**scope, "query_string": query.encode()}
        before, heartbeat, name = scope["path"].partition(HEARTBEAT)
        if heartbeat:
            path = before + heartbeat + rename(name)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        return scope, loads

    def _remember(self, owner: str, event: str, loads: Iterable[str]) -> None:
        for name in (event, *loads) if event else ():
            self._owners.setdefault(name, owner)
            self._owners.move_to_end(name)
        while len(self._owners) > MOST_OWNERS:
            self._owners.popitem(last=False)


def _owner(request: Request) -> str:
    browser = request.cookies.get(BROWSER_COOKIE, "")
    if logged_in(request) is not None:
        return f"person {counted_as(request)}"
    return f"browser {browser}" if browser else f"address {counted_as(request)}"


def _fetched(kind: str, scope: Scope, loads: Iterable[str]) -> Iterable[str]:
    """Return the names of the calls that a request is for, or of the page loads whose calls it is for."""
    if kind == "result":
        return [scope["path"].rsplit("/", 1)[-1]]
    if kind in ("cancel", "reset"):
        # An empty name cancels by the page load alone.
        return [scope[READ]["event_id"] or next(iter(loads), "")]
    return loads if kind == "queue data" else ()


def _event(body: bytes) -> str:
    """Return the id of the call that an answer announces, empty if it announces none."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    event = answer.get("event_id") if isinstance(answer, dict) else None
    return event if isinstance(event, str) else ""
