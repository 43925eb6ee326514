"""Relations within a corpus: adjacency of passages, related entities, and replacement of its ontology."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.arrays import begins, numbered
from engine.corpus.protocol import Corpus, Links, Mentions, Ontology, Rows, Scores
from engine.language.references.instruments import standard_of
from engine.model import Entity, EntityKind

# The adjacency of a corpus as sparse matrices: references, names, shared entities. A store may build it when
# a corpus is published.

# A reference to a section of many passages is weak evidence for each: its weight is divided among them.
SECTION_SHARE = 0.8
# An entity mentioned in a twentieth of the passages links nothing.
LOWEST_RARITY = 0.3
# With more definers than this a text is a common heading, not a name.
MOST_DEFINERS = 20
# The weight of explicit links relative to shared entities in a walk.
LINK_WEIGHT = 4.0

Matrix: TypeAlias = "scipy.sparse.csr_array"
Array: TypeAlias = "NDArray[np.generic]"


class Adjacency(NamedTuple):
    """The graph of n passages and e entities; all weights are float32.

    ``cites`` and ``names`` have shape (n, n): row i contains the passages that passage i refers to, or whose
    defined names it uses, with weights in 0..1. ``defined``, shape (n, e): entities that a passage defines or
    is about. ``joined``, shape (n + e, n + e), is symmetric: passages with their links and the entities they
    mention. The probability of a step from node j to i is ``joined[i, j] * scale[j]``; it sums to 1 over i,
    or to 0 at a dead end; ``scale`` has shape (n + e,). ``rarity`` of each entity has shape (e,).
    """

    cites: Matrix
    names: Matrix
    defined: Matrix
    joined: Matrix
    scale: Scores
    rarity: Scores

    def arrays(self) -> dict[str, Array]:
        """Return it as plain arrays by name."""
        parts: dict[str, Array] = {"scale": self.scale, "rarity": self.rarity}
        for name in ("cites", "names", "defined", "joined"):
            matrix: Matrix = getattr(self, name)
            parts |= {
                f"{name}.pointers": matrix.indptr,
                f"{name}.columns": matrix.indices,
                f"{name}.weights": matrix.data,
            }
        return parts


def adjacency_from(arrays: Mapping[str, Array], passages: int) -> Adjacency:
    """Return the adjacency of ``Adjacency.arrays`` over the same memory."""
    entities = len(arrays["rarity"])

    def matrix(name: str, *shape: int) -> Matrix:
        # The parts are assigned afterwards: the constructor would check all values.
        found: Any = scipy.sparse.csr_array(shape, dtype=np.float32)
        for own, part in (("data", "weights"), ("indices", "columns"), ("indptr", "pointers")):
            setattr(found, own, arrays[f"{name}.{part}"])
        return cast("Matrix", found)

    square = passages, passages
    return Adjacency(
        matrix("cites", *square),
        matrix("names", *square),
        matrix("defined", passages, entities),
        matrix("joined", passages + entities, passages + entities),
        np.asarray(arrays["scale"], np.float32),
        np.asarray(arrays["rarity"], np.float32),
    )


def adjacency_of(mentions: Mentions, links: Links, passages: int) -> Adjacency:
    """Build the adjacency from all mentions and all resolved references between rows."""
    rarity = mentions.rarity
    size = (passages, len(rarity))
    telling = rarity[mentions.entities] >= LOWEST_RARITY
    rows, entities = mentions.rows[telling], mentions.entities[telling]
    held = scipy.sparse.csr_array((np.ones(len(rows), np.float32), (rows, entities)), shape=size)
    defining = mentions.defines & telling
    about = mentions.rows[defining], mentions.entities[defining]
    defined = scipy.sparse.csr_array((np.ones(len(about[0]), np.float32), about), shape=size)
    names, cites = _names(held, defined, rarity), _cites(links, passages)
    return Adjacency(cites, names, defined, *_joined(cites + names, held, rarity), rarity)


def _cites(links: Links, passages: int) -> Matrix:
    """Return resolved references as a matrix; a reference to many passages has a low weight for each."""
    keys = links.origins.astype(np.int64) * (int(links.evidence.max(initial=0)) + 1) + links.evidence
    _, position = numbered(keys)
    count = np.bincount(position)[position]
    weights = np.where(count == 1, 1.0, SECTION_SHARE / count).astype(np.float32)
    other = links.origins != links.rows
    return _strongest(links.origins[other], links.rows[other], weights[other], passages)


def _strongest(rows: Rows, columns: Rows, weights: NDArray[np.float32], size: int) -> Matrix:
    """Return a square matrix with the highest of several weights of an entry."""
    places = rows.astype(np.int64) * size + columns
    if (places[1:] < places[:-1]).any():
        order = np.argsort(places, kind="stable")
        places, weights = places[order], weights[order]
    first = np.flatnonzero(begins(places))
    kept, highest = places[first], np.maximum.reduceat(weights, first) if len(first) else weights
    index = scipy.sparse.get_index_dtype(maxval=max(size, len(kept)))
    starts = np.searchsorted(kept, np.arange(size + 1) * size).astype(index)
    return scipy.sparse.csr_array((highest, (kept % max(size, 1)).astype(index), starts), shape=(size, size))


def _names(held: Matrix, defined: Matrix, rarity: NDArray[np.float32]) -> Matrix:
    """Return the weight of names: the entity's rarity over the square root of its definers."""
    definers = np.asarray(defined.sum(axis=0)).ravel()
    usable = (definers > 0) & (definers <= MOST_DEFINERS)
    weight = np.where(usable, rarity / np.sqrt(np.maximum(definers, 1)), 0.0).astype(np.float32)
    links = (held @ scipy.sparse.diags_array(weight) @ defined.T).tocoo()
    keep = (links.row != links.col) & (links.data > 0)
    weights = np.minimum(links.data[keep], 1.0).astype(np.float32)
    return scipy.sparse.csr_array((weights, (links.row[keep], links.col[keep])), shape=links.shape)


def _joined(links: Matrix, held: Matrix, rarity: NDArray[np.float32]) -> tuple[Matrix, Scores]:
    """Return links in both directions and mentions by rarity, and the inverse of each row sum, 0 for none."""
    worth = (rarity * np.log(max(held.shape[0], 2))).astype(np.float32)
    mentioned = scipy.sparse.csr_array(
        (held.data * worth[held.indices], held.indices, held.indptr), held.shape
    )
    both = scipy.sparse.csr_array(links + links.T)
    both.data *= np.float32(LINK_WEIGHT)
    np.minimum(both.data, 2 * LINK_WEIGHT, out=both.data)
    upper, lower = _stack_columns(both, mentioned), scipy.sparse.csr_array(mentioned.T.tocsr())
    size = sum(held.shape)
    starts = np.concatenate([upper.indptr, lower.indptr[1:] + upper.indptr[-1]])
    targets = np.concatenate([upper.indices, lower.indices])
    weights = np.concatenate([upper.data, lower.data]).astype(np.float32)
    whole = scipy.sparse.csr_array((weights, targets, starts), shape=(size, size))
    sums = np.asarray(whole.sum(axis=0)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    return whole, scale


def _stack_columns(left: Matrix, right: Matrix) -> Matrix:
    """Return two matrices side by side, row by row; scipy would transpose them."""
    starts = left.indptr + right.indptr
    targets = np.empty(starts[-1], np.int32)
    weights = np.empty(starts[-1], np.float32)
    for part, before, first in ((left, right.indptr[:-1], 0), (right, left.indptr[1:], left.shape[1])):
        places = np.arange(part.nnz) + np.repeat(before, np.diff(part.indptr))
        targets[places] = part.indices + first
        weights[places] = part.data
    return scipy.sparse.csr_array(
        (weights, targets, starts), shape=(left.shape[0], left.shape[1] + right.shape[1])
    )


# Relations between entities, each with the passages that state it. Stated relations have confidence 1: roles
# of parties in a contract, the publisher of a standard, terms defined in a document. Then entities that are
# mentioned together more often than by chance: sorted by the log-likelihood ratio (Dunning 1993, "Accurate
# methods for the statistics of surprise and coincidence"), with normalised pointwise mutual information
# (Bouma 2009) as confidence. They are computed on demand in arrays over the corpus's mentions.

MOST_PASSAGES = 5
# Minimum of Dunning's ratio (chi-squared with one degree of freedom, p < .001) and of common passages.
LEAST_RATIO, FEWEST_TOGETHER = 10.83, 2


class EntityRelation(StrEnum):
    """Relations between entities; each stated relation has its converse."""

    PARTY_TO = "party to"
    HAS_PARTY = "has party"
    PUBLISHED_BY = "published by"
    PUBLISHES = "publishes"
    DEFINED_IN = "defined in"
    DEFINES = "defines"
    NAMED_WITH = "named with"


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """A related entity with its number.

    ``detail`` is a party's role; ``passages`` are ids of at most five passages that state the relation;
    ``confidence`` is in 0..1.
    """

    number: int
    entity: Entity
    relation: EntityRelation
    confidence: float
    passages: tuple[str, ...]
    detail: str = ""


class EntityGraph:
    """The relations of a corpus's entities."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._entities = corpus.entities(range(corpus.info().entities))
        self._mentions: Mentions = corpus.mentions()
        self._counts = np.bincount(self._mentions.entities, minlength=len(self._entities))
        self._documents = _about(corpus, self._entities)
        self._names = _by_name(self._entities)

    @property
    def entities(self) -> Sequence[Entity]:
        """All entities by number."""
        return self._entities

    def mentioned(self, number: int) -> int:
        """Return the number of passages that mention an entity."""
        return int(self._counts[number])

    def numbers(self, name: str) -> list[int]:
        """Return the numbers of the entities with a name or alias, ignoring case."""
        return self._names.get(name.casefold(), [])

    def related(self, number: int, limit: int = 20) -> list[RelatedEntity]:
        """Return at most ``limit`` related entities: stated relations, then common mentions."""
        stated = list(dict.fromkeys(self._stated(number)))
        seen = {one.number for one in stated}
        together = [one for one in self._named_with(number, limit + len(seen)) if one.number not in seen]
        return [*stated, *together][:limit]

    def passages(self, number: int) -> NDArray[np.int32]:
        """Return the rows that mention an entity."""
        rows: NDArray[np.int32] = self._mentions.rows[self._mentions.entities == number]
        return rows

    def entity(self, number: int) -> Entity:
        """Return the entity with a number."""
        return self._entities[number]

    def _stated(self, number: int) -> Iterator[RelatedEntity]:
        entity = self._entities[number]
        for role in entity.roles:
            for document in self._documents_with((role.source_id,)):
                yield self._one(document, EntityRelation.PARTY_TO, (role.source_id,), role.name)
        standard = standard_of(entity.name) if entity.kind is EntityKind.STANDARD else None
        for issuer in self.numbers(standard.issuer) if standard else ():
            yield self._one(issuer, EntityRelation.PUBLISHED_BY, self._shared(number, issuer))
        for document in self._documents_with(entity.definitions):
            if document != number and not entity.roles:
                yield self._one(document, EntityRelation.DEFINED_IN, entity.definitions)
        yield from self._converse(number)

    def _converse(self, number: int) -> Iterator[RelatedEntity]:
        entity = self._entities[number]
        for other, one in enumerate(self._entities):
            for role in one.roles:
                if number in self._documents_with((role.source_id,)):
                    yield self._one(other, EntityRelation.HAS_PARTY, (role.source_id,), role.name)
            standard = standard_of(one.name) if one.kind is EntityKind.STANDARD else None
            if standard and standard.issuer.casefold() in _names_of(entity):
                yield self._one(other, EntityRelation.PUBLISHES, self._shared(number, other))
        if number in self._documents.values():
            own = [document for document, about in self._documents.items() if about == number]
            for other, defining in self._defined_in(own):
                if other != number and not self._entities[other].roles:
                    yield self._one(other, EntityRelation.DEFINES, defining)

    def _defined_in(self, documents: Sequence[int]) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the entities that passages of some documents define, with these passages."""
        rows = self._mentions.rows[self._mentions.defines]
        inside = np.isin(self._corpus.document_numbers(rows), documents)
        found: dict[int, list[int]] = {}
        for row, other in zip(
            rows[inside].tolist(),
            self._mentions.entities[self._mentions.defines][inside].tolist(),
            strict=True,
        ):
            found.setdefault(other, []).append(row)
        for other, defining in found.items():
            yield other, self._ids(np.asarray(defining, np.int32))

    def _documents_with(self, passages: Sequence[str]) -> list[int]:
        """Return the entities that are the documents of some passages."""
        rows = self._corpus.rows(passages)
        numbers = self._corpus.document_numbers(rows[rows >= 0]).tolist()
        return list(dict.fromkeys(self._documents[one] for one in numbers if one in self._documents))

    def _named_with(self, number: int, limit: int) -> Iterator[RelatedEntity]:
        rows = self.passages(number)
        held = np.zeros(len(self._corpus), np.bool_)
        held[rows] = True
        near = held[self._mentions.rows]
        together = np.bincount(self._mentions.entities[near], minlength=len(self._entities))
        together[number] = 0
        others = np.flatnonzero(together >= FEWEST_TOGETHER)
        both, own, other = together[others], len(rows), self._counts[others]
        ratio = log_likelihood(both, own, other, len(self._corpus))
        expected = own * other / len(self._corpus)
        chosen = np.flatnonzero((ratio >= LEAST_RATIO) & (both > expected))
        for place in chosen[np.lexsort((others[chosen], -ratio[chosen]))][:limit].tolist():
            confidence = mutual_information(both[place], own, other[place], len(self._corpus))
            neighbour = int(others[place])
            yield self._one(
                neighbour, EntityRelation.NAMED_WITH, self._shared(number, neighbour), confidence=confidence
            )

    def _shared(self, left: int, right: int) -> tuple[str, ...]:
        return self._ids(np.intersect1d(self.passages(left), self.passages(right)))

    def _ids(self, rows: NDArray[np.int32]) -> tuple[str, ...]:
        return tuple(passage.id for passage in self._corpus.passages(rows[:MOST_PASSAGES]))

    def _one(
        self,
        number: int,
        relation: EntityRelation,
        passages: Sequence[str],
        detail: str = "",
        confidence: float = 1.0,
    ) -> RelatedEntity:
        entity = self._entities[number]
        return RelatedEntity(number, entity, relation, confidence, tuple(passages[:MOST_PASSAGES]), detail)


def log_likelihood(
    both: NDArray[np.int64], own: int, other: NDArray[np.int64], total: int
) -> NDArray[np.float64]:
    """Return Dunning's G² of pairs over ``total`` passages.

    ``both`` mention the two entities, ``own`` the first, ``other`` the second.
    """
    cells = (both, own - both, other - both, total - own - other + both)
    rows, columns = (own, own, total - own, total - own), (other, total - other, other, total - other)
    found = np.zeros(len(both), np.float64)
    for cell, row, column in zip(cells, rows, columns, strict=True):
        expected = np.maximum(row * column / total, 1e-12)
        found += np.where(cell > 0, cell * np.log(np.maximum(cell, 1) / expected), 0.0)
    return 2.0 * found


def mutual_information(both: int, own: int, other: int, total: int) -> float:
    """Return the normalised pointwise mutual information in 0..1: 1 if two entities always occur together."""
    if both >= total:
        return 1.0
    together = both / total
    return float(np.clip(np.log(together / (own / total * other / total)) / -np.log(together), 0.0, 1.0))


def _about(corpus: Corpus, entities: Sequence[Entity]) -> dict[int, int]:
    """Return the entity of each document: one of its title or names, defined in its first passage."""
    documents = corpus.documents()
    by_name: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        for name in {document.title, *document.aliases}:
            by_name.setdefault(name.casefold(), []).append(number)
    found: dict[int, int] = {}
    for number, entity in enumerate(entities):
        wanted = {one for name in _names_of(entity) for one in by_name.get(name, ())}
        if wanted and entity.definitions:
            rows = corpus.rows(entity.definitions)
            own = set(corpus.document_numbers(rows[rows >= 0]).tolist())
            for place in wanted & own:
                found.setdefault(place, number)
    return found


def _names_of(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}


def _by_name(entities: Sequence[Entity]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, entity in enumerate(entities):
        for name in _names_of(entity):
            found.setdefault(name, []).append(number)
    return found


_KNOWN: WeakKeyDictionary[Corpus, EntityGraph] = WeakKeyDictionary()


def entity_graph(corpus: Corpus) -> EntityGraph:
    """Return the relations of a corpus's entities, cached for the lifetime of the corpus."""
    known = _KNOWN.get(corpus)
    if known is None:
        known = _KNOWN[corpus] = EntityGraph(corpus)
    return known


# A corpus with another ontology, or none, to compare the effect of an ontology.


class WithOntology:
    """A corpus with a replaced ontology."""

    def __init__(self, corpus: Corpus, ontology: Ontology | None) -> None:
        self._corpus, self.ontology = corpus, ontology

    def __getattr__(self, name: str) -> Any:
        return getattr(self._corpus, name)

    def __len__(self) -> int:
        return len(self._corpus)


def with_ontology(corpus: Corpus, ontology: Ontology | None) -> Corpus:
    """Return a corpus with a replaced ontology."""
    return cast("Corpus", WithOntology(corpus, ontology))


def without_ontology(corpus: Corpus) -> Corpus:
    """Return a corpus without its ontology; keep the object, because lookups are cached with it."""
    return corpus if corpus.ontology is None else with_ontology(corpus, None)
