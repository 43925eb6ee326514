"""Nothing followed: the plain hybrid list, in the order of the scan. References followed in one direction."""

from __future__ import annotations

import pytest

from engine.retrieval.scan import scan
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, finished

PLAIN = SETTINGS.changed(follow=False)
NAMING = "What does Article 7 of the Harbour Act say?"


@pytest.mark.parametrize("question", [QUESTION, NAMING, "Who takes a pilot?"])
@pytest.mark.parametrize("corpus", ["harbour", "bare", "dense"])
def test_the_order_is_that_of_the_scan(corpus: str, question: str, request: pytest.FixtureRequest) -> None:
    opened = request.getfixturevalue(corpus)
    case = finished(opened, question, PLAIN)
    assert case.plan is not None
    assert case.scanned is not None
    assert case.order is not None
    assert case.order.rows.tolist() == case.scanned.rows.tolist()
    assert case.order.scores.tolist() == pytest.approx(case.scanned.scores.tolist())
    if corpus != "dense":
        # The scan itself, asked without any case.
        found = scan(
            opened, case.scanned.relevance.plan, None, ~opened.out_of_force(case.as_of),
            names=PLAIN.retrievers, limit=BREADTH.scan, depth=BREADTH.depth,
        )  # fmt: skip
        assert case.order.rows.tolist() == found.rows.tolist()
    shown = opened.rows([one.passage.id for one in case.ranking]).tolist()
    assert shown == [row for row in case.order.rows.tolist() if row in shown]
