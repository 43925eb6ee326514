"""Tools as named endpoints of the page, for callers over HTTP."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import gradio as gr
from gradio.components.api_component import Api
from gradio.events import api

from engine.errors import RedstringError, for_visitors
from engine.verbs.requests import parse_request
from engine.verbs.verb import Verb
from ui.access.entrance import person_of
from ui.session import CASES, LINED
from ui.tools.caller import ServerCaller, Services
from ui.tools.schemas import arguments_of

# The attribute of an endpoint's function that holds its verb.
TOOL = "redstring_tool"


def add_tools(page: gr.Blocks, services: Services, tools: Iterable[Verb]) -> None:
    """Add an endpoint for each tool to the page that is being built."""
    for verb in tools:
        turn = LINED if verb.queued else {"concurrency_id": CASES}
        made = api(endpoint_of(verb, services), api_name=verb.tool.name, queue=False, **turn)
        function = page.fns[made["id"]]
        # Type hints do not contain descriptions of arguments.
        function.inputs = [
            Api(shape.get("default"), {**shape, "additional_description": shape["description"]}, name)
            for name, shape in arguments_of(verb.request).items()
        ]


def endpoint_of(verb: Verb, services: Services) -> Any:
    """Return the function of a tool: arguments in order or by name, its answer as plain values.

    It raises gr.Error with the message of a RedstringError.
    """
    names = list(verb.request.model_fields)

    def endpoint(request: gr.Request, *given: Any, **named: Any) -> dict[str, Any]:
        try:
            sent = dict(zip(names, given, strict=False)) | named
            # None means that the caller leaves the default.
            asked = parse_request(
                verb.request, {name: value for name, value in sent.items() if value is not None}
            )
            person = person_of(services.library.settings, request)
            return verb.answer(ServerCaller(services, person, request), asked)
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    endpoint.__name__ = endpoint.__qualname__ = verb.tool.name
    endpoint.__doc__ = verb.tool.meaning
    endpoint.__annotations__ = {"request": gr.Request, **dict.fromkeys(names, Any), "return": dict[str, Any]}
    endpoint.__signature__ = _signature(verb)  # type: ignore[attr-defined]
    setattr(endpoint, TOOL, verb)
    return endpoint


def _signature(verb: Verb) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [
        inspect.Parameter(
            name,
            kind,
            default=inspect.Parameter.empty
            if field.is_required()
            else field.get_default(call_default_factory=True),
            annotation=Any,
        )
        for name, field in verb.request.model_fields.items()
    ]
    request = inspect.Parameter("request", kind, annotation=gr.Request)
    return inspect.Signature([request, *own], return_annotation=dict[str, Any])
