"""Who sends a request: the gate has settled it, or, where access is off, a browser's token is believed."""

from __future__ import annotations

import gradio as gr
from starlette.requests import Request

from engine.access.users import Person, Role, is_key
from engine.errors import AccessError
from engine.operator_settings import OperatorSettings
from ui.locality import address_of, is_local

# Where the gate writes down who asks, in the state of a request.
PERSON = "redstring_person"


def person_of(settings: OperatorSettings, request: gr.Request, token: str = "") -> Person:
    """Who asks. ``token``: the secret that a browser keeps, believed only where nobody logs in.

    Raises AccessError where somebody has to be logged in and no gate has seen to it.
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
    """Return who pays for what a request leaves behind: the person who has logged in, else the address."""
    person = logged_in(request)
    return address_of(request) if person is None else person.key


def by_token(token: str) -> Person:
    """Somebody who is known by a browser's token alone."""
    return Person(token)
