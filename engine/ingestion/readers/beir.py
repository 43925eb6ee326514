"""Read corpora in the BEIR format: ``corpus.jsonl`` or ``corpus.jsonl.gz``.

A line is ``{"id" or "_id", "title", "text", "metadata"}``. Each line is a passage and keeps its id; the parts
of a long line are ``<id>``, ``<id>#2``, ``<id>#3``, with the line's id as ``source_id``. Lines of one
regulation or document make one Document; a line without either is a separate document. A document of one
line without a number, whose text has headings of provisions, is read like a file of that text, and keeps the
line's id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from engine.errors import UnpackingError
from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.lines import DottedOutline
from engine.ingestion.readers.markdown import blocks_of_field
from engine.ingestion.readers.text import read_documents
from engine.ingestion.structure.headings import parse_heading, slug_of
from engine.ingestion.structure.numbers import add_number_names
from engine.ingestion.structure.outline import Node, Outline, cited_as, format_levels
from engine.ingestion.structure.segmentation import Piece, cut
from engine.language.addresses import PROVISIONS, Address, parse_label
from engine.language.aliases import aliases_of
from engine.model import NOTHING, Document, Passage, SectionKind

# Larger files, compressed or not, are read twice: once to count the lines of each document, so that only one
# document is in memory, and once to make them. This takes a tenth more time.
LARGEST_AT_ONCE = 16 * 1024 * 1024
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
_ID = re.compile(rb'"_?id"\s*:')
_OWN = frozenset({"id", "_id", "text", "title", "metadata"})
_ID_SEPARATORS = re.compile(r"[-_./:# ]")


@dataclass(frozen=True, slots=True)
class Line:
    """A usable line of a file."""

    number: int
    id: str
    title: str
    text: str
    metadata: Mapping[str, Any]

    @property
    def language(self) -> str:
        """Language code; "und" if the source has none."""
        return str(self.metadata.get("language") or "und")


class BeirReader:
    """Reads ``corpus.jsonl[.gz]``."""

    name = "BEIR"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept JSON lines whose first object has an id and a text."""
        first, end, rest = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
        if not first.startswith(b"{") or b'"text"' not in first or not _ID.search(first):
            return False
        by_name = path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
        return by_name or (bool(end) and first.rstrip().endswith(b"}") and rest.lstrip()[:1] in (b"{", b""))

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the documents of a file; lines of one document need not be consecutive."""
        counts = None
        if source.size() > LARGEST_AT_ONCE:
            counts = Counter(_key(line) for line in _lines(source) if isinstance(line, Line))
        yield from documents_of(_lines(source), source, counts)


def documents_of(
    lines: Iterable[Line | Problem], source: SourceFile, counts: Mapping[tuple[str, ...], int] | None = None
) -> Iterator[ReadDocument | Problem]:
    """Group lines into documents; problems are passed on.

    ``counts``: the number of lines of each document, which allows yielding it after its last line; without it
    all lines are collected first.
    """
    groups: dict[tuple[str, ...], list[Line]] = {}
    left = dict(counts or {})
    seen: set[str] = set()
    ids: set[str] = set()
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        key = _key(line)
        if line.id in seen:
            yield Problem(source.name, "this id is already used by an earlier line", line.number, line.id)
        else:
            seen.add(line.id)
            groups.setdefault(key, []).append(line)
        if key in left:
            left[key] -= 1
            if not left[key] and key in groups:
                yield from _made(groups.pop(key), ids, source)
    for group in groups.values():
        yield from _made(group, ids, source)


def _made(lines: Sequence[Line], ids: set[str], source: SourceFile) -> Iterator[ReadDocument | Problem]:
    document_id = _document_id(lines, ids)
    if source.shares_id:
        document_id = f"{document_id}-{slug_of(source.stem)}"
    ids.add(document_id)
    laws = _documents_of_text(document_id, lines[0], source) if len(lines) == 1 else []
    yield from laws or [_document(document_id, lines, source.path)]


def _documents_of_text(document_id: str, line: Line, source: SourceFile) -> list[ReadDocument | Problem]:
    """Read the text of one line as documents; empty if the line has its own number, or its text has no
    provisions."""
    own = fields.provision_of(line.metadata, line.language)
    if own.address or own.dotted or own.nodes:
        return []
    title, blocks = blocks_of_field(line.text)
    if len(blocks) < 2:
        return []
    given = {"url": source.path.name, **line.metadata, "id": document_id}
    if name := fields.first_text(line.metadata, fields.DOCUMENT_NAMES) or line.title:
        given["title"] = name
    if "date" in given:
        given.setdefault("valid_from", given["date"])
    named = replace(source, name=document_id, shares_id=False, mapping=None)
    found: list[ReadDocument | Problem] = []
    for read in read_documents(named, given, title, line.text, blocks, is_plain=True):
        if not isinstance(read, ReadDocument) or not _has_provisions(read):
            return []
        found.append(read)
    return found


def _has_provisions(read: ReadDocument) -> bool:
    """Return True if a document has a provision, or several chapters, which are provisions with bare
    numbers."""
    kinds = [section.kind for section in read.sections if section.number is not None]
    return not PROVISIONS.isdisjoint(kinds) or kinds.count(SectionKind.CHAPTER) > 1


def _lines(source: SourceFile) -> Iterator[Line | Problem]:
    with source.unpacked() as file:
        number = 0
        try:
            for number, raw in enumerate(file, start=1):
                if raw.strip():
                    yield _line(source, number, raw)
        except UnpackingError as error:
            yield Problem(source.name, f"the compressed file is broken from here on ({error})", number + 1)


def _line(source: SourceFile, number: int, raw: bytes) -> Line | Problem:
    try:
        record = orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        return Problem(source.name, f"not JSON in UTF-8: {error}", number)
    if not isinstance(record, dict):
        return Problem(source.name, "not a JSON object", number)
    given = record.get("id", record.get("_id"))
    if not isinstance(given, str | int) or isinstance(given, bool) or not str(given).strip():
        return Problem(source.name, 'no "id" or "_id"', number)
    line_id, text, title = str(given), record.get("text"), record.get("title") or ""
    metadata = record.get("metadata") or {}
    if not isinstance(text, str) or not isinstance(title, str) or not isinstance(metadata, dict):
        return Problem(
            source.name, '"text" and "title" must be strings and "metadata" an object', number, line_id
        )
    if not text.strip():
        return Problem(source.name, "the text is empty", number, line_id)
    other_fields = {
        name: value for name, value in record.items() if name not in _OWN and value not in (None, "")
    }
    return Line(number, line_id, title.strip(), text, {**other_fields, **metadata})


def _key(line: Line) -> tuple[str, ...]:
    name = fields.first_text(line.metadata, fields.DOCUMENT_NAMES)
    if name is None:
        return ("", line.id)
    version = fields.first_text(line.metadata, fields.VERSIONS) or ""
    return (name, line.language, version, str(line.metadata.get("source_file") or ""))


def _document_id(lines: Sequence[Line], taken: set[str]) -> str:
    """Return the common prefix of the lines' ids, otherwise the document's name; made unique."""
    first = lines[0]
    name = fields.first_text(first.metadata, fields.DOCUMENT_NAMES)
    if name is None:
        return first.id if first.id not in taken else f"{first.id}~document"
    common = "" if _UUID.match(first.id) else _common_beginning([line.id for line in lines])
    wanted = common if common and common not in taken else slug_of(name) or "document"
    found, again = wanted, 2
    while found in taken:
        found, again = f"{wanted}~{again}", again + 1
    return found


def _common_beginning(ids: Sequence[str]) -> str:
    first, last = min(ids), max(ids)
    length = next(
        (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    borders = [match.start() for match in _ID_SEPARATORS.finditer(first[: length + 1])]
    return first[: borders[-1]] if borders else ""


def _document(document_id: str, lines: Sequence[Line], path: Path) -> ReadDocument:
    first = lines[0]
    shared = _shared_metadata(lines)
    name = fields.first_text(first.metadata, fields.DOCUMENT_NAMES)
    language = first.language
    known: dict[str, Any] = {
        "number": fields.first_text(first.metadata, ("number",)),
        "year": fields.year_of(first.metadata),
        "type": fields.first_text(first.metadata, fields.TYPES),
    }
    aliases: tuple[str, ...] = ()
    if name is not None:
        abbreviation = fields.first_text(first.metadata, fields.ABBREVIATIONS)
        aliases = aliases_of(
            name, document_id=document_id, abbreviation=abbreviation, language=language, **known
        ) + _heads(lines, language, known)
    begins, ends = _days_of_document(lines)
    document = Document(
        id=document_id,
        title=_title(name, aliases, first),
        language=language,
        status=fields.status_of(first.metadata.get("status")),
        version=fields.first_text(first.metadata, fields.VERSIONS),
        valid_from=begins,
        valid_to=ends,
        aliases=tuple(dict.fromkeys(aliases)),
        source=fields.first_text(first.metadata, ("url", "source_file")) or path.name,
        metadata=shared,
        **known,
    )
    return _with_passages(document, lines)


def _days_of_document(lines: Sequence[Line]) -> tuple[date | None, date | None]:
    """Return the first and last day of a document: the earliest and latest of its lines."""
    begins = [fields.day_of(line.metadata.get("valid_from") or line.metadata.get("date")) for line in lines]
    ends = [fields.day_of(line.metadata.get("valid_to")) for line in lines]
    known = [day for day in begins if day is not None]
    last = [day for day in ends if day is not None]
    return (min(known) if len(known) == len(lines) else begins[0]), (
        max(last) if len(last) == len(lines) else None
    )


def _title(name: str | None, aliases: Sequence[str], first: Line) -> str:
    """Return a document's name without its version if this is its first alias."""
    if name is None:
        return first.title or first.id
    plain = " ".join(name.replace("_", " ").split())
    return aliases[0] if aliases and plain.startswith(aliases[0]) else name


def _heads(lines: Sequence[Line], language: str, known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the full title of an act in the labels of its first lines, before any number."""
    label = fields.first_text(lines[0].metadata, ("passage_label",)) or ""
    if len(lines) < 2 or len(label.split()) < 3 or parse_label(label, language) is not None:
        return ()
    return aliases_of(label.title() if label.isupper() else label, language=language)


def _shared_metadata(lines: Sequence[Line]) -> Mapping[str, Any]:
    """Return the metadata common to all lines, which are stored once with the document."""
    if len(lines) == 1:
        return NOTHING
    first, *rest = (line.metadata for line in lines)
    return {
        name: value
        for name, value in first.items()
        if name != "path" and all(name in other and other[name] == value for other in rest)
    }


def _with_passages(document: Document, lines: Sequence[Line]) -> ReadDocument:
    provisions = [fields.provision_of(line.metadata, line.language) for line in lines]
    dotted = DottedOutline(
        [(provision.dotted, line.text) for provision, line in zip(provisions, lines, strict=True)],
        document.language,
    )
    outline = Outline(document.id)
    passages: list[Passage] = []
    for line, provision in zip(lines, provisions, strict=True):
        pieces = cut(line.text, language=line.language)
        nodes = provision.nodes if provision.dotted is None else dotted.nodes(provision.dotted)
        above = nodes
        if provision.dotted is not None and dotted.is_heading(provision.dotted, line.text):
            above = nodes[:-1]
        headings = tuple(node.shown for node in above if node.title or node.number is None)
        if len(pieces) > 1 and provision.dotted is None:
            nodes = (*nodes, _own_node(line, provision))
        if provision.title:
            headings = (*headings, provision.title)
        section_id = outline.place(nodes, len(passages))
        numbered = next((piece for piece in pieces if piece.number), None)
        item = numbered is not None and not line.text.startswith("(", numbered.start)
        for part, piece in enumerate(pieces):
            label = _label(document, line, provision, piece, item=item)
            passages.append(
                _passage(document, line, provision, piece, part, len(passages), section_id, headings, label)
            )
    document = add_number_names(document, (passage.number for passage in passages))
    return ReadDocument(document, outline.finish(len(passages)), tuple(passages))


def _own_node(line: Line, provision: fields.Provision) -> Node:
    """Make the section of a line that is too long for one passage."""
    address = provision.address
    shown = cited_as(address, line.language) if address else line.title
    kind = address.kind if address else SectionKind.HEADING
    return Node(
        line.id, kind, address.number if address else None, provision.title, shown, slug_of(shown) or "text"
    )


def _label(document: Document, line: Line, provision: fields.Provision, piece: Piece, *, item: bool) -> str:
    """Format the citation of a piece of a line; ``item``: its numbers are printed "1.", not "(1)"."""
    address = provision.address
    label = _printed(address, line) or cited_as(address, line.language) if address else ""
    if not label:
        return line.title if document.title != line.title else ""
    if address is not None and address.paragraph:
        return label
    return label + format_levels(piece.number, line.language, item=item)


def _own_day(line: Line, field: str, of_document: date | None) -> date | None:
    """Return the date of a line if it differs from its document's."""
    day = fields.day_of(line.metadata.get(field))
    return None if day == of_document else day


def _printed(address: Address, line: Line) -> str:
    """Return the label of a line as printed if it is a word and the number of an address."""
    label = fields.first_text(line.metadata, ("passage_label", "article_label", "article")) or ""
    own, number = parse_heading(label).label, address.number
    is_own = number is not None and own.endswith(number) and own != number
    return own if is_own and address.paragraph is None else ""


def _passage(
    document: Document,
    line: Line,
    provision: fields.Provision,
    piece: Piece,
    part: int,
    position: int,
    section_id: str | None,
    headings: tuple[str, ...],
    label: str,
) -> Passage:
    address = provision.address
    paragraph = (address.paragraph if address else None) or piece.number
    metadata = {
        name: value
        for name, value in line.metadata.items()
        if not (name in document.metadata and document.metadata[name] == value)
    }
    return Passage(
        id=line.id if part == 0 else f"{line.id}#{part + 1}",
        document_id=document.id,
        section_id=section_id,
        position=position,
        text=line.text[piece.start : piece.end],
        language=line.language,
        kind=address.kind if address else SectionKind.HEADING,
        number=address.number if address else None,
        paragraph=paragraph,
        label=label,
        headings=headings,
        source_id=line.id,
        status=fields.passage_status(line.metadata),
        valid_from=_own_day(line, "valid_from", document.valid_from),
        valid_to=_own_day(line, "valid_to", document.valid_to),
        overlap=piece.overlap,
        metadata=metadata,
    )
