"""Entities and names of the server store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from sqlalchemy import text

from engine.corpus.embedded.arrays import ranges
from engine.corpus.embedded.mentions import Shared, load_entity, shared_links
from engine.corpus.postgresql.asking import ASKED, IN_PARTS, OWN, Asking, columns_of
from engine.corpus.postgresql.binary import unpacked
from engine.corpus.postgresql.memory import Remembered
from engine.corpus.postgresql.schema import SCHEMA, document_of_entity
from engine.corpus.protocol import Links, Mentions, Rows
from engine.language.references.definitions import DefinedName
from engine.model import Entity

_OF_ENTITIES = (
    f"from {SCHEMA}.entities x where {IN_PARTS} and x.document = any(cast(:documents as int[])) "
    "and x.number = any(cast(:numbers as int[]))"
)
_ENTITIES = text(f"select number, record {_OF_ENTITIES}")
# Four bytes a passage, and one that says whether it defines the entity.
_MENTIONING = text(
    "select number, rarity, substring(passages from 1 for 4 * cast(:most as int)), "
    f"substring(defines from 1 for cast(:most as int)) {_OF_ENTITIES}"
)
_ENTITIES_OF = text(
    f"select a.place, x.entities from {ASKED} join {SCHEMA}.passages x on {OWN} and x.row = a.row"
)
_MENTIONS = text(
    f"select rarity, passages, defines from {SCHEMA}.entities where corpus = :corpus order by number"
)
_RECORDS = text(f"select record from {SCHEMA}.entities where corpus = :corpus order by number")
_NAMES = text(f"select row, language, record from {SCHEMA}.names where corpus = :corpus order by place")
# Entities, and what passages mention, that are remembered.
FEW, MANY = 1 << 12, 1 << 16


class ServedNames(Asking):
    """See ``engine.corpus.protocol.Names``, and ``by_entity`` of ``Linked``."""

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Entities by number."""
        if len(numbers) > FEW and list(numbers) == list(range(self._manifest.entities)):
            return [load_entity(record) for (record,) in self._read(_RECORDS)]
        return self._entities.get([int(number) for number in numbers])

    @cached_property
    def _entities(self) -> Remembered[int, Entity]:
        def fetched(numbers: Sequence[int]) -> dict[int, Entity]:
            return {number: load_entity(record) for number, record in self._asked(_ENTITIES, numbers)}

        return Remembered(fetched, FEW)

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Numbers of the entities that each passage mentions."""
        return self._mentioned.get(np.asarray(rows).tolist())

    @cached_property
    def _mentioned(self) -> Remembered[int, tuple[int, ...]]:
        def fetched(rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
            return {row: tuple(own) for row, own in self._by_row(_ENTITIES_OF, rows).items()}

        return Remembered(fetched, MANY)

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Passages that share entities with ``rows``, weighted by rarity."""
        chosen = np.asarray(rows, np.int32)
        own = self.entities_of(chosen)
        origins = np.repeat(np.arange(len(own)), [len(one) for one in own])
        entities = np.array([number for one in own for number in one], np.int64)
        distinct, which = np.unique(entities, return_inverse=True)
        # One more than the limit, since the passage itself is among them.
        found = sorted(self._asked(_MENTIONING, distinct.tolist(), most=max(limit, 0) + 1), key=_number)
        _, rarity, lists, flags = columns_of(found, 4)
        reached, defining = unpacked(lists, np.int32), unpacked(flags, np.bool_)
        stops = np.cumsum([len(one) // 4 for one in lists], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), stops])[:-1]
        pairs, places = ranges(starts[which], stops[which])
        shared = Shared(origins, entities, pairs, reached[places], defining[places], chosen[origins])
        near = self.document_numbers(shared.reached) == self.document_numbers(shared.own[pairs])
        return shared_links(shared, near, limit, np.array(rarity, np.float32)[which])

    def mentions(self) -> Mentions:
        """See ``Corpus.mentions``: read as a whole, once for an open corpus."""
        rarity, lists, flags = columns_of(self._read(_MENTIONS), 3)
        counts = np.array([len(one) for one in flags], np.int64)
        return Mentions(
            unpacked(lists, np.int32),
            np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            unpacked(flags, np.bool_),
            np.array(rarity, np.float32),
        )

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that texts give to documents."""
        for row, language, record in self._read(_NAMES):
            yield row, language, DefinedName(*orjson.loads(record))

    def _asked(self, statement: Any, numbers: Sequence[int], **parameters: Any) -> Sequence[Any]:
        if not len(numbers):
            return []
        size = len(self.documents())
        kept_with = np.array([document_of_entity(number, size) for number in numbers])
        return self._of_documents(statement, numbers, kept_with, **parameters)


def _number(row: Any) -> int:
    number: int = row[0]
    return number
