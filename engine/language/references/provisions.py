"""Index the provisions of a corpus: passages and sections by document and number."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.language.addresses import CONTAINERS, number_key
from engine.language.designations import key_of
from engine.language.numerals import HAN_NUMBER
from engine.language.references.designations import OwnForms, forms_of_any
from engine.model import Document, Passage, Section, SectionKind

# Layout: positions of documents, sections and passages

# For each number in a document, its rows and sections in ascending order, as from
# ``engine.corpus.protocol.Texts.printed_numbers``.
Numbers = Mapping[str, tuple[Sequence[int], Sequence[int]]]


def _unknown_numbers(document: int) -> Numbers | None:
    """Return None: the document has to be read."""
    return None


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in a corpus.

    ``rows``, ``section_numbers``: by id. ``document_of``: by row. ``rows_of``, ``sections_of``: by document
    in ascending order, possibly empty. ``numbers``: the numbers of a document, or None if it has to be read.
    """

    rows: Mapping[str, int]
    section_numbers: Mapping[str, int]
    document_of: Sequence[int]
    rows_of: Sequence[Sequence[int]]
    sections_of: Sequence[Sequence[int]]
    numbers: Callable[[int], Numbers | None] = _unknown_numbers


def make_layout(
    documents: Sequence[Document], sections: Sequence[Section], passages: Sequence[Passage]
) -> Layout:
    """Make the layout of a corpus from all its items."""
    numbers = {document.id: number for number, document in enumerate(documents)}
    document_of = [numbers[passage.document_id] for passage in passages]
    rows_of: list[list[int]] = [[] for _ in documents]
    for row, number in enumerate(document_of):
        rows_of[number].append(row)
    sections_of: list[list[int]] = [[] for _ in documents]
    for place, section in enumerate(sections):
        sections_of[numbers[section.document_id]].append(place)
    rows = {passage.id: row for row, passage in enumerate(passages)}
    section_numbers = {section.id: number for number, section in enumerate(sections)}
    return Layout(rows, section_numbers, document_of, rows_of, sections_of)


# Provisions: consecutive passages of one document with one number, such as a rule with its paragraphs;
# guidance is not part of the provision it explains

# First and last day in force; None is an open end.
Validity = tuple[date | None, date | None]
Ancestors = tuple[tuple[SectionKind, str], ...]

# An item of a list in Chinese law: "（一）".
_ITEM = re.compile(rf"\s*[（(]{HAN_NUMBER}[）)]")
# Number of characters at the start of a text that identify an item.
ITEM_LENGTH = 64
# Kinds with a numbering of their own; a "section" of one text is a "rule" or an "article" of another.
_SERIES = {SectionKind.PARAGRAPH: "paragraph", SectionKind.RECITAL: "recital"}
# "Schedule" and "annex" are names for the same thing.
_CONTAINER_SERIES = {SectionKind.ANNEX: SectionKind.SCHEDULE}


def counts_paragraphs(language: str) -> bool:
    """Return True if the law of a language cites paragraphs by position, without printed numbers."""
    return language.startswith("zh")


def series_of(kind: SectionKind) -> str:
    """Return the series of numbers of a kind: paragraphs and recitals have their own."""
    return _SERIES.get(kind, "provision")


def container_of(kind: SectionKind) -> SectionKind:
    """Return the kind by which containers are compared."""
    return _CONTAINER_SERIES.get(kind, kind)


@dataclass(frozen=True, slots=True)
class Provision:
    """A provision. ``rows``: positions in the corpus; ``section``: its section, or None."""

    document: int
    key: str
    kind: SectionKind
    rows: tuple[int, ...]
    section: int | None
    ancestors: Ancestors


class Provisions:
    """Provisions and containers of documents, by document and number.

    If the layout knows the numbers of a document, only the requested number is read; otherwise the whole
    document is read on first access.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        sections: Sequence[Section],
        passages: Sequence[Passage],
        layout: Layout | None = None,
    ) -> None:
        """``layout``: if already known; otherwise made from all sections and passages."""
        self.passages = passages
        self.sections = sections
        self.layout = layout or make_layout(documents, sections, passages)
        self.document_of = self.layout.document_of
        self._document_numbers = {document.id: number for number, document in enumerate(documents)}
        self.clear()

    def clear(self) -> None:
        """Clear everything that was read."""
        self._chains: dict[int, Ancestors] = {}
        self._read: set[int] = set()
        self._looked_up: set[tuple[int, str]] = set()
        # By document, then by number.
        self._by_number: dict[int, dict[str, list[int]]] = {}
        self._containers: dict[int, dict[tuple[SectionKind, str], list[int]]] = {}
        self._by_form: dict[int, dict[str, list[str]]] = {}
        self._designations: dict[int, dict[str, list[int]]] = {}
        # Provisions and containers found so far.
        self.all: list[Provision] = []
        # Of documents that were read completely.
        self._of_row: dict[int, int] = {}
        self._own_rows: dict[int, tuple[int, ...]] = {}
        self._counted: dict[int, str] = {}

    def read(self, document: int) -> None:
        """Read a document completely, unless already done."""
        if document in self._read:
            return
        self._read.add(document)
        # Provisions found earlier are found again.
        self._by_number[document], self._containers[document] = {}, {}
        first = len(self.all)
        self._collect(document, self.layout.rows_of[document], self.layout.sections_of[document])
        for index, provision in enumerate(self.all[first:], first):
            for row in provision.rows if provision.kind not in CONTAINERS else ():
                self._of_row.setdefault(row, index)
        for index, provision in enumerate(self.all[first:], first):
            # Under a bare number, "1. Duties", "subsection (2)" is a part of the numbered chapter.
            for row in provision.rows if provision.kind is SectionKind.CHAPTER and provision.key else ():
                self._of_row.setdefault(row, index)

    def _look_up(self, document: int, key: str) -> None:
        """Find the provisions of a number in a document, unless already done."""
        if document in self._read or (document, key) in self._looked_up:
            return
        numbers = self.layout.numbers(document) if key else None
        if numbers is None:
            self.read(document)
            return
        self._looked_up.add((document, key))
        if key in numbers:
            self._collect(document, *numbers[key], key)

    def numbers(self, document: int) -> Collection[str]:
        """Return the numbers that provisions and containers of a document may have."""
        known = self.layout.numbers(document)
        if known is not None:
            return known
        self.read(document)
        return {*self._by_number[document], *(number for _, number in self._containers[document])}

    def printed(self, document: int, key: str) -> Sequence[int]:
        """Return the provisions of a number."""
        self._look_up(document, key)
        return self._by_number.get(document, {}).get(key, ())

    def numbered(self, document: int, key: str) -> Sequence[int]:
        """Return the provisions of a number, or of a designation by which the document may be cited."""
        found = self.printed(document, key)
        if found or not self._may_be_designated(document, key_of(key)):
            return found
        return self._designated(document).get(key_of(key), ())

    def _may_be_designated(self, document: int, designation: str) -> bool:
        """Return True if a provision may be cited by a designation, for any forms of the document's numbers.

        The actual forms are known only after the document was read.
        """
        if document in self._read:
            return True
        by_form = self._by_form.get(document)
        if by_form is None:
            by_form = self._by_form[document] = {}
            for number in self.numbers(document):
                for form in forms_of_any(key_of(number)):
                    by_form.setdefault(form, []).append(number)
        return any(self.printed(document, number) for number in by_form.get(designation, ()))

    def _designated(self, document: int) -> Mapping[str, Sequence[int]]:
        """Return the provisions of a document by their other designations: with letters and digits divided
        differently, and without a common prefix."""
        by_designation = self._designations.get(document)
        if by_designation is None:
            self.read(document)
            by_designation = self._designations[document] = {}
            own = sorted(index for indexes in self._by_number[document].values() for index in indexes)
            keys = [key_of(self.all[index].key) for index in own]
            forms = OwnForms.of(keys)
            for key, index in zip(keys, own, strict=True):
                for other in (key, *forms.others(key)):
                    by_designation.setdefault(other, []).append(index)
        return by_designation

    def contained(self, document: int, kind: SectionKind, key: str) -> Sequence[int]:
        """Return the containers of a kind and number."""
        self._look_up(document, key)
        return self._containers.get(document, {}).get((container_of(kind), key), ())

    def at(self, row: int) -> int | None:
        """Return the provision of a passage, or None."""
        self.read(self.document_of[row])
        return self._of_row.get(row)

    def rows_of(self, document: int) -> Sequence[int]:
        """Return the rows of a document's passages."""
        return self.layout.rows_of[document]

    def first_row(self, document: int) -> int:
        """Return the first row of a document, 0 if it has none."""
        rows = self.layout.rows_of[document]
        return rows[0] if rows else 0

    def section_named(self, section_id: str | None) -> Section | None:
        """Return the section with an id, or None."""
        number = self.layout.section_numbers.get(section_id) if section_id else None
        return None if number is None else self.sections[number]

    def document_number(self, document_id: str) -> int:
        """Return the position of a document in the corpus."""
        return self._document_numbers[document_id]

    def paragraph_of(self, row: int) -> str | None:
        """Return the paragraph number of a passage: as printed, or in Chinese law by counting (第二款)."""
        return self.passages[row].paragraph or self._counted.get(row)

    def _count_paragraphs(self, run: Mapping[int, Passage]) -> None:
        """Number the passages of a Chinese article: Chinese law prints no paragraph numbers but cites by
        them.

        Only if the source has one passage per paragraph; items (一) and continuations belong to the one
        before.
        """
        passages = run.values()
        if len(run) < 2 or not counts_paragraphs(next(iter(passages)).language):
            return
        if any(passage.paragraph or passage.source_id != passage.id for passage in passages):
            return
        number = 0
        for row, passage in run.items():
            number += not (passage.overlap or _ITEM.match(passage.text[:ITEM_LENGTH]))
            self._counted[row] = str(max(1, number))

    def ancestors_of(self, row: int) -> Ancestors:
        """Return the sections around a passage, from the outside in."""
        return self._around(self.passages[row])

    def _around(self, passage: Passage) -> Ancestors:
        number = self.layout.section_numbers.get(passage.section_id) if passage.section_id else None
        return self.section_ancestors(number) if number is not None else ()

    def section_ancestors(self, section: int) -> Ancestors:
        """Return the chain from the outermost section to a section itself."""
        return self._chain(section, 0)

    def _chain(self, number: int, depth: int) -> Ancestors:
        known = self._chains.get(number)
        if known is not None:
            return known
        if depth > 50:
            return ()
        section = self.sections[number]
        parent = self.layout.section_numbers.get(section.parent_id) if section.parent_id else None
        above = () if parent is None else self._chain(parent, depth + 1)
        own = (container_of(section.kind), number_key(section.number or ""))
        self._chains[number] = (*above, own)
        return self._chains[number]

    def section_rows(self, section: int) -> range:
        """Return the rows of a section's passages."""
        entry = self.sections[section]
        first = self.first_row(self._document_numbers[entry.document_id])
        return range(first + entry.first, first + entry.stop)

    def in_force(self, index: int) -> Validity:
        """Return the period in which the first passage of a provision is in force."""
        head = self.passages[self.all[index].rows[0]]
        return head.valid_from, head.valid_to

    def has_parts(self, provision: Provision) -> bool:
        """Return True if its section contains provisions of other numbers, as 3.8 contains 3.8.1."""
        if provision.section is None:
            return False
        rows = self.section_rows(provision.section)
        return any(
            number_key(self.passages[row].number or "") != provision.key for row in (rows[0], rows[-1])
        )

    def _collect(
        self, document: int, rows: Sequence[int], sections: Sequence[int], only: str | None = None
    ) -> None:
        """Add the provisions and containers in rows and sections (ascending) of a document.

        ``only``: those of one number.
        """
        self._collect_runs(document, rows, only)
        for number in sections:
            section = self.sections[number]
            key = number_key(section.number or "")
            covered = self.section_rows(number)
            if not covered:
                continue
            if section.kind in CONTAINERS:
                ancestors = self.section_ancestors(number)
                own = self._own_rows.get(number, (covered[0],))
                self._add_container(Provision(document, key, section.kind, own, number, ancestors))
            elif key and section.kind is not SectionKind.GUIDANCE:
                self._add_section(document, key, number, section)

    def _collect_runs(self, document: int, rows: Sequence[int], only: str | None) -> None:
        run: dict[int, Passage] = {}
        last: Passage | None = None
        identity: tuple[int, str, str, Ancestors] | None = None
        # Consecutive passages are mostly in one section.
        section: str | None = None
        ancestors: Ancestors = ()
        for row in rows:
            passage = self.passages[row]
            number, kind = passage.number, passage.kind
            if not number and passage.section_id is None and (passage.paragraph or "").isdigit():
                # A text without sections is cited by its numbered paragraphs.
                number, kind = passage.paragraph, SectionKind.PARAGRAPH
            if not number or kind is SectionKind.GUIDANCE:
                continue
            key = number_key(number)
            if passage.section_id != section:
                section, ancestors = passage.section_id, self._around(passage)
            outer = tuple(part for part in ancestors if part[1] != key and part[0] in _OUTER)
            current = (document, key, series_of(kind), outer)
            if current != identity or last is None or last.valid_from != passage.valid_from:
                self._add_run(identity, run, only)
                run, identity = {}, current
            run[row] = last = passage
        self._add_run(identity, run, only)

    def _add_run(
        self, identity: tuple[int, str, str, Ancestors] | None, run: Mapping[int, Passage], only: str | None
    ) -> None:
        if identity is None or only not in (None, identity[1]):
            return
        document, key, _, _ = identity
        rows, head = tuple(run), next(iter(run.values()))
        self._count_paragraphs(run)
        kind = head.kind if head.number else SectionKind.PARAGRAPH
        section = self._own_section(key, rows, head)
        provision = Provision(document, key, kind, rows, section, self._around(head))
        if kind not in CONTAINERS:
            self._add(provision)
        elif section is None:
            self._add_container(provision)
        else:
            self._own_rows.setdefault(section, rows)

    def _own_section(self, key: str, run: Sequence[int], head: Passage) -> int | None:
        """Return the section with the same number that contains the whole run, or None."""
        numbers, kind = self.layout.section_numbers, head.kind
        number = numbers.get(head.section_id) if head.section_id else None
        while number is not None:
            section = self.sections[number]
            if number_key(section.number or "") == key and _may_hold(section.kind, kind):
                rows = self.section_rows(number)
                return number if run[0] in rows and run[-1] in rows else None
            number = numbers.get(section.parent_id) if section.parent_id else None
        return None

    def _add(self, provision: Provision) -> None:
        own = self._by_number.setdefault(provision.document, {})
        own.setdefault(provision.key, []).append(len(self.all))
        self.all.append(provision)

    def _add_container(self, provision: Provision) -> None:
        own = self._containers.setdefault(provision.document, {})
        own.setdefault((container_of(provision.kind), provision.key), []).append(len(self.all))
        self.all.append(provision)

    def _add_section(self, document: int, key: str, number: int, section: Section) -> None:
        """Add a section as a provision if no passage in it has its number."""
        rows = self.section_rows(number)
        known = self._by_number.get(document, {}).get(key, [])
        if any(self.all[index].section == number or self.all[index].rows[0] in rows for index in known):
            return
        self._add(Provision(document, key, section.kind, (rows[0],), number, self.section_ancestors(number)))


_OUTER = CONTAINERS | {SectionKind.ARTICLE}
# Kinds that rulebooks use for each other.
_MIXED = frozenset((SectionKind.SECTION, SectionKind.RULE, SectionKind.PARAGRAPH, SectionKind.HEADING))


def _may_hold(section: SectionKind, passage: SectionKind) -> bool:
    """Return True if a section of the same number can be the passage's provision: Part 1 is not Article 1."""
    if passage in CONTAINERS:
        return section in CONTAINERS
    return section is passage or (section in _MIXED and passage in _MIXED)
