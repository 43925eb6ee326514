"""What a reference points at: a section, a passage, a paragraph of one, or what is before or after it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from engine.language.addresses import ATTACHED, CONTAINERS, Address, number_key
from engine.language.references.grammar import Mention, Target
from engine.language.references.provisions import Provision, Provisions, container_of, series_of
from engine.model import Passage, Reference, Section, SectionKind, Span, Status, TargetKind

# What a reference to a provision points at: its section, its passage, or that of one of its
# paragraphs.

# The kind of target, its id, and its first row (-1 for a document).
Aim = tuple[TargetKind, str, int]


class Aims:
    """Finds what provisions, known by their places in ``Provisions.all``, are to who refers to them."""

    def __init__(self, provisions: Provisions) -> None:
        self._provisions = provisions
        self.forget()

    def forget(self) -> None:
        """Let go of what was found: the provisions are no longer those that they were."""
        self._known: dict[tuple[int, str | None], tuple[Aim, ...]] = {}
        self._parts: dict[tuple[int, str], tuple[list[int], str]] = {}
        self._numbers: dict[int, list[tuple[int, list[str]]]] = {}

    def of(self, index: int, address: Address | None) -> tuple[Aim, ...]:
        """What a reference points at: the passage of a paragraph, the provision's section, its passage."""
        paragraph = self.path(index, address) if address else None
        known = self._known.get((index, paragraph))
        if known is None:
            known = self._known[index, paragraph] = (self._found(index, paragraph),)
        return known

    def path(self, index: int, address: Address) -> str | None:
        """The part of a provision that an address names: "2" where paragraph 2 of Schedule 7 is meant."""
        provision = self._provisions.all[index]
        if address.within and provision.kind in CONTAINERS and address.kind not in CONTAINERS:
            return "/".join(part for part in (address.number, address.paragraph) if part) or None
        return address.paragraph if address.number and provision.key == number_key(address.number) else None

    def is_self(self, index: int, address: Address | None, row: int) -> bool:
        """Whether a passage would refer to itself."""
        return any(aim[2] == row for aim in self.of(index, address))

    def part(self, index: int, paragraph: str) -> tuple[list[int], str]:
        """The rows that carry a paragraph of a provision, or the nearest part that encloses it."""
        known = self._parts.get((index, paragraph))
        if known is None:
            known = self._parts[index, paragraph] = self._found_part(index, paragraph)
        return known

    def _found(self, index: int, paragraph: str | None) -> Aim:
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
            wanted = parts[:length]
            rows_of_part = [row for row, number in numbers if number[:length] == wanted]
            if rows_of_part:
                exact = [row for row, number in numbers if number == wanted]
                return exact or rows_of_part, "/".join(wanted)
        return [], ""

    def _counted(self, provision: Provision) -> list[tuple[int, str]]:
        """The parts that a provision counts: the row and path of each.

        The parts of a schedule may be counted on from Part to Part, and each may have a heading.
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
            # Each Part counts for itself.
            return [one for one in own if passages[one[0]].kind in ATTACHED]
        return inside


def reference_to(
    passage: Passage, mention: Mention, span: Span, aims: Sequence[Aim], confidence: float
) -> Reference:
    """The reference of a passage to one aim, an ambiguous one to several, an unresolved one to none."""
    text = passage.text[span.start : span.end]
    if len(aims) == 1:
        kind, target_id, _ = aims[0]
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
    status = Status.AMBIGUOUS if aims else Status.UNRESOLVED
    candidates = tuple(target_id for _, target_id, _ in aims)
    kinds = aims[0][0] if aims else None
    sure = round(confidence, 3) if aims else 0.0
    return Reference(
        passage.id, span, text, mention.relation, status, kinds, None, candidates, sure, mention.grammar
    )


# What stands before, after and around a passage: the targets of "the preceding Article", "this
# Part".

# So many numbers are looked up by themselves; of more of them the document is looked through.
MOST_TRIED = 24
# How sure a neighbour is; a container is told by its kind alone, which nested ones may share.
NEIGHBOUR, CONTAINER = 0.9, 0.7


class Neighbours:
    """Finds provisions, paragraphs and sections by their place beside a passage."""

    def __init__(self, provisions: Provisions) -> None:
        self._provisions = provisions

    def provisions_beside(self, target: Target, row: int) -> list[int]:
        """The provisions that a step from the passage's own leads to, nearest first."""
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
        """The provisions of the document before or after one, each once."""
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
        """Whether two provisions are of one series: 4.3.1 and 4.3.2, not 4.3."""
        same_series = series_of(one.kind) == series_of(other.kind)
        return same_series and one.key.count(".") == other.key.count(".") and one.key != other.key

    def numbers_beside(self, document: int, kind: SectionKind, key: str, count: int) -> list[tuple[str, int]]:
        """The numbers that stand next to one in a document, or would if it had it: number and first row of
        each, at most ``count``, ascending. Only of the numbering that serves the kind."""
        known = (number for number in self._provisions.numbers(document) if number not in ("", key))
        order = sorted(known, key=_natural)
        place = bisect_left(order, _natural(key), key=_natural)
        before = self._first_rows(document, kind, reversed(order[:place]), count)[::-1]
        near = before + self._first_rows(document, kind, order[place:], count)
        first = max(0, min(len(before) - count // 2, len(near) - count))
        return near[first : first + count]

    def _first_rows(
        self, document: int, kind: SectionKind, numbers: Iterable[str], count: int
    ) -> list[tuple[str, int]]:
        """The first ``count`` of some numbers that the numbering has that serves a kind, and the first row of
        each."""
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

    def paragraphs_beside(self, target: Target, row: int) -> list[Aim]:
        """The paragraphs of the passage's own provision that a step leads to, nearest first."""
        own = self._provisions.at(row)
        mine = self._provisions.paragraph_of(row)
        if own is None or not mine or not target.step:
            return []
        passages = self._provisions.passages
        heads: dict[str, int] = {}
        for place in self._provisions.all[own].rows:
            top = (self._provisions.paragraph_of(place) or "").split("/")[0]
            if top:
                heads.setdefault(top, place)
        order = list(heads)
        place = order.index(mine.split("/")[0])
        if target.step < 0:
            chosen = order[max(0, place - target.count) : place][::-1]
        else:
            chosen = order[place + 1 : place + 1 + target.count]
        return [(TargetKind.PASSAGE, passages[heads[top]].id, heads[top]) for top in chosen]

    def containers(self, target: Target, row: int) -> list[Aim]:
        """The section of a kind around a passage, or the one before or after it.

        Sections of one kind may stand in each other, a German Abschnitt in a Kapitel: then all around.
        """
        kind = target.address.kind
        around = self._around(kind, row)
        if not target.step or not around:
            return [self._aim(section) for section in around]
        section = around[0]
        siblings = [one for one in self._siblings(section) if container_of(one.kind) is container_of(kind)]
        place = siblings.index(section)
        if target.step < 0:
            return [self._aim(one) for one in siblings[max(0, place - target.count) : place][::-1]]
        return [self._aim(one) for one in siblings[place + 1 : place + 1 + target.count]]

    def _siblings(self, section: Section) -> list[Section]:
        provisions = self._provisions
        document = provisions.document_number(section.document_id)
        beside = (provisions.sections[number] for number in provisions.layout.sections_of[document])
        return [one for one in beside if one.parent_id == section.parent_id]

    def _around(self, kind: SectionKind, row: int) -> list[Section]:
        """The sections of a kind that hold a passage, the innermost first."""
        found: list[Section] = []
        section = self._provisions.section_named(self._provisions.passages[row].section_id)
        while section is not None:
            if container_of(section.kind) is container_of(kind):
                found.append(section)
            section = self._provisions.section_named(section.parent_id)
        return found

    def _aim(self, section: Section) -> Aim:
        first = self._provisions.first_row(self._provisions.document_number(section.document_id))
        return TargetKind.SECTION, section.id, first + section.first


def _natural(number: str) -> tuple[tuple[int, int, str], ...]:
    """A number by the values of its digits: 9 before 10, 14 before 14A before 15."""
    parts = re.findall(r"\d+|\D+", number)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def is_container(kind: SectionKind) -> bool:
    """Whether a kind names a part of the hierarchy, not a provision or a paragraph of one."""
    return kind in CONTAINERS or kind is SectionKind.SUBSECTION
