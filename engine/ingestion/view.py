"""A corpus seen through its blocks, as far as references have to be resolved in it.

The passages of one block at a time have their texts; all others are without, so that looking at a corpus
takes little more memory than its table of contents. What stands in a block is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Generic, TypeVar, overload

import numpy as np
import orjson

from engine.corpus.embedded.arrays import Index
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.documents import SECTION_KINDS, day_of, load_document, load_metadata
from engine.ingestion.assembly import EID
from engine.ingestion.readers.base import StatedReference
from engine.language.references import Mention, unpacked
from engine.language.references.definitions import DefinedName
from engine.language.references.layout import Layout
from engine.language.references.provisions import ITEM_LENGTH, counts_paragraphs
from engine.model import NOTHING, Passage, Section, Span

# Passages whose mentions are kept while a resolver looks around: a text and the ones before it.
_KEPT_MENTIONS = 256

T = TypeVar("T")


def _first(sizes: Iterable[int]) -> Index:
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int64)


class CorpusView:
    """Documents, sections and passages of all blocks in corpus order, by their numbers in the corpus."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        self.first_row = _first(block.passages for block in blocks)
        self.first_section = _first(block.sections for block in blocks)
        self.first_document = _first(block.documents for block in blocks)
        self.documents = [
            load_document(record) for block in blocks for record in block.strings("documents").all()
        ]
        # The numbers of those that are versions of one text, dated by one another.
        self.versions: set[int] = set()
        counts = [np.zeros(0, np.int32), *(block["documents.passages"] for block in blocks)]
        self.document_rows = _first(np.concatenate(counts).tolist())

    def __len__(self) -> int:
        """How many passages there are."""
        return int(self.first_row[-1])

    @cached_property
    def passages(self) -> Passages:
        """All passages."""
        return Passages(self)

    @cached_property
    def sections(self) -> InBlocks[Section]:
        """All sections."""
        return InBlocks(self.first_section, lambda number: list(self._sections_of(number)))

    @cached_property
    def document_sections(self) -> Index:
        """The first section of each document, shape (documents + 1,)."""
        counts = [np.bincount(block["sections.document"], minlength=block.documents) for block in self.blocks]
        return _first(np.concatenate([np.zeros(0, np.int64), *counts]).tolist())

    @cached_property
    def layout(self) -> Layout:
        """Where the documents stand."""
        sizes = np.diff(self.document_rows)
        return Layout(
            self.rows,
            self.section_numbers,
            np.repeat(np.arange(len(sizes)), sizes).tolist(),
            _ranges(self.document_rows),
            _ranges(self.document_sections),
        )

    @cached_property
    def section_ids(self) -> list[str]:
        """The ids of all sections."""
        return [name for block in self.blocks for name in block.strings("sections.id").all()]

    @cached_property
    def passage_ids(self) -> list[str]:
        """The ids of all passages."""
        return [name for block in self.blocks for name in block.strings("passages.id").all()]

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of a passage by its id."""
        return {name: row for row, name in enumerate(self.passage_ids)}

    @cached_property
    def section_numbers(self) -> dict[str, int]:
        """Number of a section by its id."""
        return {name: number for number, name in enumerate(self.section_ids)}

    @cached_property
    def document_numbers(self) -> dict[str, int]:
        """Number of a document by its id."""
        return {document.id: number for number, document in enumerate(self.documents)}

    def block_of(self, row: int) -> int:
        """The block that holds a row."""
        return int(np.searchsorted(self.first_row, row, side="right")) - 1

    def document_of(self, row: int) -> int:
        """The document that holds a row."""
        return int(np.searchsorted(self.document_rows, row, side="right")) - 1

    def source_ids(self) -> Iterator[str]:
        """By which id its source knows each passage."""
        for block in self.blocks:
            ids, sources = block.strings("passages.id").all(), block.strings("passages.source_id").all()
            yield from (source or own for own, source in zip(ids, sources, strict=True))

    def stated(self, number: int) -> list[StatedReference]:
        """The links that the markup of a block's sources makes."""
        block = self.blocks[number]
        rows = (block["stated.passage"] + self.first_row[number]).tolist()
        records = map(orjson.loads, block.strings("stated").all())
        return [
            StatedReference(self.passage_ids[row], Span(start, end), text, target)
            for row, (start, end, text, target) in zip(rows, records, strict=True)
        ]

    def _sections_of(self, number: int) -> Iterator[Section]:
        block, first = self.blocks[number], int(self.first_section[number])
        document = block["sections.document"]
        start = self.document_rows[document + self.first_document[number]] - self.first_row[number]
        columns = zip(
            block.strings("sections.id").all(),
            block.strings("sections.number").all(),
            block.strings("sections.title").all(),
            block["sections.kind"].tolist(),
            block["sections.parent"].tolist(),
            (document + self.first_document[number]).tolist(),
            (block["sections.first"] - start).tolist(),
            (block["sections.stop"] - start).tolist(),
            strict=True,
        )
        for own, printed, title, kind, parent, owner, begin, end in columns:
            yield Section(
                own,
                self.documents[owner].id,
                None if parent < 0 else self.section_ids[first + parent],
                SECTION_KINDS[kind],
                printed or None,
                title,
                begin,
                end,
            )


class InBlocks(Sequence[T], Generic[T]):
    """What stands in the blocks of a view, by number in the corpus; a block's part is made when it is asked
    for. ``first``: the first number of each block, shape (blocks + 1,)."""

    def __init__(self, first: Index, load: Callable[[int], list[T]]) -> None:
        self._first, self._load = first, load
        self._held: list[T | None] = [None] * int(first[-1])

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...
    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        held = self._held[number]
        return self._made(range(len(self))[number]) if held is None else held

    def place(self, number: int) -> slice:
        """Where a block's part stands."""
        return slice(int(self._first[number]), int(self._first[number + 1]))

    def _made(self, number: int) -> T:
        block = int(np.searchsorted(self._first, number, side="right")) - 1
        place = self.place(block)
        loaded: list[T] = self._load(block)
        self._held[place] = loaded
        made: T = loaded[number - place.start]
        return made


class Passages(InBlocks[Passage]):
    """The passages of a view by row: those of one block with their texts, all others without."""

    def __init__(self, view: CorpusView) -> None:
        super().__init__(view.first_row, lambda number: passages_of(view, number, whole=False))
        self._view = view
        self._without: tuple[slice, list[Passage | None]] = (slice(0, 0), [])

    def focus(self, number: int) -> list[Passage]:
        """The passages of a block with their texts; until the next focus they stand in the list so."""
        place, passages = self._without
        self._held[place] = passages
        place = self.place(number)
        self._without = (place, self._held[place])
        whole = passages_of(self._view, number, whole=True)
        self._held[place] = whole
        return whole


def _ranges(bounds: Index) -> list[range]:
    return [range(start, stop) for start, stop in pairwise(bounds.tolist())]


def passages_of(view: CorpusView, number: int, *, whole: bool) -> list[Passage]:
    """The passages of a block; unless ``whole``, without texts, headings and metadata but for the eId."""
    block, rows = view.blocks[number], range(view.blocks[number].passages)
    first_section = int(view.first_section[number])
    documents = (block["passages.document"] + view.first_document[number]).tolist()
    starts = view.document_rows[np.asarray(documents, np.int64)] - view.first_row[number]
    languages, statuses = block.strings("languages").all(), block.strings("statuses").all()
    ids, sources = block.strings("passages.id").all(), block.strings("passages.source_id").all()
    numbers, paragraphs = block.strings("passages.number").all(), block.strings("passages.paragraph").all()
    texts = block.strings("passages.text").all() if whole else _beginnings(block, languages)
    labels = block.strings("passages.label").all() if whole else [""] * len(rows)
    titles = [tuple(orjson.loads(path)) for path in block.strings("headings").all()] if whole else []
    headings = [titles[code] for code in block["passages.heading"].tolist()] if whole else [()] * len(rows)
    metadata = [NOTHING] * len(rows)
    if whole:
        metadata = [load_metadata(text) for text in block.strings("passages.metadata").all()]
    else:
        eids = block.strings("eids").all()
        for place, eid in zip(block["eids.passage"].tolist(), eids, strict=True):
            metadata[place] = {EID: eid}
    sections = [
        None if own < 0 else view.section_ids[first_section + own]
        for own in block["passages.section"].tolist()
    ]
    codes = [block[f"passages.{name}"].tolist() for name in ("language", "kind", "status", "page", "overlap")]
    dates = [
        [day_of(day) for day in block[f"passages.{name}"].tolist()] for name in ("valid_from", "valid_to")
    ]
    positions = (np.arange(len(rows)) - starts).tolist()
    return [
        Passage(
            ids[row],
            view.documents[documents[row]].id,
            sections[row],
            positions[row],
            texts[row],
            languages[codes[0][row]],
            SECTION_KINDS[codes[1][row]],
            numbers[row] or None,
            paragraphs[row] or None,
            labels[row],
            headings[row],
            sources[row] or ids[row],
            None if codes[2][row] < 0 else statuses[codes[2][row]],
            dates[0][row],
            dates[1][row],
            None if codes[3][row] < 0 else codes[3][row],
            codes[4][row],
            metadata[row],
        )
        for row in rows
    ]


def _beginnings(block: Block, languages: Sequence[str]) -> list[str]:
    """What has to be known of texts that are left out."""
    texts, found = block.strings("passages.text"), [""] * block.passages
    counted = [code for code, language in enumerate(languages) if counts_paragraphs(language)]
    for row in np.flatnonzero(np.isin(block["passages.language"], counted)).tolist() if counted else ():
        found[row] = texts[row][:ITEM_LENGTH]
    return found


class BlockReadings:
    """What the texts of a view say by themselves, as their blocks have it."""

    def __init__(self, view: CorpusView) -> None:
        self._view = view
        self._mentions_of = [block.strings("passages.mentions") for block in view.blocks]
        self.mentions = lru_cache(_KEPT_MENTIONS)(self._mentions)

    def _mentions(self, row: int) -> list[Mention]:
        number = self._view.block_of(row)
        record = self._mentions_of[number][row - int(self._view.first_row[number])]
        return unpacked(orjson.loads(record)) if record else []

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that passages give to documents: row and language of the passage, name."""
        for number, block in enumerate(self._view.blocks):
            places = block["names.passage"]
            rows = (places + self._view.first_row[number]).tolist()
            languages = block.strings("languages").all()
            codes = block["passages.language"][places].tolist()
            for row, code, record in zip(rows, codes, block.strings("names").all(), strict=True):
                yield row, languages[code], DefinedName(*orjson.loads(record))
