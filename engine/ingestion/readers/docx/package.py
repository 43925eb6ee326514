"""The parts of a Word file that are read, opened with care: it is a zip of XML that anybody may have made.

Only the parts needed are unpacked, each within a limit. XML is parsed without network, external
entities or document types (ECMA-376 part 2 forbids the last in a package).
"""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass, field
from typing import BinaryIO

from lxml import etree

from engine.errors import UnpackingError, in_words
from engine.unpacking import open_zip, read_member

Element = etree._Element  # noqa: SLF001 (lxml has no public name for it; used in types alone)

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W = f"{{{WORD}}}"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# ISO 29500 "strict" says the same under other names.
_STRICT = (
    (b"http://purl.org/oclc/ooxml/wordprocessingml/main", WORD.encode()),
    (b"http://purl.org/oclc/ooxml/officeDocument/relationships", _RELATIONS.encode()),
)
# A part of this size is a book of many thousand pages.
LARGEST_PART = 128 * 1024 * 1024
_MAIN, _RELS = "word/document.xml", ".rels"


class BrokenDocxError(ValueError):
    """A Word file that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class DocxParts:
    """The parsed parts of a file, each None where the file has none."""

    document: Element
    styles: Element | None = None
    numbering: Element | None = None
    notes: dict[str, Element] = field(default_factory=dict)
    core: Element | None = None
    application: Element | None = None


def open_docx(file: BinaryIO) -> DocxParts:
    """The parts of an open file. Raises BrokenDocxError."""
    try:
        with open_zip(file) as archive:
            return _parts(archive)
    except BrokenDocxError:
        raise
    except etree.XMLSyntaxError as error:
        raise BrokenDocxError(f"a part of it is no sound XML ({in_words(error)})") from error
    except (UnpackingError, OSError, ValueError) as error:
        raise BrokenDocxError(f"its package is broken ({in_words(error)})") from error


def _parts(archive: zipfile.ZipFile) -> DocxParts:
    names = set(archive.namelist())
    package = _relations(archive, names, "")
    main = package.get("officeDocument", _MAIN)
    if main not in names:
        raise BrokenDocxError("it has no document part")
    document = _part(archive, main)
    if document.find(f"{W}body") is None:
        raise BrokenDocxError("its document part has no body")
    related = _relations(archive, names, main)

    def other(found: dict[str, str], kind: str) -> Element | None:
        name = found.get(kind)
        return _part(archive, name) if name in names and name is not None else None

    notes = {kind: part for kind in ("footnotes", "endnotes") if (part := other(related, kind)) is not None}
    return DocxParts(
        document,
        other(related, "styles"),
        other(related, "numbering"),
        notes,
        other(package, "core-properties"),
        other(package, "extended-properties"),
    )


def _relations(archive: zipfile.ZipFile, names: set[str], part: str) -> dict[str, str]:
    """Which part stands in which relation to another, by the last word of the relation's name."""
    folder, name = posixpath.split(part)
    listed = posixpath.join(folder, "_rels", name + _RELS)
    found: dict[str, str] = {}
    if listed not in names:
        return found
    for relation in _part(archive, listed):
        if not isinstance(relation.tag, str) or relation.get("TargetMode") == "External":
            continue
        kind = (relation.get("Type") or "").rpartition("/")[2]
        target = relation.get("Target") or ""
        full = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        found.setdefault(kind, posixpath.normpath(full))
    return found


def _part(archive: zipfile.ZipFile, name: str) -> Element:
    entry = archive.getinfo(name)
    if entry.flag_bits & 0x1:
        raise BrokenDocxError("it is encrypted")
    try:
        data = read_member(archive, entry, LARGEST_PART)
    except UnpackingError as error:
        raise BrokenDocxError(f"its part {name}: {error}: not read") from error
    for strict, plain in _STRICT:
        data = data.replace(strict, plain)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise BrokenDocxError(
            f"its part {name} declares a document type, which could hide entities: not read"
        )
    return root
