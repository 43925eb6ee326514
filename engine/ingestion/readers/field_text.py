"""The text that a field of a record holds, read as a file of that text would be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.ingestion.assembly import Block, HeadingBlock
from engine.ingestion.readers.html.blocks import blocks_of_page
from engine.ingestion.readers.html.parsing import BrokenHtmlError, parsed
from engine.ingestion.readers.html.shown import content_of
from engine.ingestion.readers.lines import blocks_of
from engine.ingestion.readers.markdown import markdown_blocks
from engine.language.addresses import PROVISIONS

_MARKDOWN = re.compile(r"^#{1,6} \S", re.MULTILINE)
_HTML = re.compile(r"\s*<(?:!doctype|html|body|div|p|h[1-6]|article|section|table)\b[^>]*>", re.IGNORECASE)


def blocks_of_field(text: str) -> tuple[str | None, list[Block]] | None:
    """Return the title and the blocks of a text; None if nothing in it is the heading of a provision."""
    title: str | None = None
    if _HTML.match(text):
        try:
            blocks = blocks_of_page(content_of(parsed(text.encode("utf-8", "replace")).root))
        except BrokenHtmlError:
            return None
    elif _MARKDOWN.search(text):
        title, _, blocks = markdown_blocks(text)
    elif "\n" in text:
        blocks = list(blocks_of(text.split("\n"), unwrap=False))
    else:
        return None
    return (title, blocks) if _has_provision(blocks) else None


def _has_provision(blocks: Sequence[Block]) -> bool:
    return any(
        isinstance(one, HeadingBlock) and one.heading.kind in PROVISIONS and one.heading.number is not None
        for one in blocks
    )
