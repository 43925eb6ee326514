"""Convert the content of a page to blocks: headings, paragraphs, items of lists, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.corpus.contents import is_bare_heading
from engine.ingestion.readers.base import Row, numeral, table_text
from engine.ingestion.readers.html.parsing import Element, is_left_out
from engine.ingestion.readers.lines import heading_line
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import Heading, parse_heading
from engine.language.addresses import CONTAINERS, PROVISIONS
from engine.language.characters import raised
from engine.model import SectionKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr", "nobr", "img", "br", "center"
))  # fmt: skip
_LISTS = ("ul", "ol", "dir", "menu")
_TYPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
# Headings that only their words show are below those in the markup.
_BELOW_MARKED = 6
_BOLD = frozenset({"b", "strong", "em", "i", "center"})
_TITLED = re.compile(r"titl|head|(?:^|-)s?ti(?:-|$)|subject|caption|cent(?:er|re)", re.IGNORECASE)
_NOTE = re.compile(r"(?:^|\s)(?:oj-|foot)note(?:\s|$)")
_SPACE = re.compile(r"[^\S\n]+")
_RAISED_NUMBER = re.compile(r"\s*\(?\d{1,3}\)?\s*")
_DEEPEST = 250
LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph that may be a heading; ``emphasised``: set off like a title."""

    text: str
    emphasised: bool
    eid: str | None
    is_note: bool = False


@dataclass(slots=True)
class _Gathered:
    """Blocks and paragraphs found so far, and the words of the open paragraph."""

    found: list[HeadingBlock | TextBlock | _Paragraph] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def close(self, element: Element | None = None) -> None:
        """End the open paragraph, which is in this element."""
        text = _plain("".join(self.words))
        self.words.clear()
        if text:
            if element is None:
                self.found.append(_Paragraph(text, False, None))
                return
            is_note = _NOTE.search(element.get("class") or "") is not None
            self.found.append(_Paragraph(text, _is_emphasised(element), element.get("id"), is_note))


def blocks_of_page(content: Element) -> list[Block]:
    """Return the blocks in reading order, footnotes last; if no marked heading is a provision, paragraphs
    may be."""
    gathered = _Gathered()
    _gather(content, gathered, 0)
    gathered.close(content)
    notes = [item for item in gathered.found if isinstance(item, _Paragraph) and item.is_note]
    found = [item for item in gathered.found if not (isinstance(item, _Paragraph) and item.is_note)]
    marked = any(isinstance(block, HeadingBlock) and block.heading.kind in PROVISIONS for block in found)
    heading = HeadingBlock(0, Heading(SectionKind.HEADING, None, "Notes", "", "notes"))
    blocks = list(_read(found, marked=marked))
    blocks.extend([heading] if notes else [])
    blocks.extend(TextBlock(one.text, eid=one.eid) for one in notes)
    return blocks


def _read(found: list[HeadingBlock | TextBlock | _Paragraph], *, marked: bool) -> Iterator[Block]:
    """Yield paragraphs as headings or text; the paragraph after "Article 5" may be its title."""
    waiting: HeadingBlock | None = None
    for item in _with_marks(found):
        if not isinstance(item, _Paragraph):
            if waiting is not None:
                yield waiting
                waiting = None
            yield item
            continue
        heading = None if marked else heading_line(item.text) or _container(item)
        if waiting is not None:
            titled = heading is None and _is_title(item, waiting)
            yield replace(waiting, heading=replace(waiting.heading, title=item.text)) if titled else waiting
            waiting = None
            if titled:
                continue
        if heading is None:
            yield TextBlock(item.text, eid=item.eid)
            continue
        block, rest = heading
        block = replace(block, level=_BELOW_MARKED + block.level, eid=item.eid)
        if rest or block.heading.title:
            yield block
        else:
            waiting = block
        if rest:
            yield TextBlock(rest, eid=item.eid)
    if waiting is not None:
        yield waiting


def _with_marks(
    found: list[HeadingBlock | TextBlock | _Paragraph],
) -> Iterator[HeadingBlock | TextBlock | _Paragraph]:
    """Join paragraphs that are only a number ("1.", "(a)") to the next one."""
    mark = ""
    for place, item in enumerate(found):
        following = found[place + 1] if place + 1 < len(found) else None
        if not isinstance(item, _Paragraph):
            yield item
        elif _MARK_ALONE.match(item.text) and isinstance(following, _Paragraph):
            mark = f"{mark}{item.text} "
        else:
            yield replace(item, text=mark + item.text)
            mark = ""


def _container(paragraph: _Paragraph) -> tuple[HeadingBlock, str] | None:
    """Return the annex or chapter named by a paragraph that is set off like a title: "ANHANG I"."""
    heading = parse_heading(paragraph.text)
    named = heading.number is not None or heading.kind is SectionKind.ANNEX
    bare = not heading.title or is_bare_heading(heading.title)
    is_one = paragraph.emphasised and heading.kind in CONTAINERS and named and bare
    return (HeadingBlock(1, heading), "") if is_one else None


def _is_title(paragraph: _Paragraph, heading: HeadingBlock) -> bool:
    text = paragraph.text
    if len(text) > LONGEST_TITLE or not is_bare_heading(text) or not text[:1].isalpha():
        return False
    shouted = heading.heading.kind in CONTAINERS and text.upper() == text != text.lower()
    return paragraph.emphasised or shouted


def _gather(element: Element, into: _Gathered, depth: int) -> None:
    """Walk an element: inline content is added to the open paragraph, a block element ends it."""
    into.words.append(_flat(element.text))
    for child in element:
        if depth < _DEEPEST and not is_left_out(child):
            _take(child, into, depth + 1)
        into.words.append(_flat(child.tail))


def _take(element: Element, into: _Gathered, depth: int) -> None:
    tag = str(element.tag)
    if tag == "br":
        into.words.append("\n")
    elif tag in _INLINE:
        text = "".join(map(str, element.itertext()))
        before = "".join(into.words).rstrip()
        if before and _RAISED_NUMBER.fullmatch(text) and _is_raised(element):
            into.words = [before] if text.startswith(" ") else into.words
            into.words.append(raised(text.strip()))
        else:
            _gather(element, into, depth)
    elif tag == "hr":
        into.close()
    elif tag in _HEADINGS:
        into.close(element.getparent())
        _heading(element, into, depth)
    elif tag == "header":
        # At the start of an article, content other than its title and lead is menus and buttons.
        into.close(element.getparent())
        for child in _lead(element):
            _take(child, into, depth)
    elif tag in _LISTS:
        into.close(element.getparent())
        _list(element, into, depth)
    elif tag == "table":
        into.close(element.getparent())
        _table(element, into, depth)
    elif tag == "dl":
        into.close(element.getparent())
        _definitions(element, into, depth)
    elif tag == "pre":
        into.close(element.getparent())
        text = "".join(map(str, element.itertext())).strip("\n")
        into.found.extend([TextBlock(text)] if text.strip() else [])
    else:
        into.close(element.getparent())
        _gather(element, into, depth)
        into.close(element)


def _is_raised(element: Element) -> bool:
    """Return True if an element is a superscript and not part of a fraction."""
    above = any(one.tag == "sup" or "super" in (one.get("class") or "") for one in element.iter())
    return above and not (element.tail or "").lstrip().startswith(("/", "⁄"))


def _lead(header: Element) -> Iterator[Element]:
    """Yield the headings and paragraphs of an article's header."""
    waiting = [iter(header)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif not is_left_out(child):
            if child.tag in _HEADINGS or child.tag == "p":
                yield child
            else:
                waiting.append(iter(child))


def _heading(element: Element, into: _Gathered, depth: int) -> None:
    text = " ".join(_within(element, depth).split())
    if text:
        eid = element.get("id") or next((child.get("id") for child in element if child.get("id")), None)
        into.found.append(HeadingBlock(_HEADINGS[str(element.tag)], parse_heading(text), eid=eid))


def _list(element: Element, into: _Gathered, depth: int) -> None:
    ordered = element.tag == "ol"
    number = _parse_integer(element.get("start")) or 1
    for item in element:
        if not isinstance(item.tag, str) or is_left_out(item):
            continue
        if item.tag != "li":
            _take(item, into, depth + 1)
            continue
        number = _parse_integer(item.get("value")) or number
        mark = f"{numeral(number, _TYPES.get(element.get('type') or '', 'decimal'))}." if ordered else "•"
        number += 1
        _marked(mark, item, into, depth + 1)


def _marked(mark: str, item: Element, into: _Gathered, depth: int) -> None:
    """Add an item of a list with its mark, unless the page prints one, and its content."""
    inner = _Gathered()
    _gather(item, inner, depth + 1)
    inner.close(item)
    for place, block in enumerate(inner.found):
        if not isinstance(block, _Paragraph):
            into.found.append(block)
            continue
        text = block.text if place or _MARKED.match(block.text) else f"{mark} {block.text}"
        into.found.append(TextBlock(text, eid=block.eid))


_MARKED = re.compile(r"\(?(?:\d{1,3}[a-z]?|[a-zA-Z]{1,4})[.)]\s|[-–—•*]\s|§|Art")


def _definitions(element: Element, into: _Gathered, depth: int) -> None:
    terms: list[str] = []
    for child in _entries(element):
        text = _plain(_within(child, depth))
        if child.tag == "dt":
            terms.append(" ".join(text.split()))
        elif text:
            into.found.append(
                TextBlock(f"{', '.join(terms)}: {text}" if terms else text, eid=child.get("id"))
            )
            terms = []
    if terms:
        into.found.append(TextBlock(", ".join(terms)))


def _entries(element: Element) -> Iterator[Element]:
    """Yield the terms and descriptions of a list, which may be wrapped in pairs."""
    for child in element:
        if is_left_out(child):
            continue
        if child.tag in ("dt", "dd"):
            yield child
        elif child.tag == "div":
            yield from (inner for inner in child if inner.tag in ("dt", "dd") and not is_left_out(inner))


def _table(table: Element, into: _Gathered, depth: int) -> None:
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
    rows = [row for row in rows if not is_left_out(row)]
    cells = [[cell for cell in row if cell.tag in ("td", "th") and not is_left_out(cell)] for row in rows]
    if cells and all(len(row) == 2 and _is_mark(row[0]) for row in cells):
        # "(a)" in a cell and its text in the next: an indented list in gazettes.
        for mark, text in cells:
            _marked(_plain(_within(mark, depth)), text, into, depth)
        return
    if _is_frame(table, cells):
        for cell in (cell for row in cells for cell in row):
            _gather(cell, into, depth + 1)
            into.close(cell)
        return
    caption = table.find("caption")
    if caption is not None and (title := _plain(_within(caption, depth))):
        into.found.append(TextBlock(title))
    read = [
        Row(
            tuple(_within(cell, depth) for cell in row),
            is_header=bool(row) and (_is_in_head(source) or all(cell.tag == "th" for cell in row)),
        )
        for source, row in zip(rows, cells, strict=True)
    ]
    into.found.extend(TextBlock(text) for text in table_text(read))


def _is_mark(cell: Element) -> bool:
    """Return True if a cell contains only a mark such as "(a)"."""
    return _MARK_ALONE.match(" ".join("".join(map(str, cell.itertext())).split())) is not None


def _is_in_head(row: Element) -> bool:
    above = row.getparent()
    return above is not None and above.tag == "thead"


def _is_frame(table: Element, cells: list[list[Element]]) -> bool:
    """Return True if a table is only used to lay out running text."""
    if table.get("role") in ("presentation", "none") or all(len(row) <= 1 for row in cells):
        return True
    return any(next(table.iter(tag), None) is not None for tag in (*_HEADINGS, "main", "article"))


_MARK_ALONE = re.compile(r"(?:\(?(?:\d{1,3}[a-z]{0,2}|[a-z]{1,4})[.)]|[-–—•])\Z")
# Marks at the start and end of amendments in consolidated EU law: "▼M2", "►C1 ... ◄".
_AMENDED = re.compile(r"[▼►]\s?[ABCM]\d{0,3}(?!\w)(?:\s*—{2,})?|\s?◄")


def _within(element: Element, depth: int) -> str:
    """Return the words of an element, with block elements on lines of their own."""
    inner = _Gathered()
    _gather(element, inner, depth + 1)
    inner.close()
    words = (
        f"{item.heading.label} {item.heading.title}".strip() if isinstance(item, HeadingBlock) else item.text
        for item in inner.found
    )
    return "\n".join(words)


def _flat(text: str | None) -> str:
    """Convert line breaks of the source to spaces."""
    return (text or "").replace("\n", " ").replace("\r", " ")


def _plain(text: str) -> str:
    """Normalise white space as a browser does: line breaks only from ``br``."""
    text = _AMENDED.sub("", text.replace("\u00ad", ""))
    lines = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _is_emphasised(element: Element) -> bool:
    named = f"{element.get('class') or ''} {element.get('align') or ''} {element.get('style') or ''}"
    if _TITLED.search(named):
        return True
    inner = element
    while len(inner) == 1 and not (inner.text or "").strip() and not (inner[0].tail or "").strip():
        inner = inner[0]
        if inner.tag in _BOLD:
            return True
    return False


def _parse_integer(value: str | None) -> int | None:
    try:
        return int(value) if value is not None else None
    except ValueError:
        return None
