"""Evaluate in several processes, each with the corpus open once."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from types import TracebackType

from engine.corpus import open_corpus
from engine.corpus.address import Place
from engine.corpus.protocol import Corpus
from engine.corpus.related import without_ontology
from engine.evaluation.evaluate import check_gold, judge
from engine.evaluation.questions import Question
from engine.evaluation.results import Outcome, QuestionResult, investigate_one
from engine.settings import InvestigationSettings

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
