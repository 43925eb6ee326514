"""Personalised PageRank by local push: what is far from the start is never touched, however large the graph.

Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006. A node's residual is
pushed on while it is at least ``TOLERANCE`` times its number of links, so that a walk costs at most
1 / ((1 - damping) * TOLERANCE) links whatever the corpus; what is left of a residual counts for the node it
is at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.investigation.compiling import compiled

DAMPING = 0.7
# 97 to 99 of the best hundred are those of the whole power iteration (benchmarks/RESULTS.md).
TOLERANCE = 1e-6
# Where a walk is only to find more: 96 of the best hundred, a third of the time. The ranking's walks, the
# first pass too, cost recall by it.
ROUGH = 3e-6
# Where more than one in so many nodes is touched, all are looked through.
SPARSE = 16

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


def pushed(
    joined: scipy.sparse.csr_array,
    scale: Floats,
    links: Floats,
    nodes: Ints,
    shares: Floats,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
) -> tuple[Ints, Floats]:
    """Where a walker stays who returns to the start with 1 - ``damping`` at each step.

    ``joined`` is symmetric, shape (n, n); from node j a walker goes to i with ``joined[i, j] * scale[j]``.
    ``links`` says how many links each node has, shape (n,).
    The walk starts at ``nodes`` (distinct), each with its share, shapes (m,). Returns the nodes that it
    visits in rising order and how much, shapes (k,); visits sum to 1, less what vanishes at dead ends.
    """
    visits, residual, queued, queue, seen = _scratch(joined.shape[0])
    starts, targets = (each.astype(np.int32, copy=False) for each in (joined.indptr, joined.indices))
    count = _kernel()(
        starts, targets, joined.data, scale, links,
        nodes.astype(np.int32), shares.astype(np.float32), np.float32(damping), np.float32(tolerance),
        visits, residual, queued, queue, seen,
    )  # fmt: skip
    # Most of a small graph is touched: looking through it is then less than sorting.
    many = count * SPARSE > len(queued)
    touched = np.flatnonzero(queued).astype(np.int32) if many else np.sort(seen[:count])
    found = visits[touched] + np.float32(1.0 - damping) * residual[touched]
    for array in (visits, residual, queued):
        array[touched] = 0
    return touched, found


def _scratch(size: int) -> tuple[Floats, Floats, NDArray[np.int8], Ints, Ints]:
    """Room for a walk over so many nodes, of this thread: the first three are zero, and left so."""
    kept: tuple[Floats, Floats, NDArray[np.int8], Ints, Ints] | None = getattr(_KEPT, "arrays", None)
    if kept is None or len(kept[0]) != size:
        kept = (
            np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.int8),
            np.empty(size, np.int32), np.empty(size + 1, np.int32),
        )  # fmt: skip
        _KEPT.arrays = kept
    return kept


_KEPT = threading.local()


@cache
def _kernel() -> Callable[..., int]:
    return compiled(_push)


def _push(
    starts: Ints,
    targets: Ints,
    weights: Floats,
    scale: Floats,
    links: Floats,
    nodes: Ints,
    shares: Floats,
    damping: np.float32,
    tolerance: np.float32,
    visits: Floats,
    residual: Floats,
    queued: NDArray[np.int8],
    queue: Ints,
    seen: Ints,
) -> int:
    """Push residuals until none is worth it; returns how many nodes stand in ``seen``.

    ``queue`` is a ring with room for all nodes, each of which stands in it once at most; ``seen`` has room
    for one more than all, and ``queued`` says of each node: 0 not seen, 1 seen, 2 or 3 it waits. Nodes and
    links are looked up by numbers without a sign, for which no lookup from the end is compiled; what is new
    is noted without a branch, for whether a node is new cannot be foreseen: that halves the time.
    """
    least = np.float64(tolerance)
    head, waiting, count, size = 0, 0, 0, len(queue)
    for place in range(len(nodes)):
        node = nodes[place]
        residual[node] = shares[place]
        queue[waiting] = node
        queued[node] = 2
        waiting += 1
        seen[count] = node
        count += 1
    tail = 0 if waiting == size else waiting
    while waiting > 0:
        own = np.uint32(queue[head])
        head = 0 if head + 1 == size else head + 1
        waiting -= 1
        queued[own] = 1
        held = residual[own]
        residual[own] = 0.0
        visits[own] += (1 - damping) * held
        onward = damping * held * scale[own]
        for link in range(np.uint32(starts[own]), np.uint32(starts[own + np.uint32(1)])):
            other = np.uint32(targets[link])
            there = residual[other] + onward * weights[link]
            residual[other] = there
            state = queued[other]
            seen[np.uint32(count)] = other
            count += state == 0
            queued[other] = state | 1
            if there >= least * links[other] and (state | 1) == 1:
                queued[other] = 2
                queue[np.uint32(tail)] = other
                tail = 0 if tail + 1 == size else tail + 1
                waiting += 1
    return count
