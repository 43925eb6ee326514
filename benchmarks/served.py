"""The same cases from a folder and from a server, in one run: times, round trips, what is found.

    python -m benchmarks.served --folder DIR --server URL --queries FILE [--count 40] [--made-vectors]

Both stores are asked each question twice: the first time its words and names are looked up, the second time
only what a case does again; no finished case is told anew. The query is embedded once. ``--made-vectors`` is
for corpora whose vectors were made without a model (``benchmarks.growing``). Wall clock and processor time of
this process, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.growing import in_place_of_the_model
from engine.corpus import open_corpus
from engine.corpus.postgresql.server import Server
from engine.corpus.protocol import Corpus
from engine.investigation import case as casework
from engine.investigation import case_cache, run_case
from engine.language.embedders import embedder
from engine.settings import preset

RECALL_AT = (10, 100)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.served", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="the corpus that was copied")
    parser.add_argument("--server", required=True, metavar="URL", help="where it was copied to")
    parser.add_argument("--queries", type=Path, required=True, help="JSON lines with a text each")
    parser.add_argument("--count", type=int, default=40, help="questions, at even distances")
    parser.add_argument("--made-vectors", action="store_true", help="see benchmarks/growing.py")
    options = parser.parse_args(arguments)
    lines = options.queries.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines[:: max(len(lines) // options.count, 1)]]
    with ExitStack() as stack:
        if options.made_vectors:
            stack.enter_context(in_place_of_the_model())
        stack.enter_context(embedded_once())
        stack.enter_context(patch.object(case_cache, "lookup", lambda *_: None))
        stores = {"folder": open_corpus(options.folder), "server": open_corpus(options.server)}
        for line in compared(stores, questions[: options.count]):
            print(line, flush=True)
    return 0


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


if __name__ == "__main__":
    raise SystemExit(main())
