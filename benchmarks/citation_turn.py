"""A turn that follows references over some hops, its trails kept, against a plain walk in Python.

    python -m benchmarks.citation_turn --corpus DIR [--seeds N] [--hops N]

Both start at the same passages over the same links, both ways. Ours weighs each lead, admits what the gate
lets through (here everything) to a pool and keeps every hop; it goes on from all that it has reached, as the
walk does. The plain walk keeps for each passage the links
that reached it; it weighs nothing. A third figure tells the trails of the twenty best passages as well.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from engine.breadth import breadth_of
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.pool import Pool, Reading
from engine.investigation.strategies import citations
from engine.investigation.strategies.base import Context, Seeds
from engine.investigation.turn import admit_scanned, take_turn
from engine.model import Direction
from engine.retrieval.planning import make_plan
from engine.retrieval.scan import scan
from engine.settings import InvestigationSettings

MANY, TOLD, RUNS = 1_000_000, 20, 7
NO_ROWS = np.empty(0, np.int32)


def ours(corpus: Corpus, seeds: Rows, question: str, hops: int) -> tuple[Pool, float, float]:
    """The pool after a turn, the seconds that it took, and those of telling the best passages' trails."""
    settings = InvestigationSettings()
    breadth = replace(
        breadth_of(settings), hops=hops, per_strategy=MANY, per_document=MANY, per_relation=MANY, gate=-1.0
    )
    plan = make_plan(question, list(corpus.info().languages))
    found = scan(corpus, plan, None, names=("bm25",), limit=10, depth=100)
    pool = Pool(MANY)
    reading = Reading(corpus)
    found = replace(
        found, rows=seeds, scores=np.ones(len(seeds), np.float32), hits={int(r): () for r in seeds}
    )
    admit_scanned(found, pool, reading)
    context = Context(corpus, settings, breadth, found.relevance, reading)
    started = time.process_time()
    with patch.object(citations, "FOLLOWED_PER_HOP", MANY):
        take_turn(
            [citations.Citations()], Seeds(seeds, found.scores), context, pool, NO_ROWS, 1, lambda: False
        )
    middle = time.process_time()
    pool.trails_of([entry.passage_id for entry in pool.entries()[-TOLD:]])
    return pool, middle - started, time.process_time() - middle


def plain(
    links: dict[int, list[tuple[int, int]]], seeds: Rows, hops: int
) -> tuple[dict[int, list[tuple[int, int]]], float]:
    """Breadth first over lists of links: each passage with the links that reached it; and the seconds."""
    started = time.process_time()
    reached: dict[int, list[tuple[int, int]]] = {int(row): [] for row in seeds}
    line = deque((int(row), 0) for row in seeds)
    while line:
        row, step = line.popleft()
        if step == hops:
            continue
        for other, link in links.get(row, ()):
            if other not in reached:
                reached[other] = []
                line.append((other, step + 1))
            reached[other].append((row, link))
    return reached, time.process_time() - started


def links_of(corpus: Corpus) -> dict[int, list[tuple[int, int]]]:
    """All links of a corpus, both ways: from each row to others, with the number of the reference."""
    rows = np.arange(len(corpus), dtype=np.int32)
    links: dict[int, list[tuple[int, int]]] = {}
    for direction in Direction:
        found = corpus.neighbours(rows, None, direction)
        for origin, row, link in zip(
            found.origins.tolist(), found.rows.tolist(), found.evidence.tolist(), strict=True
        ):
            links.setdefault(origin, []).append((row, link))
    return links


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--hops", type=int, default=3)
    options = parser.parse_args(arguments)
    corpus = open_corpus(options.corpus)
    links = links_of(corpus)
    linked = np.array(sorted(links), np.int32)
    seeds = np.sort(np.random.default_rng(0).choice(linked, min(options.seeds, len(linked)), replace=False))
    (start,) = corpus.passages(seeds[:1])
    question = " ".join(start.text.split()[:12])
    measured = []
    for _ in range(RUNS):
        pool, turn, told = ours(corpus, seeds, question, options.hops)
        reached, walk = plain(links, seeds, options.hops)
        measured.append((turn, told, walk))
    turn, told, walk = np.median(measured, axis=0)
    ours_new, plain_new = len(pool) - len(seeds), len(reached) - len(seeds)
    hops, plain_hops = pool.statistics().hops - len(seeds), sum(map(len, reached.values()))
    print(f"{len(corpus):,} passages, {len(seeds)} seeds, {options.hops} hops")
    print(f"processor time, medians of {RUNS} runs")
    print(f"this turn: {ours_new:,} passages, {hops:,} hops kept, {ours_new / turn / 1000:.0f} passages/ms")
    print(f"with the trails of {TOLD} told: {ours_new / (turn + told) / 1000:.0f} passages/ms")
    print(
        f"plain walk: {plain_new:,} passages, {plain_hops:,} links, {plain_new / walk / 1000:.0f} passages/ms"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
