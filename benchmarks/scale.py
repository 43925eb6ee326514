"""How everything grows with a corpus: one table, peers beside it in the same run.

    python -m benchmarks.scale SOURCE --queries FILE [--sizes 13k,100k,1M] [--work DIR]

SOURCE is a ``corpus.jsonl[.gz]``, grown to each size as ``benchmarks.growing`` does. Vectors are made without
a model (``benchmarks.growing``): times and memory are those of real ones, what is found is not. Each size is
ingested, opened and asked in processes of its own, then one of its laws is changed. bm25s, rank_bm25 and a
faiss index of whole vectors search the same passages where they fit.
"""

from __future__ import annotations

import gzip
import json
import math
import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import psutil

from benchmarks import new_parser
from benchmarks.case_times import one
from benchmarks.growing import in_place_of_the_model, write
from benchmarks.ingestion import change, memory

SUFFIXES = {"k": 1_000, "M": 1_000_000}
CASES, WARM = 100, 3
# Peers hold texts or words of the whole corpus as Python objects: they are asked up to so many passages.
BM25S_UP_TO, RANK_BM25_UP_TO = 150_000, 20_000
SEARCHES, HITS, RECALL_AT, SAME = 30, 100, 10, 1e-6
# Bytes that are read once to learn how fast memory is.
READ = 1 << 29


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; returns the exit code."""
    parser = new_parser(__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--queries", type=Path, required=True, help="JSON lines (.gz) with a field text")
    parser.add_argument("--sizes", default="13k,100k,1M")
    parser.add_argument("--work", type=Path, help="where corpora are kept, and used again; default: nowhere")
    options = parser.parse_args(arguments)
    with (gzip.open if options.queries.suffix == ".gz" else open)(
        options.queries, "rt", encoding="utf-8"
    ) as file:
        questions = [json.loads(line)["text"] for line in islice(file, CASES + WARM)]
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        table = []
        for size in (number_of(word) for word in options.sizes.split(",")):
            table.append(measured(options.source, work / f"{size}", size, questions))
            print(told(table), flush=True)
    return 0


def number_of(word: str) -> int:
    """ "13k" is 13,000."""
    return int(float(word[:-1]) * SUFFIXES[word[-1]]) if word[-1:] in SUFFIXES else int(word)


def measured(source: Path, folder: Path, size: int, questions: Sequence[str]) -> dict[str, float]:
    """All figures of one size."""
    corpus, sources = folder / "corpus", folder / "sources"
    kept = folder / "ingested.json"
    if not kept.exists():
        base = write(source, sources, 1)
        write(source, sources, max(1, math.ceil(size / base)))
        figures = alone(ingested, sources, corpus)
        kept.write_bytes(orjson.dumps(figures))
    figures = dict(orjson.loads(kept.read_bytes()))
    figures |= alone(asked, corpus, questions)
    figures |= alone(searched, corpus, questions[:SEARCHES])
    return figures | alone(updated, sources, corpus)


def alone(work: Callable[..., dict[str, float]], *given: Any) -> dict[str, float]:
    """What a function finds in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_made_vectors, work, given).result()


def _with_made_vectors(work: Callable[..., dict[str, float]], given: tuple[Any, ...]) -> dict[str, float]:
    with in_place_of_the_model():
        return work(*given)


def ingested(sources: Path, corpus: Path) -> dict[str, float]:
    """A corpus from its sources."""
    from engine.ingestion.build import build_corpus

    with memory() as peak:
        report = build_corpus([sources], corpus, embedding="minilm")
    if report.problems:
        raise SystemExit(f"{corpus}: not all of it was read: {report.problems[0]}")
    without = report.total_seconds - report.seconds["embed"]
    disk = sum(file.stat().st_size for file in corpus.rglob("*") if file.is_file())
    return {
        "passages": report.passages,
        "ingestion without vectors, s": without,
        "passages a second": report.passages / without,
        "ingestion, peak MB": max(peak),
        "disk, MB": disk / 1e6,
    }


def updated(sources: Path, corpus: Path) -> dict[str, float]:
    """One law changed, and the corpus made anew of all sources."""
    from engine.ingestion.build import build_corpus

    files = sorted(sources.rglob("*.jsonl"))
    change(files[len(files) // 2])
    return {"one law changed, s": build_corpus([sources], corpus, embedding="minilm").total_seconds}


def asked(folder: Path, questions: Sequence[str]) -> dict[str, float]:
    """Opening, the first case, and the steps of many."""
    from engine.corpus import open_corpus
    from engine.investigation import make_case
    from engine.settings import preset

    settings, figures = preset("balanced"), {}
    started = time.perf_counter()
    corpus = open_corpus(folder)
    figures["opening, ms"] = 1000 * (time.perf_counter() - started)
    steps: dict[str, list[float]] = defaultdict(list)
    for number, question in enumerate(questions):
        found = one(make_case(corpus, question, settings), "none")
        if number == 0:
            figures["first case, ms"] = found["whole investigation"]
        if number == 20:
            # Not what is mapped from files, which the system may put away and processes share.
            own = sum(part.anonymous for part in psutil.Process().memory_maps())
            figures["private memory after 20 cases, MB"] = own / 1e6
        for name, milliseconds in found.items() if number >= WARM else ():
            steps[name.strip()].append(milliseconds)
    for name, values in steps.items():
        for percent in (50, 95):
            figures[f"{name} p{percent}, ms"] = float(np.percentile(values, percent))
    return figures


def searched(folder: Path, questions: Sequence[str]) -> dict[str, float]:
    """Searches of ours and of peers, milliseconds a query."""
    import faiss

    from engine.corpus import open_corpus
    from engine.language.analysis import analyzer
    from engine.language.embedders import embedder

    corpus = open_corpus(folder)
    model = embedder(corpus.embedding)
    assert model is not None
    asked = list(model.encode(list(questions), "query"))
    rows = np.arange(len(corpus), dtype=np.int32)
    figures: dict[str, float] = {}
    corpus.search_dense(asked[0][None] + np.float32(1e-6), HITS, -1.0)
    figures["dense search, ms"], ours = _each(
        lambda query: corpus.search_dense(query[None], HITS, -1.0), asked
    )
    vectors = corpus.vectors(rows)

    def exact(query: Any) -> Any:
        return faiss.knn(query[None], vectors, HITS, metric=faiss.METRIC_INNER_PRODUCT)

    exact(asked[0])
    figures["faiss, all vectors, ms"], theirs = _each(exact, asked)
    # By scores: of passages that are equal either may be found.
    shares = [
        (own[0].scores[:RECALL_AT] >= other[0][0][RECALL_AT - 1] - SAME).mean()
        for own, other in zip(ours, theirs, strict=True)
    ]
    figures[f"dense recall@{RECALL_AT}"] = float(np.mean(shares))
    figures["reading all vectors once, ms"] = 1000 * vectors.nbytes / _bandwidth()
    terms = analyzer("en")
    queries = terms.batch([" ".join(text.split()[:12]) for text in questions])
    words = [" ".join(text.split()[:12]) for text in questions]
    corpus.search_lexical(words[:1], "en", HITS)
    figures["lexical search, ms"], _ = _each(lambda one: corpus.search_lexical([one], "en", HITS), words)
    if len(corpus) <= BM25S_UP_TO:
        figures |= _lexical_peers(terms.batch([one.text for one in corpus.passages(rows)]), queries)
    return figures


def _lexical_peers(texts: list[list[str]], queries: Sequence[Sequence[str]]) -> dict[str, float]:
    import bm25s
    from rank_bm25 import BM25Okapi

    index = bm25s.BM25(method="lucene")
    index.index(texts, show_progress=False)
    found = {
        "bm25s, ms": _each(lambda one: index.retrieve([list(one)], k=HITS, show_progress=False), queries)[0]
    }
    if len(texts) <= RANK_BM25_UP_TO:
        plain = BM25Okapi(texts)
        found["rank_bm25, ms"] = _each(lambda one: np.argsort(-plain.get_scores(one))[:HITS], queries)[0]
    return found


def _each(search: Callable[[Any], Any], queries: Sequence[Any]) -> tuple[float, list[Any]]:
    """The median time of a search, ms, and what each finds."""
    times, found = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(search(query))
        times.append(1000 * (time.perf_counter() - started))
    return float(np.median(times)), found


def _bandwidth() -> float:
    """Bytes a second that one core reads."""
    held = np.ones(READ // 8)
    started = time.perf_counter()
    held.sum()
    return READ / (time.perf_counter() - started)


def told(table: Sequence[Mapping[str, float]]) -> str:
    """The figures as Markdown, and how each grows: its exponent between the last two sizes."""
    names = list(dict.fromkeys(name for row in table for name in row if name != "passages"))
    head = " | ".join(f"{int(row['passages']):,}" for row in table)
    lines = [f"| passages | {head} | grows as n^ |", "| --- |" + " ---: |" * (len(table) + 1)]
    for name in names:
        values = " | ".join(_short(row.get(name)) for row in table)
        lines.append(f"| {name} | {values} | {_exponent(table, name)} |")
    return "\n".join(lines) + "\n"


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _exponent(table: Sequence[Mapping[str, float]], name: str) -> str:
    known = [row for row in table if row.get(name, 0.0) > 0]
    if len(known) < 2 or known[-1]["passages"] == known[-2]["passages"]:
        return "–"
    grown = math.log(known[-1][name] / known[-2][name])
    return f"{grown / math.log(known[-1]['passages'] / known[-2]['passages']):.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
