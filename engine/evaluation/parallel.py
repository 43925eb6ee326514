"""Evaluating with several processes, each with the corpus open once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from types import TracebackType

from engine.corpus.address import Place
from engine.corpus.opening import open_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.with_ontology import without_ontology
from engine.evaluation.evaluate import check_gold, judge
from engine.evaluation.outcome import Outcome, investigate_one
from engine.evaluation.questions import Question
from engine.evaluation.results import QuestionResult
from engine.settings import InvestigationSettings

# Questions handed to a process at a time: few enough that none waits long for the last one.
CHUNK = 4
_OPENED: dict[str, Corpus] = {}


class Processes:
    """``jobs`` processes with a corpus open in each, one thread each. Used as a context manager.

    Times are those of processes that share the machine; for a time that counts take one process.
    """

    def __init__(self, place: Place, jobs: int) -> None:
        self._corpus = open_corpus(place)
        self._jobs = jobs
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(jobs, context, _open, (place,))
        self._warm = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def judged(
        self, questions: Sequence[Question], settings: InvestigationSettings, *, ontology: bool = True
    ) -> Iterator[tuple[Outcome, QuestionResult]]:
        """As ``evaluate.judged``, in the order of the questions. Raises InputError as that does."""
        check_gold(self._corpus, questions)
        # Processes start when the first questions are handed out.
        with _single_threads():
            if not self._warm:
                # One for each process, so that loading the model is not timed.
                list(self._pool.map(_one, [(questions[0], settings, ontology)] * self._jobs))
                self._warm = True
            work = [(question, settings, ontology) for question in questions]
            yield from self._pool.map(_one, work, chunksize=CHUNK)


def _open(place: Place) -> None:
    _OPENED["corpus"] = corpus = open_corpus(place)
    _OPENED["without"] = without_ontology(corpus)


def _one(work: tuple[Question, InvestigationSettings, bool]) -> tuple[Outcome, QuestionResult]:
    question, settings, ontology = work
    corpus = _OPENED["corpus" if ontology else "without"]
    outcome = investigate_one(corpus, question.text, settings)
    return outcome, judge(corpus, question, outcome)


@contextmanager
def _single_threads() -> Iterator[None]:
    """Children that start meanwhile use one thread each: more would get in each other's way."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: "1" for name in names if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
