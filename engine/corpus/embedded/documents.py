"""The documents of a corpus on disk, and the names that texts give to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Strings
from engine.corpus.embedded.block import Block
from engine.language.addresses import number_key
from engine.language.references.definitions import DefinedName
from engine.model import NOTHING, Document, Section, SectionKind

# Columns of a corpus put together from those of its blocks.


def joined(blocks: Sequence[Block], name: str, dtype: type[np.generic]) -> Array:
    """A column of all blocks, as it stands in them."""
    parts = [block[name] for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def shifted(blocks: Sequence[Block], name: str, sizes: Sequence[int]) -> NDArray[np.int32]:
    """A column of numbers that count from 0 in each block and from 0 in the corpus; -1 stays what it is.

    ``sizes``: how many things the numbers of each block count.
    """
    parts, first = [np.zeros(0, np.int32)], 0
    for block, size in zip(blocks, sizes, strict=True):
        values = block[name]
        parts.append(np.where(values < 0, -1, values + first).astype(np.int32))
        first += size
    return np.concatenate(parts)


def recoded(codes: Array, names: Strings, numbers: Mapping[str, int]) -> NDArray[np.int16]:
    """Codes of a block's own list of names as codes of the corpus; -1 stays what it is."""
    known = np.asarray([*(numbers[name] for name in names.all()), -1], np.int16)
    return known[codes]


# The documents and sections of a corpus folder.

SECTION_KINDS = tuple(SectionKind)
KIND_NUMBERS: Mapping[SectionKind, int] = {kind: number for number, kind in enumerate(SECTION_KINDS)}

# Days without a known bound: before and after every real one.
BEGINNING = np.iinfo(np.int32).min
END_OF_TIME = np.iinfo(np.int32).max

Numbers = NDArray[np.int32]
Numbered = Mapping[str, Numbers]
NO_ROWS: Numbers = np.empty(0, np.int32)


def by_number(printed: Sequence[str], first: int = 0) -> Numbered:
    """Where each printed number stands, by the form in which numbers are compared; no empty ones. ``first``
    is where the first of them does."""
    places: dict[str, list[int]] = {}
    for place, number in enumerate(printed, first):
        if number:
            places.setdefault(number, []).append(place)
    found: dict[str, list[int]] = {}
    for number, own in places.items():
        found.setdefault(number_key(number), []).extend(own)
    return {key: np.asarray(sorted(own), np.int32) for key, own in found.items()}


def day_number(day: date | None, unknown: int) -> int:
    """A day as an integer that sorts like the day."""
    return unknown if day is None else day.toordinal()


def day_of(number: int) -> date | None:
    """The inverse of ``day_number``."""
    return None if number in (BEGINNING, END_OF_TIME) else date.fromordinal(number)


def dump_metadata(metadata: Mapping[str, Any]) -> bytes:
    """Metadata as JSON; what JSON has no type for is written as its text."""
    return orjson.dumps(dict(metadata), default=str, option=orjson.OPT_NON_STR_KEYS)


def load_metadata(text: str) -> Mapping[str, Any]:
    """The inverse of ``dump_metadata``, read-only."""
    return MappingProxyType(orjson.loads(text)) if text else NOTHING


class DocumentTable:
    """Documents in corpus order, with the range of rows of each."""

    def __init__(self, state: Block) -> None:
        self._records = state.strings("documents")
        self.first: Numbers = state["documents.first"]
        self.valid_from: Numbers = state["documents.valid_from"]
        self.valid_to: Numbers = state["documents.valid_to"]
        self.status: NDArray[np.int16] = state["documents.status"]

    @staticmethod
    def put(
        state: Block,
        blocks: Sequence[Block],
        statuses: Mapping[str, int],
        dated: Mapping[int, Document] | None = None,
    ) -> None:
        """Set the columns of the documents of all blocks; ``dated`` take the places of those with their
        numbers: what only the whole corpus tells of their validity."""
        state.put_joined("documents", [block.strings("documents") for block in blocks])
        if dated:
            records = list(state.strings("documents").all())
            for number, document in dated.items():
                records[number] = dump_document(document)
            state.put_strings("documents", records)
        counts = joined(blocks, "documents.passages", np.int32)
        codes = [recoded(block["documents.status"], block.strings("statuses"), statuses) for block in blocks]
        state.arrays |= {
            "documents.first": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            "documents.valid_from": joined(blocks, "documents.valid_from", np.int32),
            "documents.valid_to": joined(blocks, "documents.valid_to", np.int32),
            "documents.status": np.concatenate([np.zeros(0, np.int16), *codes]),
        }
        for number, document in (dated or {}).items():
            state.arrays["documents.valid_from"][number] = day_number(document.valid_from, BEGINNING)
            state.arrays["documents.valid_to"][number] = day_number(document.valid_to, END_OF_TIME)

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def all(self) -> list[Document]:
        """Every document; read once, at the first question."""
        return [load_document(record) for record in self._records.take(np.arange(len(self)))]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each document by its id."""
        return {document.id: number for number, document in enumerate(self.all)}


class SectionTable:
    """Sections of all documents; a section is a range of rows.

    ``first`` and ``stop`` are rows of the corpus, ``parent`` is a section's number or -1.
    """

    def __init__(self, state: Block) -> None:
        self._ids = state.strings("sections.id")
        self._numbers = state.strings("sections.number")
        self._titles = state.strings("sections.title")
        self.document: Numbers = state["sections.document"]
        self.parent: Numbers = state["sections.parent"]
        self.kind: NDArray[np.int8] = state["sections.kind"]
        self.first: Numbers = state["sections.first"]
        self.stop: Numbers = state["sections.stop"]

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Set the columns of the sections of all blocks."""
        for name in ("sections.id", "sections.number", "sections.title"):
            state.put_joined(name, [block.strings(name) for block in blocks])
        passages = [block.passages for block in blocks]
        state.arrays |= {
            "sections.kind": joined(blocks, "sections.kind", np.int8),
            "sections.document": shifted(blocks, "sections.document", [block.documents for block in blocks]),
            "sections.parent": shifted(blocks, "sections.parent", [block.sections for block in blocks]),
            "sections.first": shifted(blocks, "sections.first", passages),
            "sections.stop": shifted(blocks, "sections.stop", passages),
        }

    def __len__(self) -> int:
        return len(self._ids)

    def id(self, number: int) -> str:
        """The id of a section."""
        return self._ids[number]

    def find(self, section_id: str) -> int | None:
        """The number of the section with an id, None for an id that is not there."""
        return self._numbers_by_id.get(section_id)

    @cached_property
    def _numbers_by_id(self) -> Mapping[str, int]:
        return {section_id: number for number, section_id in enumerate(self._ids.all())}

    def number(self, number: int) -> str:
        """The number that a section prints, empty where it has none."""
        return self._numbers[number]

    def numbered(self, number: str) -> Numbers:
        """The first rows of the sections whose printed number is this one, in order of the sections."""
        return self.first[self._by_number.get(number_key(number), NO_ROWS)]

    @cached_property
    def _by_number(self) -> Numbered:
        return by_number(self._numbers.all())

    def printed(self, document: int) -> Numbered:
        """The numbers of a document's sections by those that they print."""
        start, stop = np.searchsorted(self.document, (document, document + 1)).tolist()
        return by_number(self._numbers.take(np.arange(start, stop)), start)

    def take(self, numbers: Sequence[int], documents: DocumentTable) -> list[Section]:
        """The sections with these numbers, in that order."""
        sections = []
        for number in numbers:
            document, parent = int(self.document[number]), int(self.parent[number])
            start = int(documents.first[document])
            sections.append(
                Section(
                    id=self._ids[number],
                    document_id=documents.all[document].id,
                    parent_id=None if parent < 0 else self._ids[parent],
                    kind=SECTION_KINDS[self.kind[number]],
                    number=self._numbers[number] or None,
                    title=self._titles[number],
                    first=int(self.first[number]) - start,
                    stop=int(self.stop[number]) - start,
                )
            )
        return sections


def dump_document(document: Document) -> str:
    """A document as JSON."""
    record = {name: getattr(document, name) for name in Document.__slots__ if name != "metadata"}
    record["metadata"] = dict(document.metadata)
    return orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def load_document(record: str) -> Document:
    """The inverse of ``dump_document``."""
    fields: dict[str, Any] = orjson.loads(record)
    for name in ("valid_from", "valid_to"):
        fields[name] = None if fields[name] is None else date.fromisoformat(fields[name])
    fields["aliases"] = tuple(fields["aliases"])
    fields["metadata"] = MappingProxyType(fields["metadata"]) if fields["metadata"] else NOTHING
    return Document(**fields)


# The names that texts of a corpus give to documents, as its blocks have them.

_ROWS, _NAMES = "names.passage", "names"


class GivenNames:
    """Names by the passages that give them. A corpus that was written before they were kept has none."""

    def __init__(self, state: Block) -> None:
        self._state = state

    @staticmethod
    def pack(block: Block, names: Iterable[tuple[int, DefinedName]]) -> None:
        """Set the names that the passages of a block give, by their rows in it."""
        held = list(names)
        block.arrays[_ROWS] = np.asarray([row for row, _ in held], np.int32)
        block.put_strings(_NAMES, [orjson.dumps(tuple(name)).decode() for _, name in held])

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Set the names of all blocks."""
        state.arrays[_ROWS] = shifted(blocks, _ROWS, [block.passages for block in blocks])
        state.put_joined(_NAMES, [block.strings(_NAMES) for block in blocks])

    def each(self) -> Iterator[tuple[int, DefinedName]]:
        """The row of each passage that names a document, and the name, in the order of the corpus."""
        if _ROWS not in self._state.arrays:
            return
        rows = self._state[_ROWS].tolist()
        for row, record in zip(rows, self._state.strings(_NAMES).all(), strict=True):
            yield row, DefinedName(*orjson.loads(record))
