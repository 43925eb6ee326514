"""One gold question put to a corpus: what the scan and the investigation ranked, timed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.case import Case
from engine.model import Completeness, EvidenceStatus, Passage
from engine.settings import InvestigationSettings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question gave. Passages are named by the ids of their source, best first.

    ``scores`` are those of ``final``. ``rounds`` says in which round each passage of the pool was
    admitted (0: the scan), ``sizes`` how many passages the pool held after each round. ``rows`` are
    the pool's passages and ``names`` their source ids, in the order of admission. ``retrievers`` are
    those that found something: what the corpus has no model for is not among them. ``evidence``: whether
    the corpus was said to bear the question.
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
    """One investigation, timed from the question to the ranking.

    The assembly of neighbours, which serves a reader, does not touch it.
    """
    started = time.perf_counter()
    case = Case(corpus, question, settings)
    for _ in case.run():
        continue
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
    """Ids by which the source knows the passages, best first, each once, with its best score."""
    best: dict[str, float] = {}
    for passage, score in zip(passages, scores, strict=True):
        best.setdefault(passage.source_id, score)
    return list(best), list(best.values())


def _passages(corpus: Corpus, rows: Rows) -> list[Passage]:
    return corpus.passages(np.asarray(rows, np.int32))
