"""Documents, sections and passages of the server store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.defaults import NO_STATUS, Dated
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.documents import (
    BEGINNING,
    END_OF_TIME,
    SECTION_KINDS,
    day_number,
    day_of,
    load_metadata,
)
from engine.corpus.embedded.structure import Outline
from engine.corpus.postgresql.catalogue import SCHEMA
from engine.corpus.postgresql.queries import ASKED, IN_PARTS, OWN, Cache, PostgresQueries
from engine.corpus.protocol import Mask, Rows
from engine.language.addresses import number_key
from engine.model import Passage, Section

_PASSAGES = (
    "select a.place, x.id, x.document, x.section_id, x.row, x.text, x.language, x.kind, x.printed, "
    "x.paragraph, x.label, x.headings, x.source_id, x.status, x.valid_from, x.valid_to, x.page, x.overlap, "
    f"x.metadata from {ASKED} join {SCHEMA}.passages x on {OWN} and x.row = a.row"
)
_BARE = f"select bare from {SCHEMA}.documents where corpus = %(corpus)s order by document"
_SECTIONS = (
    "select number, id, document, parent_id, kind, printed, title, first, stop "
    f"from {SCHEMA}.sections x where {IN_PARTS} and x.document = any(%(documents)s::int[]) "
    "and x.number = any(%(numbers)s::int[])"
)
_ROWS = f"select id, row from {SCHEMA}.passages x where {{of}} and x.id = any(%(ids)s::text[])"
_OWN_ROWS = _ROWS.format(of=f"{IN_PARTS} and x.document = any(%(documents)s::int[])")
# For other ids, and for numbers, the document is not known in advance.
_ALL_ROWS = _ROWS.format(of="x.corpus = %(corpus)s")
_SECTION = f"select number from {SCHEMA}.sections where corpus = %(corpus)s and id = %(id)s"
_NUMBERED = (
    "select min(row) from ("
    f"select corpus, document, key, printed, row from {SCHEMA}.passages union all "
    f"select corpus, document, key, printed, first from {SCHEMA}.sections) as found "
    "where corpus = %(corpus)s and key = %(key)s and printed <> '' group by document order by document"
)
# Cache sizes: texts, ids and sections.
TEXTS, FEW = 1 << 13, 1 << 12


@dataclass(slots=True)
class _Sections:
    document: NDArray[np.int32]
    parent: NDArray[np.int32]
    kind: NDArray[np.int8]
    first: NDArray[np.int32]
    stop: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.document)


class PostgresTexts(PostgresQueries):
    """See ``engine.corpus.protocol.Texts``."""

    @cached_property
    def _stretches(self) -> tuple[Array, ...]:
        columns = self._bulk("stretches", ["first", "section", "valid_from", "valid_to", "status"], "first")
        order = np.argsort(columns[0], kind="stable")
        return tuple(column[order] for column in columns)

    @cached_property
    def outline(self) -> Outline:
        """Return documents and sections as ranges of rows, read once."""
        first = self._document_records[0]
        names = ["number", "document", "parent", "kind", "first", "stop"]
        columns = self._bulk("sections", names, "number")
        order = np.argsort(columns[0])
        document, parent, kind, start, stop = (column[order] for column in columns[1:])
        sections = _Sections(document, parent, kind.astype(np.int8), start, stop)
        begin, section = self._stretches[:2]

        def section_of(rows: Array) -> Array:
            return section[np.searchsorted(begin, rows, "right") - 1]

        return Outline(first, sections, lambda rows: self._owner[rows], section_of)

    @cached_property
    def validities(self) -> tuple[Dated, Dated, Sequence[str]]:
        """Validity of the passages and of the documents, and the names of their statuses."""
        first, _, *columns = self._stretches
        lengths = np.diff(np.append(first, len(self)))
        names = self._manifest.statuses
        every = self.documents()
        documents = Dated(
            np.array([day_number(one.valid_from, BEGINNING) for one in every], np.int32),
            np.array([day_number(one.valid_to, END_OF_TIME) for one in every], np.int32),
            np.array([names.index(one.status) if one.status else NO_STATUS for one in every], np.int16),
        )
        return Dated(*(np.repeat(column, lengths) for column in columns)), documents, names

    def document_numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index into ``documents()`` for each row."""
        return self._owner[np.asarray(rows, np.int64)]

    @cached_property
    def _owner(self) -> NDArray[np.int32]:
        """Return the document number of each passage."""
        counts = np.diff(self._document_records[0])
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    def passages(self, rows: Rows) -> list[Passage]:
        """Return the passages at ``rows``."""
        return self._passages.get(np.asarray(rows).tolist())

    @cached_property
    def _passages(self) -> Cache[int, Passage]:
        return Cache(self._fetched_passages, TEXTS)

    def _fetched_passages(self, rows: Sequence[int]) -> dict[int, Passage]:
        first, _, _, documents = self._document_records
        return {
            one.row: Passage(
                id=one.id,
                document_id=documents[one.document].id,
                section_id=one.section_id or None,
                position=one.row - int(first[one.document]),
                text=one.text,
                language=one.language,
                kind=SECTION_KINDS[one.kind],
                number=one.printed or None,
                paragraph=one.paragraph or None,
                label=one.label,
                headings=tuple(orjson.loads(one.headings)),
                source_id=one.source_id,
                status=one.status or None,
                valid_from=day_of(one.valid_from),
                valid_to=day_of(one.valid_to),
                page=None if one.page < 0 else one.page,
                overlap=one.overlap,
                metadata=load_metadata(one.metadata),
            )
            for one in self._of(_PASSAGES, np.array(rows, np.int32))
        }

    def bare_headings(self, rows: Rows) -> Mask:
        """Return a mask of the passages that are only a heading."""
        return self._bare[np.asarray(rows, np.int64)]

    @cached_property
    def _bare(self) -> Mask:
        """Return the mask of bare headings for all rows."""
        return self._unpack_bits([own for (own,) in self._read(_BARE)])

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Return sections by number."""
        return self._sections.get([int(number) for number in numbers])

    @cached_property
    def _sections(self) -> Cache[int, Section]:
        first, _, _, documents = self._document_records

        def fetched(numbers: Sequence[int]) -> dict[int, Section]:
            owners = self.outline.sections.document[np.array(numbers, np.int64)]
            return {
                one.number: Section(
                    id=one.id,
                    document_id=documents[one.document].id,
                    parent_id=one.parent_id or None,
                    kind=SECTION_KINDS[one.kind],
                    number=one.printed or None,
                    title=one.title,
                    first=one.first - int(first[one.document]),
                    stop=one.stop - int(first[one.document]),
                )
                for one in self._read_of_documents(_SECTIONS, numbers, owners)
            }

        return Cache(fetched, FEW)

    def section_number(self, section_id: str) -> int | None:
        """Return the number of a section's id."""
        found = self._read(_SECTION, id=section_id)
        return int(found[0][0]) if found else None

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Return the rows of passage ids, -1 for an id that is not in the corpus."""
        found = self._ids.get([one for one in passage_ids if "\0" not in one])
        known = dict(zip((one for one in passage_ids if "\0" not in one), found, strict=True))
        return np.array([known.get(one, -1) for one in passage_ids], np.int32)

    @cached_property
    def _ids(self) -> Cache[str, int]:
        def fetched(ids: Sequence[str]) -> dict[str, int]:
            found: dict[str, int] = {}
            owners = sorted({number for one in ids for number in self._owners(one)})
            if owners:
                parts = self.parts(np.array(owners))
                asked = {"ids": sorted(ids), "documents": owners, "parts": parts}
                found |= dict(map(tuple, self._read(_OWN_ROWS, **asked)))
            if others := sorted(set(ids) - found.keys()):
                found |= dict(map(tuple, self._read(_ALL_ROWS, ids=others)))
            return dict.fromkeys(ids, -1) | found

        return Cache(fetched, TEXTS)

    def _owners(self, passage_id: str) -> list[int]:
        """Return the documents whose id is a prefix of a passage id, as ingestion creates them."""
        ends = [place for place, letter in enumerate(passage_id) if letter == "/"]
        found = (self._document_numbers.get(passage_id[:end]) for end in ends)
        return [number for number in found if number is not None]

    def numbered(self, number: str) -> Rows:
        """Return the first passage of the provision with a number, one per document."""
        key = number_key(number).replace("\0", "")
        return np.array([row for (row,) in self._read(_NUMBERED, key=key)], np.int32)
