"""Read Formex 4, the XML of the Official Journal of the European Union and its consolidated acts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from lxml import etree

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.fields import year_of
from engine.ingestion.readers.identity import language_of, source_name
from engine.ingestion.readers.xml import (
    Wording,
    children,
    convert_to_text,
    descendants,
    first,
    parse_root,
    plain,
    tag,
)
from engine.ingestion.structure.assembly import Assembler, Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import Heading, parse_heading, slug_of
from engine.language.aliases import aliases_of
from engine.model import Document, SectionKind

# Metadata of an act: CELEX number, type, number, dates, adopting body

# Types of acts by the value of LEG.VAL, and by the letter of a CELEX number (sector 3: legal acts).
_LEGAL_VALUES = {
    "REG": "Regulation",
    "DIR": "Directive",
    "DEC": "Decision",
    "REC": "Recommendation",
    "OPI": "Opinion",
    "AGR": "Agreement",
}
_CELEX = re.compile(r"(?P<sector>\d)(?P<year>\d{4})(?P<letter>[A-Z]{1,2})(?P<number>\d{4})")
_LETTERS = {"R": "Regulation", "L": "Directive", "D": "Decision", "H": "Recommendation"}
_PARLIAMENT = re.compile(r"Parliament|Parlament|Parlement", re.IGNORECASE)
_COUNCIL = re.compile(r"\bCouncil\b|\bRat(?:e?s)?\b|\bConseil\b", re.IGNORECASE)
_COMMISSION = re.compile(r"Commission|Kommission", re.IGNORECASE)
# "(Text with EEA relevance)" in any language: a remark after the title.
_REMARK = re.compile(r"\([^()]*(?:EEA|EWR|EEE|EØS|EES)[^()]*\)\s*$")
_FORM = {"YN": "{year}/{number}", "NY": "{number}/{year}"}


def document_of_act(root: etree._Element, source: SourceFile) -> Document:
    """Make the document of an act. Its id consists of type, number, language and version."""
    title = _title(root) or Path(source.name).stem
    language = _text(root, "LG.DOC", "LG.OJ").lower() or language_of(plain(root))
    celex = _celex(root)
    kind = _kind(root, celex)
    number, year = _number(root, celex)
    version, begin, end = _consolidation(root)
    name = f"{kind or 'act'}-{number}" if number else slug_of(Path(source.name).stem)
    document_id = f"eu-{slug_of(name)}-{language}" + (f"@{version.isoformat()}" if version else "")
    union = f"({_text(root, 'COM')}) " if _text(root, "COM") else ""
    short = f"{kind} {union}{number}" if kind and number else ""
    aliases = aliases_of(title, number=number, year=year, type=kind, language=language)
    extra: dict[str, Any] = {
        "celex": celex,
        "created": _iso(_first(root, "BIB.DATA", "DATE")),
        "published": _published(root),
    }
    return Document(
        id=document_id,
        title=title,
        language=language,
        type=kind,
        number=number,
        year=year,
        version=version.isoformat() if version else None,
        valid_from=begin,
        valid_to=end,
        issuer=_issuer(f"{title} {_text(root, 'PREAMBLE.INIT')}"),
        aliases=tuple(dict.fromkeys(filter(None, (*aliases, short, celex)))),
        source=source_name(source),
        metadata={field: value for field, value in extra.items() if value},
    )


def _title(root: etree._Element) -> str:
    found = _first(root, "TITLE", "TI")
    if found is None:
        return ""
    paragraphs = [plain(part) for part in children(found, "P")] or [plain(found)]
    return " ".join(part for part in paragraphs if part and not _REMARK.match(part))


def _first(root: etree._Element, *path: str) -> etree._Element | None:
    """Return the first element of a path anywhere in the file, or None."""
    found = next(descendants(root, path[0]), None)
    for name in path[1:]:
        found = None if found is None else first(found, name)
    return found


def _text(root: etree._Element, *names: str) -> str:
    return next((plain(found) for name in names if (found := _first(root, name)) is not None), "")


def _celex(root: etree._Element) -> str | None:
    """Return the CELEX number of the act itself; that of a corrigendum continues in brackets."""
    stated = (plain(found) for found in descendants(root, "NO.CELEX"))
    return next((number for number in stated if _CELEX.fullmatch(number)), None)


def _kind(root: etree._Element, celex: str | None) -> str | None:
    for element in root.iter():
        if isinstance(element.tag, str) and (value := element.get("LEG.VAL")):
            return _LEGAL_VALUES.get(value[:3])
    match = _CELEX.fullmatch(celex) if celex else None
    return _LETTERS.get(match["letter"]) if match else None


def _number(root: etree._Element, celex: str | None) -> tuple[str | None, int | None]:
    """Return number and year in legal style: 2016/679 today, 1408/71 before 2015."""
    stated = _first(root, "NO.DOC")
    number, year = plain(first(stated, "NO.CURRENT")), plain(first(stated, "YEAR"))
    if stated is not None and number and year.isdecimal():
        form = _FORM.get(stated.get("FORMAT") or "", "{year}/{number}")
        return form.format(year=year, number=number), year_of({"year": int(year)})
    match = _CELEX.fullmatch(celex) if celex else None
    if match is None:
        return None, None
    return f"{match['year']}/{int(match['number'])}", int(match["year"])


def _consolidation(root: etree._Element) -> tuple[date | None, date | None, date | None]:
    """Return the date of a consolidated version, and the first and last day on which it applies."""
    stated = _first(root, "INFO.CONSLEG")
    if stated is None:
        return None, None, None
    return tuple(_day(stated.get(name)) for name in ("CONSLEG.DATE", "START.DATE", "END.DATE"))  # type: ignore[return-value]


def _published(root: etree._Element) -> str | None:
    """Return the date of the act's Official Journal, from which entry into force is counted."""
    for name in ("BIB.INSTANCE.CONS", "BIB.INSTANCE"):
        day = _iso(_first(root, name, "DATE"))
        if day is not None:
            return day
    return None


def _iso(element: etree._Element | None) -> str | None:
    day = _day(element.get("ISO")) if element is not None else None
    return day.isoformat() if day is not None else None


def _day(written: str | None) -> date | None:
    """Parse a date written 20160504; 99999999 means unknown."""
    if written is None or not re.fullmatch(r"\d{8}", written):
        return None
    try:
        return date(int(written[:4]), int(written[4:6]), int(written[6:]))
    except ValueError:
        return None


def _issuer(words: str) -> str | None:
    if _PARLIAMENT.search(words):
        return "European Parliament and Council" if _COUNCIL.search(words) else "European Parliament"
    if _COMMISSION.search(words):
        return "European Commission"
    return "Council of the European Union" if _COUNCIL.search(words) else None


# The reader
#
# The ids of an act below the document are the same in every language. Element ids have the form of Akoma
# Ntoso eIds ("art_5__para_1"), because Formex has none that are cited. Footnotes follow the act in a section
# of their own, because they are not part of its provisions.

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
    """Reads Formex 4: one act per file."""

    name = "Formex"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept files with a Formex root that declare Formex in their schema or first elements."""
        plain_head = head.replace(b"\0", b"")
        return _ROOT.search(plain_head) is not None and any(mark in plain_head for mark in _MARKS)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the act of a file."""
        root = parse_root(source)
        if isinstance(root, Problem):
            yield root
            return
        if tag(root) not in _ROOTS:
            yield Problem(source.name, f"no Formex act: its root is <{tag(root)}>")
            return
        read = Assembler(document_of_act(root, source)).assemble(_Act().blocks(root))
        yield read if read.passages else Problem(source.name, "the act has no text")


class _Act:
    """Converts an act to blocks, and collects its footnotes."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._articles = 0

    def blocks(self, root: etree._Element) -> Iterator[Block]:
        """Yield all text of an act in order, footnotes last."""
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
            opening.append(convert_to_text(element, WORDING).text)
        if any(opening):
            yield TextBlock("\n".join(filter(None, opening)), eid="preamble", number="")
        for recital in preamble.iter("CONSID"):
            self._note(recital)
            found = _DIGITS.search(plain(next(recital.iter("NO.P"), None)))
            number = found[0] if found else ""
            if words := convert_to_text(recital, WORDING).text:
                yield TextBlock(words, eid=f"rec_{number}" if number else "preamble", number=number)
        closing = first(preamble, "PREAMBLE.FINAL")
        if closing is not None and (words := convert_to_text(closing, WORDING).text):
            # It follows the recitals and belongs to none.
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
        """Yield the lines of an element, one block each; the first begins with the label and has the number.

        ``numbered``: items with Arabic numbers are paragraphs ("Article 4(1)").
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
        self._notes.extend(
            filter(None, (convert_to_text(note, WORDING).text for note in element.iter("NOTE")))
        )


def _outermost(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the parts of an act below any wrappers."""
    wanted = {"PREAMBLE", "ENACTING.TERMS", "FINAL", "ANNEX", "CONS.ANNEX", "CONTENTS"}
    if tag(root) in wanted:
        yield root
        return
    for child in root:
        if isinstance(child.tag, str):
            yield from _outermost(child)


def _lines(element: etree._Element, label: str, item: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of an element with the label of the item that each one opens, without brackets."""
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
    words = convert_to_text(element, WORDING).text
    if words:
        yield f"{label} {words}".strip(), item


def _rows(table: etree._Element) -> Iterator[str]:
    for row in table.iter("ROW"):
        cells = [" ".join(convert_to_text(cell, WORDING).text.split()) for cell in children(row, "CELL")]
        if any(cells):
            yield "| " + " | ".join(cells) + " |"


def _heading(division: etree._Element, level: int) -> Heading:
    """Return the heading of a division: "CHAPTER I" and "General provisions" are separate elements.

    In EU German an "Abschnitt" is a section. An unknown word for a level gives a chapter on the outside and a
    section inside.
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
    return "" if element is None else " ".join(convert_to_text(element, WORDING).text.split())


def _article_number(article: etree._Element, printed: str) -> str | None:
    """Return the number of an article: as printed, otherwise from its identifier ("005A")."""
    found = _BARE_ARTICLE.search(printed)
    if found and found["number"]:
        return found["number"].lower()
    stated = (article.get("IDENTIFIER") or "").lstrip("0").lower()
    return stated or None
