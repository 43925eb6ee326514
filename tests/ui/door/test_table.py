from __future__ import annotations

import ui.cases.answers
import ui.check.answers
import ui.connecting
import ui.corpus.answers
import ui.evaluate.answers
import ui.review.answers
from ui.door.table import WORKING


def test_what_makes_the_server_work_is_called_as_the_panels_call_it() -> None:
    panels = (
        *(ui.cases.answers, ui.corpus.answers, ui.check.answers, ui.evaluate.answers, ui.review.answers),
        ui.connecting,
    )
    assert {name for panel in panels for name in panel.HANDLERS} >= WORKING
    # Two whole cases, or a request to another server, each.
    assert {"pair", "start", "list", "test"} <= WORKING
