"""DOCX files as documents, with their properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.docx.body import body_of
from engine.ingestion.readers.docx.package import BrokenDocxError, DocxParts, Element, open_docx
from engine.ingestion.readers.formats import ZIP, members
from engine.ingestion.readers.text import read_documents
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.model import SectionKind

# What a Word file says of itself: ECMA-376 part 2 "core properties" and the program's own.

_FIELDS = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "created": "created",
    "modified": "modified",
    "language": "language",
    "version": "version",
}
# Titles that a program gave: a file's name, a template's.
_NO_TITLE = re.compile(
    r"microsoft word|.*\.(?:docx?|dotx?|rtf|odt|pdf)\Z|(?:document|dokument|doc)\s*\d*\Z|untitled|word doc",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:[-_]\w+)?\Z")


def properties_of(parts: DocxParts) -> dict[str, Any]:
    """The properties that say something, under the names that documents give them; dates as ISO days."""
    stated = {
        name: value for key, value in _texts(parts.core).items() if (name := _FIELDS.get(key)) is not None
    }
    program = _texts(parts.application)
    found: dict[str, Any] = {name: value for name, value in stated.items() if _is_telling(name, value)}
    for name in ("created", "modified"):
        if name in found:
            found[name] = found[name][:10]
    if "language" in found:
        found["language"] = re.split(r"[-_]", found["language"])[0].lower()
    if program.get("Application"):
        found["producer"] = " ".join(filter(None, (program["Application"], program.get("AppVersion"))))
    if program.get("Pages", "").isdecimal() and int(program["Pages"]) > 0:
        found["pages"] = int(program["Pages"])
    return found


def _is_telling(name: str, value: str) -> bool:
    if name == "title":
        return not _NO_TITLE.match(value)
    if name in ("created", "modified"):
        return _DAY.match(value) is not None
    if name == "language":
        return _LANGUAGE.match(value) is not None
    return name != "author" or value != "python-docx"


def _texts(part: Element | None) -> dict[str, str]:
    """The text of each direct child, by its name without namespace."""
    found: dict[str, str] = {}
    for child in part if part is not None else ():
        if isinstance(child.tag, str) and child.text and child.text.strip():
            found.setdefault(child.tag.rpartition("}")[2], " ".join(child.text.split()))
    return found


# Word files (DOCX, DOCM and their templates): one file, one document.

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
