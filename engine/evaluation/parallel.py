"""Evaluating with several processes, each with the corpus open once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from engine.corpus.protocol import Corpus
from engine.evaluation.evaluate import check_gold, judge
from engine.evaluation.outcome import Outcome, investigate_one
from engine.evaluation.questions import Question
from engine.evaluation.results import QuestionResult
from engine.settings import InvestigationSettings

# Questions handed to a process at a time: few enough that none waits long for the last one.
CHUNK = 8
_OPENED: dict[str, Corpus] = {}


def judged_by_processes(
    folder: Path, questions: Sequence[Question], settings: InvestigationSettings, jobs: int
) -> Iterator[tuple[Outcome, QuestionResult]]:
    """As ``judged``, by ``jobs`` processes with one thread each, in the order of the questions.

    Times are those of processes that share the machine; for a time that counts take one process.
    """
    from engine.corpus import open_corpus

    check_gold(open_corpus(folder), questions)
    work = [(question, settings) for question in questions]
    context = multiprocessing.get_context("spawn")
    with (
        _single_threads(),
        ProcessPoolExecutor(jobs, context, _open, (folder, questions[0], settings)) as pool,
    ):
        yield from pool.map(_one, work, chunksize=CHUNK)


def _open(folder: Path, first: Question, settings: InvestigationSettings) -> None:
    from engine.corpus import open_corpus

    _OPENED["corpus"] = open_corpus(folder)
    investigate_one(_OPENED["corpus"], first.text, settings)


def _one(work: tuple[Question, InvestigationSettings]) -> tuple[Outcome, QuestionResult]:
    question, settings = work
    outcome = investigate_one(_OPENED["corpus"], question.text, settings)
    return outcome, judge(_OPENED["corpus"], question, outcome)


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
