from __future__ import annotations

import ui.cases.panel
import ui.check
import ui.corpus.panel
import ui.evaluation
import ui.models.dialog
import ui.review.panel
from ui.server.policies import WORKING


def test_what_makes_the_server_work_is_called_as_the_panels_call_it() -> None:
    panels = (
        *(ui.cases.panel, ui.corpus.panel, ui.check, ui.evaluation, ui.review.panel),
        ui.models.dialog,
    )
    assert {name for panel in panels for name in panel.CALLS} >= WORKING
    # Two whole cases, or a request to another server, each.
    assert {"pair", "start", "list", "test"} <= WORKING
