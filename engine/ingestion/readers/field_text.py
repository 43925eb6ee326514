"""The text that a field of a record holds, read as a file of that text would be."""

from __future__ import annotations

import re

from engine.ingestion.assembly import Block
from engine.ingestion.readers.html.blocks import blocks_of_page
from engine.ingestion.readers.html.parsing import BrokenHtmlError, parsed
from engine.ingestion.readers.html.shown import content_of
from engine.ingestion.readers.lines import blocks_of
from engine.ingestion.readers.markdown import markdown_blocks

_MARKDOWN = re.compile(r"^#{1,6} \S", re.MULTILINE)
_HTML = re.compile(r"\s*<(?:!doctype|html|body|div|p|h[1-6]|article|section|table)\b[^>]*>", re.IGNORECASE)


def blocks_of_field(text: str) -> tuple[str | None, list[Block]]:
    """The title of a text in HTML, in Markdown or without markup, None if it states none, and its blocks."""
    if _HTML.match(text):
        try:
            return None, blocks_of_page(content_of(parsed(text.encode("utf-8", "replace")).root))
        except BrokenHtmlError:
            pass
    if _MARKDOWN.search(text):
        title, _, blocks = markdown_blocks(text)
        return title, blocks
    return None, list(blocks_of(text.split("\n"), unwrap=False))
