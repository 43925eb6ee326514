"""Destinations of references: a section, a passage, a paragraph, or a neighbour of the citing passage."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from engine.language.addresses import ATTACHED, CONTAINERS, Address, number_key
from engine.language.references.grammar import Mention, Target
from engine.language.references.provisions import Provision, Provisions, container_of, series_of
from engine.model import Passage, Reference, Section, SectionKind, Span, Status, TargetKind

# Destinations of references to provisions

# The kind of target, its id, and its first row (-1 for a document).
Destination = tuple[TargetKind, str, int]


class DestinationFinder:
    """Finds the destinations of provisions, given by their positions in ``Provisions.all``."""

    def __init__(self, provisions: Provisions) -> None:
        self._provisions = provisions
        self.clear()

    def clear(self) -> None:
        """Clear the cache after provisions have changed."""
        self._known: dict[tuple[int, str | None], tuple[Destination, ...]] = {}
        self._parts: dict[tuple[int, str], tuple[list[int], str]] = {}
        self._numbers: dict[int, list[tuple[int, list[str]]]] = {}

    def find(self, index: int, address: Address | None) -> tuple[Destination, ...]:
        """Return the destination of a reference: the passage of a paragraph, the provision's section or
        passage."""
        paragraph = self.path(index, address) if address else None
        cached = self._known.get((index, paragraph))
        if cached is None:
            cached = self._known[index, paragraph] = (self._found(index, paragraph),)
        return cached

    def path(self, index: int, address: Address) -> str | None:
        """Return the part of a provision that an address names: "2" for paragraph 2 of Schedule 7."""
        provision = self._provisions.all[index]
        if address.within and provision.kind in CONTAINERS and address.kind not in CONTAINERS:
            return "/".join(part for part in (address.number, address.paragraph) if part) or None
        return address.paragraph if address.number and provision.key == number_key(address.number) else None

    def is_self(self, index: int, address: Address | None, row: int) -> bool:
        """Return True if a passage would refer to itself."""
        return any(destination[2] == row for destination in self.find(index, address))

    def part(self, index: int, paragraph: str) -> tuple[list[int], str]:
        """Return the rows of a paragraph of a provision and its path, or those of the nearest enclosing
        part."""
        cached = self._parts.get((index, paragraph))
        if cached is None:
            cached = self._parts[index, paragraph] = self._found_part(index, paragraph)
        return cached

    def _found(self, index: int, paragraph: str | None) -> Destination:
        provision, passages = self._provisions.all[index], self._provisions.passages
        if paragraph is not None:
            rows, _ = self.part(index, paragraph)
            if rows:
                return TargetKind.PASSAGE, passages[rows[0]].id, rows[0]
        if provision.section is not None:
            covered = self._provisions.section_rows(provision.section)
            carrying = (row for row in covered if passages[row].kind is not SectionKind.GUIDANCE)
            if len(list(islice(carrying, 2))) > 1:
                return TargetKind.SECTION, self._provisions.sections[provision.section].id, covered[0]
        return TargetKind.PASSAGE, passages[provision.rows[0]].id, provision.rows[0]

    def _found_part(self, index: int, paragraph: str) -> tuple[list[int], str]:
        numbers = self._numbers.get(index)
        if numbers is None:
            counted = self._counted(self._provisions.all[index])
            numbers = self._numbers[index] = [(row, path.split("/")) for row, path in counted]
        parts = paragraph.split("/")
        for length in range(len(parts), 0, -1):
            prefix = parts[:length]
            rows_of_part = [row for row, number in numbers if number[:length] == prefix]
            if rows_of_part:
                exact = [row for row, number in numbers if number == prefix]
                return exact or rows_of_part, "/".join(prefix)
        return [], ""

    def _counted(self, provision: Provision) -> list[tuple[int, str]]:
        """Return the numbered parts of a provision: row and path of each.

        The parts of a schedule may be numbered across its Parts, and each may have a heading.
        """
        passages = self._provisions.passages
        own = [(row, self._provisions.paragraph_of(row) or "") for row in provision.rows]
        if provision.kind not in ATTACHED or provision.section is None:
            return own
        inside: list[tuple[int, str]] = []
        for row in self._provisions.section_rows(provision.section):
            one = passages[row]
            number = one.number if one.kind is SectionKind.PARAGRAPH else None
            path = "/".join(part for part in (number, one.paragraph) if part)
            inside.extend([(row, path)] if path and (number or one.kind in CONTAINERS) else [])
        if len({path for _, path in inside}) < len({passages[row].source_id for row, _ in inside}):
            # Each Part has its own numbering.
            return [one for one in own if passages[one[0]].kind in ATTACHED]
        return inside


def make_reference(
    passage: Passage, mention: Mention, span: Span, destinations: Sequence[Destination], confidence: float
) -> Reference:
    """Make a reference: resolved for one destination, ambiguous for several, unresolved for none."""
    text = passage.text[span.start : span.end]
    if len(destinations) == 1:
        kind, target_id, _ = destinations[0]
        return Reference(
            passage.id,
            span,
            text,
            mention.relation,
            Status.RESOLVED,
            kind,
            target_id,
            (),
            round(confidence, 3),
            mention.grammar,
        )
    status = Status.AMBIGUOUS if destinations else Status.UNRESOLVED
    candidates = tuple(target_id for _, target_id, _ in destinations)
    kinds = destinations[0][0] if destinations else None
    sure = round(confidence, 3) if destinations else 0.0
    return Reference(
        passage.id, span, text, mention.relation, status, kinds, None, candidates, sure, mention.grammar
    )


# Neighbours of a passage: the targets of "the preceding Article", "this Part"

# Maximum number of single look-ups; beyond it the whole document is read.
MOST_TRIED = 24
# Confidence of a neighbour and of a container; containers of one kind may be nested.
NEIGHBOUR, CONTAINER = 0.9, 0.7


class Neighbours:
    """Finds provisions, paragraphs and sections by their position relative to a passage."""

    def __init__(self, provisions: Provisions) -> None:
        self._provisions = provisions

    def neighbouring_provisions(self, target: Target, row: int) -> list[int]:
        """Return the provisions at a distance from the passage's own provision, nearest first."""
        own = self._provisions.at(row)
        if own is None or not target.step:
            return []
        start = self._provisions.all[own]
        found: list[int] = []
        for index in self._walk(start, target.step):
            if len(found) == target.count:
                break
            if self._is_like(self._provisions.all[index], start):
                found.append(index)
        return found

    def _walk(self, start: Provision, step: int) -> Iterator[int]:
        """Yield the provisions of the document before or after a provision, each once."""
        rows = self._provisions.rows_of(start.document)
        seen: set[int] = set()
        row = start.rows[0] - 1 if step < 0 else start.rows[-1] + 1
        while rows[0] <= row <= rows[-1]:
            index = self._provisions.at(row)
            if index is not None and index not in seen:
                seen.add(index)
                yield index
            row += -1 if step < 0 else 1

    @staticmethod
    def _is_like(one: Provision, other: Provision) -> bool:
        """Return True if two provisions are of one series: 4.3.1 and 4.3.2, not 4.3."""
        same_series = series_of(one.kind) == series_of(other.kind)
        return same_series and one.key.count(".") == other.key.count(".") and one.key != other.key

    def neighbouring_numbers(
        self, document: int, kind: SectionKind, key: str, count: int
    ) -> list[tuple[str, int]]:
        """Return the numbers next to a number that the document may not contain.

        Returns (number, first row), at most ``count``, ascending, of the numbering of this kind only.
        """
        known = (number for number in self._provisions.numbers(document) if number not in ("", key))
        order = sorted(known, key=natural)
        position = bisect_left(order, natural(key), key=natural)
        before = self._first_rows(document, kind, reversed(order[:position]), count)[::-1]
        near = before + self._first_rows(document, kind, order[position:], count)
        first = max(0, min(len(before) - count // 2, len(near) - count))
        return near[first : first + count]

    def _first_rows(
        self, document: int, kind: SectionKind, numbers: Iterable[str], count: int
    ) -> list[tuple[str, int]]:
        """Return the first ``count`` of ``numbers`` that the document uses for this kind, with their first
        rows."""
        provisions = self._provisions
        found: list[tuple[str, int]] = []
        for tried, number in enumerate(numbers):
            if tried == MOST_TRIED:
                provisions.read(document)
            if kind in CONTAINERS:
                own = [provisions.all[one] for one in provisions.contained(document, kind, number)]
            else:
                every = [provisions.all[one] for one in provisions.printed(document, number)]
                own = [one for one in every if series_of(one.kind) == series_of(kind)]
            if own:
                found.append((number, own[0].rows[0]))
            if len(found) == count:
                break
        return found

    def neighbouring_paragraphs(self, target: Target, row: int) -> list[Destination]:
        """Return the paragraphs at a distance within the passage's own provision, nearest first."""
        own = self._provisions.at(row)
        own_paragraph = self._provisions.paragraph_of(row)
        if own is None or not own_paragraph or not target.step:
            return []
        passages = self._provisions.passages
        heads: dict[str, int] = {}
        for place in self._provisions.all[own].rows:
            top = (self._provisions.paragraph_of(place) or "").split("/")[0]
            if top:
                heads.setdefault(top, place)
        order = list(heads)
        place = order.index(own_paragraph.split("/")[0])
        if target.step < 0:
            chosen = order[max(0, place - target.count) : place][::-1]
        else:
            chosen = order[place + 1 : place + 1 + target.count]
        return [(TargetKind.PASSAGE, passages[heads[top]].id, heads[top]) for top in chosen]

    def containers(self, target: Target, row: int) -> list[Destination]:
        """Return the sections of a kind around a passage, or those before or after it.

        Sections of one kind may be nested (a German Abschnitt in a Kapitel): then all of them are returned.
        """
        kind = target.address.kind
        around = self._around(kind, row)
        if not target.step or not around:
            return [self._destination(section) for section in around]
        section = around[0]
        siblings = [one for one in self._siblings(section) if container_of(one.kind) is container_of(kind)]
        place = siblings.index(section)
        if target.step < 0:
            return [self._destination(one) for one in siblings[max(0, place - target.count) : place][::-1]]
        return [self._destination(one) for one in siblings[place + 1 : place + 1 + target.count]]

    def _siblings(self, section: Section) -> list[Section]:
        provisions = self._provisions
        document = provisions.document_number(section.document_id)
        siblings = (provisions.sections[number] for number in provisions.layout.sections_of[document])
        return [one for one in siblings if one.parent_id == section.parent_id]

    def _around(self, kind: SectionKind, row: int) -> list[Section]:
        """Return the sections of a kind that contain a passage, innermost first."""
        found: list[Section] = []
        section = self._provisions.section_named(self._provisions.passages[row].section_id)
        while section is not None:
            if container_of(section.kind) is container_of(kind):
                found.append(section)
            section = self._provisions.section_named(section.parent_id)
        return found

    def _destination(self, section: Section) -> Destination:
        first = self._provisions.first_row(self._provisions.document_number(section.document_id))
        return TargetKind.SECTION, section.id, first + section.first


def natural(number: str) -> tuple[tuple[int, int, str], ...]:
    """Make a natural sort key: 9 before 10, 14 before 14A before 15."""
    parts = re.findall(r"\d+|\D+", number)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def is_container(kind: SectionKind) -> bool:
    """Return True for the kind of a part of the hierarchy, False for a provision or paragraph."""
    return kind in CONTAINERS or kind is SectionKind.SUBSECTION
