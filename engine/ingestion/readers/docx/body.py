"""Convert the body of a DOCX document to headings and blocks of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from engine.corpus.contents import is_bare_heading
from engine.ingestion.readers.base import Row, table_text
from engine.ingestion.readers.docx.package import (
    DocxParts,
    Element,
    Label,
    Numbering,
    Style,
    Styles,
    W,
    get_value,
    parse_integer,
    read_numbering,
)
from engine.ingestion.readers.lines import LONGEST_LINE, heading_line
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import Heading, bare_heading, parse_heading
from engine.language.characters import raised

# Text of a paragraph in the final version
#
# Tracked insertions are included and deletions omitted, as if all changes were accepted; comments, hidden
# text and field codes are omitted. A foot- or endnote is "¹" at its reference, and a separate text after the
# paragraph.

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

CHECKED, UNCHECKED = "☒", "☐"
# Deleted or moved text, properties, and fallbacks for drawings.
_LEFT_OUT = frozenset(
    {
        *(f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "instrText", "delText", "sdtPr", "tbl")),
        *(f"{W}{name}" for name in ("commentReference", "annotationRef", "sectPr", "rt", "delInstrText")),
        f"{_MC}Fallback",
        f"{_M}ctrlPr",
    }
)
_AS_TEXT = {
    f"{W}tab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
    f"{W}ptab": "\t",
}
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
_PARAGRAPH, _BOX = f"{W}p", f"{W}txbxContent"
_FORM_BOX, _CONTENT_BOX = f"{W}checkBox", f"{_W14}checkbox"
_SYMBOLS = {"f0fe": CHECKED, "f0fd": CHECKED, "f0a8": UNCHECKED, "f06f": UNCHECKED, "f0b7": "•", "f0d8": "•"}


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """The words of a paragraph, its notes, its text boxes, and page breaks in it.

    ``breaks_before``: number of page breaks before its first word.
    """

    text: str
    notes: tuple[str, ...] = ()
    boxes: tuple[Element, ...] = ()
    breaks: int = 0
    breaks_before: int = 0


class Notes:
    """The foot- and endnotes of a file, numbered in the order of their references."""

    def __init__(self, parts: dict[str, Element]) -> None:
        self._notes: dict[tuple[str, str], Element] = {}
        self._called: dict[tuple[str, str], int] = {}
        for kind, part in parts.items():
            for note in part:
                # Separators are notes with a type.
                if isinstance(note.tag, str) and note.get(f"{W}type") in (None, "normal"):
                    self._notes[(kind, note.get(f"{W}id") or "")] = note

    def call(self, kind: str, note_id: str) -> tuple[int, str] | None:
        """Return the number of a note, with its text at the first reference; None if the file lacks it."""
        key = (kind, note_id)
        note = self._notes.get(key)
        if note is None:
            return None
        if key in self._called:
            return self._called[key], ""
        self._called[key] = len(self._called) + 1
        words = [paragraph_text(paragraph, None).text for paragraph in note.iter(_PARAGRAPH)]
        return self._called[key], " ".join(" ".join(words).split())


@dataclass(slots=True)
class _Gathered:
    notes_of: Notes | None
    pieces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    breaks: int = 0
    breaks_before: int = 0
    has_words: bool = False


def paragraph_text(paragraph: Element, notes: Notes | None) -> ParagraphText:
    """Return the text of a paragraph; without ``notes``, references to notes are omitted."""
    gathered = _Gathered(notes)
    _gather(paragraph, gathered)
    lines = "".join(gathered.pieces).split("\n")
    text = "\n".join(" ".join(line.replace("\u00ad", "").split(" ")).strip() for line in lines).strip()
    return ParagraphText(
        text, tuple(gathered.notes), tuple(gathered.boxes), gathered.breaks, gathered.breaks_before
    )


def _gather(element: Element, into: _Gathered) -> None:
    # An explicit stack: files may be nested more deeply than Python calls.
    waiting: list[Iterator[Element]] = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT and not _is_hidden(child):
            if (take := _TAKERS.get(child.tag)) is not None:
                take(child, into)
            else:
                waiting.append(iter(child))


def _is_hidden(element: Element) -> bool:
    properties = element.find(f"{W}rPr") if element.tag == f"{W}r" else None
    vanish = properties.find(f"{W}vanish") if properties is not None else None
    return vanish is not None and vanish.get(f"{W}val") not in ("0", "false")


def _words(element: Element, into: _Gathered) -> None:
    if element.text:
        run = element.getparent()
        level = run.find(f"{W}rPr/{W}vertAlign") if run is not None and into.has_words else None
        is_raised = level is not None and level.get(f"{W}val") == "superscript" and element.text.isdecimal()
        into.pieces.append(raised(element.text) if is_raised else element.text)
        into.has_words = into.has_words or not element.text.isspace()


def _sign(element: Element, into: _Gathered) -> None:
    if element.tag == f"{W}br" and element.get(f"{W}type") in ("page", "column"):
        into.pieces.append(" ")
    else:
        into.pieces.append(_AS_TEXT[str(element.tag)])


def _symbol(element: Element, into: _Gathered) -> None:
    into.pieces.append(_SYMBOLS.get((element.get(f"{W}char") or "").casefold(), ""))


def _page(_: Element, into: _Gathered) -> None:
    into.breaks += 1
    if not into.has_words:
        into.breaks_before += 1


def _note(element: Element, into: _Gathered) -> None:
    if into.notes_of is None:
        return
    called = into.notes_of.call(_NOTES[str(element.tag)], element.get(f"{W}id") or "")
    if called is not None:
        number, text = called
        into.pieces.append(raised(str(number)))
        if text:
            into.notes.append(f"[{number}] {text}")


def _box(element: Element, into: _Gathered) -> None:
    into.boxes.append(element)


def _old_checkbox(element: Element, into: _Gathered) -> None:
    box = element.find(f"{W}ffData/{_FORM_BOX}")
    if box is not None:
        value = get_value(box, "checked") or get_value(box, "default")
        is_bare = box.find(f"{W}checked") is not None and value is None
        into.pieces.append(CHECKED if is_bare or value in ("1", "true", "on") else UNCHECKED)


_TAKERS: dict[str, Callable[[Element, _Gathered], None]] = {
    f"{W}t": _words,
    f"{_M}t": _words,
    f"{W}sym": _symbol,
    f"{W}lastRenderedPageBreak": _page,
    f"{W}fldChar": _old_checkbox,
    _BOX: _box,
    **dict.fromkeys(_AS_TEXT, _sign),
    **dict.fromkeys(_NOTES, _note),
}


# The body as blocks: headings, paragraphs with their numbers, rows of tables

# Headings that only words or numbers show are below those with a heading style.
_BELOW_STYLES = 10
_WRAPPERS = frozenset(f"{W}{name}" for name in ("sdtContent", "ins", "moveTo", "smartTag", "customXml"))
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Body:
    """The blocks of a body. ``title``: the first paragraph in a title style, or None."""

    title: str | None
    blocks: tuple[Block, ...]


def read_body(parts: DocxParts) -> Body:
    """Return the blocks of a document in reading order."""
    walk = _Walk(parts)
    blocks = list(walk.blocks(parts.document.find(f"{W}body"), 0))
    if not walk.has_pages:
        blocks = [replace(block, page=None) for block in blocks]
    return Body(walk.title, tuple(blocks))


class _Walk:
    def __init__(self, parts: DocxParts) -> None:
        self._styles = Styles(parts.styles)
        self._numbering = Numbering(parts.numbering)
        self._notes = Notes(parts.notes)
        self._page = 1
        self.has_pages = next(parts.document.iter(f"{W}lastRenderedPageBreak"), None) is not None
        self.title: str | None = None

    def blocks(self, parent: Element | None, depth: int) -> Iterator[Block]:
        """Yield the blocks of an element with paragraphs and tables."""
        for child in parent if parent is not None and depth < _DEEPEST else ():
            if child.tag == f"{W}p":
                yield from self._paragraph(child, depth)
            elif child.tag == f"{W}tbl":
                yield from self._table(child, depth)
            elif child.tag == f"{W}sdt":
                if not _is_contents(child):
                    yield from self.blocks(child.find(f"{W}sdtContent"), depth + 1)
            elif child.tag in _WRAPPERS:
                yield from self.blocks(child, depth + 1)

    def _paragraph(self, paragraph: Element, depth: int) -> Iterator[Block]:
        properties = paragraph.find(f"{W}pPr")
        style = self._styles.of(get_value(properties, "pStyle"))
        read = paragraph_text(paragraph, self._notes)
        page = self._page + read.breaks_before
        self._page += read.breaks
        # An empty paragraph shows no number and is not counted.
        label = self._label(properties, style) if read.text else None
        if read.text and not style.is_contents:
            yield from self._read_as(read, style, _level(properties, style), label, page)
        for note in read.notes:
            yield TextBlock(note, page=page)
        for box in read.boxes:
            yield from self.blocks(box, depth + 1)

    def _read_as(
        self, read: ParagraphText, style: Style, level: int | None, label: Label | None, page: int
    ) -> Iterator[Block]:
        if style.is_title and self.title is None:
            self.title = " ".join(read.text.split())
        elif level is not None:
            yield HeadingBlock(level, _heading(read.text, label), page=page)
        elif label is not None and label.is_clause:
            yield from _clause(read.text, label, page)
        elif label is not None:
            yield TextBlock(f"{label.text} {read.text}", page=page)
        elif (found := _found_heading(read.text)) is not None:
            block, rest = found
            yield replace(block, level=_BELOW_STYLES + block.level, page=page)
            if rest:
                yield TextBlock(rest, page=page)
        else:
            yield TextBlock(read.text, page=page)

    def _label(self, properties: Element | None, style: Style) -> Label | None:
        list_id, level = read_numbering(properties)
        list_id = style.list_id if list_id is None else list_id
        level = style.list_level if level is None else level
        return self._numbering.next(list_id, level or 0) if list_id not in (None, "0") else None

    def _table(self, table: Element, depth: int) -> Iterator[Block]:
        rows = [row for row in _within(table, "tr") if not _is_deleted(row)]
        cells = [list(_within(row, "tc")) for row in rows]
        if all(len(row) <= 1 for row in cells):
            # A table with one column is a frame around running text, often a whole document.
            for row in cells:
                for cell in row:
                    yield from self.blocks(cell, depth + 1)
            return
        page = self._page
        read = [
            Row(tuple(self._cell(cell, depth) for cell in row), is_header=_is_header(source))
            for source, row in zip(rows, cells, strict=True)
        ]
        yield from (TextBlock(text, page=page) for text in table_text(read))

    def _cell(self, cell: Element, depth: int) -> str:
        properties = cell.find(f"{W}tcPr")
        merged = properties.find(f"{W}vMerge") if properties is not None else None
        if merged is not None and merged.get(f"{W}val") != "restart":
            return ""
        return "\n".join(_cell_text(block) for block in self.blocks(cell, depth + 1))


def _cell_text(block: Block) -> str:
    """Return the words of a block in a cell; the rows of a nested table are separated by ";"."""
    if isinstance(block, TextBlock):
        return block.text.replace("\n", "; ") if " | " in block.text else block.text
    return f"{block.heading.label} {block.heading.title}".strip()


def _level(properties: Element | None, style: Style) -> int | None:
    """Return the level of a heading: the paragraph's own outline level takes precedence over its style's."""
    outline = parse_integer(get_value(properties, "outlineLvl"))
    if outline is None:
        return style.level
    return outline + 1 if 0 <= outline < 9 else None


def _heading(text: str, label: Label | None) -> Heading:
    """Parse a heading; its own number in words takes precedence over the one that Word generates."""
    line = " ".join(text.split())
    own = parse_heading(line)
    if label is None or label.is_bullet or own.number is not None:
        return own
    return parse_heading(f"{label.text} {line}")


def _clause(text: str, label: Label, page: int) -> Iterator[Block]:
    """Yield a paragraph with a number like "4.2": a heading, or a clause with its text."""
    level = _BELOW_STYLES + label.level
    number = label.text.rstrip(".)").lstrip("(")
    if is_bare_heading(text) and "\n" not in text:
        yield HeadingBlock(level, _heading(text, label), page=page)
        return
    # "Article 5" is a heading by itself; "1.1" would be parsed as the heading "1" with the title "1".
    worded = parse_heading(label.text)
    heading = worded if worded.number and not worded.title else bare_heading(number, "")
    yield HeadingBlock(level, heading, page=page)
    yield TextBlock(text, page=page)


def _found_heading(text: str) -> tuple[HeadingBlock, str] | None:
    first, _, rest = text.partition("\n")
    found = heading_line(first) if len(first) <= LONGEST_LINE or first.startswith("第") else None
    if found is None:
        return None
    return found[0], "\n".join(part for part in (found[1], rest.strip()) if part)


def _within(parent: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, including those in a content control."""
    for child in parent:
        if child.tag == f"{W}{name}":
            yield child
        elif child.tag == f"{W}sdt" or child.tag in _WRAPPERS:
            yield from _within(child, name)


def _is_deleted(row: Element) -> bool:
    properties = row.find(f"{W}trPr")
    return properties is not None and properties.find(f"{W}del") is not None


def _is_header(row: Element) -> bool:
    properties = row.find(f"{W}trPr")
    header = properties.find(f"{W}tblHeader") if properties is not None else None
    return header is not None and header.get(f"{W}val") not in ("0", "false")


def _is_contents(control: Element) -> bool:
    """Return True for a content control with the table of contents, which repeats the headings."""
    gallery = control.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and "contents" in (gallery.get(f"{W}val") or "").casefold()
