"""Build sections as ranges of passages, and cite provisions inside their documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.language.addresses import Address
from engine.language.designations import is_designation
from engine.languages import words
from engine.model import Section, SectionKind

# Citations of provisions inside their documents

_ENGLISH = {kind: str(kind).capitalize() for kind in SectionKind} | {SectionKind.GUIDANCE: "Rule"}
_PLAIN = re.compile(r"[0-9A-Za-z]{1,5}\Z")


def cited_as(address: Address, language: str) -> str:
    """Return the citation of an address: "Rule 1.2.1(1)", "§ 14 Abs. 2", "المادة 5، الفقرة (2)"."""
    if address.number is None:
        return ""
    if is_designation(address.number):
        return address.number + format_levels(address.paragraph, language)
    citing = words(language).citing
    if citing.whole:
        below_it = citing.whole_paragraph.format(paragraph=address.paragraph) if address.paragraph else ""
        return citing.whole.format(number=address.number) + below_it
    word = citing.words.get(address.kind) or _ENGLISH[address.kind]
    return f"{word} {address.number}{format_levels(address.paragraph, language)}"


def format_levels(paragraph: str | None, language: str, *, item: bool = False) -> str:
    """Format the levels below a provision's number: "(2)(a)", " Abs. 2 Nr. a", " ayat (2)", " Guidance 3".

    ``item``: the text prints "2." instead of "(2)": " Nr. 2", " angka 2".
    """
    if not paragraph:
        return ""
    parts = paragraph.split("/")
    citing = words(language).citing
    if item and citing.item:
        return f" {citing.item} {parts[0]}"
    if citing.together:
        return citing.paragraph.format("/".join(parts))
    if citing.further:
        return citing.paragraph.format(parts[0]) + "".join(citing.further.format(part) for part in parts[1:])
    return citing.lead + "".join(
        f"({part})" if _PLAIN.match(part) and "Guidance" not in parts else f" {part}" for part in parts
    )


# Sections as ranges of passages, from the headings above each passage


@dataclass(frozen=True, slots=True)
class Node:
    """A heading above a passage. An equal ``key`` under an equal parent is the same section.

    ``shown``: the heading in a path ("Chapter 1 Scope"). ``slug``: its part of an id, after the id of the
    section above or, if ``rooted``, of the document.
    """

    key: str
    kind: SectionKind
    number: str | None
    title: str
    shown: str
    slug: str
    rooted: bool = False


@dataclass(slots=True)
class _Open:
    key: str
    id: str
    parent_id: str | None
    node: Node
    first: int


@dataclass(slots=True)
class Outline:
    """Builds the sections of one document from its passages in reading order."""

    document_id: str
    sections: list[Section | None] = field(default_factory=list)
    _open: list[tuple[_Open, int]] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def place(self, nodes: Sequence[Node], position: int) -> str | None:
        """Return the id of the innermost section of a passage; new sections are opened."""
        shared = 0
        while (
            shared < len(nodes)
            and shared < len(self._open)
            and self._open[shared][0].key == nodes[shared].key
        ):
            shared += 1
        self._close(shared, position)
        for node in nodes[shared:]:
            parent = self._open[-1][0].id if self._open else None
            opened = _Open(node.key, self._id(node, parent), parent, node, position)
            self.sections.append(None)
            self._open.append((opened, len(self.sections) - 1))
        return self._open[-1][0].id if self._open else None

    def finish(self, stop: int) -> tuple[Section, ...]:
        """Return all sections, outer before inner. ``stop``: the number of passages."""
        self._close(0, stop)
        return tuple(section for section in self.sections if section is not None)

    def _close(self, depth: int, stop: int) -> None:
        while len(self._open) > depth:
            opened, place = self._open.pop()
            self.sections[place] = Section(
                id=opened.id,
                document_id=self.document_id,
                parent_id=opened.parent_id,
                kind=opened.node.kind,
                number=opened.node.number,
                title=opened.node.title,
                first=opened.first,
                stop=stop,
            )

    def _id(self, node: Node, parent: str | None) -> str:
        above = self.document_id if node.rooted or parent is None else parent
        wanted = f"{above}/{node.slug}"
        found, again = wanted, 2
        while found in self._ids:
            found, again = f"{wanted}~{again}", again + 1
        self._ids.add(found)
        return found
