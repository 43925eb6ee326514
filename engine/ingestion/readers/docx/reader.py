"""Word files (DOCX, DOCM and their templates): one file, one document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.ingestion.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.readers.archive import members
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.docx.body import body_of
from engine.ingestion.readers.docx.package import BrokenDocxError, open_docx
from engine.ingestion.readers.docx.properties import properties_of
from engine.ingestion.readers.formats import ZIP
from engine.ingestion.readers.series import read_documents
from engine.model import SectionKind

# How much text is given to tell the document's language and what it says of itself.
_SAMPLE = 20_000


class DocxReader:
    """Reads Word's XML format, whatever the file is called."""

    name = "DOCX"

    def accepts(self, path: Path, head: bytes) -> bool:
        """A zip with a Word document in it."""
        return head.startswith(ZIP) and any(
            name.lower().startswith("word/document") and name.lower().endswith(".xml")
            for name in members(path)
        )

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The document; its title is the paragraph in the style for titles, or else a property."""
        try:
            with source.opened() as file:
                parts = open_docx(file)
        except BrokenDocxError as error:
            yield Problem(source.name, f"a Word file, but {error}")
            return
        body = body_of(parts)
        title, blocks = (body.title, body.blocks) if body.title else leading_title(body.blocks)
        given = properties_of(parts)
        if title is not None:
            given["title"] = title
        text = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))[:_SAMPLE]
        yield from read_documents(source, given, title, text, blocks)


def leading_title(blocks: tuple[Block, ...]) -> tuple[str | None, tuple[Block, ...]]:
    """The only heading of the first level, where all else stands below it, and the blocks without it."""
    highest = [block for block in blocks if isinstance(block, HeadingBlock) and block.level == 1]
    first = blocks[0] if blocks else None
    if len(highest) != 1 or highest[0] is not first:
        return None, blocks
    heading = highest[0].heading
    if heading.number is not None or heading.kind is not SectionKind.HEADING or not heading.title:
        return None, blocks
    return heading.title, blocks[1:]
