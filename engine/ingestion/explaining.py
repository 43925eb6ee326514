"""Explanations of provisions: Penjelasan, Begründung, explanatory notes.

They repeat the numbers of the provisions that they explain and are none themselves: they become guidance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.ingestion.headings import EXPLANATION
from engine.ingestion.readers.base import ReadDocument
from engine.language.addresses import CONTAINERS, PROVISIONS, number_key
from engine.model import Passage, Section, SectionKind

# A longer heading of an explanation names the whole act: the first word says enough in a label.
LONGEST_NAME = 30


def with_explanations(read: ReadDocument) -> ReadDocument:
    """The document with its explanations marked as guidance; all of it if its title says that it explains."""
    is_whole = EXPLANATION.match(read.document.title) is not None
    ids = [None, *(one.id for one in read.sections)]
    inside = dict.fromkeys(ids, "") if is_whole else _inside(read.sections)
    if not inside:
        return read
    explained = {_key(one) for one in read.sections if one.id not in inside}
    explained |= {_key(one) for one in read.passages if one.section_id not in inside}

    def explains(one: Section | Passage, section_id: str | None) -> bool:
        numbered = bool(one.number) and one.kind in PROVISIONS | CONTAINERS
        return section_id in inside and numbered and (is_whole or _key(one) in explained)

    sections = (
        replace(one, kind=SectionKind.GUIDANCE) if explains(one, one.id) else one for one in read.sections
    )
    passages = (
        replace(one, kind=SectionKind.GUIDANCE, label=f"{inside[one.section_id]}, {one.label}".lstrip(", "))
        if explains(one, one.section_id)
        else one
        for one in read.passages
    )
    return replace(read, sections=tuple(sections), passages=tuple(passages))


def _key(one: Section | Passage) -> tuple[SectionKind | None, str]:
    """What two provisions of one number have in common: containers their kind as well."""
    return one.kind if one.kind in CONTAINERS else None, number_key(one.number or "")


def _inside(sections: Sequence[Section]) -> dict[str | None, str]:
    """The sections of explanations by their ids, each with the name of its explanation.

    Provisions may follow on the level of the heading that explains them, if their numbers were there before.
    """
    inside: dict[str | None, str] = {}
    seen: dict[str | None, set[str]] = {}
    open_at: dict[str | None, str] = {}
    for section in sections:
        above, key = section.parent_id, number_key(section.number or "")
        if section.kind is SectionKind.HEADING and EXPLANATION.match(section.title):
            short = len(section.title) <= LONGEST_NAME
            open_at[above] = inside[section.id] = section.title if short else section.title.split()[0]
        elif above in inside or (above in open_at and key in seen.get(above, ())):
            inside[section.id] = inside.get(above) or open_at[above]
        else:
            open_at.pop(above, None)
            seen.setdefault(above, set()).add(key)
    return inside
