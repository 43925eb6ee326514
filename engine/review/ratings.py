"""Who said what of which item, as a table that coefficients of agreement are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.review.coefficients import Counts
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict, standing

MISSING: Final = -1
# Verdicts that say something, the best first. Those of passages are steps of one scale; the others are names.
SCALES: Final[Mapping[ItemKind, tuple[Verdict, ...]]] = {
    kind: tuple(verdict for verdict in verdicts if verdict is not Verdict.LATER)
    for kind, verdicts in VERDICTS.items()
}
ORDINAL: Final = frozenset((ItemKind.PASSAGE,))


@dataclass(frozen=True, slots=True)
class Ratings:
    """``values`` of shape (items, reviewers): the place of a verdict in its scale from 0, ``MISSING`` where a
    reviewer did not judge an item."""

    kind: ItemKind
    items: tuple[Item, ...]
    reviewers: tuple[str, ...]
    values: Counts

    @property
    def counts(self) -> Counts:
        """How many reviewers gave each item each verdict, (items, verdicts)."""
        counts: Counts = (self.values[:, :, None] == np.arange(len(SCALES[self.kind]))).sum(axis=1)
        return counts

    @property
    def compared(self) -> tuple[int, tuple[str, ...]]:
        """How many items at least two reviewers judged, and who judged any of those."""
        judged = self.values != MISSING
        shared = judged[judged.sum(axis=1) > 1]
        names = (name for name, there in zip(self.reviewers, shared.any(axis=0), strict=True) if there)
        return len(shared), tuple(names)


def ratings(assessments: Iterable[Assessment], kind: ItemKind) -> Ratings:
    """The standing assessments of items of one kind; items in the order of their first, reviewers by name."""
    found = [one for one in standing(assessments) if one.item.kind is kind]
    items: dict[tuple[str, str], Item] = {}
    for one in found:
        items.setdefault((one.item.case_id, one.item.key), one.item)
    reviewers = tuple(sorted({one.reviewer for one in found}))
    rows = {key: number for number, key in enumerate(items)}
    columns = {name: number for number, name in enumerate(reviewers)}
    values = np.full((len(items), len(reviewers)), MISSING, np.int64)
    for one in found:
        place = SCALES[kind].index(one.verdict)
        values[rows[one.item.case_id, one.item.key], columns[one.reviewer]] = place
    return Ratings(kind, tuple(items.values()), reviewers, values)
