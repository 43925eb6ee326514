"""Read the parts of a DOCX package: styles and numbering."""

from __future__ import annotations

import posixpath
import re
import zipfile
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from lxml import etree

from engine.bounded import open_zip, read_member
from engine.errors import UnpackingError, in_words
from engine.ingestion.readers.base import numeral

# Parts of a Word file, which is an untrusted zip of XML
#
# Only the required parts are unpacked, each within a limit. XML is parsed without network, external entities
# or document types (ECMA-376 part 2 forbids the last in a package).

Element = etree._Element  # noqa: SLF001 (lxml has no public name for it; used in types alone)

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{WORD}}}"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# ISO 29500 "strict" has the same under other names.
_STRICT = (
    (b"http://purl.org/oclc/ooxml/wordprocessingml/main", WORD.encode()),
    (b"http://purl.org/oclc/ooxml/officeDocument/relationships", _RELATIONS.encode()),
)
# A part of this size is a book of many thousand pages.
LARGEST_PART = 128 * 1024 * 1024
_MAIN, _RELS = "word/document.xml", ".rels"


class BrokenDocxError(ValueError):
    """A Word file that cannot be read; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class DocxParts:
    """The parsed parts of a file; None if missing."""

    document: Element
    styles: Element | None = None
    numbering: Element | None = None
    notes: dict[str, Element] = field(default_factory=dict)
    core: Element | None = None
    application: Element | None = None


def open_docx(file: BinaryIO) -> DocxParts:
    """Parse the parts of an open file. Raises BrokenDocxError."""
    try:
        with open_zip(file) as archive:
            return _parts(archive)
    except BrokenDocxError:
        raise
    except etree.XMLSyntaxError as error:
        raise BrokenDocxError(f"a part of it is no sound XML ({in_words(error)})") from error
    except (UnpackingError, OSError, ValueError) as error:
        raise BrokenDocxError(f"its package is broken ({in_words(error)})") from error


def _parts(archive: zipfile.ZipFile) -> DocxParts:
    names = set(archive.namelist())
    package = _relations(archive, names, "")
    main = package.get("officeDocument", _MAIN)
    if main not in names:
        raise BrokenDocxError("it has no document part")
    document = _part(archive, main)
    if document.find(f"{W}body") is None:
        raise BrokenDocxError("its document part has no body")
    related = _relations(archive, names, main)

    def other(found: dict[str, str], kind: str) -> Element | None:
        name = found.get(kind)
        return _part(archive, name) if name in names and name is not None else None

    notes = {kind: part for kind in ("footnotes", "endnotes") if (part := other(related, kind)) is not None}
    return DocxParts(
        document,
        other(related, "styles"),
        other(related, "numbering"),
        notes,
        other(package, "core-properties"),
        other(package, "extended-properties"),
    )


def _relations(archive: zipfile.ZipFile, names: set[str], part: str) -> dict[str, str]:
    """Return the parts related to a part, by the last word of the relation's name."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, "_rels", name + _RELS)
    found: dict[str, str] = {}
    if listed not in names:
        return found
    for relation in _part(archive, listed):
        if not isinstance(relation.tag, str) or relation.get("TargetMode") == "External":
            continue
        kind = (relation.get("Type") or "").rpartition("/")[2]
        target = relation.get("Target") or ""
        full = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        found.setdefault(kind, posixpath.normpath(full))
    return found


def _part(archive: zipfile.ZipFile, name: str) -> Element:
    entry = archive.getinfo(name)
    if entry.flag_bits & 0x1:
        raise BrokenDocxError("it is encrypted")
    try:
        data = read_member(archive, entry, LARGEST_PART)
    except UnpackingError as error:
        raise BrokenDocxError(f"its part {name}: {error}: not read") from error
    for strict, plain in _STRICT:
        data = data.replace(strict, plain)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise BrokenDocxError(
            f"its part {name} declares a document type, which could hide entities: not read"
        )
    return root


# Styles: headings with their levels, and numbering

# Word stores built-in names in English in every language; other programs store them as displayed.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|judul|kop|rubrik|overskrift|nagłówek|заголовок|标题|標題"
    r"|العنوان|عنوان|başlık)\s*(?P<level>[1-9])\b",
    re.IGNORECASE,
)
_TITLES = frozenset({"title", "titel", "titre", "título", "titolo", "judul", "标题", "العنوان"})
_CONTENTS = re.compile(r"(?:toc|verzeichnis|tm|目录)\s*\d|toc heading|table of figures", re.IGNORECASE)
# Styles may be based on each other, even in a cycle.
_DEEPEST = 20
# Outline level 9 (counted from 0) is body text.
BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style. ``level``: of a heading, from 1; ``numbered``: list and level."""

    level: int | None = None
    is_title: bool = False
    is_contents: bool = False
    list_id: str | None = None
    list_level: int | None = None


@dataclass(frozen=True, slots=True)
class _Stated:
    name: str
    based_on: str | None
    outline: int | None
    list_id: str | None
    list_level: int | None


class Styles:
    """The paragraph styles of a file, with inherited properties."""

    def __init__(self, part: Element | None) -> None:
        self._stated: dict[str, _Stated] = {}
        self._known: dict[str | None, Style] = {}
        self._default: str | None = None
        for style in part.iterfind(f"{W}style") if part is not None else ():
            if style.get(f"{W}type") not in (None, "paragraph"):
                continue
            own_id = style.get(f"{W}styleId") or ""
            if style.get(f"{W}default") in ("1", "true"):
                self._default = own_id
            properties = style.find(f"{W}pPr")
            list_id, list_level = read_numbering(properties)
            self._stated[own_id] = _Stated(
                get_value(style, "name") or own_id,
                get_value(style, "basedOn"),
                parse_integer(get_value(properties, "outlineLvl")),
                list_id,
                list_level,
            )

    def of(self, style_id: str | None) -> Style:
        """Return the style of a paragraph with this id, or the default."""
        if style_id not in self._known:
            self._known[style_id] = self._resolved(style_id)
        return self._known[style_id]

    def _resolved(self, style_id: str | None) -> Style:
        chain: list[_Stated] = []
        place = style_id if style_id in self._stated else self._default
        while place in self._stated and len(chain) < _DEEPEST:
            chain.append(self._stated[place])
            place = chain[-1].based_on
        if not chain and style_id:
            # A style without a description is known by its id only.
            chain.append(_Stated(style_id, None, None, None, None))
        names = [stated.name.strip() for stated in chain]
        return Style(
            level=_level(chain),
            is_title=bool(names) and names[0].casefold() in _TITLES,
            is_contents=any(_CONTENTS.match(name) for name in names),
            list_id=next((stated.list_id for stated in chain if stated.list_id is not None), None),
            list_level=next((stated.list_level for stated in chain if stated.list_level is not None), None),
        )


def _level(chain: list[_Stated]) -> int | None:
    for stated in chain:
        if stated.outline is not None:
            return stated.outline + 1 if stated.outline < BODY_LEVEL else None
        if match := _HEADING.match(stated.name.strip()):
            return int(match["level"])
    return None


def read_numbering(properties: Element | None) -> tuple[str | None, int | None]:
    """Return the list and level in paragraph properties; list "0" removes a list."""
    numbered = properties.find(f"{W}numPr") if properties is not None else None
    if numbered is None:
        return None, None
    return get_value(numbered, "numId"), parse_integer(get_value(numbered, "ilvl"))


def get_value(parent: Element | None, name: str) -> str | None:
    """Return the ``w:val`` of a child element."""
    child = parent.find(f"{W}{name}") if parent is not None else None
    return None if child is None else child.get(f"{W}val")


def parse_integer(value: str | None) -> int | None:
    """Parse an integer; None for other values."""
    try:
        return int(value) if value is not None else None
    except ValueError:
        return None


# Numbering: Word stores lists and levels, and counts when it displays them
#
# ECMA-376 part 1, 17.9: an abstract list has up to nine levels, each with a format, a first number and a text
# such as "%1.%2"; a list refers to an abstract one and may restart levels. Paragraphs of all lists with one
# abstract list are counted together, unless a list overrides the start of a level.

LEVELS = 9
BULLET = "•"
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a list. ``restart``: the level (from 1) after which it restarts, 0 for never."""

    format: str = "decimal"
    text: str = ""
    start: int = 1
    restart: int | None = None
    legal: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """The label that Word prints before a paragraph. ``is_clause``: it includes the numbers of higher
    levels."""

    text: str
    level: int
    is_clause: bool
    is_bullet: bool


class Numbering:
    """Numbers the paragraphs of a document in order; call ``next`` once for each numbered one."""

    def __init__(self, part: Element | None) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()
        if part is not None:
            self._read(part)

    def next(self, list_id: str, level: int) -> Label | None:
        """Return the label of the next paragraph of a list; None if the file lacks the list."""
        if list_id not in self._lists or not 0 <= level < LEVELS:
            return None
        abstract, levels, starts = self._lists[list_id]
        counts = self._counts.setdefault(abstract, [None] * LEVELS)
        own = levels.get(level, Level())
        if level in starts and (list_id, level) not in self._begun:
            counts[level] = starts[level]
        else:
            before = counts[level]
            counts[level] = own.start if before is None else before + 1
        self._begun.add((list_id, level))
        for lower in range(level + 1, LEVELS):
            restart = levels.get(lower, Level()).restart
            if restart is None or (restart and level < restart):
                counts[lower] = None
        return self._label(levels, counts, level)

    def _label(self, levels: dict[int, Level], counts: list[int | None], level: int) -> Label | None:
        own = levels.get(level, Level())
        if own.format == "bullet":
            return Label(BULLET, level, is_clause=False, is_bullet=True)
        if own.format == "none" and not _PLACE.search(own.text):
            text = own.text.strip()
            return Label(text, level, is_clause=False, is_bullet=False) if text else None

        def printed(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            at = levels.get(place, Level())
            value = counts[place] if counts[place] is not None else at.start
            counts[place] = value
            shown = "decimal" if own.legal and at.format != "decimalZero" else at.format
            return numeral(value if value is not None else 1, shown)

        text = _PLACE.sub(printed, own.text).strip()
        if not text:
            return None
        places = [int(place) for place in _PLACE.findall(own.text)]
        lower = levels.get(level + 1, Level())
        numbered = own.legal or all(
            levels.get(place - 1, Level()).format.startswith("decimal") for place in places
        )
        followed = (
            len(places) == 1 and f"%{level + 1}.%{level + 2}" in lower.text and lower.format == "decimal"
        )
        return Label(text, level, is_clause=numbered and (len(places) > 1 or followed), is_bullet=False)

    def _read(self, part: Element) -> None:
        linked: dict[str, str] = {}
        styled: dict[str, str] = {}
        for abstract in part.iterfind(f"{W}abstractNum"):
            own_id = abstract.get(f"{W}abstractNumId") or ""
            self._abstract[own_id] = dict(_level_numbering(level) for level in abstract.iterfind(f"{W}lvl"))
            if (style := get_value(abstract, "styleLink")) is not None:
                styled[style] = own_id
            if (style := get_value(abstract, "numStyleLink")) is not None:
                linked[own_id] = style
        for listed in part.iterfind(f"{W}num"):
            own_id = get_value(listed, "abstractNumId") or ""
            own_id = styled.get(linked.get(own_id, ""), own_id)
            levels, starts = dict(self._abstract.get(own_id, {})), {}
            for override in listed.iterfind(f"{W}lvlOverride"):
                place = parse_integer(override.get(f"{W}ilvl")) or 0
                if (level := override.find(f"{W}lvl")) is not None:
                    levels[place] = _level_numbering(level)[1]
                if (start := parse_integer(get_value(override, "startOverride"))) is not None:
                    starts[place] = start
                    levels[place] = replace(levels.get(place, Level()), start=start)
            self._lists[listed.get(f"{W}numId") or ""] = (own_id, levels, starts)


def _level_numbering(level: Element) -> tuple[int, Level]:
    start = parse_integer(get_value(level, "start"))
    legal = level.find(f"{W}isLgl")
    return parse_integer(level.get(f"{W}ilvl")) or 0, Level(
        format=get_value(level, "numFmt") or "decimal",
        text=get_value(level, "lvlText") or "",
        # Word's default is 0; programs that write files without it mean 1.
        start=1 if start is None else start,
        restart=parse_integer(get_value(level, "lvlRestart")),
        legal=legal is not None and legal.get(f"{W}val") not in ("0", "false"),
    )
