"""How deep a question goes, where the settings leave it to the question, and why.

A look-up names what it wants. A question with several parts or sides, or that asks for one thing through
another, goes as deep as the settings allow; every other one as deep as has proved enough. None goes deeper
than the settings say.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.model import Depth, DepthKind, Intent, QueryPlan
from engine.retrieval.planning.strategies import PART, SIDE
from engine.settings import AUTO, InvestigationSettings

REASONS: Mapping[Intent, str] = MappingProxyType(
    {
        Intent.COMPARATIVE: "it compares",
        Intent.MULTI_HOP: "it asks for one thing through another",
    }
)


def depth_of(plan: QueryPlan, settings: InvestigationSettings) -> Depth | None:
    """How deep a question goes, and why; None where the settings say how deep."""
    asked = plan.constraints.depth
    if asked is not None:
        return Depth(asked, "the question says so")
    if settings.depth != AUTO:
        return None
    named = [one for one in plan.named if one.leads]
    if named:
        return Depth(DepthKind.LOOK_UP, f"it asks for {named[0].words}")
    parts = sum(view.name in (PART, SIDE) for view in plan.views)
    if parts > 1:
        return Depth(DepthKind.DEEP, f"it has {parts} parts")
    if plan.intent is not None and plan.intent in REASONS:
        return Depth(DepthKind.DEEP, REASONS[plan.intent])
    return Depth(DepthKind.USUAL, "it asks for one thing")
