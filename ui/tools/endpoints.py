"""Tools as named endpoints of the page, for callers over HTTP."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import gradio as gr
from gradio.components.api_component import Api
from gradio.events import api

from engine.errors import RedstringError, for_visitors
from ui.access.entrance import person_of
from ui.forms import checked
from ui.session import CASES, LINED
from ui.tools.schemas import arguments_of
from ui.tools.tool import Asking, Place, Tool

# Where the function of an endpoint says which tool it is.
TOOL = "redstring_tool"


def add_tools(page: gr.Blocks, place: Place, tools: Iterable[Tool]) -> None:
    """Add an endpoint for each tool to the page that is being built."""
    for tool in tools:
        turn = LINED if tool.lined else {"concurrency_id": CASES}
        made = api(endpoint_of(tool, place), api_name=tool.name, queue=False, **turn)
        function = page.fns[made["id"]]
        # No type hint says what an argument means.
        function.inputs = [
            Api(shape.get("default"), {**shape, "additional_description": shape["description"]}, name)
            for name, shape in arguments_of(tool.form).items()
        ]


def endpoint_of(tool: Tool, place: Place) -> Any:
    """The function of a tool: arguments in order or by name, its answer as plain values.

    Raises gr.Error, in the words of the RedstringError that it was.
    """
    names = list(tool.form.model_fields)

    def endpoint(request: gr.Request, *given: Any, **named: Any) -> dict[str, Any]:
        try:
            sent = dict(zip(names, given, strict=False)) | named
            # Nothing is sent for what is left as it is.
            asked = checked(tool.form, {name: value for name, value in sent.items() if value is not None})
            person = person_of(place.library.settings, request)
            return tool.answer(Asking(place, person, request), asked)
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    endpoint.__name__ = endpoint.__qualname__ = tool.name
    endpoint.__doc__ = tool.meaning
    endpoint.__annotations__ = {"request": gr.Request, **dict.fromkeys(names, Any), "return": dict[str, Any]}
    endpoint.__signature__ = _signature(tool)  # type: ignore[attr-defined]
    setattr(endpoint, TOOL, tool)
    return endpoint


def _signature(tool: Tool) -> inspect.Signature:
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
        for name, field in tool.form.model_fields.items()
    ]
    request = inspect.Parameter("request", kind, annotation=gr.Request)
    return inspect.Signature([request, *own], return_annotation=dict[str, Any])
