"""A plan that a person has edited: what must be right about it before it is used."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.errors import InputError
from engine.model import QueryPlan, View

HEAVIEST = 10.0
MOST_VIEWS = 16
LONGEST_VIEW = 4_000


def checked_plan(plan: QueryPlan, question: str) -> QueryPlan:
    """The plan, with views of no words left out. Raises InputError where it cannot be used."""
    if plan.question.strip() != question.strip():
        raise InputError("the plan is for another question; make a new plan, or ask that question")
    views = tuple(replace(view, text=" ".join(view.text.split())) for view in plan.views)
    views = tuple(view for view in views if view.text)
    if not any(view.enabled for view in views):
        raise InputError("the plan has no view that is switched on: switch one on, or make a new plan")
    if len(views) > MOST_VIEWS:
        raise InputError(f"the plan has {len(views)} views; {MOST_VIEWS} is the most")
    for number, view in enumerate(views, 1):
        _check(view, number)
    return replace(plan, views=views)


def _check(view: View, number: int) -> None:
    if not (math.isfinite(view.weight) and 0 < view.weight <= HEAVIEST):
        raise InputError(
            f"view {number}: the weight must be above 0 and at most {HEAVIEST:g}, not {view.weight}"
        )
    if len(view.text) > LONGEST_VIEW:
        raise InputError(f"view {number}: {len(view.text):,} characters; {LONGEST_VIEW:,} is the most")
