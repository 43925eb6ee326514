"""Results of an evaluation: one question's outcome, its metrics, and files of a whole run.

A run is saved as JSON lines, one question a line after a header line, so that runs can be compared later and
every curve drawn again without asking anything a second time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError, SourceError
from engine.investigation import run_case
from engine.language.embedders.loading import model_name
from engine.model import Completeness, EvidenceStatus, Passage
from engine.settings import InvestigationSettings


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
