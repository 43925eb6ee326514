"""Estimates of precision and recall of reviewed cases, from the judged passages that a queue drew.

Passage i is drawn with probability p_i, which is 1 in the deterministic strata. A total over all passages of
a pool is estimated by the sum of y_i / p_i over the judged ones (Horvitz and Thompson 1952, J. Am. Stat.
Assoc. 47), where y_i is the relevance of i. Unjudged passages of a stratum are assumed to be like the judged
ones: p_i is multiplied by the judged share of its stratum in its case. Passages with identical words count
once, as judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.extraction.checklist import wilson
from engine.review.model import Assessment, Item, ItemKind, Verdict, current_assessments
from engine.review.queues import QueuedItem
from engine.review.sampling import Sampling, Stratum

# Ranks at which the precision is estimated.
RANKS = (5, 10, 20)
CONFIDENCE, SEED = 0.95, 20_260
# Maximum and minimum draws of the bootstrap, and draws times cases.
MOST_DRAWS, LEAST_DRAWS, DRAWS = 4_000, 1_000, 40_000
# With fewer cases, resampling them shows too little of how they differ.
FEWEST_CASES = 4
_ENDS = (50 * (1 - CONFIDENCE), 100 - 50 * (1 - CONFIDENCE))

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PrecisionEstimate:
    """A share, 0..1, with its 95% interval, from ``judged`` passages of ``cases`` cases."""

    value: float
    low: float
    high: float
    judged: int
    cases: int


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """The share of relevant passages in the pools that is ranked, 0..1, with its 95% interval.

    ``relevant`` and ``ranked`` are the estimated numbers of relevant passages in the pools and in the
    rankings. ``at_random`` counts the judged ones of those drawn at random; about ``left`` are unjudged.
    ``of_these_cases``: the interval holds for these cases, otherwise for cases like them.
    """

    value: float
    low: float
    high: float
    relevant: float
    ranked: float
    at_random: int
    left: float
    cases: int
    of_these_cases: bool

    def more_needed(self, width: float) -> int:
        """Return how many more verdicts on random passages narrow the interval to a width, 0..1 exclusive.

        A width shrinks with the square root of the number of verdicts n: n (w / width)^2 are needed if it is
        w now. If the interval holds for cases like these, the verdicts come from as many more cases. Raises
        ValueError for an invalid width.
        """
        if not 0 < width < 1:
            raise ValueError(f"not a width between 0 and 1: {width}")
        now = self.high - self.low
        if now <= width:
            return 0
        more = math.ceil(self.at_random * ((now / width) ** 2 - 1) - 1e-9)
        return min(more, math.ceil(self.left)) if self.of_these_cases else more


@dataclass(frozen=True, slots=True)
class Estimates:
    """The quality of a queue's rankings: precision of the best k by k, and of all; recall within the pools.
    None if unknown. ``judged`` of ``drawn`` passages were judged."""

    at: Mapping[int, PrecisionEstimate | None]
    overall: PrecisionEstimate | None
    recall: RecallEstimate | None
    judged: int
    drawn: int


@dataclass(frozen=True, slots=True)
class _JudgedPassage:
    """A judged passage: its relevance, and the number of passages of its pool that it represents."""

    item: Item
    relevance: float
    weight: float
    is_random: bool

    @property
    def is_ranked(self) -> bool:
        return self.item.rank is not None


@dataclass(frozen=True, slots=True)
class _CaseSample:
    """The judged passages of a case. ``is_whole``: each passage of its pool had a chance to be drawn;
    ``is_known``: all are judged. The precision is known down to ``depth``. ``ranked_left`` counts the ranked
    passages among those that random ones were drawn from, None if unknown."""

    judged: tuple[_JudgedPassage, ...]
    is_whole: bool
    is_known: bool
    depth: float
    ranked_left: int | None


def estimates(
    items: Iterable[QueuedItem],
    assessments: Iterable[Assessment],
    sampling: Sampling,
    *,
    ranks: Sequence[int] = RANKS,
    partly: float = 1.0,
) -> Estimates:
    """Estimate precision and recall of rankings. ``items`` are those of a queue drawn by ``sampling``; only
    passages with a known chance count. ``partly`` is the relevance, 0..1, of a partly relevant passage.

    The same verdicts give the same figures: random generators have a fixed seed.
    """
    passages = [
        one for one in items if one.item.kind is ItemKind.PASSAGE and one.stratum != Stratum.TELLING.value
    ]
    relevance = _relevance(assessments, partly)
    cases: dict[str, list[QueuedItem]] = {}
    for one in passages:
        cases.setdefault(one.item.case_id, []).append(one)
    samples = [_sample(own, relevance, sampling) for own in cases.values()]
    return Estimates(
        {k: _precision(samples, k) for k in ranks},
        _precision(samples, math.inf),
        _recall([one for one in samples if one.is_whole]),
        sum(len(one.judged) for one in samples),
        len(passages),
    )


def _relevance(assessments: Iterable[Assessment], partly: float) -> dict[_Key, float]:
    """Return the relevance of each passage: the last settling verdict, else the mean of all."""
    values = {Verdict.RELEVANT: 1.0, Verdict.PARTLY: partly, Verdict.IRRELEVANT: 0.0}
    by_item: dict[_Key, list[Assessment]] = {}
    for one in current_assessments(assessments):
        if one.verdict in values:
            by_item.setdefault(_key(one.item), []).append(one)
    found = {}
    for key, assessments in by_item.items():
        counted = [one for one in assessments if one.settles][-1:] or assessments
        found[key] = sum(values[one.verdict] for one in counted) / len(counted)
    return found


def _key(item: Item) -> _Key:
    return item.case_id, item.key


def _sample(drawn: Sequence[QueuedItem], relevance: Mapping[_Key, float], sampling: Sampling) -> _CaseSample:
    """Return the judged passages of a case, of the ones drawn from it."""
    strata: dict[str, list[QueuedItem]] = {}
    for one in drawn:
        strata.setdefault(one.stratum, []).append(one)
    judged: list[_JudgedPassage] = []
    for stratum, own in strata.items():
        own_judged = [one for one in own if _key(one.item) in relevance]
        judged += [
            _JudgedPassage(
                one.item,
                relevance[_key(one.item)],
                len(own) / len(own_judged) / one.chance,
                stratum == Stratum.RANDOM.value,
            )
            for one in own_judged
        ]
    at_random, best = strata.get(Stratum.RANDOM.value, []), strata.get(Stratum.BEST.value, [])
    each = all(any(_key(one.item) in relevance for one in own) for own in strata.values())
    # If fewer were drawn than requested, none are left.
    is_all = len(at_random) < sampling.random
    ranked = [one.item.rank for one in best if one.item.rank is not None]
    depth = math.inf if len(best) < sampling.best else max(ranked, default=0)
    is_known = len(judged) == len(drawn) and (is_all or any(one.chance == 1 for one in at_random))
    before = sum(one.item.rank is not None for one in drawn if one.stratum != Stratum.RANDOM.value)
    size = max((one.item.ranking_size for one in drawn), default=0)
    left = size - before if size else None
    return _CaseSample(tuple(judged), each and (is_all or bool(at_random)), is_known, depth, left)


def _precision(samples: Sequence[_CaseSample], k: float) -> PrecisionEstimate | None:
    """Estimate the precision of the best k: sum of w y over sum of w, with weights w = 1 / p (Hajek 1971),
    over cases whose best k all had a chance to be judged.

    The interval is Wilson's (1927, J. Am. Stat. Assoc. 22) for questions like these, with the effective
    number of verdicts (Korn and Graubard 1998, Survey Methodology 24): p (1 - p) over the variance between
    cases, at most (sum of w)^2 / sum of w^2 (Kish 1965).
    """
    groups = [
        [one for one in sample.judged if one.is_ranked and (one.item.rank or 0) <= k]
        for sample in samples
        if sample.is_whole or k <= sample.depth
    ]
    groups = [own for own in groups if own]
    judged = [one for own in groups for one in own]
    if not judged:
        return None
    weights = np.array([one.weight for one in judged])
    total = float(weights.sum())
    value = sum(one.weight * one.relevance for one in judged) / total
    count = total**2 / float((weights**2).sum())
    off = np.array([sum(one.weight * (one.relevance - value) for one in own) for own in groups])
    if len(groups) > 1 and 0 < value < 1 and off.any():
        variance = len(groups) / (len(groups) - 1) * float((off**2).sum()) / total**2
        count = min(count, value * (1 - value) / variance)
    # The mean of many ones may miss 1 by a rounding error.
    low, high = wilson(min(value, 1.0) * count, count)
    return PrecisionEstimate(value, low, high, len(judged), len(groups))


def _recall(samples: Sequence[_CaseSample]) -> RecallEstimate | None:
    """Estimate the recall of the rankings within their pools: A / T, with A the estimated number of relevant
    ranked passages and T that of all relevant passages; None if T is 0.

    The interval is the percentile interval of the bootstrap (Efron and Tibshirani 1993) over cases. With few
    cases it holds for these cases: both numbers are drawn from the posterior of the unjudged passages given
    the random ones, for ranked and other passages separately, with Jeffreys' prior (Brown, Cai and DasGupta
    2001, Statistical Science 16). With many cases they are drawn in the same way, because resampling a rare
    event does not change its estimated rate. If no random passage was relevant but not ranked, the lower end
    is at most A / (T + M), with M the upper end of Wilson's interval for none of the judged ones, times the
    number of unjudged ones.
    """
    totals = np.array([_totals(one.judged) for one in samples]).reshape(-1, 2)
    ranked, relevant = totals.sum(axis=0).tolist()
    if not relevant:
        return None
    value = ranked / relevant
    few = len(samples) < FEWEST_CASES
    rng = np.random.default_rng(SEED)
    draws = min(max(DRAWS // len(samples), LEAST_DRAWS), MOST_DRAWS)
    counts = np.ones((draws, len(samples))) if few else _cases_again(len(samples), draws, rng)
    sampled = _believed(samples, counts, rng)
    sampled = sampled[sampled[:, 1] > 0]
    low, high = np.percentile(sampled[:, 0] / sampled[:, 1], _ENDS).tolist()
    missed = _missed_at_most(samples)
    at_random = [one for sample in samples for one in sample.judged if one.is_random]
    return RecallEstimate(
        value,
        min(low, value, ranked / (relevant + missed)),
        max(high, value),
        relevant,
        ranked,
        len(at_random),
        sum(one.weight - 1 for one in at_random),
        len(samples),
        few,
    )


def _totals(judged: Iterable[_JudgedPassage]) -> tuple[float, float]:
    """Return the estimated numbers of relevant passages that are ranked, and of all."""
    values = [(one.weight * one.relevance, one.is_ranked) for one in judged]
    return sum(number for number, is_ranked in values if is_ranked), sum(number for number, _ in values)


def _cases_again(count: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each case is drawn with replacement, shape (draws, cases)."""
    found: np.ndarray = rng.multinomial(count, np.full(count, 1 / count), draws)
    return found


def _believed(samples: Sequence[_CaseSample], counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw both totals from their posterior, shape (draws, 2). ``counts`` is how often each case counts,
    shape (draws, cases)."""
    draws = len(counts)
    found = np.zeros((draws, 2))
    sides = [_sides(sample, draws, rng) for sample in samples]
    usual = [_usual([own[side] for own in sides if own], draws, rng) for side in (0, 1)]
    # The usual rate counts as one verdict in each case. Few cases do not show the usual rate among the many
    # unranked passages: there 1/2 is assumed and counts as one verdict in all cases together.
    strengths = [1.0, 1.0]
    if len(samples) < FEWEST_CASES:
        usual[1], strengths[1] = np.full(draws, 0.5), 1.0 / len(samples)
    for index, (sample, own) in enumerate(zip(samples, sides, strict=True)):
        # Passages not drawn at random, or all of a fully judged case.
        fixed = _totals(one for one in sample.judged if not own or not one.is_random)
        seen = np.tile(np.array(fixed, float), (draws, 1))
        if own:
            ranked, others = (_so_many(*each, rng) for each in zip(own, usual, strengths, strict=True))
            seen += np.stack([ranked, ranked + others], axis=1)
        found += counts[:, index, None] * seen
    return found


@dataclass(frozen=True, slots=True)
class _Side:
    """Ranked or other passages from which some were drawn at random: ``relevant`` of the ``judged`` ones, and
    the number of ``unjudged`` ones, shape (draws,)."""

    relevant: float
    judged: int
    unjudged: np.ndarray


def _sides(sample: _CaseSample, draws: int, rng: np.random.Generator) -> tuple[_Side, _Side] | None:
    """Return the ranked and the other passages of a case; None if nothing is uncertain."""
    at_random = [one for one in sample.judged if one.is_random]
    if sample.is_known or not at_random:
        return None
    ranked, others = ([one.relevance for one in at_random if one.is_ranked is side] for side in (True, False))
    unjudged = round(sum(one.weight for one in at_random)) - len(at_random)
    if sample.ranked_left is None:
        # The drawn passages also show how many are ranked.
        left = rng.binomial(unjudged, rng.beta(len(ranked) + 0.5, len(others) + 0.5, draws))
    else:
        left = np.full(draws, min(max(sample.ranked_left - len(ranked), 0), unjudged))
    return _Side(sum(ranked), len(ranked), left), _Side(sum(others), len(others), unjudged - left)


def _usual(sides: Sequence[_Side], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the usual relevance rate over all cases, shape (draws,), with Jeffreys' prior."""
    relevant, judged = sum(one.relevant for one in sides), sum(one.judged for one in sides)
    shares = rng.beta(relevant + 0.5, judged - relevant + 0.5, draws)
    clipped: np.ndarray = np.clip(shares, 1e-6, 1 - 1e-6)
    return clipped


def _so_many(side: _Side, usual: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """Draw the number of relevant passages, shape (draws,); the usual rate counts as ``strength``
    verdicts."""
    irrelevant = side.judged - side.relevant
    share = rng.beta(side.relevant + strength * usual, irrelevant + strength * (1 - usual))
    found: np.ndarray = side.relevant + rng.binomial(side.unjudged, share)
    return found


def _missed_at_most(samples: Iterable[_CaseSample]) -> float:
    """Return an upper bound of further relevant passages in the pools if no random passage was relevant and
    unranked; else 0."""
    own = [
        one
        for sample in samples
        if not sample.is_known
        for one in sample.judged
        if one.is_random and not one.is_ranked
    ]
    if not own or any(one.relevance for one in own):
        return 0.0
    return sum(one.weight - 1 for one in own) * wilson(0, len(own))[1]
