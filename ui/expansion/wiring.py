"""The tabs of the board: which is in front, and what is fetched for it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine.errors import RedstringError
from ui.expansion.asked import looked
from ui.expansion.view import view_value
from ui.session import Desk, case_of
from ui.stage import Stage


def wire_views(stage: Stage, token: gr.State, desk: Desk) -> None:
    """One listener for all looks at the tree and the charts."""

    def look(request: gr.Request, case: str, wanted: gr.EventData) -> Any:
        opened = desk.find(case_of(case, request))
        try:
            asked = looked(getattr(wanted, "given", None))
        except RedstringError:
            # Nothing that the page itself sends.
            return gr.skip()
        if opened is None:
            return gr.skip()
        opened.view = asked.view
        # While a case runs its next step shows what is in front.
        if asked.view == "board" or opened.busy.locked():
            return gr.skip()
        return view_value(opened, asked)

    stage.views.select(
        look, token, stage.views,
        api_visibility="private", show_progress="hidden", queue=False, trigger_mode="multiple",
    )  # fmt: skip
