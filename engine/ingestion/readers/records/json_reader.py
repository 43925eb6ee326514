"""JSON and JSON lines of any shape, by a mapping or by a guess."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from engine.errors import SourceError, UnpackingError
from engine.ingestion.headings import slug_of
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.decoding import decoded, looks_like_text
from engine.ingestion.readers.mapping import FieldMapping, records_mapping_of, text, values
from engine.ingestion.readers.records.documents import document_of_record
from engine.ingestion.readers.records.flat import documents_of_records
from engine.ingestion.readers.records.guess import SAMPLE, guessed

# JSON that is one value is read as a whole, and takes several times its size in memory.
LARGEST_JSON = 128 * 1024 * 1024
_LINES = (".jsonl", ".ndjson", ".jsonlines")

Record = Mapping[str, Any]
Numbered = tuple[int, Record]


class JsonReader:
    """Reads JSON: one document, a list of documents, or a list of passages; also one of these a line."""

    name = "JSON"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Text that begins as a JSON object or list; what is called JSON too, so that its fault is told."""
        begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not looks_like_text(head):
            return False
        if path.name.removesuffix(".gz").lower().endswith((".json", *_LINES)):
            return True
        return re.match(rb"\{\s*\"|\[\s*\{\s*\"", begins) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The documents of a file."""
        if _is_lines(source):
            yield from _read_lines(source)
        else:
            yield from _read_whole(source)


def _is_lines(source: SourceFile) -> bool:
    if source.path.name.removesuffix(".gz").lower().endswith(_LINES):
        return True
    try:
        with source.unpacked() as file:
            first, second = (next(file, b"").strip() for _ in range(2))
    except UnpackingError:
        return False
    if not (first.endswith(b"}") and second.startswith(b"{")):
        return False
    try:
        return isinstance(orjson.loads(first.removeprefix(b"\xef\xbb\xbf")), dict)
    except orjson.JSONDecodeError:
        return False


def _read_lines(source: SourceFile) -> Iterator[ReadDocument | Problem]:
    lines = _numbered_lines(source)
    sample = list(islice(lines, SAMPLE))
    records = [item[1] for item in sample if not isinstance(item, Problem)]
    if source.mapping is not None and (path := source.mapping.get("records")):
        yield Problem(source.name, f"mapping: records: {path}: each line is a record; leave it out")
        return
    mapping = _mapping(source, records)
    if isinstance(mapping, Problem):
        yield from (item for item in sample if isinstance(item, Problem))
        yield mapping
        return
    yield from _documents(chain(sample, lines), mapping, source, several=True)


def _numbered_lines(source: SourceFile) -> Iterator[Numbered | Problem]:
    number = 0
    with source.unpacked() as file:
        try:
            for number, raw in enumerate(file, start=1):
                if not raw.strip():
                    continue
                try:
                    record = orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
                except orjson.JSONDecodeError as error:
                    yield Problem(source.name, f"not JSON in UTF-8: {error}", number)
                    continue
                is_record = isinstance(record, dict)
                yield (number, record) if is_record else Problem(source.name, "not a JSON object", number)
        except UnpackingError as error:
            yield Problem(source.name, f"the compressed file is broken from here on ({error})", number + 1)


def _read_whole(source: SourceFile) -> Iterator[ReadDocument | Problem]:
    size = source.size()
    if size > LARGEST_JSON:
        reason = f"JSON of {size >> 20} MiB; more than {LARGEST_JSON >> 20} MiB must be JSON lines"
        yield Problem(source.name, reason)
        return
    data, problem, line = decoded(source.content())
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        yield Problem(source.name, f"not JSON: {error.msg}", error.lineno)
        return
    if problem:
        yield Problem(source.name, problem, line)
    mapping = _mapping(source, content)
    if isinstance(mapping, Problem):
        yield mapping
        return
    records = [record for record in values(content, mapping.records) if isinstance(record, dict)]
    if not records:
        yield Problem(source.name, f"mapping: records: {mapping.records!r} leads to no object")
        return
    yield from _documents(enumerate(records, start=1), mapping, source, several=len(records) > 1)


def _mapping(source: SourceFile, content: Any) -> FieldMapping | Problem:
    """The user's mapping, or a guess."""
    if source.mapping is not None:
        try:
            return records_mapping_of(source.mapping)
        except SourceError as error:
            return Problem(source.name, str(error))
    found = guessed(content)
    if found is None:
        return Problem(source.name, f"no field holds text{_fields(content)}; say in a mapping which does")
    return found


def _fields(content: Any) -> str:
    first = next((entry for entry in values(content, "") if isinstance(entry, dict)), None)
    return f" (fields: {', '.join(str(name) for name in list(first)[:12])})" if first else ""


def _documents(
    records: Iterator[Numbered | Problem] | enumerate[Record],
    mapping: FieldMapping,
    source: SourceFile,
    *,
    several: bool,
) -> Iterator[ReadDocument | Problem]:
    """Each record a document where it has provisions in a list, else all of them passages of documents."""
    if mapping.items is None and several:
        yield from documents_of_records(records, mapping, source)
        return
    ids: set[str] = set()
    for item in records:
        if isinstance(item, Problem):
            yield item
            continue
        number, record = item
        own_id = _own_id(record, number, mapping, source, ids) if several else None
        yield document_of_record(record, mapping, source, own_id=own_id, guessed=source.mapping is None)


def _own_id(record: Record, number: int, mapping: FieldMapping, source: SourceFile, ids: set[str]) -> str:
    """What a record of several is called: by its title, else by its place in the file."""
    stem = slug_of(source.stem) or "document"
    wanted = slug_of(text(record, mapping.document.title) or "") or f"{stem}-{number}"
    wanted = wanted if wanted not in ids else f"{wanted}-{number}"
    ids.add(wanted)
    return wanted
