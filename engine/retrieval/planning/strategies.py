"""Which views a plan uses, at which weights and to what depth: precision, balanced, recall.

What is on in ``balanced`` earned its place on the gold sets (see benchmarks/RESULTS.md); ``recall`` takes
whatever may bring one passage more, ``precision`` what the question says and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import SettingsError
from engine.settings import InvestigationSettings

LITERAL, PART, SIDE, CLAUSE = "literal", "part", "side", "clause"
REGISTER, ACRONYM, TERMS, FEEDBACK = "register", "acronym", "terms", "feedback"
GAP, OWN = "gap", "own"
# What a plan may add to the literal question, in the order in which it is shown.
KINDS = (PART, SIDE, CLAUSE, REGISTER, ACRONYM, TERMS, FEEDBACK)


@dataclass(frozen=True, slots=True)
class Use:
    """How a strategy uses a kind of view. ``dense``: it is embedded too, which costs 8 ms."""

    weight: float
    on: bool = True
    dense: bool = False


_BALANCED: Mapping[str, Use] = {
    PART: Use(0.3, dense=True),
    SIDE: Use(0.3, dense=True),
    CLAUSE: Use(0.3, on=False),
    REGISTER: Use(0.2, on=False),
    ACRONYM: Use(0.2, on=False),
    TERMS: Use(0.2, on=False),
    FEEDBACK: Use(0.2, on=False),
}
STRATEGIES: Mapping[str, Mapping[str, Use]] = {
    "precision": {kind: Use(use.weight, False, use.dense) for kind, use in _BALANCED.items()},
    "balanced": _BALANCED,
    "recall": {kind: Use(use.weight, True, use.dense) for kind, use in _BALANCED.items()},
}
# How many candidates the scan keeps and how deep each list is read, as a share of what the settings say.
DEPTHS: Mapping[str, float] = {"precision": 0.5, "balanced": 1.0, "recall": 1.5}
DEEPEST = {"scan_limit": 500, "scan_depth": 2000}
SHALLOWEST = 10


def uses_of(strategy: str, kinds: tuple[str, ...] = ()) -> Mapping[str, Use]:
    """How a strategy uses each kind; ``kinds``, where some are given, says which are on instead.

    Raises SettingsError for a kind that there is not.
    """
    uses = STRATEGIES[strategy]
    unknown = [kind for kind in kinds if kind not in uses]
    if unknown:
        raise SettingsError(f"view_kinds: {unknown[0]!r} is no kind of view; known kinds: {', '.join(KINDS)}")
    if not kinds:
        return uses
    return {kind: Use(use.weight, kind in kinds, use.dense) for kind, use in uses.items()}


def deepened(settings: InvestigationSettings, strategy: str) -> InvestigationSettings:
    """The settings with the depth of the scan that a strategy asks for."""
    share = DEPTHS[strategy]
    if share == 1.0:
        return settings
    depths = {
        name: max(SHALLOWEST, min(most, round(share * getattr(settings, name))))
        for name, most in DEEPEST.items()
    }
    return settings.model_copy(update=depths)
