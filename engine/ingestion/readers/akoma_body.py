"""Convert the text of an Akoma Ntoso document to headings and blocks.

The vocabulary of Akoma Ntoso 3.0 (OASIS LegalDocML) gives levels of a hierarchy, units of text below them,
and remarks; version 2 has the same names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from lxml import etree

from engine.ingestion.readers.xml import Worded, Wording, children, convert_to_text, first, plain, tag
from engine.ingestion.structure.assembly import Block, HeadingBlock, Link, TextBlock
from engine.ingestion.structure.headings import Heading, slug_of
from engine.ingestion.structure.outline import cited_as
from engine.language.addresses import Address
from engine.model import SectionKind

# Levels of a hierarchy, with any heading.
_KINDS: Mapping[str, SectionKind] = {
    "book": SectionKind.BOOK,
    "tome": SectionKind.BOOK,
    "part": SectionKind.PART,
    "subpart": SectionKind.PART,
    "title": SectionKind.TITLE,
    "subtitle": SectionKind.TITLE,
    "chapter": SectionKind.CHAPTER,
    "subchapter": SectionKind.CHAPTER,
    "section": SectionKind.SECTION,
    "subdivision": SectionKind.SUBSECTION,
    "article": SectionKind.ARTICLE,
    "rule": SectionKind.RULE,
    "clause": SectionKind.SECTION,
    "schedule": SectionKind.SCHEDULE,
    "annex": SectionKind.ANNEX,
    "attachment": SectionKind.ANNEX,
    "preamble": SectionKind.PREAMBLE,
}
_NAMED = {"schedule": SectionKind.SCHEDULE, "annex": SectionKind.ANNEX, "appendix": SectionKind.ANNEX}
# Units of text below a provision: the first ones are its numbered paragraphs.
_PARAGRAPHS = frozenset({"subsection", "paragraph", "subparagraph", "subrule", "subclause", "recital"})
_UNITS = _PARAGRAPHS | {"point", "item", "indent", "alinea", "citation", "sublist"}
# Numbered paragraphs only if the provision has none of the above.
_LEAVES = frozenset(
    {"p", "block", "listIntroduction", "listWrapUp", "narrative", "scene", "summary", "table", "longTitle"}
)
_SKIPPED = frozenset({"meta", "toc", "documentRef", "num", "heading", "subheading", "from", "crossHeading"})
_REMARKS = frozenset({"authorialNote", "note", "noteRef", "notes", "marker", "del", "img", "toc", "meta"})
_SPEECHES = frozenset({"speech", "question", "answer", "speechGroup", "other"})
_FRONT = frozenset({"coverPage", "preface", "header"})
_PARTS_OF_A_JUDGMENT = frozenset(
    {"introduction", "background", "arguments", "remedies", "motivation", "decision"}
)
_UNTITLED = {"preamble": "Preamble", "conclusions": "Conclusions"} | {
    name: name.capitalize() for name in _PARTS_OF_A_JUDGMENT
}
_NUMBER = re.compile(
    r"(?P<number>[A-Z]{0,2}\d+(?:[.-]\d+)*"
    r"(?:[- ]?(?:bis|ter|quater|quinquies|sexies)\b|[a-z]{1,2}(?!\w)|[A-Z]{1,2}(?!\w))?"
    r"|\b[IVXLC]+\b|\b[A-Za-z]{1,2}\b)[\W\u00ba]*\Z"
)
_SLUGS = {SectionKind.ARTICLE: "art"}


def _target(element: etree._Element) -> str | None:
    name = {"ref": "href", "rref": "from"}.get(tag(element))
    return element.get(name) or None if name else None


def _sign(element: etree._Element) -> str | None:
    name = tag(element)
    if name in {"eol", "br"}:
        return " "
    if name == "remark" or element.get("status") == "editorial":
        # Text added by an editor must differ from enacted text.
        return f"[{plain(element).strip('[] ')}]"
    return None


WORDING = Wording(
    left_out=_REMARKS,
    lines=frozenset(
        {"p", "tr", "item", "point", "quotedStructure", "subsection", "paragraph", "article", "section"}
    ),
    labels=frozenset({"num"}),
    target=_target,
    signs=_sign,
)


@dataclass(slots=True)
class Body:
    """Converts one document to blocks. ``periods``: validity of temporal groups by id."""

    language: str
    periods: Mapping[str, tuple[date | None, date | None]] = field(default_factory=dict)

    def blocks(self, document: etree._Element) -> Iterator[Block]:
        """Yield all text of a document in order."""
        has_preface = first(document, "preface") is not None
        for part in document:
            name = tag(part)
            if name in _SKIPPED or (name == "coverPage" and has_preface):
                continue
            if name in _FRONT:
                yield from _as_one(self._walk(part, 1))
            else:
                yield from self._walk(part, 1)

    def _walk(self, element: etree._Element, level: int) -> Iterator[Block]:
        """Yield a level of the hierarchy with everything below it, or other text at its position."""
        name = tag(element)
        if name in _SKIPPED | _REMARKS or not name or element.get("status") == "editorial":
            return
        if name in _LEAVES or (name not in _KINDS and _has_words(element)):
            yield from self._leaf(element, "", "")
            return
        heading = self._heading(element) if name not in _UNITS else None
        if heading is not None:
            yield self._headed(element, heading, level)
            level += 1
        if name in _UNITS:
            yield from self._unit(element, "", 0)
            return
        for child in element:
            yield from self._walk(child, level)

    def _headed(self, element: etree._Element, heading: Heading, level: int) -> HeadingBlock:
        since, until = self.periods.get((element.get("period") or "").lstrip("#"), (None, None))
        status = element.get("status")
        return HeadingBlock(
            level,
            heading,
            valid_from=since,
            valid_to=until,
            status="repealed" if status in {"removed", "repealed"} else None,
            eid=get_eid(element),
        )

    def _heading(self, element: etree._Element) -> Heading | None:
        """Return the heading of a level; None for an element that is only a wrapper."""
        name = tag(element)
        titles = [
            convert_to_text(child, WORDING).text for child in children(element, "heading", "subheading")
        ]
        title = " ".join(" ".join(part.split()) for part in titles if part).strip(" —–-")
        number = plain(first(element, "num"))
        if name in _SPEECHES and not title:
            title = plain(first(element, "from")).strip(" :")
        kind = _KINDS.get(name) or _NAMED.get(element.get("name") or "") or SectionKind.HEADING
        if not title and not number:
            title = _UNTITLED.get(name, "")
            if name == "formula" and element.getprevious() is not None:
                # It follows the recitals and belongs to none.
                title = "Enacting formula"
            if not title and name == "attachment":
                title = plain(next(iter(element.iter("{*}docTitle")), None)) or "Annex"
        if not title and not number:
            return None
        return made_heading(kind, number, title, self.language)

    def _unit(self, element: etree._Element, prefix: str, depth: int) -> Iterator[TextBlock]:
        """Yield a numbered paragraph, point or item: its own words and the units below it, one block each."""
        name, label = tag(element), plain(first(element, "num"))
        number = ""
        if depth == 0 and label:
            value = find_number(label)
            number = value if name in _PARAGRAPHS or value.isdigit() else ""
        opening = f"{prefix}{_in_brackets(label)} " if label else prefix
        heading = (
            convert_to_text(found, WORDING) if (found := first(element, "heading")) is not None else None
        )
        if heading is not None and heading.text:
            yield _block(heading.behind(opening), get_eid(element), number)
            opening = number = ""
        yield from self._below(element, opening, number, depth + bool(label), get_eid(element))

    def _below(
        self, element: etree._Element, opening: str, number: str, depth: int, eid: str | None
    ) -> Iterator[TextBlock]:
        """Yield the blocks of a unit; the first begins with its label and has its number."""
        if _has_words(element):
            yield from self._leaf(element, opening, number, eid)
            return
        for child in element:
            name = tag(child)
            if name in _SKIPPED | _REMARKS or not name or child.get("status") == "editorial":
                continue
            if name in _LEAVES or _has_words(child):
                made = self._leaf(child, opening, number, eid)
            elif name in _UNITS:
                made = self._unit(child, opening, depth)
            else:
                made = self._below(child, opening, number, depth, get_eid(child) or eid)
            for block in made:
                if number and not block.number:
                    block = TextBlock(block.text, eid=eid or block.eid, number=number, links=block.links)
                opening = number = ""
                yield block

    def _leaf(
        self, element: etree._Element, opening: str, number: str, eid: str | None = None
    ) -> Iterator[TextBlock]:
        found = Worded(_table(element)) if tag(element) == "table" else convert_to_text(element, WORDING)
        if found.text:
            yield _block(found.behind(opening), get_eid(element) or eid, number)


def _as_one(blocks: Iterator[Block]) -> Iterator[TextBlock]:
    """Join the lines of a title page into one block, because they are too short for separate passages."""
    text, links = "", list[Link]()
    for block in blocks:
        if isinstance(block, TextBlock):
            start = len(text) + 1 if text else 0
            links += [Link(start + link.start, start + link.end, link.target) for link in block.links]
            text = f"{text}\n{block.text}" if text else block.text
    if text:
        yield TextBlock(text, number="", links=tuple(links))


def made_heading(kind: SectionKind, printed: str, title: str, language: str) -> Heading:
    """Make the heading of a level from its marked number and title."""
    number = find_number(printed)
    if kind is SectionKind.HEADING or not number:
        label = printed if kind is SectionKind.HEADING else ""
        shown = title if number or not printed else f"{printed} {title}".strip()
        slug = str(kind) if kind is SectionKind.PREAMBLE else slug_of(f"{printed} {title}") or str(kind)
        return Heading(kind, number or None, shown, label, slug)
    worded_number = any(letter.isalpha() or letter == "§" for letter in printed.replace(number, "", 1))
    label = printed.strip(" .:—–-") if worded_number else cited_as(Address(kind, number), language)
    base = "sec" if "§" in printed else _SLUGS.get(kind, str(kind))
    return Heading(kind, number, title, label, f"{base}-{slug_of(number)}")


def find_number(printed: str) -> str:
    """Return the number at the end of a label: "§ 301." gives 301, "(a)" a, "Art. 1-bis." 1-bis."""
    found = _NUMBER.search(printed.strip())
    return found["number"].replace(" ", "") if found else ""


def get_eid(element: etree._Element) -> str | None:
    """Return the id of an element: eId of version 3, id of version 2, or wId."""
    return element.get("eId") or element.get("id") or element.get("wId")


def _in_brackets(label: str) -> str:
    """Format a bare number: "1" becomes "(1)"."""
    return f"({label})" if label.isalnum() else label


def _block(found: Worded, eid: str | None, number: str) -> TextBlock:
    return TextBlock(found.text, eid=eid, number=number, links=found.links)


def _has_words(element: etree._Element) -> bool:
    """Return True if an element contains words outside its children."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _table(table: etree._Element) -> str:
    """Format a table: one line per row, cells separated by bars."""
    rows = []
    for row in table.iter("{*}tr"):
        cells = [" ".join(convert_to_text(cell, WORDING).text.split()) for cell in children(row, "td", "th")]
        if any(cells):
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)
