"""Agreement of reviewers by Krippendorff's alpha, and their disagreements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.compare import CONFIDENCE, SEED
from engine.review.model import VERDICTS, Assessment, Item, ItemKind, Verdict, current_assessments

# The functions below take ``counts``, shape (items, categories): how many reviewers gave an item a category;
# reviewers may leave items out, and only items with at least two verdicts show agreement. ``weights``, shape
# (samples, items), are how often an item counts in a sample: ones give the coefficient itself, drawn weights
# its bootstrap. They return an array (samples,); NaN if the coefficient is undefined (no item has two
# verdicts, or chance alone would give full agreement).

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# An expected disagreement below this is a rounding error.
_NO_ROOM: Final = 1e-12


def krippendorff_alpha(counts: Counts, weights: Floats, *, ordinal: bool = False) -> Floats:
    """Return Krippendorff's alpha, 1 - observed / expected disagreement.

    Two nominal categories differ by 1. If ``ordinal``, with categories in the order of the columns, they
    differ by the square of the distance of their mean ranks (Krippendorff 2011, Computing Krippendorff's
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
    """Return the share of pairs of equal verdicts, 0..1, averaged over items with at least two."""
    judged = counts.sum(axis=1)
    shared = judged > 1
    alike = (counts * (counts - 1)).sum(axis=1)
    shares = _divided(alike.astype(np.float64), (judged * (judged - 1)).astype(np.float64))
    return _divided(weights[:, shared] @ shares[shared], weights[:, shared].sum(axis=1))


def _divided(part: Floats, total: Floats) -> Floats:
    """Return ``part / total``, NaN if the total is 0."""
    quotient: Floats = np.full(part.shape, np.nan)
    np.divide(part, total, out=quotient, where=np.broadcast_to(total, part.shape) > 0)
    return quotient


# A table of verdicts by item and reviewer.

MISSING: Final = -1
# Verdicts without postponement, the best first. Those of passages are ordinal, the others nominal.
SCALES: Final[Mapping[ItemKind, tuple[Verdict, ...]]] = {
    kind: tuple(verdict for verdict in verdicts if verdict is not Verdict.LATER)
    for kind, verdicts in VERDICTS.items()
}
ORDINAL: Final = frozenset((ItemKind.PASSAGE,))


@dataclass(frozen=True, slots=True)
class Ratings:
    """``values`` of shape (items, reviewers): index of a verdict in its scale, ``MISSING`` if a reviewer did
    not judge an item."""

    kind: ItemKind
    items: tuple[Item, ...]
    reviewers: tuple[str, ...]
    values: Counts

    @property
    def counts(self) -> Counts:
        """How many reviewers gave each item each verdict, shape (items, verdicts)."""
        counts: Counts = (self.values[:, :, None] == np.arange(len(SCALES[self.kind]))).sum(axis=1)
        return counts

    @property
    def compared(self) -> tuple[int, tuple[str, ...]]:
        """How many items at least two reviewers judged, and the names of these reviewers."""
        judged = self.values != MISSING
        shared = judged[judged.sum(axis=1) > 1]
        names = (name for name, there in zip(self.reviewers, shared.any(axis=0), strict=True) if there)
        return len(shared), tuple(names)


def ratings(assessments: Iterable[Assessment], kind: ItemKind) -> Ratings:
    """Tabulate the current assessments of items of one kind; items in order of appearance, reviewers by
    name."""
    found = [one for one in current_assessments(assessments) if one.item.kind is kind]
    items: dict[tuple[str, str], Item] = {}
    for one in found:
        items.setdefault((one.item.case_id, one.item.key), one.item)
    reviewers = tuple(sorted({one.reviewer for one in found}))
    rows = {key: number for number, key in enumerate(items)}
    columns = {name: number for number, name in enumerate(reviewers)}
    values = np.full((len(items), len(reviewers)), MISSING, np.int64)
    for one in found:
        scale_index = SCALES[kind].index(one.verdict)
        values[rows[one.item.case_id, one.item.key], columns[one.reviewer]] = scale_index
    return Ratings(kind, tuple(items.values()), reviewers, values)


# The interval is the percentile interval of the bootstrap over items, which keeps its level for nominal data
# even with missing ratings (Zapf, Castell, Morawietz and Karch 2016, BMC Medical Research Methodology 16).

RESAMPLES: Final = 2_000
# Resamples drawn at a time: for 10,000 different items they take 40 MB.
_BATCH: Final = 500
Coefficient = Callable[[Counts, Floats], Floats]


# .80, or .67 for tentative conclusions: Krippendorff (2004), Human Communication Research 30.
_SCALE: Final = (
    "1 is full agreement, 0 is chance; .80 is usually asked for firm conclusions, .67 for tentative ones. "
    "If nearly all verdicts are the same, it is low even with few differences."
)
_ALL_THE_SAME: Final = "All verdicts on it are the same, so alpha is not defined."


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha of ``reviewers`` on ``items`` that at least two of them judged.

    ``value`` is None if undefined; ``low`` and ``high`` (95%) are None if resampling is not informative:
    fewer than two items, or all alike. ``observed`` is the share of pairs of equal verdicts on the same item,
    0..1. ``meaning`` explains it in words.
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
    """An item on which reviewers differ. ``distance`` is 1 from one end of the scale to the other, or from
    approval to disapproval; 0.5 for nominal verdicts closer to each other. ``assessments`` are the current
    ones, by reviewer."""

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
        meaning = "Agreement needs at least two reviewers on the same items."
        return Agreement(None, None, None, None, 0, (), meaning)
    counts = table.counts
    observed = float(observed_agreement(counts, np.ones((1, len(counts))))[0])
    estimate = _estimate(partial(krippendorff_alpha, ordinal=kind in ORDINAL), counts)
    meaning = f"Two reviewers chosen at random agree on {observed:.0%} of what both judged. "
    meaning += _ALL_THE_SAME if estimate.value is None else _SCALE
    return Agreement(*estimate, observed, items, reviewers, meaning)


def disagreements(assessments: Iterable[Assessment]) -> list[Disagreement]:
    """Return items on which reviewers differ, the largest distance first, then the most evenly divided."""
    found: dict[tuple[str, str], list[Assessment]] = {}
    for one in current_assessments(assessments):
        found.setdefault((one.item.case_id, one.item.key), []).append(one)
    differing = [
        Disagreement(
            assessments_of_item[-1].item,
            _distance(assessments_of_item),
            tuple(sorted(assessments_of_item, key=lambda one: one.reviewer)),
        )
        for assessments_of_item in found.values()
        if len({one.verdict for one in assessments_of_item}) > 1
    ]
    return sorted(differing, key=lambda one: (-one.distance, _lead(one.assessments)))


def _distance(given: Sequence[Assessment]) -> float:
    kind = given[0].item.kind
    if kind in ORDINAL:
        places = [SCALES[kind].index(one.verdict) for one in given]
        return (max(places) - min(places)) / (len(SCALES[kind]) - 1)
    return 1.0 if len({one.is_approval for one in given}) > 1 else 0.5


def _lead(given: Sequence[Assessment]) -> float:
    """Return the share of the most frequent verdict."""
    verdicts = [one.verdict for one in given]
    return max(map(verdicts.count, verdicts)) / len(verdicts)


def _estimate(coefficient: Coefficient, rows: Counts) -> _Estimate:
    """Return a coefficient with its interval; the same rows give the same interval.

    Equal rows are drawn together, by a multinomial of their numbers: the bootstrap over rows, at the cost of
    the different ones.
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
