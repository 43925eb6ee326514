"""The Cases view: its frame, and the one door to the server that its script knocks at."""

from __future__ import annotations

from functools import partial
from typing import Any

import gradio as gr

from ui.access.asking import person_of
from ui.cases.answers import answer
from ui.cases.desk import CasesDesk
from ui.templating import rendered


def build_cases(desk: CasesDesk) -> gr.HTML:
    """Build the view."""

    def cases(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        return answer(desk, request, partial(person_of, desk.library.settings, asking))

    return gr.HTML(
        "",
        html_template=rendered("cases/frame.html"),
        elem_id="cases",
        apply_default_css=False,
        js_on_load="redstring.cases(element, server)",
        server_functions=[cases],
    )
