"""The documents and sections of a corpus folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import StringTable, open_array, write_array
from engine.model import NOTHING, Document, Section, SectionKind

SECTION_KINDS = tuple(SectionKind)
KIND_NUMBERS: Mapping[SectionKind, int] = {kind: number for number, kind in enumerate(SECTION_KINDS)}

# Days without a known bound: before and after every real one.
BEGINNING = np.iinfo(np.int32).min
END_OF_TIME = np.iinfo(np.int32).max

Numbers = NDArray[np.int32]


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

    def __init__(self, folder: Path) -> None:
        self._records = StringTable(folder, "documents")
        self.first: Numbers = open_array(folder, "documents.first")
        self.valid_from: Numbers = open_array(folder, "documents.valid_from")
        self.valid_to: Numbers = open_array(folder, "documents.valid_to")
        self.status: NDArray[np.int16] = open_array(folder, "documents.status")

    @staticmethod
    def write(
        folder: Path, documents: Sequence[Document], first: Sequence[int], statuses: Mapping[str | None, int]
    ) -> None:
        """Write the table. ``first``: the row of each document's first passage, and the end of the last."""
        StringTable.write(folder, "documents", [_dump_document(document) for document in documents])
        write_array(folder, "documents.first", np.asarray(first, np.int32))
        starts = [day_number(document.valid_from, BEGINNING) for document in documents]
        ends = [day_number(document.valid_to, END_OF_TIME) for document in documents]
        write_array(folder, "documents.valid_from", np.asarray(starts, np.int32))
        write_array(folder, "documents.valid_to", np.asarray(ends, np.int32))
        codes = [statuses[document.status] for document in documents]
        write_array(folder, "documents.status", np.asarray(codes, np.int16))

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def all(self) -> list[Document]:
        """Every document; read once, at the first question."""
        return [_load_document(record) for record in self._records.take(np.arange(len(self)))]

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Number of each document by its id."""
        return {document.id: number for number, document in enumerate(self.all)}


class SectionTable:
    """Sections of all documents; a section is a range of rows.

    ``first`` and ``stop`` are rows of the corpus, ``parent`` is a section's number or -1.
    """

    def __init__(self, folder: Path) -> None:
        self._ids = StringTable(folder, "sections.id")
        self._numbers = StringTable(folder, "sections.number")
        self._titles = StringTable(folder, "sections.title")
        self.document: Numbers = open_array(folder, "sections.document")
        self.parent: Numbers = open_array(folder, "sections.parent")
        self.kind: NDArray[np.int8] = open_array(folder, "sections.kind")
        self.first: Numbers = open_array(folder, "sections.first")
        self.stop: Numbers = open_array(folder, "sections.stop")

    @staticmethod
    def write(
        folder: Path, sections: Sequence[Section], documents: Mapping[str, int], first: Sequence[int]
    ) -> None:
        """Write the table. ``documents``: number by id; ``first``: first row of each document."""
        numbers = {section.id: number for number, section in enumerate(sections)}
        document = [documents[section.document_id] for section in sections]
        start = np.asarray(first, np.int32)[document] if sections else np.zeros(0, np.int32)
        StringTable.write(folder, "sections.id", [section.id for section in sections])
        StringTable.write(folder, "sections.number", [section.number or "" for section in sections])
        StringTable.write(folder, "sections.title", [section.title for section in sections])
        parents = [-1 if section.parent_id is None else numbers[section.parent_id] for section in sections]
        write_array(folder, "sections.document", np.asarray(document, np.int32))
        write_array(folder, "sections.parent", np.asarray(parents, np.int32))
        write_array(folder, "sections.kind", np.asarray([KIND_NUMBERS[s.kind] for s in sections], np.int8))
        write_array(folder, "sections.first", start + np.asarray([s.first for s in sections], np.int32))
        write_array(folder, "sections.stop", start + np.asarray([s.stop for s in sections], np.int32))

    def __len__(self) -> int:
        return len(self._ids)

    def id(self, number: int) -> str:
        """The id of a section."""
        return self._ids[number]

    def number(self, number: int) -> str:
        """The number that a section prints, empty where it has none."""
        return self._numbers[number]

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


def _dump_document(document: Document) -> str:
    record = {name: getattr(document, name) for name in Document.__slots__ if name != "metadata"}
    record["metadata"] = dict(document.metadata)
    return orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _load_document(record: str) -> Document:
    fields: dict[str, Any] = orjson.loads(record)
    for name in ("valid_from", "valid_to"):
        fields[name] = None if fields[name] is None else date.fromisoformat(fields[name])
    fields["aliases"] = tuple(fields["aliases"])
    fields["metadata"] = MappingProxyType(fields["metadata"]) if fields["metadata"] else NOTHING
    return Document(**fields)
