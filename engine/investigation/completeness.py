"""Estimate of the share of relevant passages that the pool has, with an interval, learned from gold sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.investigation.evidence import LOOKED_AT, Part, comparable_text
from engine.investigation.facets import PHRASE
from engine.investigation.pool import Entry, Pool, Reading
from engine.investigation.round import NAMED, PERSON
from engine.investigation.trails import SCAN
from engine.investigation.view import references_held
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.model import AreaCoverage, AreaState, Completeness, EvidenceStatus, Intent
from engine.model import Evidence as CorpusEvidence
from engine.retrieval.retrievers.registry import DENSE, LEXICAL
from engine.retrieval.scan import Scan

# The evidence on how complete a pool is, without any judged passage.
#
# It consists of independent finds of the same passages (capture and recapture), the yield of the
# last round, the fall of relevance within the pool, and properties of the question. Each value is
# in 0..1; ``SIGNS`` has the sign of its weight.

# +1: a higher value means that more was found; -1: less.
SIGNS: Mapping[str, int] = MappingProxyType(
    {
        "witnessed": 1,
        "ways": 1,
        "agreement": 1,
        "single": -1,
        "peak": 1,
        "border": 1,
        "yield": -1,
        "length": -1,
        "hops": -1,
        "nearness": 1,
        "words": 1,
        "alone": 1,
        "references": 1,
    }
)
# The best passages, which are taken as the relevant ones, and those that are shown.
BEST, SHOWN = 100, 30
# A retriever counts as a finder of a passage if it ranks it this high: longer lists have nearly everything.
WITNESS_DEPTH = 50
# The number of ways to a passage from which more do not count.
MOST_WAYS = 6
# Ranks of two retrievers that are compared, and ranks of the peak of relevance.
HEAD = 10
# Number of terms from which a question counts as fully long.
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Evidence:
    """``values`` by the names of ``SIGNS``, without missing ones.

    ``finders``: the number of ways that found each of the best passages, best first, at most BEST;
    ``status``: whether the corpus answers the question, judged by the best of the pool.
    """

    values: Mapping[str, float]
    finders: tuple[int, ...]
    status: EvidenceStatus = EvidenceStatus.FOUND


def evidence_of(found: Scan, pool: Pool, number: int, reading: Reading) -> Evidence | None:
    """Return the evidence after round ``number`` (0: the scan); None for an empty pool.

    Apart from ways and relevance: ``nearness`` of the nearest passage; shares of the question's ``words`` in
    the best passages together and in one of them ``alone``; and ``references`` of the best passages whose
    target is in the pool.
    """
    if not len(pool):
        return None
    rows, entries = pool.rows(), pool.entries()
    corpus = found.relevance.corpus
    relevance = found.relevance.of(rows)
    order = np.lexsort((rows, -relevance))
    best = [entries[index] for index in order[:BEST].tolist()]
    ways = pool.ways((SCAN, PERSON, NAMED))[order[:BEST]].tolist()
    finders = tuple(_retrievers(entry, found) + way for entry, way in zip(best, ways, strict=True))
    values = capture(finders) | shape(relevance[order])
    rounds = np.fromiter((entry.round for entry in entries), np.int32, len(entries))
    values["yield"] = last_yield(relevance, rounds, number)
    agreement = _agreement(found)
    # The gold sets were scanned by words and meaning: one without the other is only half of that.
    values["single"] = float(agreement is None)
    if agreement is not None:
        values["agreement"] = agreement
    plan = found.relevance.plan
    terms = len(analyzer(plan.language).terms(plan.question))
    values["length"] = min(math.log1p(terms) / math.log1p(LONGEST), 1.0)
    values["hops"] = float(plan.intent is Intent.MULTI_HOP)
    judged = _judged(found, rows[order][:LOOKED_AT], reading)
    names = {"nearness": "nearness", "together": "words", "best": "alone"}
    values |= {names[name]: value for name, value in judged.numbers.items() if name in names}
    if corpus.embedding != PACKAGED_SPEC:
        # Nearness was measured only with the packaged model.
        values.pop("nearness", None)
    references = references_held(corpus, rows[order][:LOOKED_AT], rows)
    if references is not None:
        values["references"] = references
    return Evidence(values, finders, judged.status)


def _judged(found: Scan, best: Rows, reading: Reading) -> CorpusEvidence:
    """Judge the best passages by the words of the whole question."""
    corpus = found.relevance.corpus
    titles, numbers = corpus.documents(), corpus.document_numbers(best).tolist()
    texts = [
        comparable_text(passage, titles[number].title)
        for passage, number in zip(reading.passages(best), numbers, strict=True)
    ]
    return Part.of(found.relevance, 0).judged(found.relevance, texts)


def capture(finders: Sequence[int]) -> dict[str, float]:
    """Measure how often the best passages were found, from the number of ways to each.

    ``witnessed``: Good's coverage, 1 - f1 / n, the probability that one more find is not new (Good,
    Biometrika 40, 1953; the base of Chao and Lee's estimators, JASA 87, 1992). Unlike Chao1 it never falls
    when a way is added. ``ways``: mean number of ways to a passage, as a share of MOST_WAYS.
    """
    total = sum(finders)
    once = sum(1 for count in finders if count == 1)
    ways = sum(min(count, MOST_WAYS) for count in finders) / (MOST_WAYS * max(len(finders), 1))
    return {"witnessed": 1.0 - once / total if total else 0.0, "ways": ways}


def shape(relevance: Scores) -> dict[str, float]:
    """Measure the fall of relevance, best first, shape (n,).

    ``peak``: share of the best HEAD in the sum of the best BEST, above that of equal values; ``border``: how
    far the last of the best BEST is below the first.
    """
    best = np.maximum(relevance[:BEST].astype(np.float64), 0.0)
    total, top = float(best.sum()), float(best[0])
    if total <= 0:
        return {"peak": 0.0, "border": 0.0}
    return {
        "peak": max(0.0, float(best[:HEAD].sum()) / total - min(HEAD / len(best), 1.0)),
        "border": 1.0 - float(best[-1]) / top,
    }


def last_yield(relevance: Scores, rounds: NDArray[np.int32], number: int) -> float:
    """Return the best relevance of round ``number`` relative to the best of all; shapes (n,).

    1 after the scan, 0 for a round without new passages.
    """
    if number == 0:
        return 1.0
    last, best = relevance[rounds == number], float(relevance.max())
    return min(max(float(last.max()) / best, 0.0), 1.0) if len(last) and best > 0 else 0.0


def _retrievers(entry: Entry, found: Scan) -> int:
    """Count the retrievers that found a passage."""
    hits = found.hits.get(entry.row, ())
    return len({hit.retriever for hit in hits if hit.rank <= WITNESS_DEPTH})


def _agreement(found: Scan) -> float | None:
    """Return the share of the first HEAD passages that words and meaning agree on.

    None without one of them.
    """
    answers = found.relevance.found
    if LEXICAL not in answers or DENSE not in answers:
        return None
    words, meaning = (answers[name].hits[0].rows[:HEAD] for name in (LEXICAL, DENSE))
    common = len(np.intersect1d(words, meaning))
    return common / max(1, min(HEAD, len(words), len(meaning)))


# The calibrated model: from evidence to the share of the gold passages that a pool has, with an
# interval.
#
# It is a fractional logistic model (Papke and Wooldridge, Journal of Applied Econometrics 11,
# 1996), with a fixed sign for each weight. The interval comes from the questions that it was
# calibrated on: of those with a similar estimate, the share was in it for eight in ten (quantiles
# of the outcome by level, as in split conformal prediction). ``engine/evaluation`` fits both.

FILE = Path(__file__).with_name("completeness.json")
# Share of the questions whose outcome is in the interval.
INTERVAL_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval of the share found: ``low`` and ``high`` at the estimates ``levels``, shapes (k,).

    Levels are ascending; values between them are interpolated.
    """

    levels: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def around(self, estimate: float) -> tuple[float, float]:
        """Return the ends of the interval for an estimate, which they enclose, in 0..1."""
        low = float(np.interp(estimate, self.levels, self.low))
        high = float(np.interp(estimate, self.levels, self.high))
        return max(0.0, min(low, estimate)), min(1.0, max(high, estimate))


@dataclass(frozen=True, slots=True)
class CalibratedModel:
    """Weights by the names of evidence; ``neutral`` values replace missing evidence."""

    intercept: float
    weights: Mapping[str, float]
    neutral: Mapping[str, float]
    interval: Interval

    def estimate(self, values: Mapping[str, float]) -> float:
        """Return the expected share found, 0..1."""
        total = self.intercept + sum(
            weight * values.get(name, self.neutral[name]) for name, weight in self.weights.items()
        )
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def shipped_model() -> CalibratedModel:
    """Return the model that comes with the engine."""
    return model_from(orjson.loads(FILE.read_bytes()))


def model_from(record: Mapping[str, object]) -> CalibratedModel:
    """Make a model from plain values: {"intercept", "weights", "neutral", "interval": [levels, low, high]}.

    Raises ValueError for a weight without its neutral value.
    """
    intercept, weights, neutral = record["intercept"], record["weights"], record["neutral"]
    interval = np.array(record["interval"], np.float64)
    assert isinstance(intercept, int | float)
    assert isinstance(weights, Mapping)
    assert isinstance(neutral, Mapping)
    if weights.keys() - neutral.keys():
        raise ValueError(f"no neutral value for {', '.join(sorted(weights.keys() - neutral.keys()))}")
    return CalibratedModel(
        float(intercept),
        {str(name): float(value) for name, value in weights.items()},
        {str(name): float(value) for name, value in neutral.items()},
        Interval(interval[0], interval[1], interval[2]),
    )


def record_of(model: CalibratedModel) -> dict[str, object]:
    """Return a model as plain values, which ``model_from`` reads."""
    ends = (model.interval.levels, model.interval.low, model.interval.high)
    return {
        "intercept": round(model.intercept, 4),
        "weights": {name: round(value, 4) for name, value in model.weights.items()},
        "neutral": {name: round(value, 4) for name, value in model.neutral.items()},
        "interval": [[round(float(x), 4) for x in row] for row in ends],
    }


# The estimate of completeness of a pool: evidence, the calibrated model, and the numbers behind
# it.

METHOD, WHOLE = "calibrated on gold questions", "the pool holds all of the corpus"


def find_completeness(
    found: Scan,
    pool: Pool,
    areas: Sequence[AreaCoverage],
    number: int,
    reading: Reading,
    model: CalibratedModel | None = None,
) -> Completeness | None:
    """Estimate the share of the relevant passages that the pool has after round ``number``.

    The estimate is the mean share of gold passages in pools with similar evidence, on questions like those of
    the gold sets; for eight in ten of them the share was in the interval. It is at most the share of required
    areas and sub-questions with evidence. None for an empty pool, without vectors, and unless the question
    was found.
    """
    evidence = evidence_of(found, pool, number, reading)
    if evidence is None:
        return None
    if len(pool) >= len(found.relevance.corpus):
        return Completeness(1.0, 1.0, 1.0, WHOLE)
    if evidence.status is not EvidenceStatus.FOUND or evidence.values["single"]:
        return None
    estimated = estimate_completeness(evidence, model or shipped_model())
    required = [area for area in areas if area.required and not area.id.startswith(PHRASE)]
    if not required:
        return estimated
    limit = sum(area.state is not AreaState.MISSING for area in required) / len(required)
    return replace(estimated, estimate=min(estimated.estimate, limit), low=min(estimated.low, limit))


def estimate_completeness(evidence: Evidence, model: CalibratedModel) -> Completeness:
    """Estimate completeness from evidence by a model."""
    estimate = model.estimate(evidence.values)
    low, high = model.interval.around(estimate)
    shown = evidence.finders[:SHOWN]
    return Completeness(
        estimate, low, high, METHOD, len(shown), sum(count == 1 for count in shown), dict(evidence.values)
    )
