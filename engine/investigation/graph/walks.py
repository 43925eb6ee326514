"""The graph of a corpus's passages and entities, and walks over it by personalised PageRank."""

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

# The graph of a corpus
#
# Its nodes are passages and entities. A passage that names what another passage defines, or is about, is
# linked to it as by a reference. Walks and the ranking's link features read the graph as sparse matrices,
# which are made once for an open corpus.

_WORD = re.compile(r"[^\W_]+")


class Associations:
    """The graph of one corpus with n passages and e entities.

    ``cites`` and ``names``, shape (n, n): row i has the weights, 0..1, of links from passage i; ``cited`` and
    ``named`` are their transposes. ``joined``, shape (n + e, n + e), is symmetric and links passages with
    each other and with the entities that they mention. A walker goes from node j to i with the probability
    ``joined[i, j] * scale[j]``; the sum over i is 1, or 0 if j is a dead end. ``links``, shape (n + e,): the
    number of links of each node in ``joined``.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.passages, self._terms = len(corpus), _Names(corpus)
        self._link(corpus)

    def _link(self, corpus: Corpus) -> None:
        self.verdict_version = corpus.verdict_version
        self.cites, self.names, self.defined, self.joined, self.scale, self.rarity = _adjacency(corpus)
        self.cited, self.named = self.cites.T.tocsr(), self.names.T.tocsr()
        self.links = np.diff(self.joined.indptr).astype(np.float32)

    def relinked(self, corpus: Corpus) -> Associations:
        """Return a copy with the links as people have judged them since."""
        other = copy(self)
        other._link(corpus)  # noqa: SLF001  (its own)
        return other

    def entities_in(self, text: str, language: str) -> list[int]:
        """Return the numbers of the entities that a text names; the longest name at each position."""
        return self._terms.found_in(text, language)

    def named_in(self, text: str, language: str) -> tuple[Rows, Scores]:
        """Return passages that a text names by what they define or are about, and the certainty.

        Rows in ascending order and certainty in 0..1, shapes (m,).
        """
        certainty: dict[int, float] = {}
        for entity in self.entities_in(text, language):
            rows = self.defining(entity)
            if 0 < len(rows) <= MOST_DEFINERS:
                strength = float(self.rarity[entity] / np.sqrt(len(rows)))
                for row in rows.tolist():
                    certainty[row] = max(strength, certainty.get(row, 0.0))
        named = sorted(row for row, strength in certainty.items() if strength > 0)
        return np.array(named, np.int32), np.array([certainty[row] for row in named], np.float32)

    def defining(self, entity: int) -> Rows:
        """Return the passages that define an entity or are about it."""
        columns = self._defined_by
        rows: Rows = columns.indices[columns.indptr[entity] : columns.indptr[entity + 1]]
        return rows

    def mentioning(self, entity: int) -> Rows:
        """Return the passages that mention an entity, first those that mention little else."""
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
    """Return the published matrices, or make them if there are none or people have judged links."""
    published = corpus.adjacency()
    if published is not None:
        return published
    every = np.arange(len(corpus), dtype=np.int32)
    return adjacency_of(corpus.mentions(), corpus.neighbours(every, None, Direction.OUT), len(corpus))


class _Names:
    """The names of a corpus's entities, by language and stems."""

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
        """Return the numbers of the entities named, each once. A single word needs a capital letter."""
        lengths, numbers = self._lengths.get(language, {}), self._numbers.get(language, {})
        words = _WORD.findall(text)
        stems = self._stemmed(words, language)
        found: list[int] = []
        end = 0
        for index, stem in enumerate(stems):
            if index < end:
                continue
            for length in lengths.get(stem, ()):
                key = tuple(stems[index : index + length])
                number = numbers.get(key) if len(key) == length else None
                if number is not None and (length > 1 or not words[index][0].islower()):
                    found.append(number)
                    end = index + length
                    break
        return list(dict.fromkeys(found))

    def _key(self, name: str, language: str) -> tuple[str, ...]:
        words = _WORD.findall(name)
        return tuple(self._stemmed(words, language)) if len(words) <= LONGEST_TERM else ()

    def _stemmed(self, words: list[str], language: str) -> list[str]:
        with self._lock:
            stems = self._stems.setdefault(language, Stems(language))
            return [stems[word] for word in words]


_BY_CORPUS: WeakKeyDictionary[Corpus, Associations] = WeakKeyDictionary()
_BUILDING = threading.Lock()


def get_associations(corpus: Corpus) -> Associations:
    """Return the graph of a corpus, made once while it is open; its links are updated after new verdicts."""
    with _BUILDING:
        known = _BY_CORPUS.get(corpus)
        if known is None:
            known = _BY_CORPUS[corpus] = Associations(corpus)
        elif known.verdict_version != corpus.verdict_version:
            known = _BY_CORPUS[corpus] = known.relinked(corpus)
        return known


class Entries(NamedTuple):
    """Values of a matrix, and their indexes into selected rows and columns; shapes (k,)."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: NDArray[np.float32]


def select_entries(matrix: Matrix, rows: Rows, columns: Rows) -> Entries:
    """Return the entries in some rows and some distinct columns of a matrix, by row.

    Unlike the matrix's own indexing this reads no array as long as the matrix.
    """
    starts = matrix.indptr[rows].astype(np.intp)
    counts = matrix.indptr[np.asarray(rows, np.intp) + 1] - starts
    row_index = np.repeat(np.arange(len(rows)), counts)
    every = np.arange(len(row_index)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    found = matrix.indices[every]
    if not len(columns):
        inside = np.zeros(len(found), np.bool_)
        return Entries(row_index[inside], row_index[inside], matrix.data[every[inside]])
    order = np.argsort(columns, kind="stable")
    nearest = np.minimum(np.searchsorted(columns[order], found), len(columns) - 1)
    inside = columns[order][nearest] == found
    return Entries(row_index[inside], order[nearest[inside]], matrix.data[every[inside]])


def submatrix(matrix: Matrix, rows: Rows, columns: Rows) -> Matrix:
    """Return the entries of ``select_entries`` as a matrix, shape (rows, columns)."""
    found = select_entries(matrix, rows, columns)
    begins = np.searchsorted(found.rows, np.arange(len(rows) + 1))
    return scipy.sparse.csr_array((found.values, found.columns, begins), shape=(len(rows), len(columns)))


# Personalised PageRank by local push, which reads only the part of the graph near the start
#
# Andersen, Chung and Lang, "Local graph partitioning using PageRank vectors", FOCS 2006. A node's residual is
# pushed while it is at least ``TOLERANCE`` times its number of links, so that a walk reads at most
# 1 / ((1 - damping) * TOLERANCE) links in any corpus. The rest of a residual is added to its node.

DAMPING = 0.7
# 97 to 99 of the best hundred nodes are those of the full power iteration (benchmarks/RESULTS.md).
TOLERANCE = 1e-6
# For walks that only propose leads: 96 of the best hundred, in a third of the time. Walks of the ranking need
# the lower tolerance in both passes: this one costs recall.
ROUGH = 3e-6
# If more than one in this many nodes was visited, all nodes are scanned for visits.
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
    """Return the stationary visits of a walker that returns to the start with 1 - ``damping`` at each step.

    ``joined``, ``scale`` and ``links`` as in ``Associations``. The walk starts at distinct ``nodes`` with
    these ``shares``, shapes (m,). Returns the visited nodes in ascending order and their visits, shapes (k,);
    the sum of visits is 1, less the share lost at dead ends.
    """
    visits, residual, queued, queue, seen = _scratch(joined.shape[0])
    starts, targets = (each.astype(np.int32, copy=False) for each in (joined.indptr, joined.indices))
    count = _kernel()(
        starts, targets, joined.data, scale, links,
        nodes.astype(np.int32), shares.astype(np.float32), np.float32(damping), np.float32(tolerance),
        visits, residual, queued, queue, seen,
    )  # fmt: skip
    # In a small graph most nodes are visited: a scan of all is then faster than sorting.
    many = count * SPARSE > len(queued)
    touched = np.flatnonzero(queued).astype(np.int32) if many else np.sort(seen[:count])
    found = visits[touched] + np.float32(1.0 - damping) * residual[touched]
    for array in (visits, residual, queued):
        array[touched] = 0
    return touched, found


def _scratch(size: int) -> tuple[Floats, Floats, NDArray[np.int8], Ints, Ints]:
    """Return this thread's work arrays for a graph of ``size`` nodes; the first three are and stay zero."""
    kept: tuple[Floats, Floats, NDArray[np.int8], Ints, Ints] | None = getattr(_SCRATCH, "arrays", None)
    if kept is None or len(kept[0]) != size:
        kept = (
            np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.int8),
            np.empty(size, np.int32), np.empty(size + 1, np.int32),
        )  # fmt: skip
        _SCRATCH.arrays = kept
    return kept


_SCRATCH = threading.local()


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
    """Push residuals until all are below the tolerance; return the number of nodes in ``seen``.

    ``queue`` is a ring with room for all nodes, each at most once; ``seen`` has room for all and one more;
    ``queued`` is 0 for a node not seen, 1 for seen, 2 or 3 for waiting. Indexes are unsigned, so that no
    lookup from the end is compiled, and new nodes are stored without a branch, which the processor could not
    predict: this halves the time.
    """
    least = np.float64(tolerance)
    head, waiting, count, size = 0, 0, 0, len(queue)
    for index in range(len(nodes)):
        node = nodes[index]
        residual[node] = shares[index]
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
            total = residual[other] + onward * weights[link]
            residual[other] = total
            state = queued[other]
            seen[np.uint32(count)] = other
            count += state == 0
            queued[other] = state | 1
            if total >= least * links[other] and (state | 1) == 1:
                queued[other] = 2
                queue[np.uint32(tail)] = other
                tail = 0 if tail + 1 == size else tail + 1
                waiting += 1
    return count


# Walks from the question's best passages and names

# Number of passages at which a walk starts, and the power by which the best of them have a higher share.
STARTS, SHARPNESS = 20, 8
# Share of the starts that is at entities named by the question.
ENTITY_SHARE = 0.3
# The minimum score of a passage that the question names, as a share of the best, and what a rare name adds.
NAMED_FLOOR, NAMED_SHARE = 0.35, 0.6


@dataclass(frozen=True, slots=True)
class Visits:
    """The passages that a walk visits, ascending, and their visits relative to the most visited.

    Shapes (k,).
    """

    rows: Rows
    shares: Scores

    def of(self, rows: Rows) -> Scores:
        """Return the share of each passage, 0 for one that was not visited; shape as ``rows``."""
        found = np.zeros(len(rows), np.float32)
        if len(self.rows):
            indexes = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            visited = self.rows[indexes] == rows
            found[visited] = self.shares[indexes[visited]]
        return found

    def ranks(self, rows: Rows) -> Scores:
        """Return how many passages are visited more often than each; all, if it was not visited.

        Shape as ``rows``.
        """
        shares = self.of(rows)
        ranks = len(self.rows) - np.searchsorted(np.sort(self.shares), shares, "right")
        return np.where(shares > 0, ranks, len(self.rows)).astype(np.float32)

    def best(self, limit: int, mask: Mask | None) -> Visits:
        """Return up to ``limit`` of the most visited passages in ``mask``, shape (passages,).

        The most visited come first, equal ones by row.
        """
        allowed = np.flatnonzero(mask[self.rows]) if mask is not None else np.arange(len(self.rows))
        if len(allowed) > limit:
            shares = self.shares[allowed]
            last = np.partition(shares, len(shares) - limit)[len(shares) - limit]
            allowed = allowed[shares >= last]
        order = allowed[np.argsort(-self.shares[allowed], kind="stable")[:limit]]
        return Visits(self.rows[order], self.shares[order])


NOWHERE = Visits(np.empty(0, np.int32), np.empty(0, np.float32))


def add_named(graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan) -> tuple[Rows, Scores]:
    """Add the passages that the question names to rows and their scores, shapes (m,).

    Their scores are a share of the best, the higher the rarer the name.
    """
    named, certainty = graph.named_in(plan.question, plan.language)
    if not len(named) or not len(rows):
        return rows, scores
    every = distinct(np.concatenate([rows, named]))
    found = np.zeros(len(every), np.float32)
    found[np.searchsorted(every, rows)] = scores
    floor = np.zeros(len(every), np.float32)
    floor[np.searchsorted(every, named)] = float(scores.max()) * (NAMED_FLOOR + NAMED_SHARE * certainty)
    return every, np.maximum(found, floor)


def walk_from(
    graph: Associations, rows: Rows, scores: Scores, plan: QueryPlan, tolerance: float = TOLERANCE
) -> Visits:
    """Walk from the question's best passages and names and return the visits.

    ``rows`` and their ``scores`` in 0..1, shapes (n,), are candidates for the starts; ``tolerance`` as in
    ``push_pagerank``.
    """
    rows, scores = add_named(graph, rows, scores, plan)
    best = np.lexsort((rows, -scores))[:STARTS]
    if not len(best) or scores[best[0]] <= 0:
        return NOWHERE
    weights = (scores[best] / scores[best[0]]) ** SHARPNESS
    nodes, shares = rows[best], weights / weights.sum()
    entities = graph.entities_in(plan.question, plan.language)
    named = [entity for entity in entities if graph.rarity[entity] > 0]
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
    is_passage = (found < graph.passages) & (visits > 0)
    found, visits = found[is_passage], visits[is_passage]
    return Visits(found, visits / visits.max()) if len(visits) else NOWHERE
