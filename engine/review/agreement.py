"""How far reviewers agree beyond what chance would give, and where they do not.

The measure is Krippendorff's alpha, next to the share of pairs of verdicts that are the same. Its interval is
the percentile interval of the bootstrap over items, which keeps its level for nominal data even if ratings
are missing (Zapf, Castell, Morawietz and Karch 2016, BMC Medical Research Methodology 16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from engine.evaluation.significance import CONFIDENCE, SEED
from engine.review.coefficients import (
    Counts,
    Floats,
    krippendorff_alpha,
    observed_agreement,
)
from engine.review.model import Assessment, Item, ItemKind, standing
from engine.review.ratings import ORDINAL, SCALES, ratings

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
