"""Passages of a corpus folder, and their printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, hashed
from engine.corpus.embedded.documents import (
    KIND_NUMBERS,
    NO_ROWS,
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
from engine.corpus.protocol import Mask, Rows
from engine.language.addresses import number_key
from engine.model import Passage, SectionKind

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
