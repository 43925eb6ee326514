"""What must be right about an edited plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import InputError
from engine.model import QueryPlan, View
from engine.retrieval.planning import checked_plan

PLAN = QueryPlan("dues", "en", (View("literal", "dues"), View("own", " berth\n dues ", 0.3)))


def test_blank_views_go_and_words_are_tidied() -> None:
    checked = checked_plan(replace(PLAN, views=(*PLAN.views, View("own", "  "))), " dues ")
    assert [view.text for view in checked.views] == ["dues", "berth dues"]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (replace(PLAN, question="fees"), "another question"),
        (replace(PLAN, views=()), "no view that is switched on"),
        (replace(PLAN, views=(View("literal", "dues", enabled=False),)), "no view that is switched on"),
        (replace(PLAN, views=(View("literal", "dues", 0.0),)), "view 1: the weight must be above 0"),
        (replace(PLAN, views=(View("own", "x" * 5000),)), "view 1: 5,000 characters"),
        (replace(PLAN, views=PLAN.views * 9), "18 views; 16 is the most"),
    ],
)
def test_a_plan_that_cannot_be_used_is_refused(plan: QueryPlan, told: str) -> None:
    with pytest.raises(InputError, match=told):
        checked_plan(plan, "dues")
