"""The Cases view: its frame, and the one door to the server that its script knocks at."""

from __future__ import annotations

from functools import partial

import gradio as gr

from ui.cases.answers import answer
from ui.cases.desk import CasesDesk
from ui.panels import build_panel
from ui.templating import rendered


def build_cases(desk: CasesDesk) -> gr.HTML:
    """Build the view."""
    frame, script = rendered("cases/frame.html"), "redstring.cases(element, server)"
    return build_panel("cases", partial(answer, desk), desk.library.settings, frame, script)
