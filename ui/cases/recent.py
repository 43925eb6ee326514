"""The caller's latest cases, at the foot of the sidebar."""

from __future__ import annotations

from typing import Any

import gradio as gr
from pydantic import Field

from engine.errors import RedstringError
from engine.records.store.database import CaseFilter
from engine.verbs.requests import Key, Request, parse_request
from ui.access.entrance import person_of
from ui.cases.storage import KeptCases
from ui.shelf import Library
from ui.templating import rendered

SHOWN = 6


class _Asked(Request):
    visitor: Key = Field(default="", repr=False)


def build_recent(library: Library, cases: KeptCases) -> gr.HTML:
    """Build the list; its script reloads it when a case was stored."""

    def recent(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        try:
            person = person_of(library.settings, asking, parse_request(_Asked, request).visitor)
            return {"html": recent_html(cases, cases.owner_of(person))}
        except RedstringError:
            # The list is a convenience: errors are reported when a case is stored or opened.
            return {"html": ""}

    return gr.HTML(
        "",
        elem_id="recent",
        apply_default_css=False,
        elem_classes=["fold"],
        js_on_load="redstring.recent(element, server)",
        server_functions=[recent],
    )


def recent_html(cases: KeptCases, owner: str | None) -> str:
    """Return the list as HTML, empty if there are no cases."""
    if owner is None:
        return ""
    found = cases.store().listed(CaseFilter(limit=SHOWN), owner=owner)
    return rendered("recent.html", cases=found.cases)
