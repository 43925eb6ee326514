"""Agreement of reviewers: ratings, Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.compare import CONFIDENCE, SEED
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict, standing

# Agreement of reviewers, also beyond chance, on items that can be weighted.
#
# Each function takes the verdicts on ``items`` and ``weights`` of shape (samples, items), how
# often an item counts in a sample, and returns an array (samples,): weights of one give the
# coefficient itself, drawn weights its bootstrap. NaN is an undefined coefficient: no item has
# two verdicts, or chance alone would agree on all.
#
# ``counts`` of shape (items, categories) say how many reviewers gave an item a category;
# reviewers may have left items out, and only items that at least two of them judged say anything
# about observed agreement.

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Below this the agreement that chance leaves to be reached is a rounding error.
_NO_ROOM: Final = 1e-12


def krippendorff_alpha(counts: Counts, weights: Floats, *, ordinal: bool = False) -> Floats:
    """Krippendorff's alpha, 1 - observed / expected disagreement.

    Two categories differ by 1 where they are names; where they are ``ordinal``, in the order of the columns,
    by the square of the distance of their mean ranks (Krippendorff 2011, Computing Krippendorff's
    Alpha-Reliability, University of Pennsylvania; there the sum of the frequencies between them).
    """
    number = counts.shape[1]
    judged = counts.sum(axis=1)
    shared = np.where(judged > 1, judged - 1, 1)[:, None, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(number)
    coincidences = (weights @ (pairs / shared).reshape(-1, number * number)).reshape(-1, number, number)
    totals = coincidences.sum(axis=2)
    if ordinal:
        ranks = np.cumsum(totals, axis=1) - totals / 2
        distances = (ranks[:, :, None] - ranks[:, None, :]) ** 2
    else:
        distances = np.broadcast_to(1 - np.eye(number), coincidences.shape)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * distances).sum(axis=(1, 2))
    possible = expected > _NO_ROOM
    ratio = np.divide(observed, expected, out=np.full(len(weights), np.nan), where=possible)
    alpha: Floats = 1 - (totals.sum(axis=1) - 1) * ratio
    return alpha


def observed_agreement(counts: Counts, weights: Floats) -> Floats:
    """The share of pairs of reviewers who said the same, 0..1, averaged over items that two judged."""
    judged = counts.sum(axis=1)
    shared = judged > 1
    alike = (counts * (counts - 1)).sum(axis=1)
    shares = _divided(alike.astype(np.float64), (judged * (judged - 1)).astype(np.float64))
    return _divided(weights[:, shared] @ shares[shared], weights[:, shared].sum(axis=1))


def _divided(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, NaN where the whole is nothing."""
    quotient: Floats = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotient, where=np.broadcast_to(whole, part.shape) > 0)
    return quotient


# Who said what of which item, as a table that coefficients of agreement are computed from.

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


# How far reviewers agree beyond what chance would give, and where they do not.
#
# The measure is Krippendorff's alpha, next to the share of pairs of verdicts that are the same.
# Its interval is the percentile interval of the bootstrap over items, which keeps its level for
# nominal data even if ratings are missing (Zapf, Castell, Morawietz and Karch 2016, BMC Medical
# Research Methodology 16).

RESAMPLES: Final = 2_000
# Resamples drawn at a time: of 10,000 items that all differ they take 40 MB.
_BATCH: Final = 500
Coefficient = Callable[[Counts, Floats], Floats]


# Asking for .80, or .67 for tentative conclusions: Krippendorff (2004), Human Communication Research 30.
_SCALE: Final = (
    "1 is full agreement, 0 is chance; .80 is usually asked for firm conclusions, .67 for tentative ones. "
    "If nearly all verdicts are the same, it is low even with few differences."
)
_ALL_THE_SAME: Final = "All verdicts on it are the same, so alpha is not defined."


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha of ``reviewers`` on ``items`` that at least two of them judged.

    ``value`` is None where it is not defined, ``low`` and ``high`` (95 %) where resampling the items tells
    nothing: fewer than two of them, or all alike. ``observed`` is the share of pairs of verdicts on the same
    item that are the same, 0..1. ``meaning`` says it in words.
    """

    value: float | None
    low: float | None
    high: float | None
    observed: float | None
    items: int
    reviewers: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item of which reviewers said different things. ``distance``: 1 from one end of the scale to the
    other, or from an approval to none; 0.5 for what is nearer. ``assessments`` are the standing ones, by
    reviewer."""

    item: Item
    distance: float
    assessments: tuple[Assessment, ...]


class _Estimate(NamedTuple):
    value: float | None
    low: float | None
    high: float | None


def agreement(assessments: Iterable[Assessment], kind: ItemKind) -> Agreement:
    """Return how far reviewers agree on items of one kind, by their current verdicts."""
    table = ratings(assessments, kind)
    items, reviewers = table.compared
    if not items:
        meaning = "No two reviewers have judged an item in common: there is nothing to compare."
        return Agreement(None, None, None, None, 0, (), meaning)
    counts = table.counts
    observed = float(observed_agreement(counts, np.ones((1, len(counts))))[0])
    estimate = _estimate(partial(krippendorff_alpha, ordinal=kind in ORDINAL), counts)
    meaning = f"Two reviewers chosen at random agree on {observed:.0%} of what both judged. "
    meaning += _ALL_THE_SAME if estimate.value is None else _SCALE
    return Agreement(*estimate, observed, items, reviewers, meaning)


def disagreements(assessments: Iterable[Assessment]) -> list[Disagreement]:
    """Items on which reviewers differ, the farthest apart first, among those the most evenly divided."""
    found: dict[tuple[str, str], list[Assessment]] = {}
    for one in standing(assessments):
        found.setdefault((one.item.case_id, one.item.key), []).append(one)
    apart = [
        Disagreement(given[-1].item, _distance(given), tuple(sorted(given, key=lambda one: one.reviewer)))
        for given in found.values()
        if len({one.verdict for one in given}) > 1
    ]
    return sorted(apart, key=lambda one: (-one.distance, _lead(one.assessments)))


def _distance(given: Sequence[Assessment]) -> float:
    kind = given[0].item.kind
    if kind in ORDINAL:
        places = [SCALES[kind].index(one.verdict) for one in given]
        return (max(places) - min(places)) / (len(SCALES[kind]) - 1)
    return 1.0 if len({one.is_approval for one in given}) > 1 else 0.5


def _lead(given: Sequence[Assessment]) -> float:
    """The share of the most frequent verdict."""
    verdicts = [one.verdict for one in given]
    return max(map(verdicts.count, verdicts)) / len(verdicts)


def _estimate(coefficient: Coefficient, rows: Counts) -> _Estimate:
    """A coefficient with its interval; the same rows give the same interval.

    Rows that are alike are drawn together, by a multinomial of their numbers: that is the bootstrap over
    rows, at the cost of those that differ.
    """
    different, sizes = np.unique(rows, axis=0, return_counts=True)
    value = float(coefficient(different, sizes[None, :].astype(np.float64))[0])
    if np.isnan(value):
        return _Estimate(None, None, None)
    drawn = _resampled(coefficient, different, sizes)
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < CONFIDENCE * RESAMPLES or np.ptp(defined) == 0:
        return _Estimate(value, None, None)
    low, high = np.quantile(defined, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return _Estimate(value, float(low), float(high))


def _resampled(coefficient: Coefficient, different: Counts, sizes: Counts) -> Floats:
    generator, number = np.random.default_rng(SEED), int(sizes.sum())
    batches = []
    for start in range(0, RESAMPLES, _BATCH):
        size = min(_BATCH, RESAMPLES - start)
        weights = generator.multinomial(number, sizes / number, size=size).astype(np.float64)
        batches.append(coefficient(different, weights))
    return np.concatenate(batches)
