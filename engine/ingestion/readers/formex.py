"""Formex 4, the XML of the Official Journal of the European Union and of its consolidated acts.

The same act has the same ids below the document in every language. Element ids are built as Akoma Ntoso
builds its eIds ("art_5__para_1"), because Formex has none that people cite. Footnotes stand in a section
of their own behind the act: they are no part of its provisions, and still there to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from engine.ingestion.assembly import Assembler, Block, HeadingBlock, TextBlock
from engine.ingestion.headings import Heading, parse_heading, slug_of
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.formex_metadata import document_of_act
from engine.ingestion.readers.xml import Wording, children, first, plain, root_of, tag, worded
from engine.model import SectionKind

_ROOTS = ("CONS.ACT", "CONS.DOC", "ACT", "GENERAL", "AGR", "DECISION", "ANNEX", "CONS.ANNEX")
_ROOT = re.compile(rb"<(?:" + "|".join(_ROOTS).replace(".", r"\.").encode() + rb")[\s>]")
_MARKS = (b"formex", b"<BIB.INSTANCE", b"<INFO.CONSLEG")
_TITLES = frozenset({"TITLE", "TI.ART", "STI.ART", "NO.PARAG", "NO.P", "TI", "STI"})
_ITEMS = frozenset({"LIST", "ITEM", "NP"})
_BLOCKS = _ITEMS | {"P", "TXT", "ALINEA", "TBL", "GR.TBL", "GR.SEQ"}
_DIGITS = re.compile(r"\d+[a-z]{0,2}", re.IGNORECASE)
_BARE_ARTICLE = re.compile(r"[^\W\d]+\.?\s*(?P<number>\d+[a-z]{0,2})|(?P<only>[^\W\d]+ [^\W\d]+)")
_NUMBERED = re.compile(r"[IVXLC]+|\d+[a-zA-Z]?|[A-Z]")
_WORDS = {"abschnitt": SectionKind.SECTION, "unterabschnitt": SectionKind.SUBSECTION}
_PIECES = {SectionKind.CHAPTER: "chp", SectionKind.SECTION: "sec", SectionKind.TITLE: "title"}


def _sign(element: etree._Element) -> str | None:
    name = tag(element)
    if name in {"QUOT.START", "QUOT.END"}:
        code = element.get("CODE") or ""
        return chr(int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{4}", code) else '"'
    return " " if name == "BR" else None


WORDING = Wording(
    left_out=frozenset({"NOTE", "BIB.INSTANCE", "INCL.ELEMENT"}),
    lines=frozenset({"P", "ITEM", "NP", "ROW", "ALINEA"}),
    labels=frozenset({"NO.P", "NO.PARAG"}),
    signs=_sign,
)


class FormexReader:
    """Reads Formex 4: one act a file."""

    name = "Formex"

    def accepts(self, path: Path, head: bytes) -> bool:
        """A file whose root is one of Formex and which says so in its schema or its first elements."""
        plain_head = head.replace(b"\0", b"")
        return _ROOT.search(plain_head) is not None and any(mark in plain_head for mark in _MARKS)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The act of a file."""
        root = root_of(source)
        if isinstance(root, Problem):
            yield root
            return
        if tag(root) not in _ROOTS:
            yield Problem(source.name, f"no Formex act: its root is <{tag(root)}>")
            return
        read = Assembler(document_of_act(root, source)).assemble(_Act().blocks(root))
        yield read if read.passages else Problem(source.name, "the act has no text")


class _Act:
    """Turns an act into blocks, and gathers its footnotes on the way."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._articles = 0

    def blocks(self, root: etree._Element) -> Iterator[Block]:
        """Everything in an act, in its order, its footnotes at the end."""
        for part in _outermost(root):
            name = tag(part)
            if name == "PREAMBLE":
                yield from self._preamble(part)
            elif name == "ENACTING.TERMS":
                yield from self._level(part, 1, "")
            elif name == "FINAL":
                yield HeadingBlock(1, Heading(SectionKind.HEADING, None, "Final", "", "final"), eid="final")
                yield from self._text(part, "final")
            else:
                yield from self._annex(part)
        if self._notes:
            heading = Heading(SectionKind.HEADING, None, "Notes", "", "notes")
            yield HeadingBlock(1, heading, eid="notes")
            for number, note in enumerate(self._notes, start=1):
                yield TextBlock(f"({number}) {note}", eid=f"fn_{number}", number=str(number))

    def _preamble(self, preamble: etree._Element) -> Iterator[Block]:
        heading = Heading(SectionKind.PREAMBLE, None, "Preamble", "", "preamble")
        yield HeadingBlock(1, heading, eid="preamble")
        opening: list[str] = []
        for element in preamble.iter("PREAMBLE.INIT", "VISA", "GR.CONSID.INIT"):
            self._note(element)
            opening.append(worded(element, WORDING).text)
        if any(opening):
            yield TextBlock("\n".join(filter(None, opening)), eid="preamble", number="")
        for recital in preamble.iter("CONSID"):
            self._note(recital)
            found = _DIGITS.search(plain(next(recital.iter("NO.P"), None)))
            number = found[0] if found else ""
            if words := worded(recital, WORDING).text:
                yield TextBlock(words, eid=f"rec_{number}" if number else "preamble", number=number)
        closing = first(preamble, "PREAMBLE.FINAL")
        if closing is not None and (words := worded(closing, WORDING).text):
            # It follows the recitals, and is part of none.
            formula = Heading(SectionKind.HEADING, None, "Enacting formula", "", "enacting-formula")
            yield HeadingBlock(2, formula, eid="preamble__formula")
            yield TextBlock(words, number="")

    def _level(self, element: etree._Element, level: int, above: str) -> Iterator[Block]:
        for child in element:
            name = tag(child)
            if name == "DIVISION":
                heading = _heading(child, level)
                piece = _PIECES.get(heading.kind, str(heading.kind))
                eid = f"{above}{piece}_{heading.number or slug_of(heading.title)}"
                yield HeadingBlock(level, heading, eid=eid)
                yield from self._level(child, level + 1, f"{eid}__")
            elif name == "ARTICLE":
                yield from self._article(child, level)
            elif name not in _TITLES:
                yield from self._text(child, above.rstrip("_"))

    def _article(self, article: etree._Element, level: int) -> Iterator[Block]:
        self._articles += 1
        printed, title = plain(first(article, "TI.ART")), _plain_title(first(article, "STI.ART"))
        number = _article_number(article, printed) or str(self._articles)
        eid = f"art_{number}"
        heading = Heading(SectionKind.ARTICLE, number, title, printed or number, f"art-{slug_of(number)}")
        yield HeadingBlock(level, heading, eid=eid)
        for child in article:
            if tag(child) == "PARAG":
                label = plain(first(child, "NO.PARAG"))
                found = _DIGITS.search(label)
                own = found[0] if found else ""
                yield from self._text(child, f"{eid}__para_{own}" if own else eid, label, own)
            elif tag(child) not in _TITLES:
                yield from self._text(child, eid, numbered=first(article, "PARAG") is None)

    def _text(
        self, element: etree._Element, eid: str, label: str = "", number: str = "", *, numbered: bool = False
    ) -> Iterator[TextBlock]:
        """The lines of an element, one block each; the first begins with the label and has the number.

        ``numbered``: the items of a list with Arabic numbers are paragraphs ("Article 4(1)").
        """
        self._note(element)
        for line, item in _lines(element, label, ""):
            own = item if numbered and item.isdigit() else ""
            yield TextBlock(line, eid=f"{eid}__point_{own}" if own else eid, number=number or own)
            number = ""

    def _annex(self, annex: etree._Element) -> Iterator[Block]:
        title = first(annex, "TITLE")
        heading = parse_heading(_plain_title(first(title, "TI")) or "Annex")
        more = _plain_title(first(title, "STI"))
        kind = SectionKind.ANNEX
        slug = heading.slug if heading.kind is kind else f"annex-{slug_of(heading.number or heading.title)}"
        shown = " ".join(part for part in (heading.title, more) if part)
        yield HeadingBlock(1, Heading(kind, heading.number, shown, heading.label, slug), eid=slug)
        for child in annex:
            if tag(child) not in _TITLES and tag(child) != "BIB.INSTANCE":
                yield from self._text(child, slug)

    def _note(self, element: etree._Element) -> None:
        self._notes.extend(filter(None, (worded(note, WORDING).text for note in element.iter("NOTE"))))


def _outermost(root: etree._Element) -> Iterator[etree._Element]:
    """The parts of an act, wherever its wrappers put them."""
    wanted = {"PREAMBLE", "ENACTING.TERMS", "FINAL", "ANNEX", "CONS.ANNEX", "CONTENTS"}
    if tag(root) in wanted:
        yield root
        return
    for child in root:
        if isinstance(child.tag, str):
            yield from _outermost(child)


def _lines(element: etree._Element, label: str, item: str) -> Iterator[tuple[str, str]]:
    """The lines of an element with the label of the item that each one opens, without brackets."""
    name = tag(element)
    if name == "NP":
        own = plain(first(element, "NO.P"))
        label = f"{label} {own}".strip()
        item = own.strip("() .")
    if name in {"TBL", "GR.TBL"}:
        yield from ((row, "") for row in _rows(element))
        return
    has_blocks = any(tag(child) in _BLOCKS for child in element)
    if name != "P" and has_blocks and not (element.text or "").strip():
        for child in element:
            if tag(child) in _TITLES:
                continue
            mark = f"{label} —".strip() if tag(child) == "ITEM" and element.get("TYPE") == "DASH" else label
            for line, own in _lines(child, mark, item):
                label = item = ""
                yield line, own
        return
    words = worded(element, WORDING).text
    if words:
        yield f"{label} {words}".strip(), item


def _rows(table: etree._Element) -> Iterator[str]:
    for row in table.iter("ROW"):
        cells = [" ".join(worded(cell, WORDING).text.split()) for cell in children(row, "CELL")]
        if any(cells):
            yield "| " + " | ".join(cells) + " |"


def _heading(division: etree._Element, level: int) -> Heading:
    """The heading of a division: "CHAPTER I" and "General provisions" stand in elements of their own.

    In the Union's German an "Abschnitt" is what a section is; a word for a level that is not known makes
    a chapter at the outside and a section within.
    """
    title = first(division, "TITLE")
    printed = _plain_title(first(title, "TI"))
    heading = parse_heading(printed)
    word, _, rest = printed.partition(" ")
    kind, number = _WORDS.get(word.casefold(), heading.kind), heading.number
    if kind is SectionKind.HEADING and (found := _NUMBERED.fullmatch(rest)) is not None:
        kind = SectionKind.CHAPTER if level == 1 else SectionKind.SECTION
        number = found[0]
    more = _plain_title(first(title, "STI"))
    if kind is heading.kind:
        shown = " ".join(part for part in (heading.title, more) if part)
        return Heading(kind, number, shown, heading.label, heading.slug)
    return Heading(kind, number, more, printed, f"{kind}-{slug_of(number or printed)}")


def _plain_title(element: etree._Element | None) -> str:
    return "" if element is None else " ".join(worded(element, WORDING).text.split())


def _article_number(article: etree._Element, printed: str) -> str | None:
    """The number of an article: as printed, or as its identifier has it ("005A")."""
    found = _BARE_ARTICLE.search(printed)
    if found and found["number"]:
        return found["number"].lower()
    stated = (article.get("IDENTIFIER") or "").lstrip("0").lower()
    return stated or None
