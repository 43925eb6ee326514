"""Set the security headers of every answer.

Scripts: only files of this server and its own inline scripts, which are identified by a nonce (those of the
page) or by a hash (those that Gradio puts into the head, and those of the board's frame, which inherits this
policy). ``unsafe-eval`` remains: Gradio compiles ``js=`` and ``js_on_load`` in the browser with ``Function``.
``unsafe-inline`` remains for styles only: Svelte, Plotly and vis-network set style attributes. The page may
not fetch from, send to or frame another host.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Match a whole element, so that text inside a script is not taken for another script.
_SCRIPT = re.compile(rb"<script\b([^>]*>.*?</script>)", re.DOTALL | re.IGNORECASE)
_INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
# Files of Gradio's page with a content hash in their names: they never change under the same name.
_HASHED = re.compile(r"/assets/[\w.~@+-]*-[\w-]{8,}\.(?:js|css)")
FOR_EVER = "public, max-age=31536000, immutable"
# Smallest page that is compressed, in bytes; the compression level is Gradio's.
SMALLEST_PACKED, PACKED_AT = 1000, 4
STATIC = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "x-permitted-cross-domain-policies": "none",
    "permissions-policy": "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), "
    "geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()",
}


def script_hash(text: str) -> str:
    """Return the source expression of an inline script.

    As in browsers, each line end counts as one character.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'sha256-{base64.b64encode(hashlib.sha256(plain.encode()).digest()).decode()}'"


def inline_scripts(page: str) -> list[str]:
    """Return the texts of our own inline scripts in a page."""
    return [text for text in _INLINE.findall(page) if text.strip()]


def content_policy(nonce: str, hashes: Iterable[str], frames: Iterable[str]) -> str:
    """Return the Content-Security-Policy of a page."""
    scripts = " ".join(["'self'", "'unsafe-eval'", *([f"'nonce-{nonce}'"] if nonce else []), *hashes])
    parts = {
        "default-src": "'none'",
        "script-src": scripts,
        "script-src-attr": "'none'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "media-src": "'none'",
        "object-src": "'none'",
        "frame-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(frames) or "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


class SecurityHeaders:
    """Sets the headers on every answer, and a fresh nonce on the scripts of every page.

    ``first`` is a script that runs before all others of the page itself.
    """

    def __init__(
        self, app: ASGIApp, hashes: Iterable[str] = (), frames: Iterable[str] = (), first: str = ""
    ) -> None:
        self.app = app
        self._hashes, self._frames = tuple(dict.fromkeys(hashes)), tuple(frames)
        self._first = f"<script>{first}</script>".encode() if first else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and set the headers of the answer."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        packed = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        first = b""
        if scope["path"] == "/":
            first = self._first
            # Insert the nonce before the page is compressed.
            others = [(name, value) for name, value in scope["headers"] if name.lower() != b"accept-encoding"]
            scope = {**scope, "headers": others}
        kept = _HASHED.fullmatch(scope["path"]) is not None
        answer = _SecureResponse(self._hashes, self._frames, send, first=first, packed=packed, kept=kept)
        return await self.app(scope, receive, answer)


class _SecureResponse:
    """Sends one answer: buffers a page until it is complete, passes everything else through."""

    def __init__(
        self,
        hashes: tuple[str, ...],
        frames: tuple[str, ...],
        send: Send,
        *,
        first: bytes,
        packed: bool,
        kept: bool,
    ) -> None:
        self._hashes, self._frames, self._send = hashes, frames, send
        self._first, self._packed, self._kept = first, packed, kept
        self._nonce = secrets.token_urlsafe(18)
        self._held: Message | None = None
        self._page = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            page = headers.get("content-type", "").startswith("text/html")
            self._mark(headers, page=page)
            if self._kept and not page and message["status"] in {200, 304}:
                headers["cache-control"] = FOR_EVER
            if page and "content-encoding" not in headers:
                self._held = message
                return
        elif self._held is not None:
            self._page += message.get("body", b"")
            if message.get("more_body", False):
                return
            start, self._held = self._held, None
            body = self._finished(start)
            await self._send(start)
            message = {"type": "http.response.body", "body": body}
        await self._send(message)

    def _mark(self, headers: MutableHeaders, *, page: bool) -> None:
        for name, value in STATIC.items():
            headers[name] = value
        if page:
            headers["content-security-policy"] = content_policy(self._nonce, self._hashes, self._frames)
            headers["cache-control"] = "no-store"
        else:
            headers["content-security-policy"] = content_policy("", (), ())
        if not self._frames:
            headers["x-frame-options"] = "DENY"
        del headers["server"]

    def _finished(self, start: Message) -> bytes:
        opening = f'<script nonce="{self._nonce}"'.encode()
        page = bytes(self._page).replace(b"<head>", b"<head>" + self._first, 1)
        body = _SCRIPT.sub(lambda found: opening + found[1], page)
        if not body:
            return body
        headers = MutableHeaders(scope=start)
        if self._packed and len(body) >= SMALLEST_PACKED:
            body = gzip.compress(body, PACKED_AT)
            headers["content-encoding"] = "gzip"
            headers.add_vary_header("Accept-Encoding")
        headers["content-length"] = str(len(body))
        return body
