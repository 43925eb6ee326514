"""Passages that a language model is not shown keep their place, whatever it does to the others.

A model that orders passages cannot lift what it has not read; but it can push down what stands above. So
that neither an attack nor its being withheld changes where a passage stands, it keeps its rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.investigation.ranking import Ranking

WITHHELD = "addresses a machine: not shown to the model, keeps its place"


def kept_in_place(before: Ranking, after: Ranking, places: Sequence[int]) -> Ranking:
    """``after`` with the rows that stood at ``places`` of ``before`` there again, the others in their order.

    Both rankings hold the same rows; the last part of ``after`` is the addend that moved them. Where the
    score of a kept row does not fit between its neighbours, that part makes it fit.
    """
    if not places:
        return after
    where = {row: place for place, row in enumerate(after.rows.tolist())}
    kept = {place: where[int(before.rows[place])] for place in places}
    held = set(kept.values())
    moving = iter(place for place in range(len(after.rows)) if place not in held)
    order = [kept[place] if place in kept else next(moving) for place in range(len(after.rows))]
    parts, scores = after.parts[:, order].copy(), after.scores[order].copy()
    for place in sorted(kept):
        below = next((float(scores[n]) for n in range(place + 1, len(scores)) if n not in kept), -np.inf)
        above = float(scores[place - 1]) if place else np.inf
        fitting = min(max(float(scores[place]), below), above)
        parts[-1, place] += fitting - scores[place]
        scores[place] = fitting
    name = after.names[-1]
    told = {(name, int(before.rows[place])): WITHHELD for place in places}
    return replace(
        after, rows=after.rows[order], scores=scores, parts=parts, details={**after.details, **told}
    )
