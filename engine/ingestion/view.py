"""A view of a corpus through its blocks, loaded on demand while references are resolved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import count, pairwise
from typing import Generic, Protocol, TypeVar, overload

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Index, Strings
from engine.corpus.embedded.block import Block, hashed
from engine.corpus.embedded.documents import SECTION_KINDS, day_of, load_document, load_metadata
from engine.ingestion.readers.base import StatedReference
from engine.ingestion.structure.assembly import EID
from engine.language.references import Mention, unpacked
from engine.language.references.definitions import DefinedName
from engine.language.references.provisions import ITEM_LENGTH, Layout, counts_paragraphs
from engine.model import NOTHING, Passage, Section, Span

# Items of blocks by number and by id


class IdIndex(Mapping[str, int]):
    """Positions of the ids of a corpus: loaded ids are in a table, others are found by their hashes."""

    def __init__(self, hashes: NDArray[np.uint64], id_of: Callable[[int], str]) -> None:
        self._order = np.argsort(hashes, kind="stable")
        self._hashes, self._id_of = hashes[self._order], id_of
        self._loaded: dict[str, int] = {}

    def add(self, ids: Iterable[str], first: int) -> None:
        """Add ids at consecutive positions starting at ``first``."""
        self._loaded.update(zip(ids, count(first)))

    def clear(self) -> None:
        """Clear the table of loaded ids."""
        self._loaded.clear()

    def __getitem__(self, name: str) -> int:
        loaded = self._loaded.get(name)
        if loaded is not None:
            return loaded
        key = np.uint64(hashed(name))
        position = int(np.searchsorted(self._hashes, key))
        while position < len(self._hashes) and self._hashes[position] == key:
            found = int(self._order[position])
            if self._id_of(found) == name:
                return found
            position += 1
        raise KeyError(name)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return map(self._id_of, range(len(self)))

    def of(self, names: Iterable[str]) -> dict[str, int]:
        """Return the positions of some ids; unknown ids are left out. Faster than single look-ups."""
        distinct_names = list(dict.fromkeys(names))
        keys = np.fromiter(map(hashed, distinct_names), np.uint64, len(distinct_names))
        positions = np.searchsorted(self._hashes, keys)
        matches = np.flatnonzero(np.append(self._hashes, np.uint64(0))[positions] == keys)
        matches = matches[positions[matches] < len(self._hashes)]
        found: dict[str, int] = {}
        for name, number in zip(
            (distinct_names[one] for one in matches.tolist()),
            self._order[positions[matches]].tolist(),
            strict=True,
        ):
            # An id with an equal hash may precede it.
            own = number if self._id_of(number) == name else self.get(name)
            if own is not None:
                found[name] = own
        return found


class HasId(Protocol):
    """An object with an id."""

    @property
    def id(self) -> str:
        """The id."""
        ...


T = TypeVar("T", bound=HasId)


class LazyItems(Sequence[T], Generic[T]):
    """The items of the blocks of a view by corpus number; a block is loaded on first access.

    ``first``: the first number of each block, shape (blocks + 1,). ``places`` records the ids of loaded
    items. ``made``: number of loaded items.
    """

    def __init__(self, first: Index, load: Callable[[int], list[T]], places: IdIndex) -> None:
        self._first, self._load, self._places = first, load, places
        self._held: list[T | None] = [None] * int(first[-1])
        self.made = 0

    def clear(self) -> None:
        """Unload all items."""
        self._held = [None] * len(self._held)
        self.made = 0

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...
    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(len(self)))]
        return self._held[number] or self._made(range(len(self))[number])

    def place(self, number: int) -> slice:
        """Return the range of a block's items."""
        return slice(int(self._first[number]), int(self._first[number + 1]))

    def _made(self, number: int) -> T:
        block = int(np.searchsorted(self._first, number, side="right")) - 1
        place = self.place(block)
        loaded: list[T] = self._load(block)
        self._hold(place, loaded)
        made: T = loaded[number - place.start]
        return made

    def _hold(self, place: slice, loaded: Sequence[T]) -> None:
        self._held[place] = loaded
        self._places.add((one.id for one in loaded), place.start)
        self.made += len(loaded)


# The view
#
# Only the passages of one block have their texts, so a view takes little more memory than the table of
# contents.

# Number of passages whose mentions are cached: a text and those before it.
_KEPT_MENTIONS = 256
# Number of blocks whose texts and mentions are cached.
_KEPT_BLOCKS = 4


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
        """Return the number of passages."""
        return int(self.first_row[-1])

    @cached_property
    def passages(self) -> Passages:
        """All passages."""
        return Passages(self)

    @cached_property
    def sections(self) -> LazyItems[Section]:
        """All sections."""
        return LazyItems(self.first_section, self._sections_of, self.section_numbers)

    @cached_property
    def document_sections(self) -> Index:
        """The first section of each document, shape (documents + 1,)."""
        counts = [np.bincount(block["sections.document"], minlength=block.documents) for block in self.blocks]
        return _first(np.concatenate([np.zeros(0, np.int64), *counts]).tolist())

    @cached_property
    def layout(self) -> Layout:
        """The positions of documents, sections and passages."""
        sizes = np.diff(self.document_rows)
        return Layout(
            self.rows,
            self.section_numbers,
            np.repeat(np.arange(len(sizes)), sizes).tolist(),
            _ranges(self.document_rows),
            _ranges(self.document_sections),
        )

    @cached_property
    def rows(self) -> IdIndex:
        """Rows of passages by id."""
        return IdIndex(self._joined("passages.id_hash"), self._id_of("passages.id", self.first_row))

    @cached_property
    def section_numbers(self) -> IdIndex:
        """Numbers of sections by id."""
        return IdIndex(self._joined("sections.id_hash"), self._id_of("sections.id", self.first_section))

    def _joined(self, name: str) -> NDArray[np.uint64]:
        return np.concatenate([np.zeros(0, np.uint64), *(block[name] for block in self.blocks)])

    def _id_of(self, name: str, first: Index) -> Callable[[int], str]:
        bounds = first.tolist()
        strings = cache(lambda block: self.blocks[block].strings(name))

        def found(number: int) -> str:
            block = bisect_right(bounds, number) - 1
            own: str = strings(block)[number - bounds[block]]
            return own

        return found

    @cached_property
    def document_numbers(self) -> dict[str, int]:
        """Numbers of documents by id."""
        return {document.id: number for number, document in enumerate(self.documents)}

    def block_of(self, row: int) -> int:
        """Return the block of a row."""
        return int(np.searchsorted(self.first_row, row, side="right")) - 1

    def document_of(self, row: int) -> int:
        """Return the document of a row."""
        return int(np.searchsorted(self.document_rows, row, side="right")) - 1

    def clear(self) -> None:
        """Unload passages and sections; they are loaded again on access."""
        self.passages.clear()
        self.sections.clear()
        self.rows.clear()
        self.section_numbers.clear()

    def text(self, row: int) -> str:
        """Return the text of a passage."""
        number = self.block_of(row)
        return self._texts(number)[row - int(self.first_row[number])]

    @cached_property
    def _texts(self) -> Callable[[int], Strings]:
        return lru_cache(_KEPT_BLOCKS)(lambda number: self.blocks[number].strings("passages.text"))

    def source_ids(self) -> Iterator[str]:
        """Yield the id of each passage in its source."""
        for block in self.blocks:
            ids, sources = block.strings("passages.id").all(), block.strings("passages.source_id").all()
            yield from (source or own for own, source in zip(ids, sources, strict=True))

    def stated(self, number: int) -> list[StatedReference]:
        """Return the references in the markup of a block's sources."""
        block = self.blocks[number]
        ids = block.strings("passages.id").take(block["stated.passage"])
        records = map(orjson.loads, block.strings("stated").all())
        return [
            StatedReference(own, Span(start, end), text, target)
            for own, (start, end, text, target) in zip(ids, records, strict=True)
        ]

    def _sections_of(self, number: int) -> list[Section]:
        block = self.blocks[number]
        document, ids = block["sections.document"], block.strings("sections.id").all()
        start = self.document_rows[document + self.first_document[number]] - self.first_row[number]
        columns = zip(
            ids,
            block.strings("sections.number").all(),
            block.strings("sections.title").all(),
            block["sections.kind"].tolist(),
            block["sections.parent"].tolist(),
            (document + self.first_document[number]).tolist(),
            (block["sections.first"] - start).tolist(),
            (block["sections.stop"] - start).tolist(),
            strict=True,
        )
        return [
            Section(
                own,
                self.documents[owner].id,
                None if parent < 0 else ids[parent],
                SECTION_KINDS[kind],
                printed or None,
                title,
                begin,
                end,
            )
            for own, printed, title, kind, parent, owner, begin, end in columns
        ]


class Passages(LazyItems[Passage]):
    """The passages of a view by row; only those of the block in focus have texts."""

    def __init__(self, view: CorpusView) -> None:
        super().__init__(
            view.first_row, lambda number: load_passages(view, number, with_texts=False), view.rows
        )
        self._view = view
        self._without: tuple[slice, list[Passage | None]] = (slice(0, 0), [])

    def focus(self, number: int) -> list[Passage]:
        """Load the texts of a block's passages; they replace those without texts until the next focus."""
        own, passages = self._without
        self._held[own] = passages
        own = self.place(number)
        self._without = (own, self._held[own])
        passages_with_texts = load_passages(self._view, number, with_texts=True)
        self._hold(own, passages_with_texts)
        return passages_with_texts

    def clear(self) -> None:
        """Unload all items, including the block in focus."""
        super().clear()
        self._without = (slice(0, 0), [])


class BlockPassages(Sequence[Passage]):
    """The passages of one block of a view with their texts, loaded on first access."""

    def __init__(self, view: CorpusView, number: int) -> None:
        self._view, self._number = view, number

    @cached_property
    def _loaded(self) -> list[Passage]:
        return load_passages(self._view, self._number, with_texts=True)

    @property
    def languages(self) -> list[str]:
        """The language of each passage."""
        block = self._view.blocks[self._number]
        names = block.strings("languages").all()
        return [names[code] for code in block["passages.language"].tolist()]

    def __len__(self) -> int:
        return self._view.blocks[self._number].passages

    @overload
    def __getitem__(self, number: int) -> Passage: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Passage]: ...
    def __getitem__(self, number: int | slice) -> Passage | Sequence[Passage]:
        return self._loaded[number]


def _ranges(bounds: Index) -> list[range]:
    return [range(start, stop) for start, stop in pairwise(bounds.tolist())]


def load_passages(view: CorpusView, number: int, *, with_texts: bool) -> list[Passage]:
    """Load the passages of a block; unless ``whole``, without texts, headings and metadata other than the
    eId."""
    block, rows = view.blocks[number], range(view.blocks[number].passages)
    documents = (block["passages.document"] + view.first_document[number]).tolist()
    starts = view.document_rows[np.asarray(documents, np.int64)] - view.first_row[number]
    languages, statuses = block.strings("languages").all(), block.strings("statuses").all()
    ids, sources = block.strings("passages.id").all(), block.strings("passages.source_id").all()
    numbers, paragraphs = block.strings("passages.number").all(), block.strings("passages.paragraph").all()
    texts = block.strings("passages.text").all() if with_texts else text_beginnings(block)
    labels = block.strings("passages.label").all() if with_texts else [""] * len(rows)
    titles = [tuple(orjson.loads(path)) for path in block.strings("headings").all()] if with_texts else []
    headings = (
        [titles[code] for code in block["passages.heading"].tolist()] if with_texts else [()] * len(rows)
    )
    metadata = [NOTHING] * len(rows)
    if with_texts:
        metadata = [load_metadata(text) for text in block.strings("passages.metadata").all()]
    else:
        eids = block.strings("eids").all()
        for place, eid in zip(block["eids.passage"].tolist(), eids, strict=True):
            metadata[place] = {EID: eid}
    named = block.strings("sections.id").all()
    sections = [None if own < 0 else named[own] for own in block["passages.section"].tolist()]
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


def text_beginnings(block: Block) -> list[str]:
    """Return the parts of omitted texts that the resolver needs."""
    texts, found = block.strings("passages.text"), [""] * block.passages
    languages = block.strings("languages").all()
    counted = [code for code, language in enumerate(languages) if counts_paragraphs(language)]
    for row in np.flatnonzero(np.isin(block["passages.language"], counted)).tolist() if counted else ():
        found[row] = texts[row][:ITEM_LENGTH]
    return found


class BlockReadings:
    """Mentions and names of the texts of a view, read from its blocks."""

    def __init__(self, view: CorpusView) -> None:
        self._view = view
        self._records = lru_cache(_KEPT_BLOCKS)(
            lambda number: view.blocks[number].strings("passages.mentions")
        )
        self.mentions = lru_cache(_KEPT_MENTIONS)(self._mentions)

    def _mentions(self, row: int) -> list[Mention]:
        number = self._view.block_of(row)
        record = self._records(number)[row - int(self._view.first_row[number])]
        return unpacked(orjson.loads(record)) if record else []

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield the names that passages give to documents: (row, language of the passage, name)."""
        for number, block in enumerate(self._view.blocks):
            places = block["names.passage"]
            rows = (places + self._view.first_row[number]).tolist()
            languages = block.strings("languages").all()
            codes = block["passages.language"][places].tolist()
            for row, code, record in zip(rows, codes, block.strings("names").all(), strict=True):
                yield row, languages[code], DefinedName(*orjson.loads(record))
