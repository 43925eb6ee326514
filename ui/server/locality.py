"""Whether somebody who reaches the page sits at the machine that serves it, and where others come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from ui.server.address import VISITOR, Visitor

if TYPE_CHECKING:
    import gradio as gr


def is_local(request: gr.Request | Request) -> bool:
    """Whether a request comes straight from this machine, as the door has found; nobody is without a door."""
    visitor = _visitor(request)
    return visitor is not None and visitor.local


def address_of(request: gr.Request | Request) -> str:
    """The address that a request comes from, as limits count it; "" where there is none."""
    visitor = _visitor(request)
    return "" if visitor is None else visitor.address


def visitor_of(request: gr.Request) -> str:
    """Who waits in a line, as far as fairness goes: a page load of an address."""
    return f"{address_of(request)} {getattr(request, 'session_hash', None) or ''}"


def _visitor(request: gr.Request | Request) -> Visitor | None:
    asked = request if isinstance(request, Request) else request.request
    visitor = asked.scope.get(VISITOR) if asked is not None else None
    return visitor if isinstance(visitor, Visitor) else None
