"""Akoma Ntoso, the XML of parliaments, legislation and judiciary (OASIS LegalDocML, versions 2 and 3).

Every version names another namespace, so elements are known by their local names. A file with
components is several documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from engine.ingestion.assembly import Assembler
from engine.ingestion.headings import slug_of
from engine.ingestion.readers.akoma_body import Body
from engine.ingestion.readers.akoma_metadata import TYPES, Identity, identity_of
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.identity import language_of, source_name
from engine.ingestion.readers.xml import children, descendants, first, plain, root_of, tag
from engine.language.aliases import aliases_of
from engine.model import Document

_ROOT = re.compile(rb"<(?:[\w.-]+:)?akomaNtoso[\s/>]")
_NOT_OF_A_NAME = re.compile(r"^(?:https?://[^/]+)?/*(?:akn/|id/)?|/?!?main$", re.IGNORECASE)


class AkomaReader:
    """Reads Akoma Ntoso XML: one document a file, or one a component."""

    name = "Akoma Ntoso"

    def accepts(self, path: Path, head: bytes) -> bool:
        """A file whose root is ``akomaNtoso``, whatever its name."""
        return _ROOT.search(head.replace(b"\0", b"")) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The documents of a file, those of its components behind the one that holds them."""
        root = root_of(source)
        if isinstance(root, Problem):
            yield root
            return
        if tag(root) != "akomaNtoso":
            yield Problem(source.name, f"no Akoma Ntoso: its root is <{tag(root)}>")
            return
        found = [part for part in root if tag(part) in TYPES]
        for part in children(root, "components"):
            found.extend(inner for component in part for inner in component if tag(inner) in TYPES)
        if not found:
            yield Problem(source.name, "holds none of the documents that Akoma Ntoso knows")
        taken: set[str] = set()
        for document in found:
            read = _read(document, source, taken)
            if read.passages:
                yield read
            elif tag(document) != "documentCollection":
                yield Problem(source.name, f"the {tag(document)} has no text", _line_of(document))


def _read(document: etree._Element, source: SourceFile, taken: set[str]) -> ReadDocument:
    identity = identity_of(document)
    language = identity.language or language_of(plain(document))
    document_id = _document_id(identity, language, source)
    free, again = document_id, 2
    while free in taken:
        free, again = f"{document_id}~{again}", again + 1
    taken.add(free)
    title = identity.title or _first_heading(document) or Path(source.name).stem
    year = identity.enacted.year if identity.enacted is not None else None
    derived = aliases_of(title, number=identity.number, year=year, type=identity.type, language=language)
    made = Document(
        id=free,
        title=title,
        language=language,
        type=identity.type,
        number=identity.number,
        year=year,
        status="repealed" if identity.valid_to is not None else None,
        version=identity.version,
        valid_from=identity.valid_from,
        valid_to=identity.valid_to,
        issuer=identity.issuer,
        aliases=tuple(dict.fromkeys((*derived, *identity.names))),
        source=source_name(source),
        metadata=identity.metadata,
    )
    return Assembler(made).assemble(Body(language, identity.periods).blocks(document))


def _document_id(identity: Identity, language: str, source: SourceFile) -> str:
    """The URI of the work as an id, with the language and, where it is a later one, the version."""
    uri = _NOT_OF_A_NAME.sub("", identity.work)
    base = slug_of(_NOT_OF_A_NAME.sub("", uri)) or slug_of(Path(source.name).name.split(".")[0]) or "document"
    version = f"@{identity.version}" if identity.version else ""
    return f"{base}-{language}{version}"


def _line_of(element: etree._Element) -> int | None:
    line = element.sourceline
    return line if isinstance(line, int) else None


def _first_heading(document: etree._Element) -> str:
    for heading in descendants(document, "heading"):
        if words := plain(heading):
            return words
    return plain(first(document, "preface"))[:120]
