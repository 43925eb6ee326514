"""Explanations of provisions: Penjelasan, Begründung, explanatory notes.

They repeat the numbers of the provisions that they explain and are none themselves: their sections and
passages become guidance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.ingestion.headings import EXPLANATION
from engine.ingestion.readers.base import ReadDocument
from engine.language.addresses import CONTAINERS, COUNTED_THROUGH, number_key
from engine.model import Passage, Section, SectionKind

# A longer heading of an explanation names the whole act: the first word says enough in a label.
LONGEST_NAME = 30


def with_explanations(read: ReadDocument) -> ReadDocument:
    """The document with its explanations marked as guidance; all of it if its title says that it explains."""
    whole = EXPLANATION.match(read.document.title) is not None
    inside = {section.id: "" for section in read.sections} if whole else _inside(read.sections)
    if not inside and not whole:
        return read
    sections = {section.id: section for section in read.sections}
    outside: list[Section | Passage] = [one for one in read.sections if one.id not in inside]
    outside += [one for one in read.passages if one.section_id not in inside]
    explained = set(map(_key, outside))

    def repeats(one: Section | Passage) -> bool:
        numbered = bool(one.number) and one.kind in COUNTED_THROUGH | CONTAINERS
        return numbered and (whole or _key(one) in explained)

    def passages() -> Iterator[Passage]:
        for one in read.passages:
            name = inside.get(one.section_id or "", "")
            if (one.section_id in inside or whole) and repeats(one):
                yield replace(one, kind=SectionKind.GUIDANCE, label=f"{name}, {one.label}".lstrip(", "))
            elif (above := _above(sections, inside, one)) is not None:
                yield replace(one, kind=SectionKind.GUIDANCE, number=above)
            else:
                yield one

    marked = tuple(
        replace(one, kind=SectionKind.GUIDANCE) if one.id in inside and repeats(one) else one
        for one in read.sections
    )
    return replace(read, sections=marked, passages=tuple(passages()))


def _key(one: Section | Passage) -> tuple[SectionKind | None, str]:
    """What two provisions of one number have in common: containers their kind as well."""
    return one.kind if one.kind in CONTAINERS else None, number_key(one.number or "")


def _inside(sections: Sequence[Section]) -> dict[str, str]:
    """The sections of explanations by their ids, each with the name of its explanation.

    Provisions may follow on the level of the heading that explains them, if their numbers were there before.
    """
    inside: dict[str, str] = {}
    seen: set[str] = set()
    beside: tuple[str | None, str] | None = None
    for section in sections:
        key = number_key(section.number or "")
        begins = section.kind is SectionKind.GUIDANCE and not key and EXPLANATION.match(section.title)
        if section.parent_id in inside:
            inside[section.id] = inside[section.parent_id]
        elif begins:
            name = section.title if len(section.title) <= LONGEST_NAME else section.title.split()[0]
            inside[section.id] = name
            beside = section.parent_id, name
        elif beside is not None and section.parent_id == beside[0] and key in seen:
            inside[section.id] = beside[1]
        elif beside is not None and section.parent_id == beside[0]:
            beside = None
        if section.id not in inside and section.kind in COUNTED_THROUGH:
            seen.add(key)
    return inside


def _above(sections: dict[str, Section], inside: dict[str, str], passage: Passage) -> str | None:
    """The number of the provision that holds the explanation of a passage; None if none does."""
    section = sections.get(passage.section_id or "")
    if section is None or section.id not in inside or passage.number:
        return None
    while section is not None and section.id in inside:
        section = sections.get(section.parent_id or "")
    return section.number if section is not None and section.kind in COUNTED_THROUGH else None
