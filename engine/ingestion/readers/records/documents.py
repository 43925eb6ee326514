"""Convert a record with its provisions in a list, or in nested lists, to a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.identity import (
    EVERYWHERE,
    FieldMapping,
    PassageFields,
    plain_text,
    text,
    texts,
    values,
)
from engine.ingestion.readers.markdown import blocks_of_field
from engine.ingestion.readers.records import guess
from engine.ingestion.readers.records.guess import LONG_TEXT
from engine.ingestion.readers.text import make_document
from engine.ingestion.structure.assembly import Assembler, Block, HeadingBlock, TextBlock, drop_title
from engine.ingestion.structure.headings import Heading, parse_heading, slug_of
from engine.language.addresses import CONTAINERS
from engine.model import Document, SectionKind

_PROVISION, _NOTES = 20, 21
_DEEPEST = 12
# If a source has a text and its paragraphs, one of them may lack the list below "the following:". Minimum
# ratio of lengths.
_MORE = 1.3
_SAMPLE = 20_000
_SIMPLE = (
    *("title", "type", "number", "year", "language", "status"),
    *("version", "work", "issuer", "abbreviation", "url", "author"),
)

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """A provision of a record and its enclosing objects from the outside in."""

    content: Record
    around: tuple[Record, ...] = ()


def document_of_record(
    record: Record, mapping: FieldMapping, source: SourceFile, *, own_id: str | None, guessed: bool
) -> ReadDocument | Problem:
    """Make the document of a record; ``own_id``: id if the record has none and the file contains several."""
    items = list(find_items(record, mapping))
    sample = "\n".join(words for item in items[:40] for words in texts(item.content, mapping.passage.text))
    document = _document(record, mapping, source, sample[:_SAMPLE], own_id, guessed=guessed)
    blocks = [*_beginning(record, mapping), *_provisions(items, mapping.passage, document)]
    read = Assembler(document).assemble(drop_title(blocks, document.title))
    return read if read.passages else Problem(source.name, "a record without text", id=document.id)


def find_items(record: Record, mapping: FieldMapping) -> Iterator[Item]:
    """Yield the provisions of a record in order."""
    if mapping.items is None:
        yield Item(record)
    elif mapping.items == EVERYWHERE:
        yield from _everywhere(record, mapping.passage, (), 0)
    else:
        yield from _listed(record, mapping.items.split("."), (), 0)


def _listed(place: Any, path: Sequence[str], around: tuple[Record, ...], depth: int) -> Iterator[Item]:
    if depth > _DEEPEST:
        return
    if isinstance(place, list):
        for entry in place:
            if isinstance(entry, dict) and path:
                yield from _listed(entry, path, (*around, entry), depth + 1)
            else:
                yield from _listed(entry, path, around, depth + 1)
    elif isinstance(place, dict):
        if not path:
            yield Item(place, around)
        else:
            yield from _listed(place.get(path[0]), path[1:], around, depth + 1)


def _everywhere(
    place: Record, passage: PassageFields, around: tuple[Record, ...], depth: int
) -> Iterator[Item]:
    for name, value in place.items():
        if depth > _DEEPEST or guess.plain(name) in guess.NOTES:
            continue
        entries = value if isinstance(value, list) else [value]
        for entry in entries:
            if not isinstance(entry, dict):
                continue
            own = text(entry, passage.text)
            if own is not None:
                yield Item(entry, around)
            inner = (*around, entry) if isinstance(value, list) else around
            for item in _everywhere(entry, passage, inner, depth + 1):
                # Paragraphs that only repeat the text of their article are not separate provisions.
                if own is None or (text(item.content, passage.text) or "") not in own:
                    yield item


def _document(
    record: Record,
    mapping: FieldMapping,
    source: SourceFile,
    sample: str,
    own_id: str | None,
    *,
    guessed: bool,
) -> Document:
    stated = mapping.document
    given: dict[str, Any] = {}
    for name in _SIMPLE:
        value = text(record, getattr(stated, name))
        if value:
            given[name] = value
    if isinstance(given.get("year"), str) and given["year"].isdecimal():
        given["year"] = int(given["year"])
    if (found := text(record, stated.id)) is not None:
        given["id"] = slug_of(found) or found
    elif own_id is not None:
        given["id"] = own_id
    begins = text(record, stated.valid_from) or text(record, stated.date)
    if begins is not None and fields.day_of(begins) is not None:
        given["valid_from"] = begins
    if (ends := text(record, stated.valid_to)) is not None:
        given["valid_to"] = ends
    if stated.date is not None and (day := text(record, stated.date)):
        given["date"] = day
    for name, value in _other_fields(record, mapping):
        given.setdefault(name, value)
    if guessed:
        given["fields"] = str(mapping)
    return make_document(source, given, None, sample, record=True)


def _other_fields(record: Record, mapping: FieldMapping) -> Iterator[tuple[str, str]]:
    """Yield the unused short fields of a record; those of nested objects by their path."""
    used = {
        path
        for where in mapping.document.model_dump(exclude_none=True).values()
        for path in (where if isinstance(where, list) else [where])
        if isinstance(path, str)
    }
    for name, value in record.items():
        inner = value if isinstance(value, dict) else {"": value}
        for below, simple in inner.items():
            path = f"{name}.{below}" if below else name
            words = plain_text(simple)
            if path not in used and words and len(words) < LONG_TEXT:
                yield path, words


def _beginning(record: Record, mapping: FieldMapping) -> Iterator[Block]:
    """Yield the texts of a record before its provisions, each below the name of its field."""
    for path in mapping.document.texts:
        found = [words for value in values(record, path) if (words := plain_text(value))]
        if found:
            yield HeadingBlock(_PROVISION, parse_heading(_spoken(path)))
            yield from (TextBlock(words) for words in found)


def _spoken(path: str) -> str:
    """Format a field's name as a heading: "royal_decree.text" gives "Royal decree"."""
    words = [word for word in path.replace(".", "_").replace("-", "_").split("_") if word]
    while len(words) > 1 and guess.plain(words[-1]) in guess.TEXT:
        words.pop()
    return " ".join(words).capitalize()


def _provisions(items: Sequence[Item], passage: PassageFields, document: Document) -> Iterator[Block]:
    above: list[str] = []
    for item in items:
        path = [*_around(item), *texts(item.content, passage.path)]
        shared = 0
        while shared < min(len(path), len(above)) and path[shared] == above[shared]:
            shared += 1
        for depth in range(shared, len(path)):
            yield HeadingBlock(depth + 1, parse_heading(path[depth]))
        above = path
        heading = provision_heading(item.content, passage, path, document.language)
        if heading is not None:
            yield HeadingBlock(
                _PROVISION,
                heading,
                valid_from=fields.day_of(text(item.content, passage.valid_from)),
                valid_to=fields.day_of(text(item.content, passage.valid_to)),
                status=fields.status_of(text(item.content, passage.status)),
                eid=text(item.content, passage.id),
            )
        for words in _words(item.content, passage):
            if heading is None or heading.kind in CONTAINERS:
                yield from _below(blocks_of_field(words)[1], _PROVISION if heading else len(path))
            else:
                yield TextBlock(words)
        notes = texts(item.content, passage.notes)
        if notes and heading is not None:
            where = passage.notes if isinstance(passage.notes, str) else (passage.notes or ["notes"])[0]  # type: ignore[index]
            title = _spoken(str(where).split(".")[0])
            yield HeadingBlock(
                _NOTES, Heading(SectionKind.HEADING, None, title, "", slug_of(title) or "notes")
            )
            yield from (TextBlock(note) for note in notes)


def _below(blocks: Sequence[Block], level: int) -> Iterator[Block]:
    """Yield the blocks of a text below a heading of a level."""
    for block in blocks:
        yield replace(block, level=level + block.level) if isinstance(block, HeadingBlock) else block


def _words(content: Record, passage: PassageFields) -> list[str]:
    """Return the text of a provision: its own, or its paragraphs if they contain more."""
    own = texts(content, passage.text)
    parts = [
        part for part in values(content, passage.parts or "") if isinstance(part, dict) and passage.parts
    ]
    lines = []
    for part in parts:
        marker, words = _first(part, guess.MARKER), _first(part, guess.TEXT)
        if words:
            lines.append(f"{marker} {words}" if marker else words)
    more = sum(map(_letters, lines)) > _MORE * sum(map(_letters, own))
    return ["\n".join(" ".join(line.split()) for line in lines)] if more else own


def _letters(words: str) -> int:
    return sum(letter.isalnum() for letter in words)


def _around(item: Item) -> Iterator[str]:
    """Yield the headings of the objects around a provision."""
    for content in item.around:
        label = _first(content, guess.LABEL)
        title = _first(content, (*guess.HEADING, *guess.TITLE))
        words = title if label is None or title is None or title.startswith(label) else f"{label} {title}"
        if words := words or label or "":
            yield " ".join(words.split())


def _first(content: Record, wanted: Sequence[str]) -> str | None:
    present = {guess.plain(name): plain_text(value) for name, value in content.items()}
    return next((present[name] for name in wanted if present.get(name)), None)


def provision_heading(
    content: Record, passage: PassageFields, path: Sequence[str], language: str
) -> Heading | None:
    """Make the heading of a provision from its number and its title, unless the title is only that of a
    heading above."""
    label, title = text(content, passage.label), text(content, passage.heading)
    title = " ".join(title.split()) if title and title not in path else ""
    if title and title == label:
        title = ""
    if label is None:
        return parse_heading(title) if title else None
    found = numbered_heading(label, language)
    if found.number is None:
        return parse_heading(f"{label} {title}".strip())
    own = parse_heading(title) if title else None
    if own is not None and own.kind is found.kind and own.number == found.number:
        title = own.title
    return replace(found, title=found.title or title)


def numbered_heading(label: str, language: str) -> Heading:
    """Parse a label as a heading; a bare number is that of an article."""
    line = " ".join(label.split()).rstrip(" :.-–")
    own = parse_heading(line)
    if own.number is not None:
        return own
    word = fields.article_word(language)
    as_article = parse_heading(f"{word} {line.strip('()')}")
    return as_article if as_article.kind is SectionKind.ARTICLE and as_article.number else own
