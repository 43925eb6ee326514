"""Cases cancelled at random moments, several at a time.

Held where each ends soon, in a state that a person can go on with, and a case that is asked afterwards is
the same, to the last digit, as one that was asked before.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.attacks.outcome import Attempt, Outcome, counted
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.records.export import investigation_to_json
from engine.settings import Preset, preset
from ui.sample import SOURCES

# Longest time from the wish to the ranked end, s, on a busy machine; cases at the same time.
SOON, TOGETHER = 5.0, 4
_TIMES = ("milliseconds", "started")


def run(tries: int, seed: int) -> tuple[Outcome, ...]:
    """Cancel as many cases on the sample corpus as there are tries."""
    with tempfile.TemporaryDirectory() as folder:
        build_corpus([SOURCES], Path(folder, "sample"), embedding="none")
        corpus = open_corpus(Path(folder, "sample"))
        questions = [row["text"] for row in corpus.info().metadata["examples"]]
        return (counted("cases cancelled", _attempts(tries, random.Random(seed), corpus, questions)),)


def _attempts(
    tries: int, chance: random.Random, corpus: Corpus, questions: Sequence[str]
) -> Iterator[Attempt]:
    before = _whole(corpus, questions[0])
    threads = threading.active_count()
    work = [
        (chance.choice(questions), chance.choice(list(Preset)).value, chance.uniform(0.0, 0.4))
        for _ in range(tries)
    ]
    with ThreadPoolExecutor(TOGETHER) as pool:
        yield from pool.map(lambda one: _cancelled(corpus, *one), work)
    yield Attempt("threads afterwards", threading.active_count() <= threads, "threads were left behind")
    yield Attempt("the same case afterwards", _whole(corpus, questions[0]) == before, "it differs")


def _cancelled(corpus: Corpus, question: str, depth: str, after: float) -> Attempt:
    name = f"{depth}, cancelled after {1000 * after:.0f} ms"
    case, wished = Case(corpus, question, preset(depth)), [0.0]

    def cancel() -> None:
        wished[0] = time.monotonic()
        case.cancel()

    timer = threading.Timer(after, cancel)
    timer.start()
    for _ in case.run():
        continue
    ended = time.monotonic()
    timer.cancel()
    timer.join()
    late = ended - wished[0] if wished[0] else 0.0
    return Attempt(name, not (problem := _problem(case, late)), problem)


def _problem(case: Case, late: float) -> str:
    """What is wrong with a cancelled case, or nothing."""
    if late > SOON:
        return f"went on for {late:.1f} s"
    record = case.investigation()
    orphans = [entry for entry in case.pool.entries() if not case.pool.trails(entry.passage_id, 1)]
    if orphans:
        return f"{len(orphans)} passages of the pool have no trail"
    if case.pool.entries() and not record.passages:
        return "passages were found and none is ranked"
    if record.passages:
        list(case.follow(record.passages[0].passage.id, ["citations"]))
    return ""


def _whole(corpus: Corpus, question: str) -> object:
    case = Case(corpus, question, preset(Preset.BALANCED))
    for _ in case.run():
        continue
    return _timeless(investigation_to_json(case.investigation()))


def _timeless(value: Any) -> Any:
    """A record without what the clock gave."""
    if isinstance(value, dict):
        return {key: _timeless(inner) for key, inner in value.items() if key not in _TIMES}
    return [_timeless(inner) for inner in value] if isinstance(value, list) else value
