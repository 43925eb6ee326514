"""Walks by local push against the whole power iteration, in one run.

    python -m benchmarks.walks --corpus DIR [--walks N]

Walks start at passages that stand near each other, as a question's best ones do. Prints processor time of
both (median), their ratio, and how many of the best sixty passages are the same.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.corpus import open_corpus
from engine.investigation.associations import Associations, associations
from engine.investigation.pushing import DAMPING, pushed

Floats = NDArray[np.float32]
STARTS, NEAR, STEPS, BEST = 20, 200, 12, 60


def starts(passages: int, walks: int) -> list[tuple[NDArray[np.int32], Floats]]:
    """Passages that walks start at and their shares, most of them near each other."""
    draw, found = np.random.default_rng(0), []
    near = min(NEAR, passages)
    for _ in range(walks):
        first = int(draw.integers(0, passages - near + 1))
        close = first + draw.choice(near, min(12, near), replace=False)
        nodes = np.unique(np.concatenate([close, draw.integers(0, passages, STARTS - 12)])).astype(np.int32)
        shares = (draw.random(len(nodes)) ** 4).astype(np.float32)
        found.append((nodes, shares / shares.sum()))
    return found


def whole(graph: Associations, nodes: NDArray[np.int32], shares: Floats) -> Floats:
    """The power iteration over all nodes: the plain way."""
    start = np.zeros(graph.joined.shape[0], np.float32)
    start[nodes] = shares
    visits = start
    for _ in range(STEPS):
        visits = DAMPING * (graph.joined @ (graph.scale * visits)) + np.float32(1 - DAMPING) * start
    return visits


def local(graph: Associations, nodes: NDArray[np.int32], shares: Floats) -> Floats:
    """The same by local push, as the engine does it."""
    visits = np.zeros(graph.joined.shape[0], np.float32)
    touched, found = pushed(graph.joined, graph.scale, nodes, shares)
    visits[touched] = found
    return visits


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description="Walks by local push against the power iteration.")
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR")
    parser.add_argument("--walks", type=int, default=25)
    options = parser.parse_args(arguments)
    graph = associations(open_corpus(options.corpus))
    begun = starts(graph.passages, options.walks)
    local(graph, *begun[0])
    told: dict[str, tuple[float, list[Floats]]] = {}
    ways: dict[str, Callable[[Associations, NDArray[np.int32], Floats], Floats]] = {
        "whole": whole,
        "local": local,
    }
    for name, way in ways.items():
        taken, visits = [], []
        for nodes, shares in begun:
            at = time.process_time()
            visits.append(way(graph, nodes, shares)[: graph.passages])
            taken.append(time.process_time() - at)
        told[name] = 1000 * float(np.median(taken)), visits
    same = [
        len(set(np.argsort(-a)[:BEST].tolist()) & set(np.argsort(-b)[:BEST].tolist())) / min(BEST, len(a))
        for a, b in zip(told["whole"][1], told["local"][1], strict=True)
    ]
    plain, push = told["whole"][0], told["local"][0]
    size = f"{graph.passages:,} passages, {graph.joined.nnz:,} links"
    print(
        f"{size}: power iteration {plain:.2f} ms, local push {push:.2f} ms, ratio {plain / push:.1f}, "
        f"best {BEST} the same {np.mean(same):.3f}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
