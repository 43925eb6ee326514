"""Run investigations over gold questions and average their results."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType

import numpy as np

from engine.corpus import Place, open_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.related import without_ontology
from engine.errors import InputError
from engine.evaluation.metrics import (
    GoldPlace,
    Outcome,
    PoolResult,
    QuestionResult,
    calibration,
    complete_at,
    investigate_one,
    ndcg_at,
    pool_precision,
    recall_at,
)
from engine.evaluation.questions import RUN_DEPTH, Question, Run, write_run
from engine.model import EvidenceStatus
from engine.settings import InvestigationSettings

CUTOFFS = (5, 10, 20, 50, 100)
NDCG_CUTOFF = 10


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Means over the questions; ``scan`` and ``investigation`` by metric name, times in milliseconds.

    ``pool``: recall, complete, mean size, and precision in its three forms. ``completeness``: calibration of
    the estimate. ``evidence``: number of questions by evidence status.
    """

    queries: int
    scan: dict[str, float]
    investigation: dict[str, float]
    pool: dict[str, float]
    completeness: dict[str, float]
    milliseconds: dict[str, float]
    evidence: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return plain values for printing."""
        return asdict(self)


def evaluate(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    run: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Investigate every question and average. ``run`` receives the final rankings in TREC's format.

    Raises InputError if no gold passage is in the corpus.
    """
    results, ranked = [], Run()
    for number, (outcome, result) in enumerate(judge_questions(corpus, questions, settings), 1):
        results.append(result)
        ranked.add(result.id, outcome.final[:RUN_DEPTH], outcome.scores[:RUN_DEPTH])
        if progress is not None:
            progress(number)
    if run is not None:
        write_run(ranked, run)
    return summarise(results)


def judge_questions(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    warm: bool = True,
    ontology: bool = True,
) -> Iterator[tuple[Outcome, QuestionResult]]:
    """Investigate questions one by one, and judge each by its gold.

    Rankings count single passages by source id, without assembly. ``warm``: one question is run first, so
    that loading is not timed; ``ontology``: with the corpus's ontology. Raises InputError if no gold passage
    is in the corpus.
    """
    corpus = corpus if ontology else without_ontology(corpus)
    check_gold(corpus, questions)
    if warm:
        investigate_one(corpus, questions[0].text, settings)
    for question in questions:
        outcome = investigate_one(corpus, question.text, settings)
        yield outcome, judge(corpus, question, outcome)


def judge(corpus: Corpus, question: Question, outcome: Outcome) -> QuestionResult:
    """Judge an outcome by the question's gold."""
    gold = dict(question.gold)
    found = outcome.rounds.keys() & gold.keys()
    is_gold = np.fromiter((name in gold for name in outcome.names), np.bool_, len(outcome.names))
    precise = pool_precision(corpus, outcome.rows, is_gold, gold.keys())
    scan_places = {name: place for place, name in enumerate(outcome.scan, 1)}
    final_places = {name: place for place, name in enumerate(outcome.final, 1)}
    return QuestionResult(
        id=question.id,
        scan=score_ranking(outcome.scan, gold),
        investigation=score_ranking(outcome.final, gold),
        pool=PoolResult(
            len(found) / len(gold),
            float(len(found) == len(gold)),
            len(outcome.rows),
            precise.gold,
            precise.stated,
            precise.with_entities,
        ),
        milliseconds=1000 * outcome.seconds,
        completeness=outcome.completeness,
        stop=outcome.stop,
        gold={
            name: GoldPlace(gain, scan_places.get(name), final_places.get(name), outcome.rounds.get(name))
            for name, gain in gold.items()
        },
        sizes=outcome.sizes,
        ranked=len(outcome.final),
        evidence=outcome.evidence,
    )


def summarise(results: Sequence[QuestionResult]) -> Evaluation:
    """Return means over judged questions. Raises InputError if there are none."""
    if not results:
        raise InputError("there are no questions to average over")
    p50, p95 = np.percentile([result.milliseconds for result in results], [50, 95])
    pools = [
        {
            "recall": result.pool.recall,
            "complete": result.pool.complete,
            "mean_size": float(result.pool.size),
            "gold": result.pool.gold,
            "precision": result.pool.precision,
            "with_entities": result.pool.with_entities,
        }
        for result in results
    ]
    return Evaluation(
        len(results),
        _means([result.scan for result in results]),
        _means([result.investigation for result in results]),
        _means(pools),
        calibration(results),
        {"p50": round(float(p50), 2), "p95": round(float(p95), 2)},
        _count_statuses(result.evidence for result in results),
    )


def evaluate_unjudged(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    progress: Callable[[int], None] | None = None,
) -> dict[str, object]:
    """Evaluate questions without gold, for example unanswerable ones: numbers by evidence status, and times
    in milliseconds. Raises InputError if there are no questions."""
    if not questions:
        raise InputError("there are no questions to average over")
    outcomes = []
    for number, question in enumerate(questions, 1):
        outcomes.append(investigate_one(corpus, question.text, settings))
        if progress is not None:
            progress(number)
    p50, p95 = np.percentile([1000 * outcome.seconds for outcome in outcomes], [50, 95])
    return {
        "queries": len(outcomes),
        "milliseconds": {"p50": round(float(p50), 2), "p95": round(float(p95), 2)},
        "evidence": _count_statuses(outcome.evidence for outcome in outcomes),
    }


def _count_statuses(statuses: Iterable[EvidenceStatus]) -> dict[str, int]:
    counts = Counter(statuses)
    return {status.value: counts[status] for status in EvidenceStatus}


def score_ranking(ranking: Sequence[str], gold: dict[str, float]) -> dict[str, float]:
    """Return all metrics of one ranking."""
    scores = {f"recall@{k}": recall_at(ranking, gold, k) for k in CUTOFFS}
    scores |= {f"complete@{k}": complete_at(ranking, gold, k) for k in CUTOFFS}
    scores[f"ndcg@{NDCG_CUTOFF}"] = ndcg_at(ranking, gold, NDCG_CUTOFF)
    return scores


def check_gold(corpus: Corpus, questions: Sequence[Question]) -> None:
    """Raise InputError if no gold passage of any question is in the corpus."""
    wanted = sorted({passage for question in questions for passage in question.gold})
    # A line that was split keeps its id on the first part, so each source id is a passage id.
    if not (corpus.rows(wanted) >= 0).any():
        raise InputError(f"none of the {len(wanted)} gold passages is in the corpus {corpus.name!r}")


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}


# Evaluate in several processes, each with the corpus open once.

# Questions given to a process at a time: few, so that no process waits long for the last one.
CHUNK = 4
_OPENED: dict[str, Corpus] = {}
Work = tuple[Question, InvestigationSettings, bool]


class Processes:
    """``jobs`` processes with one thread each and the corpus open in each. Used as a context manager.

    Times are those of processes that share the machine; use one process to measure times.
    """

    def __init__(self, place: Place, jobs: int) -> None:
        self._corpus = open_corpus(place)
        self._jobs = jobs
        self._not_ours = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(jobs, context, _open, (place,))
        self._warm = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            # The results of the running questions are not needed.
            for child in set(multiprocessing.active_children()) - self._not_ours:
                child.terminate()
        self._pool.shutdown(cancel_futures=True)

    def judge_questions(
        self, questions: Sequence[Question], settings: InvestigationSettings, *, ontology: bool = True
    ) -> Iterator[tuple[Outcome, QuestionResult]]:
        """See ``evaluate.judge_questions``; in the order of the questions."""
        check_gold(self._corpus, questions)
        # Processes start when the first questions are submitted.
        with _single_threads():
            if not self._warm:
                # One for each process, so that loading the model is not timed.
                list(self._distribute([(questions[0], settings, ontology)] * self._jobs, 1))
                self._warm = True
            yield from self._distribute([(question, settings, ontology) for question in questions], CHUNK)

    def _distribute(self, work: Sequence[Work], chunk: int) -> Iterator[tuple[Outcome, QuestionResult]]:
        with _uninterrupted():
            return self._pool.map(_one, work, chunksize=chunk)


def _open(place: Place) -> None:
    # Ctrl-C goes to all processes of a command; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _OPENED["corpus"] = corpus = open_corpus(place)
    _OPENED["without"] = without_ontology(corpus)


def _one(work: Work) -> tuple[Outcome, QuestionResult]:
    question, settings, ontology = work
    corpus = _OPENED["corpus" if ontology else "without"]
    outcome = investigate_one(corpus, question.text, settings)
    return outcome, judge(corpus, question, outcome)


@contextmanager
def _single_threads() -> Iterator[None]:
    """Let children started within use one thread each: more would slow each other down."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: "1" for name in names if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Defer an interruption to the end, and ignore it in processes started within."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
