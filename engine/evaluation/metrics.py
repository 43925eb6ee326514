"""Results of an evaluation, and their measures: recall, precision, calibration, curves."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.errors import InputError, SourceError
from engine.investigation import run_case
from engine.language.embedders.transformer import model_name
from engine.model import Completeness, Direction, EvidenceStatus, Passage
from engine.settings import InvestigationSettings

# Results of an evaluation: one question's outcome, its metrics, and files of a whole run.
#
# A run is saved as JSON lines, one question a line after a header line, so that runs can be
# compared later and every curve drawn again without asking anything a second time.


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one question. Passages are named by the ids of their source, best first.

    ``scores`` belong to ``final``. ``rounds`` is the round in which each passage of the pool was admitted (0:
    the scan), ``sizes`` the size of the pool after each round. ``rows`` are the pool's passages and ``names``
    their source ids, in the order of admission. ``retrievers`` are those that found something; those without
    a model in the corpus are not among them. ``evidence`` is the case's evidence status.
    """

    scan: tuple[str, ...]
    final: tuple[str, ...]
    scores: tuple[float, ...]
    rounds: Mapping[str, int]
    sizes: tuple[int, ...]
    rows: Rows
    names: tuple[str, ...]
    completeness: Completeness | None
    stop: str
    seconds: float
    retrievers: frozenset[str] = frozenset()
    evidence: EvidenceStatus = EvidenceStatus.FOUND


def investigate_one(corpus: Corpus, question: str, settings: InvestigationSettings) -> Outcome:
    """Run one investigation, timed from the question to the ranking, without assembling neighbours."""
    started = time.perf_counter()
    case = run_case(corpus, question, settings)
    seconds = time.perf_counter() - started
    order, scanned, stop = case.order, case.scanned, case.stop
    if order is None or scanned is None or stop is None:
        raise InputError("the investigation ended before its ranking")
    entries = case.pool.entries()
    passages = corpus.passages(case.pool.rows())
    names = {passage.id: passage.source_id for passage in passages}
    final, scores = source_ids(_passages(corpus, order.rows), order.scores.tolist())
    scan, _ = source_ids(_passages(corpus, scanned.rows), scanned.scores.tolist())
    rounds: dict[str, int] = {}
    for entry in entries:
        name = names[entry.passage_id]
        rounds[name] = min(entry.round, rounds.get(name, entry.round))
    return Outcome(
        tuple(scan),
        tuple(final),
        tuple(scores),
        rounds,
        tuple(report.pool_size for report in case.rounds),
        case.pool.rows(),
        tuple(passage.source_id for passage in passages),
        case.completeness() if case.evidence.status is EvidenceStatus.FOUND else None,
        stop.reason.value,
        seconds,
        frozenset(hit.retriever for hits in scanned.hits.values() for hit in hits),
        case.evidence.status,
    )


def source_ids(passages: Sequence[Passage], scores: Sequence[float]) -> tuple[list[str], list[float]]:
    """Return the passages' ids in their source, best first, each once with its best score."""
    best: dict[str, float] = {}
    for passage, score in zip(passages, scores, strict=True):
        best.setdefault(passage.source_id, score)
    return list(best), list(best.values())


def _passages(corpus: Corpus, rows: Rows) -> list[Passage]:
    return corpus.passages(np.asarray(rows, np.int32))


FORMAT = "redstring evaluation 1"


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """Ranks of one gold passage: its gain, its ranks (from 1) in the scan and in the final ranking, and the
    round that admitted it to the pool; None if not found."""

    gain: float
    scan: int | None
    final: int | None
    round: int | None


@dataclass(frozen=True, slots=True)
class PoolResult:
    """The pool against the gold. ``gold`` is the share of gold passages; ``precision`` of gold or one stated
    relation away from it; ``with_entities`` also of those sharing a rare entity with gold."""

    recall: float
    complete: float
    size: int
    gold: float
    precision: float
    with_entities: float


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question: metrics of both rankings by name, the pool, the estimate, the time.

    ``sizes``: passages in the pool after the scan and after each round. ``ranked``: passages in the final
    ranking, which is the whole pool, by source id. ``evidence`` is the case's evidence status.
    """

    id: str
    scan: Mapping[str, float]
    investigation: Mapping[str, float]
    pool: PoolResult
    milliseconds: float
    completeness: Completeness | None = None
    stop: str = ""
    gold: Mapping[str, GoldPlace] = field(default_factory=dict)
    sizes: tuple[int, ...] = ()
    ranked: int = 0
    evidence: EvidenceStatus = EvidenceStatus.FOUND

    def measures(self) -> dict[str, float]:
        """Return the investigation's metrics and the pool's, under one set of names."""
        pool = {
            "pool recall": self.pool.recall,
            "pool complete": self.pool.complete,
            "pool precision": self.pool.precision,
            "pool size": float(self.pool.size),
        }
        return {**self.investigation, **pool}


_RESULT = TypeAdapter(QuestionResult)


def run_header(corpus: Corpus, settings: InvestigationSettings) -> dict[str, Any]:
    """Return the header of a run: the corpus, its model by name, the settings, the time (UTC)."""
    return {
        "format": FORMAT,
        "corpus": corpus.name,
        "passages": len(corpus),
        "embedding": model_name(corpus.embedding),
        "settings": settings.model_dump(mode="json"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_header(target: IO[bytes], header: Mapping[str, Any]) -> None:
    """Write the header of a file of results."""
    target.write(orjson.dumps(dict(header)) + b"\n")


def write_result(target: IO[bytes], result: QuestionResult) -> None:
    """Write one question; it is flushed, so that it survives the failure of a later one."""
    target.write(orjson.dumps(result, default=dict) + b"\n")
    target.flush()


def results_bytes(header: Mapping[str, Any], results: Iterable[QuestionResult]) -> bytes:
    """Return a whole run as the bytes of its file."""
    target = BytesIO()
    write_header(target, header)
    for result in results:
        write_result(target, result)
    return target.getvalue()


def read_results(path: Path) -> tuple[dict[str, Any], list[QuestionResult]]:
    """Return the header of a saved run and its questions. Raises SourceError naming file and line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error})") from error
    header = _first_line(path, lines)
    results = []
    for number, line in enumerate(lines[1:], 2):
        try:
            results.append(_RESULT.validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise SourceError(f"{path}, line {number}: {where or 'result'}: {first['msg']}") from error
    if not results:
        raise SourceError(f"{path}: the run has no questions")
    return header, results


def _first_line(path: Path, lines: Sequence[bytes]) -> dict[str, Any]:
    try:
        header = orjson.loads(lines[0]) if lines else None
    except orjson.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SourceError(f"{path}, line 1: not a saved evaluation (its format is {FORMAT!r})")
    return header


# Recall and nDCG agree with ranx (tests/comparison). complete@k, the share of questions with all
# their gold in the top k, is what multi-passage questions need and libraries lack.

# Metrics of one ranking against one question's gold, as fractions of 1.


def recall_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the gold in the top k."""
    return len(set(ranking[:k]) & set(gold)) / len(gold)


def complete_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if all the gold is in the top k, else 0."""
    return 1.0 if set(gold) <= set(ranking[:k]) else 0.0


def ndcg_at(ranking: Sequence[str], gold: Mapping[str, float], k: int) -> float:
    """Return normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002)."""
    gained = sum(gold.get(item, 0.0) / math.log2(rank + 2) for rank, item in enumerate(ranking[:k]))
    ideal = sorted(gold.values(), reverse=True)[:k]
    possible = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(ideal))
    return gained / possible if possible > 0 else 0.0


# An entity with more passages than this does not count as a link.
RARE_ENTITY = 20


@dataclass(frozen=True, slots=True)
class PoolPrecision:
    """Shares of the pool, 0..1: gold; gold or linked to it by the text (a reference in either direction, the
    next or previous passage); or also by an entity that at most 20 passages mention."""

    gold: float
    stated: float
    with_entities: float


def pool_precision(corpus: Corpus, rows: Rows, is_gold: Mask, gold_ids: Collection[str]) -> PoolPrecision:
    """Return the precision of a pool's ``rows``, shape (n,); ``is_gold`` marks the gold ones.

    Relations to gold outside the pool count too. An empty pool has precision 0.
    """
    if not len(rows):
        return PoolPrecision(0.0, 0.0, 0.0)
    outside = corpus.rows(sorted(gold_ids))
    gold = np.union1d(rows[is_gold], outside[outside >= 0]).astype(np.int32)
    stated = is_gold | np.isin(rows, _stated(corpus, gold))
    shared = corpus.by_entity(gold, RARE_ENTITY).rows if len(gold) else gold
    return PoolPrecision(
        float(is_gold.mean()), float(stated.mean()), float((stated | np.isin(rows, shared)).mean())
    )


def _stated(corpus: Corpus, gold: Rows) -> Rows:
    """Return the passages that a reference links to gold, in either direction, and its neighbours."""
    if not len(gold):
        return gold
    linked = [corpus.neighbours(gold, None, direction).rows for direction in Direction]
    next_to = np.concatenate([gold - 1, gold + 1])
    owners = np.concatenate([gold, gold])
    inside = (next_to >= 0) & (next_to < len(corpus))
    next_to, owners = next_to[inside].astype(np.int32), owners[inside]
    same = corpus.document_numbers(next_to) == corpus.document_numbers(owners)
    return np.concatenate([*linked, next_to[same]]).astype(np.int32)


# Calibration of the estimate of completeness against the pool's recall of the gold. A reliability table
# (DeGroot and Fienberg, The Statistician 32, 1983) compares the mean estimate and the mean recall in each
# bin.
HIGH, LOW = 0.9, 0.6
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 1.0)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Questions with an estimate in [low, high): their number, mean estimate and mean pool recall."""

    low: float
    high: float
    questions: int
    estimate: float
    recall: float


def reliability(
    results: Sequence[QuestionResult], edges: Sequence[float] = EDGES
) -> tuple[ReliabilityBin, ...]:
    """Return the bins by estimate (the last one closed), without empty ones."""
    estimates, recalls = _pairs(results)
    bins = []
    for low, high in itertools.pairwise(edges):
        inside = (estimates >= low) & ((estimates < high) if high < edges[-1] else (estimates <= high))
        if inside.any():
            mean_estimate, mean_recall = float(estimates[inside].mean()), float(recalls[inside].mean())
            bins.append(ReliabilityBin(low, high, int(inside.sum()), mean_estimate, mean_recall))
    return tuple(bins)


def calibration(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Return figures of the estimate over the questions that have one; empty if none has.

    ``estimate`` is its mean. ``error`` is the expected calibration error: the mean distance of the bins
    weighted by their questions. ``held_when_90`` is the mean pool recall of questions with an estimate of at
    least 90%, ``held_under_60`` of those under 60% (each omitted without such questions). ``in_interval`` is
    the share of questions whose pool recall is inside the interval.
    """
    estimates, recalls = _pairs(results)
    if not len(estimates):
        return {}
    stated = [(r.completeness, r.pool.recall) for r in results if r.completeness is not None]
    inside = [complete.low <= recall <= complete.high for complete, recall in stated]
    error = sum(entry.questions * abs(entry.estimate - entry.recall) for entry in reliability(results)) / len(
        estimates
    )
    figures = {
        "estimate": float(estimates.mean()),
        "error": error,
        "in_interval": float(np.mean(inside)),
        "said_90": float((estimates >= HIGH).sum()),
        "said_under_60": float((estimates < LOW).sum()),
    }
    if figures["said_90"]:
        figures["held_when_90"] = float(recalls[estimates >= HIGH].mean())
    if figures["said_under_60"]:
        figures["held_under_60"] = float(recalls[estimates < LOW].mean())
    if len(estimates) > 1 and estimates.std() > 0 and recalls.std() > 0:
        figures["correlation"] = float(np.corrcoef(estimates, recalls)[0, 1])
    return {name: round(value, 4) for name, value in figures.items()}


def _pairs(results: Sequence[QuestionResult]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(r.completeness.estimate, r.pool.recall) for r in results if r.completeness is not None]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


# Curves over the questions of a run, from the ranks of their gold.

Ranking = Literal["scan", "final"]
LEVELS = tuple(level / 10 for level in range(11))
# Ranks at which recall is reported, in growing steps.
_STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000)


@dataclass(frozen=True, slots=True)
class Round:
    """State after a round (0: the scan): mean recall of the pool, share of complete pools, mean size."""

    number: int
    recall: float
    complete: float
    size: float


def recall_by_size(results: Sequence[QuestionResult], ranking: Ranking) -> list[tuple[int, float]]:
    """Return the mean recall of the best n passages for growing n; the final ranking is the whole pool."""
    largest = max((result.ranked for result in results), default=0)
    sizes = [*(step for step in _STEPS if step < largest), largest] if largest else []
    ranks = [_places(result, ranking) for result in results]
    return [(size, float(np.mean([_share_within(one, size) for one in ranks]))) for size in sizes]


def _share_within(ranks: Sequence[int | None], size: int) -> float:
    return sum(rank is not None and rank <= size for rank in ranks) / len(ranks)


def recall_by_round(results: Sequence[QuestionResult]) -> list[Round]:
    """Return the recall of the pool after each round. A question that stopped early keeps its last state."""
    last = max((len(result.sizes) for result in results), default=0)
    rounds = []
    for number in range(last):
        found = [
            [gold.round is not None and gold.round <= number for gold in result.gold.values()]
            for result in results
        ]
        sizes = [result.sizes[min(number, len(result.sizes) - 1)] for result in results if result.sizes]
        recall, complete = np.mean([np.mean(one) for one in found]), np.mean([all(one) for one in found])
        rounds.append(Round(number, float(recall), float(complete), float(np.mean(sizes))))
    return rounds


def precision_recall(results: Sequence[QuestionResult], ranking: Ranking) -> list[tuple[float, float]]:
    """Return interpolated precision at eleven levels of recall, averaged over the questions.

    The precision at a level is the best at any recall from there on; 0 if the level is not reached (Manning,
    Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4).
    """
    tables = [_interpolated(_places(result, ranking)) for result in results]
    means = np.mean(tables, axis=0) if tables else np.zeros(len(LEVELS))
    return list(zip(LEVELS, means.tolist(), strict=True))


def _interpolated(ranks: Sequence[int | None]) -> list[float]:
    found = sorted(rank for rank in ranks if rank is not None)
    points = [(count / len(ranks), count / rank) for count, rank in enumerate(found, 1)]
    # Recall is a quotient: 3/10 must reach level 0.3.
    return [
        max((precision for recall, precision in points if recall >= level - 1e-9), default=0.0)
        for level in LEVELS
    ]


def _places(result: QuestionResult, ranking: Ranking) -> list[int | None]:
    return [gold.scan if ranking == "scan" else gold.final for gold in result.gold.values()]
