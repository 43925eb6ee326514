"""Read JSON and tables."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from engine.errors import SourceError, UnpackingError
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.beir import Line, documents_of
from engine.ingestion.readers.formats import decode_text, looks_like_text
from engine.ingestion.readers.identity import FieldMapping, make_records_mapping, text, texts, values
from engine.ingestion.readers.records.documents import document_of_record
from engine.ingestion.readers.records.guess import SAMPLE, guess_mapping
from engine.ingestion.structure.headings import parse_heading, slug_of
from engine.language.addresses import PROVISIONS, parse_label
from engine.language.analysis import STOPWORDS
from engine.language.detection import detect
from engine.languages import all_words
from engine.model import SectionKind

# Records that are passages: rows of a table, or objects without lists, with or without the names of documents

_NUMBER = re.compile(r"\d+\s?[a-z]{0,2}\Z")
_LANGUAGES = (*STOPWORDS, *(code for code, own in all_words().items() if own.without_blanks))
# Number of records, and number of characters of their texts, used to detect the language.
_TELLING, _SAMPLE = 30, 5000
# Fields of documents by the names that lines of a corpus have for them.
_LINE_NAMES = {
    "type": "regulation_type", "number": "number", "year": "year", "status": "status", "version": "version",
    "valid_from": "valid_from", "valid_to": "valid_to", "date": "date", "issuer": "issuer",
    "abbreviation": "abbreviation", "url": "url", "author": "author",
}  # fmt: skip

Record = Mapping[str, Any]


def documents_of_records(
    records: Iterable[tuple[int, Record] | Problem], mapping: FieldMapping, source: SourceFile
) -> Iterator[ReadDocument | Problem]:
    """Group numbered records into the documents that they name."""
    yield from documents_of(_lines(iter(records), mapping, source), source)


def _lines(
    records: Iterator[tuple[int, Record] | Problem], mapping: FieldMapping, source: SourceFile
) -> Iterator[Line | Problem]:
    stem = slug_of(source.stem) or "record"
    first = list(islice(records, _TELLING))
    # A file is in one language unless a field states another.
    sample = "\n".join(
        words
        for item in first
        if not isinstance(item, Problem)
        for words in texts(item[1], mapping.passage.text)
    )
    spoken = detect(sample[:_SAMPLE], _LANGUAGES)
    made: set[str] = set()
    guess = {} if source.mapping is not None else {"fields": str(mapping), "file": _file_title(source)}
    for item in chain(first, records):
        if isinstance(item, Problem):
            yield item
            continue
        number, record = item
        words = "\n\n".join(texts(record, mapping.passage.text))
        own_id = text(record, mapping.passage.id) or _made_id(record, number, mapping, stem, made)
        if not words:
            yield Problem(source.name, "the text is empty", number, own_id)
            continue
        language = text(record, mapping.passage.language) or text(record, mapping.document.language) or spoken
        yield _line(number, own_id, words, language, record, mapping, guess)


def _file_title(source: SourceFile) -> str:
    """Return the name of a file in words."""
    return " ".join(source.stem.replace("_", " ").split())


def _made_id(record: Record, number: int, mapping: FieldMapping, stem: str, made: set[str]) -> str:
    """Make an id from the document's name and the provision's number, for a record without one."""
    document = (
        slug_of(text(record, mapping.document.id) or text(record, mapping.document.title) or "") or stem
    )
    own_id = f"{document}-{slug_of(text(record, mapping.passage.label) or '') or number}"
    own_id = own_id if own_id not in made else f"{own_id}~{number}"
    made.add(own_id)
    return own_id


def _line(
    number: int,
    own_id: str,
    words: str,
    language: str,
    record: Record,
    mapping: FieldMapping,
    guess: Mapping[str, str],
) -> Line:
    passage, document = mapping.passage, mapping.document
    metadata: dict[str, Any] = {"language": language}
    if guess:
        metadata["fields"] = guess["fields"]
    label, heading = text(record, passage.label), text(record, passage.heading)
    if passage.label is None and heading and guess:
        own = parse_heading(heading)
        if own.number and (own.kind in PROVISIONS or "." in own.number):
            label, heading = own.label, own.title or None
    title = text(record, document.title) or text(record, document.id)
    if title is None and document.title is None and (passage.label or label) and guess:
        # Numbered provisions that name no document: the file is one document.
        title = guess.get("file")
    if title is not None:
        metadata["regulation"] = title
    for name, known_as in _LINE_NAMES.items():
        if (value := text(record, getattr(document, name))) is not None:
            metadata[known_as] = int(value) if name == "year" and value.isdecimal() else value
    if label:
        metadata[_label_name(label, language)] = label
    if path := texts(record, passage.path):
        metadata["path"] = path
    if heading is not None:
        metadata["heading"] = heading
    if status := text(record, passage.status):
        metadata["article_status"] = status
    for name, where in (("valid_from", passage.valid_from), ("valid_to", passage.valid_to)):
        if value := text(record, where):
            metadata[name] = value
    if notes := texts(record, passage.notes):
        metadata["notes"] = notes
    used = set(_paths(mapping))
    for name, value in record.items():
        if name not in used and value not in (None, "", [], {}):
            metadata.setdefault(name, value)
    shown = " - ".join(part for part in (title, label, heading) if part)
    return Line(number, own_id, heading if title is None and heading else shown, words, metadata)


def _label_name(label: str, language: str) -> str:
    """Return the field name under which a line stores its number."""
    if _NUMBER.match(label):
        return "article"
    if parse_heading(label).kind is SectionKind.ARTICLE:
        return "article_label"
    return "passage_label" if parse_label(label, language) is not None else "label"


def _paths(mapping: FieldMapping) -> Iterator[str]:
    for group in (mapping.document, mapping.passage):
        for where in group.model_dump(exclude_none=True).values():
            for path in where if isinstance(where, list) else [where]:
                if isinstance(path, str):
                    yield path


# JSON and JSON lines of any structure, by a mapping or a guess

# A single JSON value is read completely, and takes several times its size in memory.
LARGEST_JSON = 128 * 1024 * 1024
_LINES = (".jsonl", ".ndjson", ".jsonlines")

Numbered = tuple[int, Record]


class JsonReader:
    """Reads JSON: a document, a list of documents, or a list of passages; also one of these per line."""

    name = "JSON"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept text that starts like a JSON object or list, and files with its suffix, to report their
        errors."""
        begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not looks_like_text(head):
            return False
        if path.name.removesuffix(".gz").lower().endswith((".json", *_LINES)):
            return True
        return re.match(rb"\{\s*\"|\[\s*\{\s*\"", begins) is not None

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the documents of a file."""
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
    data, problem, line = decode_text(source.content())
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
    """Return the user's mapping, or a guess, or a Problem."""
    if source.mapping is not None:
        try:
            return make_records_mapping(source.mapping)
        except SourceError as error:
            return Problem(source.name, str(error))
    found = guess_mapping(content)
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
    """Yield each record as a document if it has a list of provisions, otherwise all as passages of
    documents."""
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
    """Return the id of one of several records: from its title, otherwise from its position."""
    stem = slug_of(source.stem) or "document"
    wanted = slug_of(text(record, mapping.document.title) or "") or f"{stem}-{number}"
    wanted = wanted if wanted not in ids else f"{wanted}-{number}"
    ids.add(wanted)
    return wanted


# Tables (CSV and TSV) whose rows are passages, by a mapping or a guess

SUFFIXES = (".csv", ".tsv", ".tab")
# A cell may contain a whole law; the library's own limit is 128 KiB.
LARGEST_CELL = 16 * 1024 * 1024
_SEPARATORS = (",", ";", "\t", "|")
# Maximum number of rows with a wrong number of cells that are reported separately.
_NAMED = 20

NumberedRow = tuple[int, Mapping[str, Any]]


class TableReader:
    """Reads a table with a header row."""

    name = "CSV"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Accept text with the suffix of a table."""
        return path.suffix.lower() in SUFFIXES and looks_like_text(head)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """Yield the documents of a table."""
        text, problem, line = decode_text(source.content())
        if problem:
            yield Problem(source.name, problem, line)
        csv.field_size_limit(LARGEST_CELL)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        try:
            header = next(rows, [])
        except csv.Error as error:
            yield Problem(source.name, f"not a table: {error}", 1)
            return
        names = [name.strip() for name in header]
        if (fault := _header_fault(names)) is not None:
            yield Problem(source.name, fault, 1)
            return
        records = _records(rows, names, source)
        sample = list(islice(records, SAMPLE))
        mapping = _mapping_table_reader(
            source, names, [item[1] for item in sample if not isinstance(item, Problem)]
        )
        if isinstance(mapping, Problem):
            yield from (item for item in sample if isinstance(item, Problem))
            yield mapping
        else:
            yield from documents_of_records(chain(sample, records), mapping, source)


def _separator(text: str) -> str:
    """Return the most frequent separator in the first line, outside quotes."""
    first = text.lstrip("\n").split("\n", 1)[0]
    outside = "".join(first.split('"')[::2])
    counts = Counter({sign: outside.count(sign) for sign in _SEPARATORS})
    return max(_SEPARATORS, key=lambda sign: counts[sign])


def _header_fault(names: list[str]) -> str | None:
    if len(names) < 2:
        return "a table must have at least two columns, and their names in its first row"
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    return f"the column {twice[0]!r} is there twice" if twice else None


def _records(
    rows: Iterator[list[str]], names: list[str], source: SourceFile
) -> Iterator[NumberedRow | Problem]:
    uneven, number = 0, 1
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            yield Problem(source.name, f"not a table from here on: {error}", number + 1)
            return
        if cells is None:
            break
        number += 1
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            uneven += 1
            if uneven <= _NAMED:
                reason = f"a row of {len(cells)} cells in a table of {len(names)} columns: left out"
                yield Problem(source.name, reason, number)
            continue
        yield number, {name: cell for name, cell in zip(names, cells, strict=True) if name}
    if uneven > _NAMED:
        yield Problem(source.name, f"{uneven - _NAMED} more rows of a wrong number of cells: left out")


def _mapping_table_reader(
    source: SourceFile, names: list[str], sample: list[Mapping[str, Any]]
) -> FieldMapping | Problem:
    shown = ", ".join(name for name in names[:12] if name)
    if source.mapping is None:
        found = guess_mapping(sample)
        if found is None or found.items is not None:
            return Problem(
                source.name, f"no column holds text (columns: {shown}); say in a mapping which does"
            )
        return found
    try:
        mapping = make_records_mapping(source.mapping)
    except SourceError as error:
        return Problem(source.name, str(error))
    if mapping.records or mapping.items:
        return Problem(source.name, "mapping: records and items are for JSON; a table has rows only")
    for group in (mapping.passage, mapping.document):
        for field, where in group.model_dump(exclude_none=True).items():
            for name in where if isinstance(where, list) else [where]:
                if isinstance(name, str) and name not in names:
                    reason = f"mapping: {field}: there is no column {name!r} (columns: {shown})"
                    return Problem(source.name, reason)
    return mapping
