"""What is linked to what over a whole corpus: references, names and the things that passages share.

Passages and entities are the nodes of one graph. A passage that names what another one defines (or is
about) is linked to it as by a reference. Walks over this graph and the ranking's link features read it
as sparse matrices, which are made once for an open corpus.
"""

from __future__ import annotations

import re
import threading
from copy import copy
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Links, Rows, Scores
from engine.language.candidates import Stems
from engine.language.vocabulary import LONGEST_TERM
from engine.model import Direction

# A reference to a section of many passages says little of each: its weight is shared out among them.
SECTION_SHARE = 0.8
# What a twentieth of the passages mentions links nothing.
LOWEST_RARITY = 0.3
# More definers than this tell a common heading, not a name.
MOST_DEFINERS = 20
# Explicit links against shared entities in a walk.
LINK_WEIGHT = 4.0

_WORD = re.compile(r"[^\W_]+")

Matrix: TypeAlias = "scipy.sparse.csr_array"


class Associations:
    """The graph of one corpus of n passages and e entities.

    ``cites`` and ``names`` have shape (n, n): row i holds what passage i leads to, weights in 0..1;
    ``cited`` and ``named`` are their transposes. ``joined`` has shape (n + e, n + e) and is symmetric:
    passages with what they are linked with and the entities they mention. A walker goes from node j to i
    with ``joined[i, j] * scale[j]``, which sum to 1 over i, or to 0 where j is a dead end.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.passages = len(corpus)
        mentions = corpus.mentions()
        self.rarity = mentions.rarity
        size = (self.passages, len(mentions.rarity))
        telling = mentions.rarity[mentions.entities] >= LOWEST_RARITY
        rows, entities = mentions.rows[telling], mentions.entities[telling]
        held = scipy.sparse.csr_array((np.ones(len(rows), np.float32), (rows, entities)), shape=size)
        defining = mentions.defines & telling
        self.defined = scipy.sparse.csr_array(
            (
                np.ones(int(defining.sum()), np.float32),
                (mentions.rows[defining], mentions.entities[defining]),
            ),
            shape=size,
        )
        self.names = _names(held, self.defined, mentions.rarity)
        self.named = self.names.T.tocsr()
        self._held, self._terms = held, _Names(corpus)
        self._link(corpus)

    def _link(self, corpus: Corpus) -> None:
        self.judged, self.cites = corpus.judged, _cites(corpus)
        self.cited = self.cites.T.tocsr()
        self.joined, self.scale = _joined(self.cites + self.names, self._held, self.rarity)

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


def _cites(corpus: Corpus) -> Matrix:
    """Resolved references as a matrix; those that reach many passages weigh little for each."""
    every = np.arange(len(corpus), dtype=np.int32)
    links: Links = corpus.neighbours(every, None, Direction.OUT)
    keys = links.origins.astype(np.int64) * (int(links.evidence.max(initial=0)) + 1) + links.evidence
    _, position, reached = np.unique(keys, return_inverse=True, return_counts=True)
    count = reached[position]
    weights = np.where(count == 1, 1.0, SECTION_SHARE / count).astype(np.float32)
    other = links.origins != links.rows
    return _strongest(links.origins[other], links.rows[other], weights[other], len(corpus))


def _strongest(rows: Rows, columns: Rows, weights: NDArray[np.float32], size: int) -> Matrix:
    """A square matrix that keeps the highest of several weights of one place."""
    order = np.lexsort((-weights, columns, rows))
    rows, columns, weights = rows[order], columns[order], weights[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    return scipy.sparse.csr_array((weights[first], (rows[first], columns[first])), shape=(size, size))


def _names(held: Matrix, defined: Matrix, rarity: NDArray[np.float32]) -> Matrix:
    """Who names what another passage defines: the entity's rarity over the root of its definers."""
    definers = np.asarray(defined.sum(axis=0)).ravel()
    usable = (definers > 0) & (definers <= MOST_DEFINERS)
    weight = np.where(usable, rarity / np.sqrt(np.maximum(definers, 1)), 0.0).astype(np.float32)
    links = (held @ scipy.sparse.diags_array(weight) @ defined.T).tocoo()
    keep = (links.row != links.col) & (links.data > 0)
    weights = np.minimum(links.data[keep], 1.0).astype(np.float32)
    return scipy.sparse.csr_array((weights, (links.row[keep], links.col[keep])), shape=links.shape)


def _joined(links: Matrix, held: Matrix, rarity: NDArray[np.float32]) -> tuple[Matrix, Scores]:
    """Links both ways and mentions weighted by rarity; and one over the sum of each row, 0 for none."""
    mentioned = held @ scipy.sparse.diags_array(rarity * np.log(max(held.shape[0], 2)))
    both = (LINK_WEIGHT * (links + links.T)).minimum(
        scipy.sparse.csr_array((links + links.T) != 0).astype(np.float32) * 2 * LINK_WEIGHT
    )
    whole = scipy.sparse.block_array([[both, mentioned], [mentioned.T, None]], format="csr").astype(
        np.float32
    )
    sums = np.asarray(whole.sum(axis=0)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    return scipy.sparse.csr_array(whole), scale


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


def between(matrix: Matrix, rows: Rows, columns: Rows) -> Matrix:
    """Some rows and some distinct columns of a matrix, shape (rows, columns): unlike its own indexing this
    reads nothing that is as long as the matrix."""
    part = matrix[rows].tocoo()
    order = np.argsort(columns, kind="stable")
    if not len(columns):
        return scipy.sparse.csr_array(np.zeros((len(rows), 0), np.float32))
    places = np.minimum(np.searchsorted(columns[order], part.col), len(columns) - 1)
    inside = columns[order][places] == part.col
    return scipy.sparse.csr_array(
        (part.data[inside], (part.row[inside], order[places[inside]])), shape=(len(rows), len(columns))
    )
