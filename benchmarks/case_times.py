"""Where the time of an investigation goes, on a corpus and its questions; from a folder and from a server.

    python -m benchmarks.case_times --corpus DIR --queries FILE --qrels FILE [--limit N] [--again]
    python -m benchmarks.case_times --corpus DIR --server URL --queries FILE [--limit N] [--made-vectors]

Prints the median and the 95th percentile of each step in milliseconds, and the ratio of a whole investigation
to the broad scan alone, both measured in this one run.

With ``--server`` the same cases run on both stores: times, round trips, what is found. Both are asked each
question twice: the first time its words and names are looked up, the second time only what a case does again;
finished cases are not reused. The query is embedded once. ``--made-vectors`` is for corpora whose vectors
were made without a model (``benchmarks.growing``). Wall clock and processor time of this process.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks import new_parser
from benchmarks.growing import in_place_of_the_model
from engine.corpus import open_corpus
from engine.corpus.postgresql.server import Server
from engine.corpus.protocol import Corpus
from engine.evaluation import read_questions
from engine.investigation import Case, case_cache, make_case, run_case
from engine.investigation import case as casework
from engine.investigation.record import PlanMade, Ranked, ScanFinished, Stopped
from engine.language.embedders import embedder
from engine.settings import preset

RECALL_AT = (10, 100)


def compare_stores(options: argparse.Namespace) -> None:
    """Ask a folder and a server, and print."""
    lines = options.queries.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines[:: max(len(lines) // options.limit, 1)]]
    with ExitStack() as stack:
        if options.made_vectors:
            stack.enter_context(in_place_of_the_model())
        stack.enter_context(embedded_once())
        stack.enter_context(patch.object(case_cache, "lookup", lambda *_: None))
        stores = {"folder": open_corpus(options.corpus), "server": open_corpus(options.server)}
        for line in compared(stores, questions[: options.limit]):
            print(line, flush=True)


def compared(stores: dict[str, Corpus], questions: Sequence[str]) -> Iterator[str]:
    """The table, line by line."""
    for name, corpus in stores.items():
        wall, _, _ = asked(corpus, questions[-1])
        yield f"first case, {name}: {wall / 1000:.1f} s"
    rankings: dict[str, list[list[str]]] = {}
    for time_of in ("first time", "again"):
        for name, corpus in stores.items():
            with counted() as reads:
                found = [asked(corpus, question) for question in questions]
            rankings[name] = [ranking for *_, ranking in found]
            figures = np.percentile([one[:2] for one in found], [50, 95], axis=0).round().astype(int).tolist()
            (wall, processor), (late, late_processor) = figures
            yield (
                f"{time_of}, {name}: p50 {wall} / p95 {late} ms (processor {processor} / {late_processor}), "
                f"{sum(reads.values()) / len(questions):.0f} round trips a case"
            )
    same = sum(a == b for a, b in zip(rankings["folder"], rankings["server"], strict=True))
    yield f"the same passages in the same order: {same} of {len(questions)}"
    for limit in RECALL_AT:
        share = recall(stores["server"], stores["folder"], questions, limit)
        yield f"dense recall@{limit}, by scores: {share:.4f}"


def asked(corpus: Corpus, question: str) -> tuple[float, float, list[str]]:
    """Milliseconds of wall clock and processor of one case, and the ids that it ranks."""
    begun, worked = time.perf_counter(), time.process_time()
    case = run_case(corpus, question, preset("balanced"))
    wall, processor = time.perf_counter() - begun, time.process_time() - worked
    return 1000 * wall, 1000 * processor, [one.passage.id for one in case.investigation().passages]


def recall(corpus: Corpus, exact: Corpus, questions: Sequence[str], limit: int) -> float:
    """The share of hits that score at least as high as the last of as many in a folder."""
    model = embedder(exact.embedding)
    assert model is not None
    vectors = model.encode(list(questions), "query")
    found, best = (store.search_dense(vectors, limit, -1.0) for store in (corpus, exact))
    least = [hits.scores[-1] for hits in best]
    return float(np.mean([np.mean(hits.scores >= last) for hits, last in zip(found, least, strict=True)]))


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts the statements that are sent."""
    sent: Counter[str] = Counter()
    read = Server.read

    def counting(server: Server, statement: Any, parameters: Any) -> Any:
        sent[str(statement)[:80]] += 1
        return read(server, statement, parameters)

    with patch.object(Server, "read", counting):
        yield sent


@contextmanager
def embedded_once() -> Iterator[None]:
    """Texts that were embedded once cost nothing again."""
    known: dict[tuple[str, ...], NDArray[np.float32]] = {}

    class Kept:
        def __init__(self, model: Any) -> None:
            self._model = model

        def __getattr__(self, name: str) -> Any:
            return getattr(self._model, name)

        def encode(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
            key = (kind, *texts)
            if key not in known:
                known[key] = self._model.encode(texts, kind)
            return known[key]

    def kept(spec: str) -> Any:
        model = embedder(spec)
        return None if model is None else Kept(model)

    with patch.object(casework, "embedder", kept):
        yield


def main() -> None:
    """Measure and print."""
    parser = new_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--server", metavar="URL", help="where the corpus was copied to")
    parser.add_argument("--made-vectors", action="store_true", help="see benchmarks/growing.py")
    parser.add_argument("--limit", type=int, default=200, help="questions, at even distances")
    parser.add_argument(
        "--again",
        action="store_true",
        help="ask each question once before; its embedding is then at hand, a finished case is not told anew",
    )
    parser.add_argument("--preset", default="balanced")
    options = parser.parse_args()
    if options.server:
        compare_stores(options)
        return
    if options.qrels is None:
        parser.error("give --qrels, or --server")
    corpus, settings = open_corpus(options.corpus), preset(options.preset)
    questions = read_questions(options.queries, options.qrels)
    questions = questions[:: max(len(questions) // options.limit, 1)][: options.limit]
    # The first question warms the model and the memory maps up and is not counted.
    before = questions if options.again else questions[:1]
    steps: dict[str, list[float]] = defaultdict(list)
    # As `python -m engine` has it; the page collects more seldom still.
    gc.set_threshold(50_000, 20, 50)
    with ExitStack() as stack:
        if options.again:
            stack.enter_context(embedded_once())
            stack.enter_context(patch.object(case_cache, "lookup", lambda *_: None))
        for number, question in enumerate([*before, *questions]):
            measured = one(make_case(corpus, question.text, settings), corpus.embedding)
            for name, milliseconds in measured.items() if number >= len(before) else ():
                steps[name].append(milliseconds)
    print(f"{len(questions)} questions, {len(corpus):,} passages, preset {options.preset}, milliseconds")
    for name, values in steps.items():
        print(f"{name:24}{np.percentile(values, 50):9.1f}{np.percentile(values, 95):9.1f}")
    ratio = np.array(steps["whole investigation"]) / np.array(steps["scan"])
    print(f"whole investigation / scan: {np.median(ratio):.1f} times")


def one(case: Case, embedding: str) -> dict[str, float]:
    """Milliseconds of each step of one investigation; the embedding of the question on its own too."""
    measured: dict[str, float] = defaultdict(float)
    begun = last = time.perf_counter()
    worked = time.process_time()
    for event in case.run():
        now = time.perf_counter()
        match event:
            case PlanMade():
                name = "plan"
            case ScanFinished():
                name = "scan"
            case Stopped():
                name = "stop"
            case Ranked():
                name = "ranking"
            case _:
                name = "rounds and coverage"
        measured[name] += 1000 * (now - last)
        last = now
    measured["whole investigation"] = 1000 * (last - begun)
    measured["whole, processor"] = 1000 * (time.process_time() - worked)
    for report in case.rounds[1:]:
        for count in report.strategies:
            measured[f"  strategy {count.strategy}"] += count.milliseconds
    model = embedder(embedding)
    if model is not None and case.plan is not None:
        started = time.perf_counter()
        model.encode([view.text for view in case.plan.views], "query")
        measured["  embedding (in the scan)"] = 1000 * (time.perf_counter() - started)
    return measured


if __name__ == "__main__":
    main()
