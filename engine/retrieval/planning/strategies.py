"""Which views a plan uses, at which weights and to what depth: precision, balanced, recall.

What is on in ``balanced`` earned its place in the scan of all nine gold sets: no set loses recall@10 by
it, and those of several hops win 0.3 to 2.6 points. Words of the first passages are on where a question
asks for one thing through another: on all others they cost obliqa_xref 2.8 points of recall@5 for what
they win elsewhere. The register of the law changes nothing on questions that are written in it, and wins
1.2 points of recall@10 on id_kuhperdata, whose questions are not. Clauses, acronyms and terms move
recall@10 by less than half a point either way on most sets, and are left to ``recall``, which takes
whatever may bring one passage more: on sets of several hops it wins up to 8 points of recall@5, on
obliqa_xref it loses 1.9 of recall@10. ``precision`` takes what the question says and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.model import Intent

LITERAL, GAP, OWN, HYPOTHETICAL = "literal", "gap", "own", "hypothetical"
# What a plan may add to the literal question, in the order in which it is shown.
KINDS = PART, SIDE, CLAUSE, REGISTER, ACRONYM, TERMS, FEEDBACK = (
    "part",
    "side",
    "clause",
    "register",
    "acronym",
    "terms",
    "feedback",
)


@dataclass(frozen=True, slots=True)
class Use:
    """How a strategy uses a kind of view. ``dense``: it is embedded too, which costs 8 ms. ``intents``: it
    is on for these questions only, for all where there are none."""

    weight: float
    on: bool = True
    dense: bool = False
    intents: tuple[Intent, ...] = ()


_BALANCED: Mapping[str, Use] = {
    PART: Use(0.3, dense=True),
    SIDE: Use(0.3),
    CLAUSE: Use(0.3, on=False),
    REGISTER: Use(0.2),
    ACRONYM: Use(0.2, on=False),
    TERMS: Use(0.2, on=False),
    # What must be found first shares words with the answer, not with the question.
    FEEDBACK: Use(0.2, intents=(Intent.MULTI_HOP,)),
}
STRATEGIES: Mapping[str, Mapping[str, Use]] = {
    "precision": {kind: replace(use, on=False) for kind, use in _BALANCED.items()},
    "balanced": _BALANCED,
    "recall": {kind: replace(use, on=True, intents=()) for kind, use in _BALANCED.items()},
}


def uses_of(strategy: str, intent: Intent | None) -> Mapping[str, Use]:
    """How a strategy uses each kind in a question."""
    return {
        kind: replace(use, on=use.on and (not use.intents or intent in use.intents), intents=())
        for kind, use in STRATEGIES[strategy].items()
    }
