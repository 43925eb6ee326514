"""Resolution of references in a text outside of the corpus (a question, a draft).

The text is read with the resolver of the ingestion, as an additional document. Documents of the corpus are
read when they are named.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Generic, TypeVar, overload
from weakref import WeakKeyDictionary, proxy

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.language.addresses import Address
from engine.language.references import Mention, Resolver
from engine.language.references.definitions import DefinedName, Meaning
from engine.language.references.provisions import Layout, Numbers
from engine.language.references.readings import statement_reader
from engine.model import Document, Passage, Reference, Section, Span, TargetKind

_OUTSIDE = "\x00outside"
# Cached documents with labels, and cached passages and sections.
_LABELLED, _AT_HAND = 32, 4096
# A name of more documents than this is not the name of an act.
_MOST_TITLES = 4
_NUMBER_OF_YEAR = re.compile(r"(\d+)\D+([12]\d{3})\Z")

T = TypeVar("T")


def letters_key(name: str) -> str:
    """Return only the letters and digits of a name: "KUH Perdata" gives "KUHPerdata"."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


class ExternalTextResolver:
    """Resolves citations in texts outside of the corpus; see ``external_resolver``.

    A lock allows one thread at a time.
    """

    def __init__(self, corpus: Corpus) -> None:
        # Cached for the lifetime of the corpus, without extending it.
        self._contents = contents = _Contents(proxy(corpus))
        self._lock = threading.Lock()
        self.documents = corpus.documents()
        self._every = documents = [*self.documents, Document(_OUTSIDE, "")]
        self._resolver = Resolver(
            documents,
            LazySequence(0, contents.section),
            LazySequence(len(corpus) + 1, contents.passage),
            _Readings(contents.corpus),
            Layout(
                {_OUTSIDE: len(corpus)},
                contents.section_numbers,
                LazySequence(len(corpus) + 1, contents.document_of),
                LazySequence(len(documents), contents.rows_of),
                LazySequence(len(documents), contents.sections_of),
                contents.numbers,
            ),
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """The documents' own names in lower case."""
        every = ((document.title, *document.aliases) for document in self.documents)
        return frozenset(name.casefold() for names in every for name in names if name)

    @cached_property
    def keys(self) -> dict[str, tuple[int, ...]]:
        """The numbers of documents by the letters of their names."""
        found: dict[str, dict[int, None]] = {}
        for number, document in enumerate(self.documents):
            for name in (document.title, *document.aliases):
                found.setdefault(letters_key(name), {})[number] = None
            if document.number and document.year:
                found.setdefault(f"{document.number} {document.year}", {})[number] = None
        return {key: tuple(numbers) for key, numbers in found.items() if len(key) > 1}

    def labels(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the rows of a document by the letters of their labels ("rule1022guidance1")."""
        return self._contents.labels(number)

    def named(self, name: str, language: str) -> tuple[int, ...]:
        """Return the numbers of the documents with a name, those in a language first."""
        found = self.keys.get(letters_key(name)) or self.called(name, language)
        if not found and (numbers := _NUMBER_OF_YEAR.search(name)):
            found = self.keys.get(f"{numbers[1]} {numbers[2]}", ())
        own = tuple(one for one in found if self.documents[one].language == language)
        return own or found

    def meanings(self, mentions: Sequence[Mention], text: str, language: str, day: date) -> list[Meaning]:
        """Return the documents, by number, that each mention of a text refers to.

        There are none if the text names no document, or one that is not in the corpus.
        """
        with self._lock:
            found = self._resolver.meanings(mentions, self._put(text, language, day))
        own = len(self.documents)
        known = [tuple(one for one in meaning.documents if one not in (None, own)) for meaning in found]
        return [
            replace(meaning, documents=documents, named=meaning.named or bool(documents))
            for meaning, documents in zip(found, known, strict=True)
        ]

    def explain_denied(
        self, mention: Mention, meaning: Meaning, text: str, language: str
    ) -> tuple[Span, str]:
        """Return the part of a mention that names an act of a year missing here, with what the corpus has."""
        start = mention.name_at if mention.name_at is not None else mention.leads_at or mention.span.start
        end = meaning.name_end or mention.span.end
        start = min(start, statement_reader(language).read(text, start, end).start)
        has = " and ".join(f"“{self.documents[one].title}”" for one in meaning.denied[:_MOST_TITLES])
        span = Span(min(start, mention.span.start), max(end, mention.span.end))
        words = " ".join(text[start:end].split())
        words = words if "(" in words else words.rstrip(")")
        return span, f"this corpus has {has}, but not “{words}”"

    def resolve(self, mention: Mention, text: str, language: str, day: date) -> list[Reference]:
        """Return the references of a mention, as in a document of the corpus in force on a day."""
        with self._lock:
            return self._resolver.resolve([mention], self._put(text, language, day))

    def within(
        self, mention: Mention, documents: Sequence[int], text: str, language: str, day: date
    ) -> list[Reference]:
        """Return the references of a mention that is known to refer to some documents, by number."""
        with self._lock:
            return self._resolver.within(mention, documents, self._put(text, language, day))

    def called(self, name: str, language: str) -> tuple[int, ...]:
        """Return the numbers of the documents that a name means in texts of a language."""
        with self._lock:
            return self._resolver.called(name, language)

    def nearest(self, document: int, address: Address, count: int) -> list[tuple[str, int]]:
        """Return numbers next to one that a document lacks, with the first row of each; at most ``count``."""
        with self._lock:
            return self._resolver.nearest(document, address, count)

    def _put(self, text: str, language: str, day: date) -> Passage:
        """Replace the external text by another one, written on a day."""
        self._every[-1] = Document(_OUTSIDE, "", language, valid_from=day)
        return self._contents.put(text, language, day)

    def rows(self, kind: TargetKind | None, target_id: str) -> Rows:
        """Return the rows of a passage, section or document, empty for an unknown id."""
        return self._contents.rows(kind, target_id)


class _Contents:
    """The passages and sections of a corpus, read on demand. The last row is the external text."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.section_numbers: dict[str, int] = {}
        self._size, self._documents = len(corpus), len(corpus.documents())
        self._outside = Passage(_OUTSIDE, _OUTSIDE, None, 0, "")
        # The passages of the document read last, with its first row, and its sections.
        self._last: tuple[int, list[Passage]] = (0, [])
        self._sections: dict[int, Section] = {}
        self._alone = lru_cache(_AT_HAND)(self._passage)
        self.section = lru_cache(_AT_HAND)(self._section)
        self.rows_of = lru_cache(_AT_HAND)(self._rows_of)
        self.labels = lru_cache(_LABELLED)(self._labels)

    def put(self, text: str, language: str, day: date) -> Passage:
        """Replace the external text."""
        self._outside = Passage(_OUTSIDE, _OUTSIDE, None, 0, text, language, valid_from=day, valid_to=day)
        return self._outside

    def _labels(self, document: int) -> dict[str, tuple[int, ...]]:
        rows = self.rows_of(document)
        found: dict[str, list[int]] = {}
        for row, passage in zip(rows, self._passages(rows), strict=True):
            if passage.label:
                found.setdefault(letters_key(passage.label), []).append(row)
        return {key: tuple(rows) for key, rows in found.items()}

    def document_of(self, row: int) -> int:
        if row == self._size:
            return self._documents
        return int(self.corpus.document_numbers(np.array([row], np.int32))[0])

    def _rows_of(self, document: int) -> range:
        if document == self._documents:
            return range(self._size, self._size + 1)
        (rows,) = self.corpus.by_document([self.corpus.documents()[document].id])
        first = int(rows[0]) if len(rows) else 0
        return range(first, first + len(rows))

    def sections_of(self, document: int) -> list[int]:
        """Return the sections of a document; the callers need all of it, so it is read at once."""
        if document == self._documents:
            return []
        rows, numbers = self.rows_of(document), sorted(self.corpus.document_sections(document).tolist())
        self._sections = dict(zip(numbers, self.corpus.sections(numbers), strict=True))
        self.section_numbers.update({section.id: number for number, section in self._sections.items()})
        self._last = rows.start, self._passages(rows)
        return numbers

    def numbers(self, document: int) -> Numbers | None:
        """Return the offsets of the numbers in a document."""
        return None if document == self._documents else self.corpus.printed_numbers(document)

    def passage(self, row: int) -> Passage:
        if row == self._size:
            return self._outside
        first, passages = self._last
        if 0 <= row - first < len(passages):
            return passages[row - first]
        return self._alone(row)

    def rows(self, kind: TargetKind | None, target_id: str) -> Rows:
        if kind is TargetKind.PASSAGE:
            found = self.corpus.rows([target_id])
            return found[found >= 0]
        number = self.section_numbers.get(target_id)
        if number is not None and kind is TargetKind.SECTION:
            section: Section = self.section(number)
            (rows,) = self.corpus.by_document([section.document_id])
            return rows[section.first : section.stop]
        return self.corpus.by_document([target_id])[0]

    def _passage(self, row: int) -> Passage:
        """Return a passage, and index the sections around it by id."""
        (found,) = self._passages(range(row, row + 1))
        if found.section_id is not None and found.section_id not in self.section_numbers:
            self.section(int(self.corpus.section_numbers(np.array([row], np.int32))[0]))
        return found

    def _passages(self, rows: range) -> list[Passage]:
        return self.corpus.passages(np.arange(rows.start, rows.stop, dtype=np.int32))

    def _section(self, number: int) -> Section:
        """Return a section, and index it and those around it by id."""
        if number in self._sections:
            return self._sections[number]
        (found,) = self.corpus.sections([number])
        self.section_numbers[found.id] = number
        (parent,) = self.corpus.section_parents(np.array([number], np.int32)).tolist()
        if parent >= 0:
            self.section(parent)
        return found


class LazySequence(Sequence[T], Generic[T]):
    """A sequence whose items are made on access."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._size, self._make = size, make

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self._make(one) for one in range(*place.indices(self._size))]
        return self._make(place)


class _Readings:
    """Names that the texts of an open corpus give to documents."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def mentions(self, row: int) -> Sequence[Mention]:
        """Return no mentions: citations of passages are not needed."""
        return ()

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        return self._corpus.defined_names()


_MADE: WeakKeyDictionary[Corpus, ExternalTextResolver] = WeakKeyDictionary()
_MAKING = threading.Lock()


def external_resolver(corpus: Corpus) -> ExternalTextResolver:
    """Return the resolver of an open corpus for external texts, made on the first call."""
    with _MAKING:
        made = _MADE.get(corpus)
        if made is None:
            made = _MADE[corpus] = ExternalTextResolver(corpus)
        return made
