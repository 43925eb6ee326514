"""Passages of a corpus folder, and the entities that they mention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.embedded.arrays import Array, ranges, row_pointers
from engine.corpus.embedded.block import Block, hashed
from engine.corpus.embedded.documents import (
    KIND_NUMBERS,
    NO_ROWS,
    RELATION_NUMBERS,
    SECTION_KINDS,
    DocumentTable,
    Numbered,
    Numbers,
    SectionTable,
    by_number,
    day_of,
    join_columns,
    load_metadata,
    recode,
    renumber,
)
from engine.corpus.protocol import Links, Mask, Mentions, Rows
from engine.language.addresses import number_key
from engine.model import Entity, EntityKind, Passage, Relation, Role, SectionKind

# Passages of a corpus folder, and their printed numbers.

# Passages as columns for arithmetic and strings for reading.

STRINGS = ("id", "text", "source_id", "number", "paragraph", "label", "metadata")

# Columns as large as all texts: not kept in memory while a corpus is written.
_LONG = frozenset(("text", "metadata"))


class PassageTable:
    """Passages by row. Public columns have shape (passages,)."""

    def __init__(self, state: Block, languages: Sequence[str], statuses: Sequence[str]) -> None:
        self._languages, self._statuses = tuple(languages), tuple(statuses)
        self._strings = {name: state.strings(f"passages.{name}") for name in STRINGS}
        self._headings = state.strings("headings")
        self._heading: NDArray[np.int32] = state["passages.heading"]
        self._language: NDArray[np.int16] = state["passages.language"]
        self._kind: NDArray[np.int8] = state["passages.kind"]
        self._page: NDArray[np.int32] = state["passages.page"]
        self._overlap: NDArray[np.int32] = state["passages.overlap"]
        self.status: NDArray[np.int16] = state["passages.status"]
        self.document: NDArray[np.int32] = state["passages.document"]
        self.section: NDArray[np.int32] = state["passages.section"]
        self.valid_from: NDArray[np.int32] = state["passages.valid_from"]
        self.valid_to: NDArray[np.int32] = state["passages.valid_to"]
        self.bare: Mask = state["passages.bare"]
        self._hashes: NDArray[np.uint64] = state["passages.id_hashes"]
        self._hash_rows: NDArray[np.int32] = state["passages.id_rows"]

    @staticmethod
    def put(
        state: Block, blocks: Sequence[Block], languages: Mapping[str, int], statuses: Mapping[str, int]
    ) -> None:
        """Set the columns of the passages of all blocks. The mappings are the codes of the corpus."""
        for name in STRINGS:
            if name in _LONG:
                state.put_joined_later(f"passages.{name}", blocks)
            else:
                state.put_joined(f"passages.{name}", [block.strings(f"passages.{name}") for block in blocks])
        state.put_joined_later("headings", blocks)
        codes = [recode(b["passages.language"], b.strings("languages"), languages) for b in blocks]
        states = [recode(b["passages.status"], b.strings("statuses"), statuses) for b in blocks]
        columns = {
            "heading": renumber(blocks, "passages.heading", [len(b["headings.offsets"]) - 1 for b in blocks]),
            "document": renumber(blocks, "passages.document", [block.documents for block in blocks]),
            "section": renumber(blocks, "passages.section", [block.sections for block in blocks]),
            "language": np.concatenate([np.zeros(0, np.int16), *codes]),
            "status": np.concatenate([np.zeros(0, np.int16), *states]),
            "kind": join_columns(blocks, "passages.kind", np.int8),
            "page": join_columns(blocks, "passages.page", np.int32),
            "overlap": join_columns(blocks, "passages.overlap", np.int32),
            "valid_from": join_columns(blocks, "passages.valid_from", np.int32),
            "valid_to": join_columns(blocks, "passages.valid_to", np.int32),
            "bare": join_columns(blocks, "passages.bare", np.bool_),
        }
        hashes = join_columns(blocks, "passages.id_hash", np.uint64)
        order = np.argsort(hashes, kind="stable")
        columns |= {"id_hashes": hashes[order], "id_rows": order.astype(np.int32)}
        state.arrays |= {f"passages.{name}": values for name, values in columns.items()}

    def __len__(self) -> int:
        return len(self.document)

    def take(self, rows: Rows, documents: DocumentTable, sections: SectionTable) -> list[Passage]:
        """Return the passages at ``rows``, in that order."""
        chosen = np.asarray(rows, np.int64)
        strings = {name: column.take(chosen) for name, column in self._strings.items()}
        headings = self._headings.take(self._heading[chosen])
        first = documents.first[self.document[chosen]]
        columns = zip(
            strings["id"],
            strings["text"],
            strings["source_id"],
            strings["number"],
            strings["paragraph"],
            strings["label"],
            strings["metadata"],
            headings,
            self.document[chosen].tolist(),
            self.section[chosen].tolist(),
            (chosen - first).tolist(),
            self._language[chosen].tolist(),
            self._kind[chosen].tolist(),
            self.status[chosen].tolist(),
            self._page[chosen].tolist(),
            self._overlap[chosen].tolist(),
            self.valid_from[chosen].tolist(),
            self.valid_to[chosen].tolist(),
            strict=True,
        )
        return [
            Passage(
                id=passage_id,
                document_id=documents.all[document].id,
                section_id=None if section < 0 else sections.id(section),
                position=position,
                text=text,
                language=self._languages[language],
                kind=SECTION_KINDS[kind],
                number=number or None,
                paragraph=paragraph or None,
                label=label,
                headings=tuple(orjson.loads(titles)),
                source_id=source_id,
                status=None if status < 0 else self._statuses[status],
                valid_from=day_of(start),
                valid_to=day_of(end),
                page=None if page < 0 else page,
                overlap=overlap,
                metadata=load_metadata(metadata),
            )
            for (
                passage_id,
                text,
                source_id,
                number,
                paragraph,
                label,
                metadata,
                titles,
                document,
                section,
                position,
                language,
                kind,
                status,
                page,
                overlap,
                start,
                end,
            ) in columns
        ]

    def ids(self, rows: Sequence[int]) -> list[str]:
        """Return the ids at ``rows``."""
        return self._strings["id"].take(rows)

    def number(self, row: int) -> str:
        """Return the number that a passage prints, empty for none."""
        return self._strings["number"][row]

    def numbered(self, number: str) -> Rows:
        """Return the rows with a printed number in any form, in order."""
        return self._by_number.get(number_key(number), NO_ROWS)

    @cached_property
    def _by_number(self) -> Numbered:
        return by_number(self._strings["number"].all())

    def printed(self, start: int, stop: int) -> tuple[Numbered, Rows]:
        """Return the rows from ``start`` to ``stop`` by printed number, and those that are cited by theirs.

        Guidance is not, numbered paragraphs of a text without sections are.
        """
        rows = np.arange(start, stop, dtype=np.int32)
        numbers = self._strings["number"].take(rows)
        empty = np.diff(self._strings["number"].offsets[start : stop + 1]) == 0
        citable = ~empty & (self._kind[start:stop] != KIND_NUMBERS[SectionKind.GUIDANCE])
        alone = np.flatnonzero(empty & (self.section[start:stop] < 0)).tolist()
        for place, paragraph in zip(alone, self._strings["paragraph"].take(rows[alone]), strict=True):
            if paragraph.isdigit():
                numbers[place], citable[place] = paragraph, True
        return by_number(numbers, start), rows[citable]

    def language(self, row: int) -> str:
        """Return the language of a passage."""
        return self._languages[int(self._language[row])]

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Return the texts at ``rows``."""
        return self._strings["text"].take(rows)

    def rows(self, ids: Sequence[str]) -> Rows:
        """Return the rows of ids, -1 for an unknown id."""
        found = np.full(len(ids), -1, np.int32)
        if not len(self):
            return found
        wanted = np.asarray([hashed(passage_id) for passage_id in ids], np.uint64)
        places = np.searchsorted(self._hashes, wanted)
        for number, (passage_id, place) in enumerate(zip(ids, places.tolist(), strict=True)):
            while place < len(self) and self._hashes[place] == wanted[number]:
                row = int(self._hash_rows[place])
                if self._strings["id"][row] == passage_id:
                    found[number] = row
                    break
                place += 1
        return found


# Printed numbers of a document, from the columns of numbers only.

# Documents whose numbers are cached.
_AT_HAND = 64


class Printed(Mapping[str, tuple[list[int], list[int]]]):
    """Rows and sections of a document by number. See ``Texts.printed_numbers``."""

    def __init__(self, passages: Numbered, citable: Rows, sections: Numbered) -> None:
        """Rows and sections by number, ascending; ``citable``: the rows that are cited by their number."""
        self._passages, self._citable, self._sections = passages, citable, sections

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self._passages, *self._sections))

    def __getitem__(self, number: str) -> tuple[list[int], list[int]]:
        if number not in self._passages and number not in self._sections:
            raise KeyError(number)
        rows = self._passages.get(number, NO_ROWS)
        if len(rows) > 1:
            others = np.setdiff1d(self._citable, rows, assume_unique=True)
            behind = np.searchsorted(others, rows[:-1])
            rows = np.union1d(rows, others[behind[behind < len(others)]])
        return rows.tolist(), self._sections.get(number, NO_ROWS).tolist()


def printed_of(first: Numbers, passages: PassageTable, sections: SectionTable) -> Callable[[int], Printed]:
    """Return a function from a document to its numbers.

    ``first``: the first row of each document and the number of passages, shape (documents + 1,).
    """

    def printed(document: int) -> Printed:
        start, stop = first[document : document + 2].tolist()
        return Printed(*passages.printed(start, stop), sections.printed(document))

    return lru_cache(_AT_HAND)(printed)


# Entities of a corpus folder, and their mentions.


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
