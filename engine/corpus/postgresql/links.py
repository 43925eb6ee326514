"""References, links, entities and names of the server store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import orjson

from engine.corpus.embedded.arrays import ranges
from engine.corpus.embedded.documents import RELATION_NUMBERS, RELATIONS
from engine.corpus.embedded.links import STATUS_NUMBERS, STATUSES, TARGET_KINDS
from engine.corpus.embedded.passages import Shared, load_entity, shared_links
from engine.corpus.postgresql.catalogue import SCHEMA, get_entity_document
from engine.corpus.postgresql.queries import (
    ASKED,
    IN_PARTS,
    OWN,
    Cache,
    PostgresQueries,
    codes,
    columns_of,
    unpacked,
)
from engine.corpus.protocol import Cited, Links, Mentions, Quoted, Rows
from engine.language.references.definitions import DefinedName
from engine.model import Direction, Entity, Reference, Relation, Span, Status

_NEIGHBOURS = (
    f"select a.place, x.far, x.relation, x.weight, x.evidence from {ASKED} "
    f"join {SCHEMA}.edges x on {OWN} and x.near = a.row and x.inward = %(inward)s "
    "where %(relations)s::int[] is null or x.relation = any(%(relations)s::int[]) "
    "order by a.place, x.far, x.relation"
)
_OF_REFERENCE = (
    "number, source_id, start, stop, text, relation, status, kind, target_id, candidates, confidence, grammar"
)
_STATED = f"select {_OF_REFERENCE} from {SCHEMA}.stated where corpus = %(corpus)s"
_REFERENCES = (
    f"select {_OF_REFERENCE} from {SCHEMA}.citations x where {IN_PARTS} "
    "and x.document = any(%(documents)s::int[]) and x.number = any(%(numbers)s::int[])"
)
_REFERENCE_NUMBERS = (
    f"select number from {SCHEMA}.citations x where {{of}} "
    "and (%(statuses)s::int[] is null or status = any(%(statuses)s::int[])) "
    "and (%(relations)s::int[] is null or relation = any(%(relations)s::int[])) order by number"
)
_ALL_NUMBERS = _REFERENCE_NUMBERS.format(of="corpus = %(corpus)s")
_OWN_NUMBERS = _REFERENCE_NUMBERS.format(of=f"{IN_PARTS} and document = %(document)s")
_MADE_BY = (
    f"select a.place, x.number from {ASKED} join {SCHEMA}.citations x on {OWN} and x.source = a.row "
    "order by a.place, x.number"
)
_MADE_TO = (
    f"select a.place, x.number from {ASKED} join {SCHEMA}.cited x on {OWN} and x.head = a.row "
    "order by a.place, x.number"
)
_MOST_CITED = (
    "select provision_kind, provision_id, provision_row, count(*) as cited, count(distinct source) as citing "
    f"from {SCHEMA}.citations where corpus = %(corpus)s and provision >= 0 "
    "and (%(relations)s::int[] is null or relation = any(%(relations)s::int[])) "
    "group by provision_kind, provision_id, provision_row, provision "
    "order by count(*) desc, provision_row, provision, provision_kind limit %(limit)s"
)


class PostgresLinks(PostgresQueries):
    """See ``engine.corpus.protocol.Linked`` and ``Browsing``."""

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Return passages linked to ``rows`` by resolved references."""
        inward = direction is Direction.IN
        if relations is None and len(rows) == len(self) and (np.diff(rows) == 1).all():
            return self._every_link(inward)
        found = self._of(_NEIGHBOURS, rows, relations=codes(relations, RELATION_NUMBERS), inward=inward)
        places, far, kinds, weights, evidence = columns_of(found, 5)
        return Links(
            np.array(places, np.int32) - 1,
            np.array(far, np.int32),
            np.array(kinds, np.int8),
            np.array(weights, np.float32),
            np.array(evidence, np.int32),
        )

    def _every_link(self, inward: bool) -> Links:
        """Return the links of all passages, for the graph of the corpus."""
        names = ["near", "far", "relation", "weight", "evidence"]
        near, far, kinds, weights, evidence = self._bulk(
            "edges", names, "near", "inward" if inward else "not inward"
        )
        order = np.lexsort((kinds, far, near))
        return Links(near[order], far[order], kinds[order].astype(np.int8), weights[order], evidence[order])

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Return rows of the reference table."""
        first = self._document_records[2]
        documents = np.searchsorted(first, np.asarray(numbers, np.int64), "right") - 1
        made = dict(map(_reference, self._read_of_documents(_REFERENCES, numbers, documents)))
        return [made[int(number)] for number in numbers]

    def stated_references(self) -> list[tuple[int, Reference]]:
        """Return the references with verdicts, by number, as the texts state them."""
        return [_reference(one) for one in self._read(_STATED)]

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Return rows of the reference table of these statuses and relations, optionally of one document."""
        asked = {
            "statuses": codes(statuses, STATUS_NUMBERS),
            "relations": codes(relations, RELATION_NUMBERS),
        }
        if document is None:
            found = self._read(_ALL_NUMBERS, **asked)
        else:
            parts = self.parts(np.array([document]))
            found = self._read(_OWN_NUMBERS, **asked, document=document, parts=parts)
        return np.array([number for (number,) in found], np.int32)

    def references_from(self, rows: Rows) -> Quoted:
        """Return the references from passages, of every status."""
        return _quoted(self._of(_MADE_BY, rows))

    def references_to(self, rows: Rows) -> Quoted:
        """Return the resolved references to passages, or to sections that begin with them."""
        return _quoted(self._of(_MADE_TO, rows))

    def citation_counts(self) -> Rows:
        """Return the number of references to each passage."""
        (heads,) = self._bulk("cited", ["head"], "head")
        return np.bincount(heads, minlength=len(self)).astype(np.int32)

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """Return the provisions with the most references to them."""
        numbers = codes(relations, RELATION_NUMBERS)
        return [
            Cited(TARGET_KINDS[kind], provision_id, row, references, passages)
            for kind, provision_id, row, references, passages in self._read(
                _MOST_CITED, relations=numbers, limit=max(limit, 0)
            )
        ]


def _reference(row: Any) -> tuple[int, Reference]:
    """Parse a row of the reference table, with its number."""
    return row.number, Reference(
        source_id=row.source_id,
        span=Span(row.start, row.stop),
        text=row.text,
        relation=RELATIONS[row.relation],
        status=STATUSES[row.status],
        target_kind=None if row.kind < 0 else TARGET_KINDS[row.kind],
        target_id=row.target_id or None,
        candidates=tuple(orjson.loads(row.candidates)) if row.candidates else (),
        confidence=round(row.confidence, 6),
        grammar=row.grammar,
    )


def _quoted(rows: Sequence[object]) -> Quoted:
    places, numbers = columns_of(rows, 2)
    return Quoted(np.array(places, np.int32) - 1, np.array(numbers, np.int32))


_OF_ENTITIES = (
    f"from {SCHEMA}.entities x where {IN_PARTS} and x.document = any(%(documents)s::int[]) "
    "and x.number = any(%(numbers)s::int[])"
)
_ENTITIES = f"select number, record {_OF_ENTITIES}"
# Four bytes per passage, and one that is set if the passage defines the entity.
_MENTIONING = (
    "select number, rarity, substring(passages from 1 for 4 * %(most)s::int) as passages, "
    f"substring(defines from 1 for %(most)s::int) as defines {_OF_ENTITIES}"
)
_ENTITIES_OF = f"select a.place, x.entities from {ASKED} join {SCHEMA}.passages x on {OWN} and x.row = a.row"
_MENTIONS = (
    f"select rarity, passages, defines from {SCHEMA}.entities where corpus = %(corpus)s order by number"
)
_RECORDS = f"select record from {SCHEMA}.entities where corpus = %(corpus)s order by number"
_NAMES = f"select row, language, record from {SCHEMA}.names where corpus = %(corpus)s order by place"
# Cache sizes: entities, and mentions of passages.
FEW, MANY = 1 << 12, 1 << 16


class PostgresNames(PostgresQueries):
    """See ``engine.corpus.protocol.Names``, and ``by_entity`` of ``Linked``."""

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Return entities by number."""
        if len(numbers) > FEW and list(numbers) == list(range(self._manifest.entities)):
            return [load_entity(record) for (record,) in self._read(_RECORDS)]
        return self._entities.get([int(number) for number in numbers])

    @cached_property
    def _entities(self) -> Cache[int, Entity]:
        def fetched(numbers: Sequence[int]) -> dict[int, Entity]:
            return {number: load_entity(record) for number, record in self._read_numbers(_ENTITIES, numbers)}

        return Cache(fetched, FEW)

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Return the numbers of the entities that each passage mentions."""
        return self._mentioned.get(np.asarray(rows).tolist())

    @cached_property
    def _mentioned(self) -> Cache[int, tuple[int, ...]]:
        def fetched(rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
            return {row: tuple(own) for row, own in self._read_by_row(_ENTITIES_OF, rows).items()}

        return Cache(fetched, MANY)

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Return passages that share entities with ``rows``, weighted by rarity."""
        chosen = np.asarray(rows, np.int32)
        own = self.entities_of(chosen)
        origins = np.repeat(np.arange(len(own)), [len(one) for one in own])
        entities = np.array([number for one in own for number in one], np.int64)
        distinct, which = np.unique(entities, return_inverse=True)
        # One more than the limit, since the result includes the passage itself.
        found = sorted(
            self._read_numbers(_MENTIONING, distinct.tolist(), most=max(limit, 0) + 1), key=_number
        )
        _, rarity, lists, flags = columns_of(found, 4)
        reached, defining = unpacked(lists, np.int32), unpacked(flags, np.bool_)
        stops = np.cumsum([len(one) // 4 for one in lists], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), stops])[:-1]
        pairs, places = ranges(starts[which], stops[which])
        shared = Shared(origins, entities, pairs, reached[places], defining[places], chosen[origins])
        near = self.document_numbers(shared.reached) == self.document_numbers(shared.own[pairs])
        return shared_links(shared, near, limit, np.array(rarity, np.float32)[which])

    def mentions(self) -> Mentions:
        """See ``Corpus.mentions``. Read as a whole, once per open corpus."""
        rarity, lists, flags = columns_of(self._read(_MENTIONS), 3)
        counts = np.array([len(one) for one in flags], np.int64)
        return Mentions(
            unpacked(lists, np.int32),
            np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            unpacked(flags, np.bool_),
            np.array(rarity, np.float32),
        )

    def defined_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield the names that texts define for documents."""
        for row, language, record in self._read(_NAMES):
            yield row, language, DefinedName(*orjson.loads(record))

    def _read_numbers(self, statement: Any, numbers: Sequence[int], **parameters: Any) -> Sequence[Any]:
        if not len(numbers):
            return []
        size = len(self.documents())
        kept_with = np.array([get_entity_document(number, size) for number in numbers])
        return self._read_of_documents(statement, numbers, kept_with, **parameters)


def _number(row: Any) -> int:
    number: int = row[0]
    return number
