"""A provider of OpenID Connect on this machine, as honest as a test wants it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "the-client", "the-secret-of-the-client"
Claims = dict[str, Any]
# Making one takes a second: all share it.
KEY = RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class Provider:
    """Vouches for ``name``; ``mend`` changes the claims before they are signed with ``signing``."""

    name: str = "Anna"
    mend: Callable[[Claims], Claims] = lambda claims: claims
    broken: bool = False
    key: RSAKey = field(default_factory=lambda: KEY)
    signing: RSAKey | None = None
    asked: dict[str, Claims] = field(default_factory=dict)
    forms: list[dict[str, list[str]]] = field(default_factory=list)

    def __enter__(self) -> Provider:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(provider.get(urlsplit(self.path).path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                provider.forms.append(parse_qs(body))
                self.answer(provider.token(parse_qs(body)["code"][0]))

            def answer(self, value: object) -> None:
                content = b"<h1>Broken</h1>" if provider.broken else json.dumps(value).encode()
                self.send_response(500 if provider.broken else 200)
                self.send_header("content-type", "text/html" if provider.broken else "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def get(self, path: str) -> object:
        if path == "/jwks":
            return {"keys": [self.key.as_dict(private=False)]}
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def consent(self, url: str) -> tuple[str, str]:
        """Somebody agrees at the address that they were sent to: the code and the state of their way back."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert query["client_id"] == CLIENT
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.asked[code] = query
        return code, query["state"]

    def token(self, code: str) -> object:
        now = int(time.time())
        claims = self.mend({
            "iss": self.url, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 600,
            "nonce": self.asked[code].get("nonce"), "preferred_username": self.name,
        })  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signing or self.key)
        return {"access_token": "t", "token_type": "bearer", "expires_in": 600, "id_token": signed}
