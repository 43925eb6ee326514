"""Plain text with legal headings on lines of their own, and whatever text no other reader takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.decoding import decoded, looks_like_text
from engine.ingestion.readers.front_matter import split_front_matter
from engine.ingestion.readers.lines import blocks_of
from engine.ingestion.readers.series import read_documents
from engine.ingestion.readers.text_pages import without_furniture

SUFFIXES = (".txt", ".text", ".asc")
_MARKUP = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|!--|[A-Za-z][\w.:-]*[\s>])", re.IGNORECASE)


class TextReader:
    """Reads text: one file, one document."""

    name = "plain text"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Text that is no markup: XML of a kind that is not known would be read as words with tags."""
        if not looks_like_text(head):
            return False
        return path.suffix.lower() in SUFFIXES or not _MARKUP.match(head)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The document; its title is the file's name, unless front matter says better."""
        text, problem, line = decoded(source.content())
        if problem:
            yield Problem(source.name, problem, line)
        front = split_front_matter(text)
        if front.problem:
            yield Problem(source.name, front.problem, 1)
        body = without_furniture(text[front.rest :])
        blocks = blocks_of(body.split("\n"), unwrap=False)
        yield from read_documents(source, front.fields, None, body, blocks, is_plain=True)
