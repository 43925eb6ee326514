"""The Cases view: its calls and its frame."""

from __future__ import annotations

import gradio as gr

from ui.calls import build_panel, by_name
from ui.cases import comparison as side_by_side
from ui.cases import history, records, sheet
from ui.cases.access import CasesDesk
from ui.templating import rendered

CALLS = by_name((*history.CALLS, *records.CALLS, *sheet.CALLS, *side_by_side.CALLS))


def build_cases(desk: CasesDesk) -> gr.HTML:
    """Build the view."""
    frame, script = rendered("cases/frame.html"), "redstring.cases(element, server)"
    return build_panel("cases", desk, CALLS, desk.library.settings, frame, script)
