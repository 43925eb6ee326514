"""Calls of tools by people, as the server makes them."""

from __future__ import annotations

from typing import Any

import gradio as gr
import orjson
from starlette.requests import Request

from engine.access.users import Person
from engine.verbs.verb import Verb, parse_request
from ui.cases.storage import KeptCases
from ui.models.connections import Connections
from ui.shelf import Library
from ui.tools.caller import ServerCaller, Services


def caller(library: Library, person: Person) -> ServerCaller:
    """A caller over HTTP."""
    services = Services(library, Connections(library.settings), KeptCases(library.settings, library.home))
    return ServerCaller(services, person, gr.Request(Request({"type": "http", "headers": []})))


def called(verb: Verb, library: Library, person: Person, **arguments: Any) -> dict[str, Any]:
    """The whole answer of a tool."""
    response = verb.call(caller(library, person), parse_request(verb.request, arguments))
    values: dict[str, Any] = orjson.loads(orjson.dumps(verb.tool.full(response)))
    return values
