"""Whether somebody who reaches the page sits at the machine that serves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from engine.operator_settings import is_loopback

if TYPE_CHECKING:
    import gradio as gr

# What proxies add to what they pass on: whoever asks through one may be anybody.
FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-connecting-ip")


def is_local(request: gr.Request) -> bool:
    """Whether a request comes straight from this machine, from a page opened under a name of this machine.

    The latter keeps out a foreign page that lets its own name point to this machine.
    """
    client = request.client
    return client is not None and asked_locally({**request.headers}, client.host)


def address_of(request: gr.Request) -> str:
    """The address that a request comes from, as the server sees it; "" where there is none."""
    return "" if request.client is None else str(request.client.host)


def asked_locally(headers: Mapping[str, str], client: str) -> bool:
    """Whether the headers of a request (names in lower case) and its client's address are of this machine."""
    if any(name in headers for name in FORWARDING) or not is_loopback(client):
        return False
    origin = headers.get("origin")
    if origin is not None and not is_loopback(urlsplit(origin).hostname or ""):
        return False
    return is_loopback(urlsplit(f"//{headers.get('host', '')}").hostname or "")
