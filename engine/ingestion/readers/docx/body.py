"""The body of a Word file as blocks: headings, paragraphs with their numbers, rows of tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.corpus.headings import is_bare_heading
from engine.ingestion.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.headings import Heading, bare_heading, parse_heading
from engine.ingestion.readers.docx.numbering import Label, Numbering
from engine.ingestion.readers.docx.package import DocxParts, Element, W
from engine.ingestion.readers.docx.styles import Style, Styles, numbering_of, value_of, whole
from engine.ingestion.readers.docx.text import Notes, ParagraphText, paragraph_text
from engine.ingestion.readers.lines import LONGEST_LINE, heading_line
from engine.ingestion.readers.rows import Row, table_text

# Headings that only the words or the numbers tell stand below those that a style tells.
_BELOW_STYLES = 10
_WRAPPERS = frozenset(f"{W}{name}" for name in ("sdtContent", "ins", "moveTo", "smartTag", "customXml"))
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Body:
    """What a body holds. ``title``: the first paragraph in a style for titles."""

    title: str | None
    blocks: tuple[Block, ...]


def body_of(parts: DocxParts) -> Body:
    """The blocks of a document in reading order."""
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
        """The blocks of an element that holds paragraphs and tables."""
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
        style = self._styles.of(value_of(properties, "pStyle"))
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
        list_id, level = numbering_of(properties)
        list_id = style.list_id if list_id is None else list_id
        level = style.list_level if level is None else level
        return self._numbering.next(list_id, level or 0) if list_id not in (None, "0") else None

    def _table(self, table: Element, depth: int) -> Iterator[Block]:
        rows = [row for row in _within(table, "tr") if not _is_deleted(row)]
        cells = [list(_within(row, "tc")) for row in rows]
        if all(len(row) <= 1 for row in cells):
            # One column is a frame around running text, and often around a whole document.
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
        return "\n".join(_said(block) for block in self.blocks(cell, depth + 1))


def _said(block: Block) -> str:
    """The words of a block in a cell; the rows of a table in the table with ";" between them."""
    if isinstance(block, TextBlock):
        return block.text.replace("\n", "; ") if " | " in block.text else block.text
    return f"{block.heading.label} {block.heading.title}".strip()


def _level(properties: Element | None, style: Style) -> int | None:
    """The level of a heading: the paragraph's own outline level counts for more than its style's."""
    outline = whole(value_of(properties, "outlineLvl"))
    if outline is None:
        return style.level
    return outline + 1 if 0 <= outline < 9 else None


def _heading(text: str, label: Label | None) -> Heading:
    """A heading's own number if it has one in words, else the one that Word counts for it."""
    line = " ".join(text.split())
    own = parse_heading(line)
    if label is None or label.is_bullet or own.number is not None:
        return own
    return parse_heading(f"{label.text} {line}")


def _clause(text: str, label: Label, page: int) -> Iterator[Block]:
    """A paragraph with a number like "4.2": a heading, or a clause that is its text."""
    level = _BELOW_STYLES + label.level
    number = label.text.rstrip(".)").lstrip("(")
    if is_bare_heading(text) and "\n" not in text:
        yield HeadingBlock(level, _heading(text, label), page=page)
        return
    # "Article 5" is a heading of its own; "1.1" would be read as the heading "1" with the title "1".
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
    """The rows of a table or the cells of a row, also those in a content control."""
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
    """Whether a content control is the table of contents, which repeats the headings."""
    gallery = control.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and "contents" in (gallery.get(f"{W}val") or "").casefold()
