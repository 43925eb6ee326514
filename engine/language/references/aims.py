"""What a reference to a provision points at: its section, its passage, or that of one of its paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from engine.language.addresses import ATTACHED, CONTAINERS, Address, number_key
from engine.language.references.grammar import Mention
from engine.language.references.provisions import Provision, Provisions
from engine.model import Passage, Reference, SectionKind, Span, Status, TargetKind

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
