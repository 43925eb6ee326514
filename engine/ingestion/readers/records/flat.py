"""Records that are passages: rows of a table, objects without lists, each naming its document or none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from engine.ingestion.headings import parse_heading, slug_of
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.beir import Line, documents_of
from engine.ingestion.readers.mapping import FieldMapping, text, texts
from engine.language.addresses import parse_label
from engine.language.analysis import STOPWORDS
from engine.language.detection import detect
from engine.languages import all_words
from engine.model import SectionKind

_NUMBER = re.compile(r"\d+\s?[a-z]{0,2}\Z")
_LANGUAGES = (*STOPWORDS, *(code for code, own in all_words().items() if own.without_blanks))
# So many records are looked at to tell their language, and so much of their text.
_TELLING, _SAMPLE = 30, 5000
# The fields of a document under the names that lines of a corpus have for them.
_LINE_NAMES = {
    "type": "regulation_type", "number": "number", "year": "year", "status": "status", "version": "version",
    "valid_from": "valid_from", "valid_to": "valid_to", "date": "date", "issuer": "issuer",
    "abbreviation": "abbreviation", "url": "url", "author": "author",
}  # fmt: skip

Record = Mapping[str, Any]


def documents_of_records(
    records: Iterable[tuple[int, Record] | Problem], mapping: FieldMapping, source: SourceFile
) -> Iterator[ReadDocument | Problem]:
    """The documents that numbered records make, those that name one document together."""
    yield from documents_of(_lines(iter(records), mapping, source), source)


def _lines(
    records: Iterator[tuple[int, Record] | Problem], mapping: FieldMapping, source: SourceFile
) -> Iterator[Line | Problem]:
    stem = slug_of(source.stem) or "record"
    first = list(islice(records, _TELLING))
    # A file is in one language, unless a field says otherwise.
    sample = "\n".join(
        words
        for item in first
        if not isinstance(item, Problem)
        for words in texts(item[1], mapping.passage.text)
    )
    spoken = detect(sample[:_SAMPLE], _LANGUAGES)
    made: set[str] = set()
    told = {} if source.mapping is not None else {"fields": str(mapping), "file": _file_title(source)}
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
        yield _line(number, own_id, words, language, record, mapping, told)


def _file_title(source: SourceFile) -> str:
    """What a file is called, in words."""
    return " ".join(source.stem.replace("_", " ").split())


def _made_id(record: Record, number: int, mapping: FieldMapping, stem: str, made: set[str]) -> str:
    """An id of the document's name and the provision's number, for a record without one."""
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
    told: Mapping[str, str],
) -> Line:
    passage, document = mapping.passage, mapping.document
    metadata: dict[str, Any] = {"language": language}
    if told:
        metadata["fields"] = told["fields"]
    title = text(record, document.title) or text(record, document.id)
    if (
        title is None
        and document.title is None
        and (passage.heading or passage.path)
        and passage.label
        and told
    ):
        # Provisions with headings of their own that name no document: the file is one.
        title = told.get("file")
    if title is not None:
        metadata["regulation"] = title
    for name, known_as in _LINE_NAMES.items():
        if (value := text(record, getattr(document, name))) is not None:
            metadata[known_as] = int(value) if name == "year" and value.isdecimal() else value
    if label := text(record, passage.label):
        metadata[_label_name(label, language)] = label
    if path := texts(record, passage.path):
        metadata["path"] = path
    heading = text(record, passage.heading)
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
    """Under which name a line knows its own number."""
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
