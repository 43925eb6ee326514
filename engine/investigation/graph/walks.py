"""Walks over the links of a corpus: associations, personalised PageRank by local push."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.arrays import compile_loop, distinct
from engine.corpus.protocol import Corpus, Mask, Rows, Scores
from engine.corpus.related import MOST_DEFINERS, Adjacency, Matrix, adjacency_of
from engine.language.entities import LONGEST_TERM, Stems
from engine.model import Direction, QueryPlan

# What is linked to what over a whole corpus: references, names and the things that passages
# share.
#
# Passages and entities are the nodes of one graph. A passage that names what another one defines
# (or is about) is linked to it as by a reference. Walks over this graph and the ranking's link
# features read it as sparse matrices, which are made once for an open corpus.

_WORD = re.compile(r"[^\W_]+")


class Associations:
    """The graph of one corpus of n passages and e entities.

    ``cites`` and ``names`` have shape (n, n): row i holds what passage i leads to, weights in 0..1;
    ``cited`` and ``named`` are their transposes. ``joined`` has shape (n + e, n + e) and is symmetric:
    passages with what they are linked with and the entities they mention. A walker goes from node j to i
    with ``joined[i, j] * scale[j]``, which sum to 1 over i, or to 0 where j is a dead end. ``links``: how
    many links each node has in it, shape (n + e,).
    """

    def __init__(self, corpus: Corpus) -> None:
        self.passages, self._terms = len(corpus), _Names(corpus)
        self._link(corpus)

    def _link(self, corpus: Corpus) -> None:
        self.judged = corpus.judged
        self.cites, self.names, self.defined, self.joined, self.scale, self.rarity = _adjacency(corpus)
        self.cited, self.named = self.cites.T.tocsr(), self.names.T.tocsr()
        self.links = np.diff(self.joined.indptr).astype(np.float32)

    def relinked(self, corpus: Corpus) -> Associations:
        """The same with the links as people have judged them since."""
        other = copy(self)
        other._link(corpus)  # noqa: SLF001  (its own)
        return other

    def entities_in(self, text: str, language: str) -> list[int]:
        """Numbers of the entities that a text names, the longest name at each place."""
        return self._terms.found_in(text, language)

    def named_in(self, text: str, language: str) -> tuple[Rows, Scores]:
        """The passages that a text names by what they define or are about, in rising order, and how surely,
        0..1; shapes (m,)."""
        surest: dict[int, float] = {}
        for entity in self.entities_in(text, language):
            rows = self.defining(entity)
            if 0 < len(rows) <= MOST_DEFINERS:
                strength = float(self.rarity[entity] / np.sqrt(len(rows)))
                for row in rows.tolist():
                    surest[row] = max(strength, surest.get(row, 0.0))
        named = sorted(row for row, strength in surest.items() if strength > 0)
        return np.array(named, np.int32), np.array([surest[row] for row in named], np.float32)

    def defining(self, entity: int) -> Rows:
        """The passages that define an entity, or are about it, by its number."""
        columns = self._defined_by
        rows: Rows = columns.indices[columns.indptr[entity] : columns.indptr[entity + 1]]
        return rows

    def mentioning(self, entity: int) -> Rows:
        """The passages that mention an entity, first those that mention little else."""
        row = self.passages + entity
        start, stop = self.joined.indptr[row : row + 2]
        passages: Rows = self.joined.indices[start:stop]
        order = np.argsort(-self.joined.data[start:stop] * self.scale[passages], kind="stable")
        return passages[order]

    @property
    def _defined_by(self) -> scipy.sparse.csc_array:
        if not hasattr(self, "_columns"):
            self._columns = self.defined.tocsc()
        return self._columns


def _adjacency(corpus: Corpus) -> Adjacency:
    """As the corpus was published; put together here where it was not, or where people have judged links."""
    published = corpus.adjacency()
    if published is not None:
        return published
    every = np.arange(len(corpus), dtype=np.int32)
    return adjacency_of(corpus.mentions(), corpus.neighbours(every, None, Direction.OUT), len(corpus))


class _Names:
    """The names of a corpus's entities by language and stems."""

    def __init__(self, corpus: Corpus) -> None:
        self._numbers: dict[str, dict[tuple[str, ...], int]] = {}
        self._lengths: dict[str, dict[str, list[int]]] = {}
        self._stems: dict[str, Stems] = {}
        self._lock = threading.Lock()
        for number, entity in enumerate(corpus.entities(range(corpus.info().entities))):
            own = self._numbers.setdefault(entity.language, {})
            # The id keeps the stems of the longest form, the name is the usual one.
            own.setdefault(tuple(entity.id.partition(":")[2].split("-")), number)
            own.setdefault(self._key(entity.name, entity.language), number)
        for language, numbers in self._numbers.items():
            lengths: dict[str, set[int]] = {}
            for key in numbers:
                if key and key[0]:
                    lengths.setdefault(key[0], set()).add(len(key))
            self._lengths[language] = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def found_in(self, text: str, language: str) -> list[int]:
        """Numbers of the entities named, each once. One word is a name only where it has a capital."""
        lengths, numbers = self._lengths.get(language, {}), self._numbers.get(language, {})
        words = _WORD.findall(text)
        stems = self._stemmed(words, language)
        found: list[int] = []
        end = 0
        for place, stem in enumerate(stems):
            if place < end:
                continue
            for length in lengths.get(stem, ()):
                key = tuple(stems[place : place + length])
                number = numbers.get(key) if len(key) == length else None
                if number is not None and (length > 1 or not words[place][0].islower()):
                    found.append(number)
                    end = place + length
                    break
        return list(dict.fromkeys(found))

    def _key(self, name: str, language: str) -> tuple[str, ...]:
        words = _WORD.findall(name)
        return tuple(self._stemmed(words, language)) if len(words) <= LONGEST_TERM else ()

    def _stemmed(self, words: list[str], language: str) -> list[str]:
        with self._lock:
            stems = self._stems.setdefault(language, Stems(language))
            return [stems[word] for word in words]


_KNOWN: WeakKeyDictionary[Corpus, Associations] = WeakKeyDictionary()
_BUILDING = threading.Lock()


def get_associations(corpus: Corpus) -> Associations:
    """The graph of a corpus, made once and kept as long as the corpus is open; its links anew when somebody
    has judged one."""
    with _BUILDING:
        known = _KNOWN.get(corpus)
        if known is None:
            known = _KNOWN[corpus] = Associations(corpus)
        elif known.judged != corpus.judged:
            known = _KNOWN[corpus] = known.relinked(corpus)
        return known


class Among(NamedTuple):
    """Values of a matrix at some of its rows and columns: places among both, and the value; shapes (k,)."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: NDArray[np.float32]


def select_entries(matrix: Matrix, rows: Rows, columns: Rows) -> Among:
    """What stands in some rows and some distinct columns of a matrix, by row: unlike its own indexing this
    reads nothing that is as long as the matrix."""
    starts = matrix.indptr[rows].astype(np.intp)
    counts = matrix.indptr[np.asarray(rows, np.intp) + 1] - starts
    place = np.repeat(np.arange(len(rows)), counts)
    every = np.arange(len(place)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    found = matrix.indices[every]
    if not len(columns):
        inside = np.zeros(len(found), np.bool_)
        return Among(place[inside], place[inside], matrix.data[every[inside]])
    order = np.argsort(columns, kind="stable")
    there = np.minimum(np.searchsorted(columns[order], found), len(columns) - 1)
    inside = columns[order][there] == found
    return Among(place[inside], order[there[inside]], matrix.data[every[inside]])


def between(matrix: Matrix, rows: Rows, columns: Rows) -> Matrix:
    """``select_entries`` as a matrix, shape (rows, columns)."""
    found = select_entries(matrix, rows, columns)
    begins = np.searchsorted(found.rows, np.arange(len(rows) + 1))
    return scipy.sparse.csr_array((found.values, found.columns, begins), shape=(len(rows), len(columns)))


# Personalised PageRank by local push: what is far from the start is never touched, however large
# the graph.
#
# Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006. A node's
# residual is pushed on while it is at least ``TOLERANCE`` times its number of links, so that a
# walk costs at most 1 / ((1 - damping) * TOLERANCE) links whatever the corpus; what is left of a
# residual counts for the node it is at.

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


def push_pagerank(
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
    return compile_loop(_push)


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


# Where a walk from the question's best passages and names ends up.

# The walk starts at this many passages, and the best of them by far the most often.
STARTS, SHARPNESS = 20, 8
# This share of the starts is at the entities that the question names.
ENTITY_SHARE = 0.3
# A passage that the question names scores at least this share of the best, and more with a rare name.
NAMED_FLOOR, NAMED_SHARE = 0.35, 0.6


@dataclass(frozen=True, slots=True)
class Visits:
    """The passages that a walk visits, in rising order, and how often, as shares of the most visited one;
    shapes (k,)."""

    rows: Rows
    shares: Scores

    def of(self, rows: Rows) -> Scores:
        """The share of each passage, 0 where the walk does not come; shape as ``rows``."""
        found = np.zeros(len(rows), np.float32)
        if len(self.rows):
            places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            there = self.rows[places] == rows
            found[there] = self.shares[places[there]]
        return found

    def ranks(self, rows: Rows) -> Scores:
        """How many passages are visited more often than each, all of them where the walk does not come to it;
        shape as ``rows``."""
        shares = self.of(rows)
        ranks = len(self.rows) - np.searchsorted(np.sort(self.shares), shares, "right")
        return np.where(shares > 0, ranks, len(self.rows)).astype(np.float32)

    def best(self, limit: int, mask: Mask | None) -> Visits:
        """The most visited passages, ``limit`` at most, of those that the mask allows, shape (passages,); the
        most visited first, equals by row."""
        allowed = np.flatnonzero(mask[self.rows]) if mask is not None else np.arange(len(self.rows))
        if len(allowed) > limit:
            shares = self.shares[allowed]
            last = np.partition(shares, len(shares) - limit)[len(shares) - limit]
            allowed = allowed[shares >= last]
        order = allowed[np.argsort(-self.shares[allowed], kind="stable")[:limit]]
        return Visits(self.rows[order], self.shares[order])


NOWHERE = Visits(np.empty(0, np.int32), np.empty(0, np.float32))


def add_named(graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan) -> tuple[Rows, Scores]:
    """Rows and scores with the passages that the question names, shapes (m,): those are nearly as good as
    the best, the rarer their name the nearer."""
    named, surely = graph.named_in(plan.question, plan.language)
    if not len(named) or not len(rows):
        return rows, scores
    every = distinct(np.concatenate([rows, named]))
    found = np.zeros(len(every), np.float32)
    found[np.searchsorted(every, rows)] = scores
    floor = np.zeros(len(every), np.float32)
    floor[np.searchsorted(every, named)] = float(scores.max()) * (NAMED_FLOOR + NAMED_SHARE * surely)
    return every, np.maximum(found, floor)


def walked(
    graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan, tolerance: float = TOLERANCE
) -> Visits:
    """Where walks from the question's best passages and names stay.

    ``rows`` and their ``scores`` in 0..1 are where the question points, shapes (n,); ``tolerance`` as in
    ``push_pagerank``.
    """
    rows, scores = add_named(graph, rows, scores, plan)
    best = np.lexsort((rows, -scores))[:STARTS]
    if not len(best) or scores[best[0]] <= 0:
        return NOWHERE
    weights = (scores[best] / scores[best[0]]) ** SHARPNESS
    nodes, shares = rows[best], weights / weights.sum()
    named = [one for one in graph.entities_in(plan.question, plan.language) if graph.rarity[one] > 0]
    if named:
        rarity = graph.rarity[named]
        nodes = np.concatenate([nodes, graph.passages + np.array(named)])
        shares = np.concatenate([(1.0 - ENTITY_SHARE) * shares, ENTITY_SHARE * rarity / rarity.sum()])
    found, visits = push_pagerank(
        graph.joined,
        graph.scale,
        graph.links,
        nodes.astype(np.int32),
        shares.astype(np.float32),
        tolerance=tolerance,
    )
    told = (found < graph.passages) & (visits > 0)
    found, visits = found[told], visits[told]
    return Visits(found, visits / visits.max()) if len(visits) else NOWHERE
