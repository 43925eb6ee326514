"""Read web pages: one document per file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.formats import looks_like_text
from engine.ingestion.readers.html.blocks import blocks_of_page
from engine.ingestion.readers.html.parsing import (
    BrokenHtmlError,
    find_content,
    page_title,
    parse_page,
    stated_fields,
)
from engine.ingestion.readers.text import read_documents
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.model import SectionKind

# Possible starts of a page, after white space, comments and an XML declaration; saved fragments may start
# anywhere.
_BEGINS = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.{0,4000}?-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|main|article|h[1-6]|table|div|p|meta)\b",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
_SAMPLE = 20_000


class HtmlReader:
    """Reads HTML and XHTML from files of any name."""

    name = "HTML"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept text that starts like a page, or has its suffix and contains a tag."""
        if not looks_like_text(head):
            return False
        plain = head.replace(b"\0", b"") if head.startswith((b"\xff\xfe", b"\xfe\xff")) else head
        plain = plain.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
        return bool(_BEGINS.match(plain)) or (path.suffix.lower() in _SUFFIXES and b"<" in plain)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the document; its title is its only heading of the first level, otherwise the page's."""
        try:
            page = parse_page(source.content())
        except BrokenHtmlError as error:
            yield Problem(source.name, f"no web page can be made of it ({error})")
            return
        if page.problem:
            yield Problem(source.name, page.problem, page.line)
        blocks = blocks_of_page(find_content(page.root))
        title, blocks = _title(blocks)
        given = stated_fields(page.root)
        if title is not None:
            given["title"] = title
        else:
            title = page_title(page.root)
            if title is not None:
                given.setdefault("title", title)
        text = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))[:_SAMPLE]
        yield from read_documents(source, given, title, text, blocks)


def _title(blocks: list[Block]) -> tuple[str | None, list[Block]]:
    """Return the only heading of the first level if it comes before all others, and the blocks without it."""
    headings = [block for block in blocks if isinstance(block, HeadingBlock)]
    highest = [block for block in headings if block.level == 1]
    if len(highest) != 1 or highest[0] is not headings[0]:
        return None, blocks
    heading = highest[0].heading
    if heading.number is not None or heading.kind is not SectionKind.HEADING or not heading.title:
        return None, blocks
    return heading.title, [block for block in blocks if block is not highest[0]]
