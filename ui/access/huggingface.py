"""Login with a Hugging Face account: OpenID Connect, as in a Space with ``hf_oauth``."""

from __future__ import annotations

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.requests import Request
from starlette.responses import Response

from engine.access.users import Realm, Role
from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from ui.access.entrance import Account, Admitted, Refused

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
