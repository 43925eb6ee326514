"""Documents and sections of a corpus folder, and names that texts give to documents."""

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
from engine.model import NOTHING, Document, Relation, Section, SectionKind

# Columns of a corpus, concatenated from its blocks.


def join_columns(blocks: Sequence[Block], name: str, dtype: type[np.generic]) -> Array:
    """Return the concatenation of a column of all blocks."""
    parts = [block[name] for block in blocks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def renumber(blocks: Sequence[Block], name: str, sizes: Sequence[int]) -> NDArray[np.int32]:
    """Return a column of numbers, which count from 0 in each block, renumbered for the corpus; -1 stays.

    ``sizes``: the number of counted objects in each block.
    """
    parts, first = [np.zeros(0, np.int32)], 0
    for block, size in zip(blocks, sizes, strict=True):
        values = block[name]
        parts.append(np.where(values < 0, -1, values + first).astype(np.int32))
        first += size
    return np.concatenate(parts)


def recode(codes: Array, names: Strings, numbers: Mapping[str, int]) -> NDArray[np.int16]:
    """Return codes of a block's list of names as codes of the corpus; -1 stays."""
    known = np.asarray([*(numbers[name] for name in names.all()), -1], np.int16)
    return known[codes]


# Documents and sections.

RELATIONS = tuple(Relation)
RELATION_NUMBERS: Mapping[Relation, int] = {relation: number for number, relation in enumerate(RELATIONS)}
SECTION_KINDS = tuple(SectionKind)
KIND_NUMBERS: Mapping[SectionKind, int] = {kind: number for number, kind in enumerate(SECTION_KINDS)}

# Unknown bounds: before and after every real day.
BEGINNING = np.iinfo(np.int32).min
END_OF_TIME = np.iinfo(np.int32).max

Numbers = NDArray[np.int32]
Numbered = Mapping[str, Numbers]
NO_ROWS: Numbers = np.empty(0, np.int32)


def by_number(printed: Sequence[str], first: int = 0) -> Numbered:
    """Return the indexes of each printed number in normalised form, without empty ones.

    ``first`` is the index of the first.
    """
    places: dict[str, list[int]] = {}
    for place, number in enumerate(printed, first):
        if number:
            places.setdefault(number, []).append(place)
    found: dict[str, list[int]] = {}
    for number, own in places.items():
        found.setdefault(number_key(number), []).extend(own)
    return {key: np.asarray(sorted(own), np.int32) for key, own in found.items()}


def day_number(day: date | None, unknown: int) -> int:
    """Return a day as an integer with the same order."""
    return unknown if day is None else day.toordinal()


def day_of(number: int) -> date | None:
    """Return the day of ``day_number``."""
    return None if number in (BEGINNING, END_OF_TIME) else date.fromordinal(number)


def dump_metadata(metadata: Mapping[str, Any]) -> bytes:
    """Return metadata as JSON; types unknown to JSON become text."""
    return orjson.dumps(dict(metadata), default=str, option=orjson.OPT_NON_STR_KEYS)


def load_metadata(text: str) -> Mapping[str, Any]:
    """Return the metadata of ``dump_metadata``, read-only."""
    return MappingProxyType(orjson.loads(text)) if text else NOTHING


class DocumentTable:
    """Documents in corpus order, each with its range of rows."""

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
        """Set the columns of the documents of all blocks.

        ``dated`` replace documents, by number, whose validity depends on the whole corpus.
        """
        state.put_joined("documents", [block.strings("documents") for block in blocks])
        if dated:
            records = list(state.strings("documents").all())
            for number, document in dated.items():
                records[number] = dump_document(document)
            state.put_strings("documents", records)
        counts = join_columns(blocks, "documents.passages", np.int32)
        codes = [recode(block["documents.status"], block.strings("statuses"), statuses) for block in blocks]
        state.arrays |= {
            "documents.first": np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            "documents.valid_from": join_columns(blocks, "documents.valid_from", np.int32),
            "documents.valid_to": join_columns(blocks, "documents.valid_to", np.int32),
            "documents.status": np.concatenate([np.zeros(0, np.int16), *codes]),
        }
        for number, document in (dated or {}).items():
            state.arrays["documents.valid_from"][number] = day_number(document.valid_from, BEGINNING)
            state.arrays["documents.valid_to"][number] = day_number(document.valid_to, END_OF_TIME)

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def all(self) -> list[Document]:
        """Return every document, read on the first call."""
        return [load_document(record) for record in self._records.take(np.arange(len(self)))]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Return the number of each document by id."""
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
            "sections.kind": join_columns(blocks, "sections.kind", np.int8),
            "sections.document": renumber(blocks, "sections.document", [block.documents for block in blocks]),
            "sections.parent": renumber(blocks, "sections.parent", [block.sections for block in blocks]),
            "sections.first": renumber(blocks, "sections.first", passages),
            "sections.stop": renumber(blocks, "sections.stop", passages),
        }

    def __len__(self) -> int:
        return len(self._ids)

    def id(self, number: int) -> str:
        """Return the id of a section."""
        return self._ids[number]

    def find(self, section_id: str) -> int | None:
        """Return the number of the section with an id, None if unknown."""
        return self._numbers_by_id.get(section_id)

    @cached_property
    def _numbers_by_id(self) -> Mapping[str, int]:
        return {section_id: number for number, section_id in enumerate(self._ids.all())}

    def number(self, number: int) -> str:
        """Return the number that a section prints, empty for none."""
        return self._numbers[number]

    def numbered(self, number: str) -> Numbers:
        """Return the first rows of the sections with a printed number, in section order."""
        return self.first[self._by_number.get(number_key(number), NO_ROWS)]

    @cached_property
    def _by_number(self) -> Numbered:
        return by_number(self._numbers.all())

    def printed(self, document: int) -> Numbered:
        """Return the numbers of a document's sections by printed number."""
        start, stop = np.searchsorted(self.document, (document, document + 1)).tolist()
        return by_number(self._numbers.take(np.arange(start, stop)), start)

    def take(self, numbers: Sequence[int], documents: DocumentTable) -> list[Section]:
        """Return the sections with these numbers, in that order."""
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
    """Return a document as JSON."""
    record = {name: getattr(document, name) for name in Document.__slots__ if name != "metadata"}
    record["metadata"] = dict(document.metadata)
    return orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def load_document(record: str) -> Document:
    """Return the document of ``dump_document``."""
    fields: dict[str, Any] = orjson.loads(record)
    for name in ("valid_from", "valid_to"):
        fields[name] = None if fields[name] is None else date.fromisoformat(fields[name])
    fields["aliases"] = tuple(fields["aliases"])
    fields["metadata"] = MappingProxyType(fields["metadata"]) if fields["metadata"] else NOTHING
    return Document(**fields)


# Names that texts give to documents.

_ROWS, _NAMES = "names.passage", "names"


class GivenNames:
    """Names by the passages that define them; none in a corpus of an older version."""

    def __init__(self, state: Block) -> None:
        self._state = state

    @staticmethod
    def pack(block: Block, names: Iterable[tuple[int, DefinedName]]) -> None:
        """Set the names that the passages of a block define, by row."""
        held = list(names)
        block.arrays[_ROWS] = np.asarray([row for row, _ in held], np.int32)
        block.put_strings(_NAMES, [orjson.dumps(tuple(name)).decode() for _, name in held])

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Set the names of all blocks."""
        state.arrays[_ROWS] = renumber(blocks, _ROWS, [block.passages for block in blocks])
        state.put_joined(_NAMES, [block.strings(_NAMES) for block in blocks])

    def each(self) -> Iterator[tuple[int, DefinedName]]:
        """Yield row and name of each passage that names a document, in corpus order."""
        if _ROWS not in self._state.arrays:
            return
        rows = self._state[_ROWS].tolist()
        for row, record in zip(rows, self._state.strings(_NAMES).all(), strict=True):
            yield row, DefinedName(*orjson.loads(record))
