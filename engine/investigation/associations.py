"""What is linked to what over a whole corpus: references, names and the things that passages share.

Passages and entities are the nodes of one graph. A passage that names what another one defines (or is
about) is linked to it as by a reference. Walks over this graph and the ranking's link features read it
as sparse matrices, which are made once for an open corpus.
"""

from __future__ import annotations

import re
import threading
from copy import copy
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.adjacency import MOST_DEFINERS, Adjacency, Matrix, adjacency_of
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.language.entities import LONGEST_TERM, Stems
from engine.model import Direction

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


def associations(corpus: Corpus) -> Associations:
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


def among(matrix: Matrix, rows: Rows, columns: Rows) -> Among:
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
    """``among`` as a matrix, shape (rows, columns)."""
    found = among(matrix, rows, columns)
    begins = np.searchsorted(found.rows, np.arange(len(rows) + 1))
    return scipy.sparse.csr_array((found.values, found.columns, begins), shape=(len(rows), len(columns)))
