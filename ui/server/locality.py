"""Distinguish local requests from remote ones, and return the addresses of remote ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from ui.server.address import VISITOR, Visitor

if TYPE_CHECKING:
    import gradio as gr


def is_local(request: gr.Request | Request) -> bool:
    """Return whether a request comes directly from this machine; False without the middleware."""
    visitor = _visitor(request)
    return visitor is not None and visitor.local


def address_of(request: gr.Request | Request) -> str:
    """Return the address of a request as rate limits count it; empty if unknown."""
    visitor = _visitor(request)
    return "" if visitor is None else visitor.address


def visitor_of(request: gr.Request) -> str:
    """Return the visitor's key in the fair queue: the page load and its address."""
    return f"{address_of(request)} {getattr(request, 'session_hash', None) or ''}"


def _visitor(request: gr.Request | Request) -> Visitor | None:
    asked = request if isinstance(request, Request) else request.request
    visitor = asked.scope.get(VISITOR) if asked is not None else None
    return visitor if isinstance(visitor, Visitor) else None
