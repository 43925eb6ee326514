"""Running investigations over gold questions and averaging what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.evaluation.metrics import complete_at, ndcg_at, recall_at
from engine.evaluation.questions import Question
from engine.investigation.case import Case
from engine.settings import InvestigationSettings

CUTOFFS = (5, 10, 20, 50, 100)
NDCG_CUTOFF = 10
RUN_DEPTH = 100
RUN_TAG = "redstring"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Means over the questions; ``scan`` and ``investigation`` by metric name, times in milliseconds."""

    queries: int
    scan: dict[str, float]
    investigation: dict[str, float]
    pool: dict[str, float]
    milliseconds: dict[str, float]

    def to_json(self) -> dict[str, object]:
        """Plain values for printing."""
        return {
            "queries": self.queries,
            "scan": self.scan,
            "investigation": self.investigation,
            "pool": self.pool,
            "milliseconds": self.milliseconds,
        }


@dataclass(slots=True)
class Outcome:
    """What one question gave: rankings as corpus ids, the pool's ids, seconds."""

    scan: list[str]
    final: list[str]
    scores: list[float]
    pool: set[str]
    pool_size: int
    seconds: float


@dataclass(slots=True)
class _Sums:
    scan: list[dict[str, float]] = field(default_factory=list)
    final: list[dict[str, float]] = field(default_factory=list)
    pool: list[dict[str, float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def evaluate(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    run: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Investigate every question and average. ``run`` receives the final rankings in TREC's form.

    Rankings count single passages by the ids of the source, without the limit per document and
    without assembly. Loading is not timed: one question is run before the clock starts. Raises
    InputError when no gold passage is in the corpus.
    """
    _check_gold(corpus, questions)
    for _ in Case(corpus, questions[0].text, settings).run():
        continue
    sums, lines = _Sums(), []
    for number, question in enumerate(questions):
        outcome = investigate_one(corpus, question.text, settings)
        gold = dict(question.gold)
        sums.scan.append(scores_of(outcome.scan, gold))
        sums.final.append(scores_of(outcome.final, gold))
        found = outcome.pool & gold.keys()
        sums.pool.append(
            {
                "recall": len(found) / len(gold),
                "complete": float(len(found) == len(gold)),
                "mean_size": float(outcome.pool_size),
            }
        )
        sums.seconds.append(outcome.seconds)
        lines += run_lines(question.id, outcome)
        if progress is not None:
            progress(number + 1)
    if run is not None:
        run.write_text("".join(lines), encoding="utf-8")
    p50, p95 = np.percentile(np.array(sums.seconds) * 1000, [50, 95])
    return Evaluation(
        len(questions),
        _means(sums.scan),
        _means(sums.final),
        _means(sums.pool),
        {"p50": round(float(p50), 2), "p95": round(float(p95), 2)},
    )


def investigate_one(corpus: Corpus, question: str, settings: InvestigationSettings) -> Outcome:
    """One investigation, timed from the question to the ranking."""
    started = time.perf_counter()
    case = Case(corpus, question, settings)
    for _ in case.run():
        continue
    seconds = time.perf_counter() - started
    order, scanned = case.order, case.scanned
    if order is None or scanned is None:
        raise InputError("the investigation ended before its ranking")
    final, scores = source_ids(corpus, order.rows, order.scores.tolist())
    scan, _ = source_ids(corpus, scanned.rows, scanned.scores.tolist())
    return Outcome(scan, final, scores, set(final), len(case.pool), seconds)


def source_ids(corpus: Corpus, rows: Rows, scores: Sequence[float]) -> tuple[list[str], list[float]]:
    """Ids by which the source knows the passages, best first, each once, with its best score."""
    best: dict[str, float] = {}
    for passage, score in zip(corpus.passages(rows), scores, strict=True):
        best.setdefault(passage.source_id, score)
    return list(best), list(best.values())


def scores_of(ranking: Sequence[str], gold: dict[str, float]) -> dict[str, float]:
    """All metrics of one ranking."""
    scores = {f"recall@{k}": recall_at(ranking, gold, k) for k in CUTOFFS}
    scores |= {f"complete@{k}": complete_at(ranking, gold, k) for k in CUTOFFS}
    scores[f"ndcg@{NDCG_CUTOFF}"] = ndcg_at(ranking, gold, NDCG_CUTOFF)
    return scores


def run_lines(question_id: str, outcome: Outcome) -> list[str]:
    """The final ranking in TREC's run form, the best hundred."""
    ranked = zip(outcome.final[:RUN_DEPTH], outcome.scores, strict=False)
    return [
        f"{question_id} Q0 {passage} {place} {score:.6f} {RUN_TAG}\n"
        for place, (passage, score) in enumerate(ranked, 1)
    ]


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}


def _check_gold(corpus: Corpus, questions: Sequence[Question]) -> None:
    wanted = sorted({passage for question in questions for passage in question.gold})
    # A line that was cut keeps its id on the first part, so each source id is a passage id.
    if not (corpus.rows(wanted) >= 0).any():
        raise InputError(f"none of the {len(wanted)} gold passages is in the corpus {corpus.name!r}")
