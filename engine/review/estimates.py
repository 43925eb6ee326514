"""How good the ranking of reviewed cases is, from what was said of the passages that a queue drew.

A passage i is drawn with a chance p_i, which is 1 in the strata that are no matter of chance. A total over
all passages of a pool is estimated by the sum of y_i / p_i over those that were judged (Horvitz and Thompson
1952, J. Am. Stat. Assoc. 47), where y_i is how relevant i is. Passages of a stratum that nobody has judged
yet are taken to be like those that were: p_i is multiplied by the judged share of its stratum in its case. A
passage with the same words as another counts once, as it is judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.extraction.checklist import wilson
from engine.review.kept import QueuedItem
from engine.review.model import Assessment, Item, ItemKind, Verdict, standing
from engine.review.sampling import Sampling, Stratum

# At which ranks the precision is told.
RANKS = (5, 10, 20)
CONFIDENCE, SEED = 0.95, 20_260
# So many draws at most and at least, and draws of cases where there are many.
MOST_DRAWS, LEAST_DRAWS, DRAWS = 4_000, 1_000, 40_000
# With fewer cases than this, cases drawn again say too little of how much they differ.
FEWEST_CASES = 4
_ENDS = (50 * (1 - CONFIDENCE), 100 - 50 * (1 - CONFIDENCE))

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PrecisionEstimate:
    """A share, 0..1, with its 95 % interval; ``judged`` passages of ``cases`` cases say so."""

    value: float
    low: float
    high: float
    judged: int
    cases: int


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """Which share of what is relevant in the pools is ranked, 0..1, with its 95 % interval.

    ``relevant`` passages are estimated to be in the pools, ``ranked`` of them in the rankings. ``at_random``
    were judged of those drawn at random, about ``left`` are judged by nobody. ``of_these_cases``: the
    interval is that of these cases; else it is that of cases like them.
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
        """How many verdicts more on passages drawn at random narrow the interval to a width, 0..1 exclusive.

        A width shrinks with the root of the number of verdicts n: n (w / width)^2 are needed where it is w
        now. Where the interval is that of cases like these, they come from as many more cases as these gave.
        Raises ValueError for a width that is none.
        """
        if not 0 < width < 1:
            raise ValueError(f"no width between 0 and 1: {width}")
        now = self.high - self.low
        if now <= width:
            return 0
        more = math.ceil(self.at_random * ((now / width) ** 2 - 1) - 1e-9)
        return min(more, math.ceil(self.left)) if self.of_these_cases else more


@dataclass(frozen=True, slots=True)
class Estimates:
    """What a queue says of the rankings of its cases: the precision of the best k by k, and of all; the
    recall within the pools. None stands where it cannot be told. ``judged`` of ``drawn`` passages were."""

    at: Mapping[int, PrecisionEstimate | None]
    overall: PrecisionEstimate | None
    recall: RecallEstimate | None
    judged: int
    drawn: int


@dataclass(frozen=True, slots=True)
class _Judged:
    """A passage that was judged: how relevant it is, and for how many passages of its pool it stands."""

    item: Item
    relevance: float
    weight: float
    is_random: bool

    @property
    def is_ranked(self) -> bool:
        return self.item.rank is not None


@dataclass(frozen=True, slots=True)
class _CaseSample:
    """What was judged of a case. ``is_whole``: each passage of its pool had a chance to be among it;
    ``is_known``: all of them are. The precision is known down to ``depth``. ``ranked_left`` of the passages
    from which some were drawn at random are ranked, None where that is not known."""

    judged: tuple[_Judged, ...]
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
    """Estimate the precision and the recall of rankings. ``items`` are those of a queue that was drawn by
    ``sampling``; only passages count, without those whose chance to be drawn is not known.
    ``partly`` is how relevant, 0..1, a partly relevant passage is.

    The same verdicts give the same figures: random generators start from a fixed seed.
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
    """How relevant each passage is: as whoever settled it last says, else the mean of what all say."""
    values = {Verdict.RELEVANT: 1.0, Verdict.PARTLY: partly, Verdict.IRRELEVANT: 0.0}
    said: dict[_Key, list[Assessment]] = {}
    for one in standing(assessments):
        if one.verdict in values:
            said.setdefault(_key(one.item), []).append(one)
    found = {}
    for key, given in said.items():
        decided = [one for one in given if one.settles][-1:] or given
        found[key] = sum(values[one.verdict] for one in decided) / len(decided)
    return found


def _key(item: Item) -> _Key:
    return item.case_id, item.key


def _sample(drawn: Sequence[QueuedItem], relevance: Mapping[_Key, float], sampling: Sampling) -> _CaseSample:
    """What was judged of a case, of which these were drawn."""
    strata: dict[str, list[QueuedItem]] = {}
    for one in drawn:
        strata.setdefault(one.stratum, []).append(one)
    judged: list[_Judged] = []
    for stratum, own in strata.items():
        told = [one for one in own if _key(one.item) in relevance]
        judged += [
            _Judged(
                one.item,
                relevance[_key(one.item)],
                len(own) / len(told) / one.chance,
                stratum == Stratum.RANDOM.value,
            )
            for one in told
        ]
    at_random, best = strata.get(Stratum.RANDOM.value, []), strata.get(Stratum.BEST.value, [])
    each = all(any(_key(one.item) in relevance for one in own) for own in strata.values())
    # Where fewer were drawn than were to be, nothing was left to be drawn.
    is_all = len(at_random) < sampling.random
    ranked = [one.item.rank for one in best if one.item.rank is not None]
    depth = math.inf if len(best) < sampling.best else max(ranked, default=0)
    is_known = len(judged) == len(drawn) and (is_all or any(one.chance == 1 for one in at_random))
    before = sum(one.item.rank is not None for one in drawn if one.stratum != Stratum.RANDOM.value)
    size = max((one.item.ranking_size for one in drawn), default=0)
    left = size - before if size else None
    return _CaseSample(tuple(judged), each and (is_all or bool(at_random)), is_known, depth, left)


def _precision(samples: Sequence[_CaseSample], k: float) -> PrecisionEstimate | None:
    """The precision of the best k of the rankings: sum of w y over sum of w, the weights w being 1 / p (Hajek
    1971), over cases whose best k each had a chance to be judged.

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
    told = [one for own in groups for one in own]
    if not told:
        return None
    weights = np.array([one.weight for one in told])
    total = float(weights.sum())
    value = sum(one.weight * one.relevance for one in told) / total
    count = total**2 / float((weights**2).sum())
    off = np.array([sum(one.weight * (one.relevance - value) for one in own) for own in groups])
    if len(groups) > 1 and 0 < value < 1 and off.any():
        variance = len(groups) / (len(groups) - 1) * float((off**2).sum()) / total**2
        count = min(count, value * (1 - value) / variance)
    # A mean of many ones may miss 1 by a rounding error.
    low, high = wilson(min(value, 1.0) * count, count)
    return PrecisionEstimate(value, low, high, len(told), len(groups))


def _recall(samples: Sequence[_CaseSample]) -> RecallEstimate | None:
    """The recall of the rankings within their pools: A / T, where A is the estimated number of relevant
    passages that are ranked and T that of all of the pools; None where T is 0.

    The interval is the percentile interval of the bootstrap (Efron and Tibshirani 1993) over cases. With few
    of them it is that of these cases: both numbers are drawn from what the passages drawn at random leave to
    be believed of those that nobody judged, ranked ones and others for themselves, from Jeffreys' prior
    (Brown, Cai and DasGupta 2001, Statistical Science 16). Of many they are drawn so as well, as drawing
    again what was hardly ever found makes it no likelier. Where no passage drawn at random was relevant and
    not ranked, the lower end is A / (T + M) at most, with M the upper end of Wilson's interval for none of
    those judged, times those that nobody judged.
    """
    totals = np.array([_totals(one.judged) for one in samples]).reshape(-1, 2)
    ranked, relevant = totals.sum(axis=0).tolist()
    if not relevant:
        return None
    value = ranked / relevant
    few = len(samples) < FEWEST_CASES
    rng = np.random.default_rng(SEED)
    draws = min(max(DRAWS // len(samples), LEAST_DRAWS), MOST_DRAWS)
    often = np.ones((draws, len(samples))) if few else _cases_again(len(samples), draws, rng)
    again = _believed(samples, often, rng)
    again = again[again[:, 1] > 0]
    low, high = np.percentile(again[:, 0] / again[:, 1], _ENDS).tolist()
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


def _totals(judged: Iterable[_Judged]) -> tuple[float, float]:
    """The estimated numbers of relevant passages that are ranked, and of all."""
    told = [(one.weight * one.relevance, one.is_ranked) for one in judged]
    return sum(number for number, is_ranked in told if is_ranked), sum(number for number, _ in told)


def _cases_again(count: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of some cases is among as many drawn with replacement, shape (draws, cases)."""
    found: np.ndarray = rng.multinomial(count, np.full(count, 1 / count), draws)
    return found


def _believed(samples: Sequence[_CaseSample], often: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Both totals, shape (draws, 2), as those drawn at random leave them to be. ``often``: how often each
    case counts, shape (draws, cases)."""
    draws = len(often)
    found = np.zeros((draws, 2))
    sides = [_sides(sample, draws, rng) for sample in samples]
    usual = [_usual([own[side] for own in sides if own], draws, rng) for side in (0, 1)]
    # What is usual counts as one verdict in a case. Few cases do not tell what is usual of the many that are
    # not ranked: nothing is taken for usual then, and counts as one verdict in all of them.
    strengths = [1.0, 1.0]
    if len(samples) < FEWEST_CASES:
        usual[1], strengths[1] = np.full(draws, 0.5), 1.0 / len(samples)
    for place, (sample, own) in enumerate(zip(samples, sides, strict=True)):
        # What was not drawn at random, or all of a case of which all is known.
        known = _totals(one for one in sample.judged if not own or not one.is_random)
        seen = np.tile(np.array(known, float), (draws, 1))
        if own:
            ranked, others = (_so_many(*each, rng) for each in zip(own, usual, strengths, strict=True))
            seen += np.stack([ranked, ranked + others], axis=1)
        found += often[:, place, None] * seen
    return found


@dataclass(frozen=True, slots=True)
class _Side:
    """Passages from which some were drawn at random: those that are ranked, or the others. ``relevant`` of
    ``judged`` were, ``unjudged`` are left, shape (draws,)."""

    relevant: float
    judged: int
    unjudged: np.ndarray


def _sides(sample: _CaseSample, draws: int, rng: np.random.Generator) -> tuple[_Side, _Side] | None:
    """Those that are ranked and the others of a case; None where there is nothing to be believed."""
    at_random = [one for one in sample.judged if one.is_random]
    if sample.is_known or not at_random:
        return None
    ranked, others = ([one.relevance for one in at_random if one.is_ranked is side] for side in (True, False))
    unjudged = round(sum(one.weight for one in at_random)) - len(at_random)
    if sample.ranked_left is None:
        # How many are ranked is told by those drawn, too.
        left = rng.binomial(unjudged, rng.beta(len(ranked) + 0.5, len(others) + 0.5, draws))
    else:
        left = np.full(draws, min(max(sample.ranked_left - len(ranked), 0), unjudged))
    return _Side(sum(ranked), len(ranked), left), _Side(sum(others), len(others), unjudged - left)


def _usual(sides: Sequence[_Side], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Which share of some passages of all cases may be relevant, shape (draws,), from Jeffreys' prior."""
    relevant, judged = sum(one.relevant for one in sides), sum(one.judged for one in sides)
    shares = rng.beta(relevant + 0.5, judged - relevant + 0.5, draws)
    clipped: np.ndarray = np.clip(shares, 1e-6, 1 - 1e-6)
    return clipped


def _so_many(side: _Side, usual: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """How many passages may be relevant, shape (draws,); what is usual counts as so many verdicts."""
    none = side.judged - side.relevant
    share = rng.beta(side.relevant + strength * usual, none + strength * (1 - usual))
    found: np.ndarray = side.relevant + rng.binomial(side.unjudged, share)
    return found


def _missed_at_most(samples: Iterable[_CaseSample]) -> float:
    """How many relevant passages may be in the pools beside those that are estimated, where no passage drawn
    at random was one that is not ranked; 0 where some were."""
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
