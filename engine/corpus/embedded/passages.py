"""The passages of a corpus folder: columns for arithmetic, strings for reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import StringTable, open_array, write_array
from engine.corpus.embedded.documents import (
    BEGINNING,
    END_OF_TIME,
    KIND_NUMBERS,
    SECTION_KINDS,
    DocumentTable,
    SectionTable,
    day_number,
    day_of,
    dump_metadata,
    load_metadata,
)
from engine.corpus.headings import is_bare_heading
from engine.corpus.protocol import Mask, Rows
from engine.model import Passage

STRING_COLUMNS = ("id", "text", "source_id", "number", "paragraph", "label", "metadata")


class PassageTable:
    """Passages by row. Public columns have shape (passages,)."""

    def __init__(self, folder: Path, languages: Sequence[str], statuses: Sequence[str]) -> None:
        self._languages, self._statuses = tuple(languages), tuple(statuses)
        self._strings = {name: StringTable(folder, f"passages.{name}") for name in STRING_COLUMNS}
        self._headings = StringTable(folder, "headings")
        self._heading: NDArray[np.int32] = open_array(folder, "passages.heading")
        self._language: NDArray[np.int16] = open_array(folder, "passages.language")
        self._kind: NDArray[np.int8] = open_array(folder, "passages.kind")
        self._page: NDArray[np.int32] = open_array(folder, "passages.page")
        self._overlap: NDArray[np.int32] = open_array(folder, "passages.overlap")
        self.status: NDArray[np.int16] = open_array(folder, "passages.status")
        self.document: NDArray[np.int32] = open_array(folder, "passages.document")
        self.section: NDArray[np.int32] = open_array(folder, "passages.section")
        self.valid_from: NDArray[np.int32] = open_array(folder, "passages.valid_from")
        self.valid_to: NDArray[np.int32] = open_array(folder, "passages.valid_to")
        self.bare: Mask = open_array(folder, "passages.bare")
        self._hashes: NDArray[np.uint64] = open_array(folder, "passages.id_hashes")
        self._hash_rows: NDArray[np.int32] = open_array(folder, "passages.id_rows")

    @staticmethod
    def write(
        folder: Path,
        passages: Sequence[Passage],
        documents: Mapping[str, int],
        sections: Mapping[str, int],
        languages: Mapping[str, int],
        statuses: Mapping[str | None, int],
    ) -> None:
        """Write the table. The mappings give the number of each document, section, language, status."""
        _write_strings(folder, passages)
        headings: dict[tuple[str, ...], int] = {}
        columns: dict[str, tuple[list[int], type[np.signedinteger]]] = {
            "heading": ([headings.setdefault(p.headings, len(headings)) for p in passages], np.int32),
            "language": ([languages[p.language] for p in passages], np.int16),
            "kind": ([KIND_NUMBERS[p.kind] for p in passages], np.int8),
            "page": ([-1 if p.page is None else p.page for p in passages], np.int32),
            "overlap": ([p.overlap for p in passages], np.int32),
            "status": ([statuses[p.status] for p in passages], np.int16),
            "document": ([documents[p.document_id] for p in passages], np.int32),
            "section": ([-1 if p.section_id is None else sections[p.section_id] for p in passages], np.int32),
            "valid_from": ([day_number(p.valid_from, BEGINNING) for p in passages], np.int32),
            "valid_to": ([day_number(p.valid_to, END_OF_TIME) for p in passages], np.int32),
        }
        for name, (values, dtype) in columns.items():
            write_array(folder, f"passages.{name}", np.asarray(values, dtype))
        StringTable.write(folder, "headings", [orjson.dumps(titles).decode() for titles in headings])
        bare = np.asarray([is_bare_heading(passage.text) for passage in passages], np.bool_)
        write_array(folder, "passages.bare", bare)
        hashes = np.asarray([id_hash(passage.id) for passage in passages], np.uint64)
        order = np.argsort(hashes, kind="stable")
        write_array(folder, "passages.id_hashes", hashes[order])
        write_array(folder, "passages.id_rows", order.astype(np.int32))

    def __len__(self) -> int:
        return len(self.document)

    def take(self, rows: Rows, documents: DocumentTable, sections: SectionTable) -> list[Passage]:
        """The passages at ``rows``, in that order."""
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
        """The ids at ``rows``."""
        return self._strings["id"].take(rows)

    def number(self, row: int) -> str:
        """The number that a passage prints, empty where it has none."""
        return self._strings["number"][row]

    def texts(self, rows: Sequence[int]) -> list[str]:
        """The texts at ``rows``."""
        return self._strings["text"].take(rows)

    def rows(self, ids: Sequence[str]) -> Rows:
        """The rows of ids, -1 for one that is not there."""
        found = np.full(len(ids), -1, np.int32)
        if not len(self):
            return found
        wanted = np.asarray([id_hash(passage_id) for passage_id in ids], np.uint64)
        places = np.searchsorted(self._hashes, wanted)
        for number, (passage_id, place) in enumerate(zip(ids, places.tolist(), strict=True)):
            while place < len(self) and self._hashes[place] == wanted[number]:
                row = int(self._hash_rows[place])
                if self._strings["id"][row] == passage_id:
                    found[number] = row
                    break
                place += 1
        return found


def _write_strings(folder: Path, passages: Sequence[Passage]) -> None:
    """The columns of strings."""
    StringTable.write(folder, "passages.id", [passage.id for passage in passages])
    StringTable.write(folder, "passages.text", [passage.text for passage in passages])
    # Empty where it is the id itself, which it is unless a long line was cut.
    sources = ["" if passage.source_id == passage.id else passage.source_id for passage in passages]
    StringTable.write(folder, "passages.source_id", sources)
    StringTable.write(folder, "passages.number", [passage.number or "" for passage in passages])
    StringTable.write(folder, "passages.paragraph", [passage.paragraph or "" for passage in passages])
    StringTable.write(folder, "passages.label", [passage.label for passage in passages])
    metadata = [dump_metadata(p.metadata).decode() if p.metadata else "" for p in passages]
    StringTable.write(folder, "passages.metadata", metadata)


def id_hash(passage_id: str) -> int:
    """A 64-bit key of an id."""
    return int.from_bytes(blake2b(passage_id.encode(), digest_size=8).digest(), "little")
