"""Entities of a corpus folder, and their mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.embedded.arrays import Array, ranges, row_pointers
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.links import RELATION_NUMBERS
from engine.corpus.protocol import Links, Mentions, Rows
from engine.model import Entity, EntityKind, Relation, Role


class Definers(NamedTuple):
    """Definitions: passage ``rows[i]`` defines entity ``numbers[i]``."""

    numbers: NDArray[np.int64]
    rows: NDArray[np.int64]


def definers_of(entities: Sequence[Entity], rows: Mapping[str, int]) -> Definers:
    """Return the passages that define entities; ``rows`` by passage id, others are ignored."""
    pairs = [
        (number, row)
        for number, entity in enumerate(entities)
        for passage in entity.definitions
        if (row := rows.get(passage)) is not None
    ]
    array = np.asarray(pairs, np.int64).reshape(-1, 2)
    return Definers(np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1]))


class EntityTable:
    """Entities by number, and their mentions in passages, in both directions.

    The rarity of an entity is ``log(n / df) / log(n)``, in 0..1, with n passages of which df mention it:
    inverse document frequency (Sparck Jones 1972) relative to the corpus.
    """

    def __init__(self, state: Block) -> None:
        self._records = state.strings("entities")
        self._defines: NDArray[np.bool_] = state["mentions.defines"]
        self._rarity: NDArray[np.float32] = state["entities.rarity"]
        self._passage_pointers: NDArray[np.int64] = state["mentions.passage_pointers"]
        self._passage_entities: Rows = state["mentions.passage_entities"]
        self._entity_pointers: NDArray[np.int64] = state["mentions.entity_pointers"]
        self._entity_rows: Rows = state["mentions.entity_rows"]

    @staticmethod
    def put(
        state: Block,
        entities: Sequence[Entity],
        mention_rows: Array,
        mention_entities: Array,
        definers: Definers,
        passages: int,
    ) -> None:
        """Set the table. Mentions are pairs (row, entity number), shape (m,) each; duplicates count once.

        The passages of an entity are stored with its definitions first, then in corpus order.
        """
        size = max(len(entities), 1)
        pairs = distinct(np.asarray(mention_rows, np.int64) * size + np.asarray(mention_entities, np.int64))
        rows, numbers = pairs // size, pairs % size
        wanted = definers.rows * size + definers.numbers
        places = np.searchsorted(pairs, wanted)
        defines = np.zeros(len(pairs), np.bool_)
        defines[places[np.append(pairs, -1)[places] == wanted]] = True
        order = np.lexsort((rows, ~defines, numbers))
        pointers = row_pointers(numbers[order], len(entities))
        scale = np.log(max(passages, 2))
        rarity = np.log(max(passages, 2) / np.maximum(np.diff(pointers), 1)) / scale
        state.arrays |= {
            "mentions.passage_pointers": row_pointers(rows, passages),
            "mentions.passage_entities": numbers.astype(np.int32),
            "mentions.entity_pointers": pointers,
            "mentions.entity_rows": rows[order].astype(np.int32),
            "mentions.defines": defines[order],
            "entities.rarity": np.clip(rarity, 0.0, 1.0).astype(np.float32),
        }
        state.put_strings("entities", [dump_entity(entity) for entity in entities])

    def __len__(self) -> int:
        return len(self._records)

    def take(self, numbers: Sequence[int]) -> list[Entity]:
        """Return the entities with these numbers, in that order."""
        return [load_entity(record) for record in self._records.take(numbers)]

    def mentioned_in(self, rows: Rows) -> list[tuple[int, ...]]:
        """Return the numbers of the entities of each row."""
        pointers, chosen = self._passage_pointers, np.asarray(rows, np.int64)
        bounds = zip(pointers[chosen].tolist(), pointers[chosen + 1].tolist(), strict=True)
        return [tuple(self._passage_entities[start:stop].tolist()) for start, stop in bounds]

    def every(self) -> Mentions:
        """Return all mentions by entity."""
        counts = np.diff(self._entity_pointers)
        numbers = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        return Mentions(self._entity_rows, numbers, self._defines, self._rarity)

    def shared(self, rows: Rows, limit: int, documents: NDArray[np.int32]) -> Links:
        """Return passages that share entities with ``rows``; at most ``limit`` per origin and entity.

        A passage that defines an entity is linked by ``defines``, others by ``mentions``; if the origin's
        document defines it, only that definition counts. ``documents`` by row.
        """
        chosen = np.asarray(rows, np.int64)
        origins, places = ranges(self._passage_pointers[chosen], self._passage_pointers[chosen + 1])
        entities = self._passage_entities[places]
        first, stop = self._entity_pointers[entities], self._entity_pointers[entities.astype(np.int64) + 1]
        # One more than the limit, since the origin itself is included.
        pairs, postings = ranges(first, np.minimum(stop, first + limit + 1))
        found = Shared(
            origins, entities, pairs, self._entity_rows[postings], self._defines[postings], chosen[origins]
        )
        near = documents[found.reached] == documents[found.own[pairs]]
        return shared_links(found, near, limit, self._rarity[entities])


class Shared(NamedTuple):
    """Passages that share entities.

    Pair i belongs to the requested row at index ``origins[i]``, its passage ``own[i]`` and one of its
    ``entities``, shape (pairs,). Posting k belongs to pair ``pairs[k]``, ascending: passage ``reached[k]``
    mentions the entity, or defines it (``defining[k]``).
    """

    origins: Array
    entities: Array
    pairs: Array
    reached: Array
    defining: Array
    own: Array


def shared_links(found: Shared, near: Array, limit: int, rarity: NDArray[np.float32]) -> Links:
    """Return links between passages that share entities, at most ``limit`` a pair; see
    ``EntityTable.shared``.

    ``near`` masks postings in the document of their origin; ``rarity`` is that of each pair's entity.
    """
    pairs, reached, defining = found.pairs, found.reached, np.array(found.defining, np.bool_)
    has_own = np.zeros(len(found.entities), np.bool_)
    has_own[pairs[defining & near]] = True
    defining &= near | ~has_own[pairs]
    other = reached != found.own[pairs]
    pairs, reached, defining = pairs[other], reached[other], defining[other]
    starts = np.searchsorted(pairs, np.arange(len(found.entities)))
    within = np.arange(len(pairs)) - starts[pairs] < limit
    pairs, reached, defining = pairs[within], reached[within], defining[within]
    relations = np.where(
        defining, RELATION_NUMBERS[Relation.DEFINES], RELATION_NUMBERS[Relation.MENTIONS]
    ).astype(np.int8)
    origins = found.origins[pairs].astype(np.int32)
    return Links(origins, reached, relations, rarity[pairs], found.entities[pairs])


def dump_entity(entity: Entity) -> str:
    """Return an entity as the text of its record."""
    roles = [(role.name, role.source_id) for role in entity.roles]
    return orjson.dumps(
        [
            entity.id,
            entity.name,
            entity.kind,
            entity.language,
            entity.definitions,
            entity.aliases,
            roles,
            entity.score,
        ]
    ).decode()


def load_entity(record: str, score: float | None = None) -> Entity:
    """Return the entity of a record, with another score if given."""
    entity_id, name, kind, language, definitions, aliases, roles, own_score = orjson.loads(record)
    return Entity(
        entity_id,
        name,
        EntityKind(kind),
        language,
        tuple(definitions),
        tuple(aliases),
        tuple(Role(*role) for role in roles),
        own_score if score is None else score,
    )
