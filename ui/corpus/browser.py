"""Read access to an open corpus, in pieces small enough to send at once, and words for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from engine.caching import Cache
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.ingestion.structure.outline import cited_as
from engine.language.addresses import Address
from engine.language.characters import marked, shortened
from engine.model import Document, Passage, Reference, Section, SectionKind, Status, TargetKind
from engine.records.context import Badge, badge
from engine.records.phrases import plural, short_citation

# Read access to an open corpus, in pieces small enough to send at once.

Found = TypeVar("Found")
OUTLINES_KEPT = 64
MOST_FOUND = 60
# Maximum of documents searched for a provision by its number.
LIKELY_DOCUMENTS = 6
_KIND_WORDS = {kind: kind.value.capitalize() for kind in SectionKind}


@dataclass(frozen=True, slots=True)
class Node:
    """A line of a document's tree. ``section`` is its index in the outline, None for a lone provision.

    It covers the positions ``first`` to ``stop`` (excluded) of its document. ``branches`` is the number of
    lines below it.
    """

    heading: str
    section: int | None
    first: int
    stop: int
    branches: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A position in the text: the document's number, the position, and the id of the passage there."""

    document: int
    position: int
    id: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of one document. ``children`` maps a section's index (None: the document) to indexes."""

    sections: tuple[Section, ...]
    children: Mapping[int | None, tuple[int, ...]]
    depth: tuple[int, ...]
    place: Mapping[str, int]


class Browser:
    """An open corpus for readers. Safe for several threads."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._outlines: Cache[int, Outline] = Cache("outlines of documents", OUTLINES_KEPT)
        self._counted: dict[str, dict[str, Any]] = {}
        self._by_verdicts: dict[str, tuple[tuple[int, ...], Any]] = {}

    def once(self, name: str, count: Callable[[Browser], dict[str, Any]]) -> dict[str, Any]:
        """Compute a value once for this state of the corpus, and cache it."""
        if name not in self._counted:
            self._counted[name] = count(self)
        return self._counted[name]

    def by_verdicts(self, name: str, find: Callable[[Browser], Found]) -> Found:
        """Compute a value once for the corpus and its current verdicts on links, and cache it."""
        kept = self._by_verdicts.get(name)
        if kept is None or kept[0] != self.corpus.verdict_version:
            kept = self._by_verdicts[name] = (self.corpus.verdict_version, find(self))
        found: Found = kept[1]
        return found

    @property
    def documents(self) -> list[Document]:
        """Return all documents, in the order of the corpus."""
        return self.corpus.documents()

    @cached_property
    def first_rows(self) -> list[int]:
        """Return the row of each document's first passage, followed by the number of passages."""
        rows = self.corpus.by_document([document.id for document in self.documents])
        starts, at = [], 0
        for own in rows:
            starts.append(at)
            at += len(own)
        return [*starts, at]

    def length(self, number: int) -> int:
        """Return the number of passages of a document."""
        return self.first_rows[number + 1] - self.first_rows[number]

    def document(self, number: int) -> Document:
        """Return a document by number. Raises InputError if there is none."""
        if not 0 <= number < len(self.documents):
            raise InputError("there is no such document (any more)")
        return self.documents[number]

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {document.id: number for number, document in enumerate(self.documents)}

    def number(self, document_id: str) -> int | None:
        """Return the number of a document by its id."""
        return self._numbers.get(document_id)

    def outline(self, number: int) -> Outline:
        """Return the sections of a document; recent results are cached."""
        sections = self.corpus.document_sections
        return self._outlines.made(number, lambda: _outline(self.corpus.sections(sections(number).tolist())))

    def passages(self, number: int, first: int, stop: int) -> list[Passage]:
        """Return the passages of a document from ``first`` to ``stop`` (excluded)."""
        return self.corpus.passages(self.rows(number, first, stop))

    def rows(self, number: int, first: int, stop: int) -> Rows:
        """Return the rows of a document's positions."""
        start, end = self.first_rows[number], self.first_rows[number + 1]
        return np.arange(min(start + max(first, 0), end), min(start + stop, end), dtype=np.int32)

    def nodes(self, number: int, section: int | None) -> list[Node]:
        """Return the lines below a section of a document's tree, or below the document itself."""
        outline = self.outline(number)
        first, stop = 0, self.length(number)
        if section is not None:
            first, stop = outline.sections[section].first, outline.sections[section].stop
        below = [(outline.sections[place].first, place) for place in outline.children.get(section, ())]
        lines: list[Node] = []
        at = first
        for start, place in below:
            lines += self._provisions(number, section, at, start)
            lines.append(self._node(number, outline, place))
            at = max(at, outline.sections[place].stop)
        return lines + self._provisions(number, section, at, stop)

    def path(self, number: int, position: int) -> tuple[int, ...]:
        """Return the indexes of the sections around a position, the outermost first."""
        outline, found = self.outline(number), list[int]()
        level: int | None = None
        while True:
            inner = next(
                (
                    place
                    for place in outline.children.get(level, ())
                    if outline.sections[place].first <= position < outline.sections[place].stop
                ),
                None,
            )
            if inner is None:
                return tuple(found)
            found.append(inner)
            level = inner

    def heading(self, number: int, place: int) -> str:
        """Return the heading of a section as its document prints it, or one made of its kind and number."""
        outline = self.outline(number)
        section = outline.sections[place]
        printed: tuple[str, ...] = ()
        if section.stop > section.first:
            printed = self.passages(number, section.first, section.first + 1)[0].headings
        return _heading(section, printed, outline.depth[place], self.document(number).language)

    def spot(self, target_id: str) -> Spot | None:
        """Return the position of a passage, section or document, by its id."""
        row = int(self.corpus.rows([target_id])[0])
        if row >= 0:
            return self.spot_of_row(row, target_id)
        number = self.number(target_id)
        if number is not None:
            return Spot(number, 0, target_id)
        for document in self._documents_of(target_id):
            outline = self.outline(document)
            if target_id in outline.place:
                return Spot(document, outline.sections[outline.place[target_id]].first, target_id)
        return None

    def spot_of_row(self, row: int, name: str = "") -> Spot:
        """Return the position of the passage of a row."""
        number = int(self.corpus.document_numbers(np.asarray([row], np.int32))[0])
        return Spot(number, row - self.first_rows[number], name)

    def name(self, spot: Spot) -> str:
        """Return the name of a position: the citation of a passage, the heading of a section, or a document's
        title."""
        document = self.document(spot.document)
        if spot.id == document.id:
            return document.title or document.id
        outline = self.outline(spot.document)
        if spot.id in outline.place:
            return self.heading(spot.document, outline.place[spot.id])
        return short_citation(self.passage(spot), document)

    def passage(self, spot: Spot) -> Passage:
        """Return the passage at a position."""
        return self.passages(spot.document, spot.position, spot.position + 1)[0]

    def target_spot(self, reference: Reference) -> Spot | None:
        """Return the position of a resolved reference's target."""
        if reference.target_id is None:
            return None
        if reference.target_kind is TargetKind.DOCUMENT:
            number = self.number(reference.target_id)
            return None if number is None else Spot(number, 0, reference.target_id)
        return self.spot(reference.target_id)

    def find(self, words: str, limit: int = MOST_FOUND) -> list[tuple[int, int | None]]:
        """Return documents and sections whose names and numbers contain all the words: (document, index or
        None).

        Some of the words for a section may be in the names of its document: "agency code 14".
        """
        wanted = words.casefold().split()
        if not wanted:
            return []
        found: list[tuple[int, int, int | None]] = []
        left = [[word for word in wanted if word not in names] for names in self.names]
        for number, words_left in enumerate(left):
            if not words_left:
                found.append((_missed(wanted, self.names[number]), number, None))
        for number, place, key in self._headings:
            own = left[number] or wanted
            if all(word in key for word in own):
                found.append((_missed(own, key), number, place))
        found.sort(key=lambda hit: (hit[0], hit[2] is not None))
        return [(number, place) for _, number, place in found[:limit]]

    def numbered(self, words: str) -> list[Spot]:
        """Return provisions with the number at the end of the words, from documents that the other words
        name."""
        *names, last = words.split() or [""]
        likely = [number for number, place in self.find(" ".join(names)) if place is None]
        found = []
        for number in likely[:LIKELY_DOCUMENTS]:
            passages = self.passages(number, 0, self.length(number))
            first = next((passage for passage in passages if passage.number == last), None)
            if first is not None:
                found.append(Spot(number, first.position, first.id))
        return found

    @cached_property
    def names(self) -> list[str]:
        """Return all names of each document, in the form that ``find`` compares."""
        return [
            " ".join((each.title, each.id, each.number or "", str(each.year or ""), *each.aliases)).casefold()
            for each in self.documents
        ]

    @cached_property
    def _headings(self) -> list[tuple[int, int, str]]:
        """Return kind, number and title of every section, in the form that ``find`` compares."""
        count = int(self.corpus.info().metadata.get("sections", 0))
        keys: list[tuple[int, int, str]] = []
        for section in self.corpus.sections(range(count)):
            number = self._numbers[section.document_id]
            named = f"{_KIND_WORDS[section.kind]} {section.number or ''} {section.title}"
            keys.append((number, self.outline(number).place[section.id], named.casefold()))
        return keys

    @cached_property
    def open_sources(self) -> list[tuple[int, str]]:
        """Return the documents with unresolved references: number and title."""
        numbers = self.corpus.reference_numbers(statuses=[Status.AMBIGUOUS, Status.UNRESOLVED])
        found: set[int] = set()
        for start in range(0, len(numbers), 4096):
            block = self.corpus.references(numbers[start : start + 4096].tolist())
            rows = self.corpus.rows([reference.source_id for reference in block])
            found.update(self.corpus.document_numbers(rows).tolist())
        return [(number, marked(self.documents[number].title)) for number in sorted(found)]

    def _documents_of(self, section_id: str) -> Iterable[int]:
        """Yield documents that a section may be part of, the most likely first: ids begin with the
        document's."""
        likely = [
            number for document_id, number in self._numbers.items() if section_id.startswith(document_id)
        ]
        return sorted(likely, key=lambda number: -len(self.documents[number].id))

    def _provisions(self, number: int, section: int | None, first: int, stop: int) -> list[Node]:
        """Return provisions that are not sections: one line for each number, none for a section's own
        text."""
        if stop <= first:
            return []
        own = None if section is None else self.outline(number).sections[section].number
        lines: list[Node] = []
        for passage in self.passages(number, first, stop):
            if section is not None and (passage.number is None or passage.number == own):
                continue
            known = lines[-1] if lines else None
            label = passage.label or shortened(" ".join(passage.text.split()), 60)
            if known is not None and passage.number is not None and _is_part(label, known.heading):
                lines[-1] = Node(known.heading, None, known.first, passage.position + 1, 0)
            else:
                lines.append(Node(label, None, passage.position, passage.position + 1, 0))
        return lines

    def _node(self, number: int, outline: Outline, place: int) -> Node:
        section = outline.sections[place]
        below = len(outline.children.get(place, ()))
        if not below and section.stop - section.first > 1:
            below = len(self._provisions(number, place, section.first, section.stop))
        return Node(self.heading(number, place), place, section.first, section.stop, below)


def _outline(sections: Sequence[Section]) -> Outline:
    place = {section.id: at for at, section in enumerate(sections)}
    children: dict[int | None, list[int]] = {}
    depth: list[int] = []
    for at, section in enumerate(sections):
        parent = None if section.parent_id is None else place.get(section.parent_id)
        children.setdefault(parent, []).append(at)
        depth.append(0 if parent is None else depth[parent] + 1)
    return Outline(
        tuple(sections), {parent: tuple(own) for parent, own in children.items()}, tuple(depth), place
    )


def _heading(section: Section, printed: Sequence[str], depth: int, language: str) -> str:
    if depth < len(printed) and section.title and section.title in printed[depth]:
        return printed[depth]
    if section.number is None:
        return section.title or _KIND_WORDS[section.kind]
    return f"{cited_as(Address(section.kind, section.number), language)} {section.title}".strip()


def _is_part(label: str, of: str) -> bool:
    """Return whether a label names a part of what ``of`` names: "Article 5(2)" of "Article 5"."""
    return label == of or (label.startswith(of) and not label[len(of)].isalnum())


def _missed(words: Sequence[str], key: str) -> int:
    """Return the number of words that match only parts of words of the key."""
    whole = key.split()
    return sum(word not in whole for word in words)


# Words of the corpus panel: relations from the side of the citing text, states, numbers.

STATUS_WORDS: Mapping[Status, str] = {
    Status.RESOLVED: "resolved",
    Status.AMBIGUOUS: "several targets possible",
    Status.UNRESOLVED: "target not found",
}


def numbered(document: Document) -> str:
    """Return a document's number and year: "No. 13 of 2011", "13", "2011"; empty if it has neither."""
    if document.number and document.year:
        return f"No. {document.number} of {document.year}"
    return f"No. {document.number}" if document.number else str(document.year or "")


def facts(document: Document, passages: int) -> str:
    """Return one line on a document: its type, number and year, language, length."""
    parts = ((document.type or "").capitalize(), numbered(document), document.language)
    return " · ".join([*(part for part in parts if part and part != "und"), plural(passages, "passage")])


def document_badge(document: Document, today: date) -> Badge | None:
    """Return whether a document as a whole is in force; None if it does not state that."""
    return badge(Passage("", document.id, None, 0, ""), document, today)


# Characters of context on each side of a quote.
AROUND = 110


def in_context(text: str, start: int, end: int, reach: int = AROUND) -> tuple[str, str, str]:
    """Return the words before a span, its words, and the words after it, cut between words."""
    left, right = max(0, start - reach), end + reach
    before, after = text[left:start], text[end:right]
    before = "… " + before.partition(" ")[2] if left else before
    after = after.rpartition(" ")[0] + " …" if right < len(text) else after
    return before, text[start:end], after
