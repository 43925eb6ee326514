"""Views that a script of the page fills: a frame, and a function of the server that the script calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr

from engine.access.users import Person
from engine.operator_settings import OperatorSettings
from ui.access.entrance import person_of

Who = Callable[[str], Person]


def build_panel(
    name: str,
    answer: Callable[[dict[str, Any], Who], dict[str, Any]],
    settings: OperatorSettings,
    frame: str,
    script: str,
    element: str = "",
) -> gr.HTML:
    """Build a view. Its script calls the function ``name``, which passes the request to ``answer``, and with
    it what finds the caller by the token of the browser. ``element`` is its id in the page, else ``name``."""

    def asked(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        return answer(request, partial(person_of, settings, asking))

    asked.__name__ = name
    return gr.HTML(
        "",
        html_template=frame,
        elem_id=element or name,
        apply_default_css=False,
        js_on_load=script,
        server_functions=[asked],
    )
