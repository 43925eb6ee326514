"""Make documents from the metadata and headings of files, with field mappings written by the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded, files
from engine.corpus.contents import is_bare_heading
from engine.errors import FileRefusedError, SourceError, YamlError
from engine.ingestion.readers import fields
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.fields import DayKind, day_kind
from engine.ingestion.readers.lines import heading_line
from engine.ingestion.structure.headings import EXPLANATION, slug_of
from engine.ingestion.structure.numbers import is_title as is_typed
from engine.ingestion.versions.validity import named_file
from engine.language.aliases import aliases_of
from engine.language.detection import language_code, language_of_text
from engine.language.front_page import STANDARD, FrontPage, read_front_page, title_case
from engine.model import Document

# Field mappings of JSON, JSON lines, tables and front matter, written by the user
#
# .. code-block:: yaml
#
#     records: data.laws          # list of records; omit if it is the file itself
#     items: articles             # provisions in a record; omit if a record is one passage
#     document:                   # fields of a record about its document
#       id: law_id
#       title: title
#       number: royal_decree.number
#       language: {value: ar}     # constant
#     passage:                    # fields of an item, or of the record without items
#       label: number_text
#       text: text
#       path: [part, chapter]     # headings above it, from the outside in
#       notes: amendments.description
#
# Front matter of Markdown and text, the head of a page and the properties of a file have no passages:
#
# .. code-block:: yaml
#
#     document:
#       valid_from: zeitpunkt     # start of this version
#       valid_to: ablauf
#       work: gesetzesnummer      # identifier of all versions of a text
#
# A field is named by its path: names separated by dots, which also leads through lists ("chapters.articles").
# ``items: "**"`` takes each object with the text field at any depth.

# Value of ``items``: each object in a record with the text field; the enclosing objects are its headings.
EVERYWHERE = "**"
# Maximum length of a path.
_DEEPEST = 12
LARGEST = 100_000


class Constant(BaseModel):
    """A value that is the same for every record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str | int | float


Where = str | list[str] | Constant


class DocumentFields(BaseModel):
    """Fields of a record, or of a file's front matter, about its document.

    ``texts``: texts before the provisions of a record. ``work``: an identifier of all versions of a text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Where | None = None
    title: Where | None = None
    type: Where | None = None
    number: Where | None = None
    year: Where | None = None
    language: Where | None = None
    status: Where | None = None
    version: Where | None = None
    date: Where | None = None
    valid_from: Where | None = None
    valid_to: Where | None = None
    work: Where | None = None
    issuer: Where | None = None
    abbreviation: Where | None = None
    url: Where | None = None
    author: Where | None = None
    texts: list[str] = Field(default_factory=list)


class PassageFields(BaseModel):
    """Fields of a provision. ``label``: its number as printed; ``heading``: its title.

    ``parts``: a list of its paragraphs in addition to the text, used if it contains more than the text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Where
    parts: str | None = None
    id: Where | None = None
    label: Where | None = None
    heading: Where | None = None
    path: Where | None = None
    status: Where | None = None
    valid_from: Where | None = None
    valid_to: Where | None = None
    language: Where | None = None
    notes: Where | None = None


class FieldMapping(BaseModel):
    """The position of records in a file, and the meanings of their fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: str = ""
    items: str | None = None
    document: DocumentFields = DocumentFields()
    # Front matter has no passages.
    passage: PassageFields = PassageFields(text=[])

    def __str__(self) -> str:
        parts = [f"records: {self.records}"] if self.records else []
        parts += [f"items: {self.items}"] if self.items else []
        for noun, group in (("document", self.document), ("passage", self.passage)):
            stated = group.model_dump(exclude_none=True, exclude_defaults=True)
            for name, where in stated.items():
                shown = " + ".join(where) if isinstance(where, list) else where
                parts.append(f"{noun}.{name}: {shown['value'] if isinstance(shown, dict) else shown}")
        return "; ".join(parts)


def load_mapping(path: Path) -> dict[str, Any]:
    """Load and check a mapping file (YAML or JSON). Raises SourceError with the reason."""
    try:
        data = files.read_named(path, LARGEST)
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"mapping {path}: cannot be opened ({error})") from error
    return parse_mapping(data, str(path))


def parse_mapping(text: str | bytes, name: str = "") -> dict[str, Any]:
    """Parse and check a mapping in YAML or JSON. Raises SourceError with the reason."""
    shown = f"mapping {name}".rstrip()
    try:
        content = bounded.load_yaml(text, largest=LARGEST)
    except YamlError as error:
        raise SourceError(f"{shown}: not readable as YAML or JSON ({error})") from error
    if not isinstance(content, dict):
        raise SourceError(f"{shown}: must be fields with values, such as 'passage: {{text: body}}'")
    make_mapping(content, name)
    return {str(field): value for field, value in content.items()}


def make_records_mapping(content: Mapping[str, Any]) -> FieldMapping:
    """Make a mapping for records. Raises SourceError also if it names no text field."""
    mapping = make_mapping(content)
    if not mapping.passage.text:
        raise SourceError("mapping: passage: missing; records need it, such as 'passage: {text: body}'")
    return mapping


def make_mapping(content: Mapping[str, Any], name: str = "") -> FieldMapping:
    """Make a mapping from parsed content. Raises SourceError that names the first invalid field."""
    try:
        found = FieldMapping.model_validate(content)
        if (found.records or found.items) and not found.passage.text:
            raise SourceError(f"mapping {name}: passage: Field required".replace(" :", ":"))
        return found
    except ValidationError as error:
        faults = error.errors()
        # A missing field is usually present under a wrong name.
        first = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
        # The last parts of the location name a branch of a union, not a field of the file.
        where = ".".join(str(part) for part in first["loc"] if part not in ("str", "Constant", "list[str]"))
        message = "no such field" if first["type"] == "extra_forbidden" else first["msg"]
        groups: dict[str, type[BaseModel]] = {"document": DocumentFields, "passage": PassageFields}
        group = groups.get(str(first["loc"][0]), FieldMapping) if len(first["loc"]) > 1 else FieldMapping
        hint = f"; known: {', '.join(group.model_fields)}" if first["type"] == "extra_forbidden" else ""
        raise SourceError(f"mapping {name}: {where or 'file'}: {message}{hint}".replace(" :", ":")) from error


def read_mapped_fields(content: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the values that a mapping finds in front matter, by the names of ``DocumentFields``.

    Raises SourceError for an invalid mapping.
    """
    mapping = make_mapping(content)
    plain = {
        name: value.isoformat() if isinstance(value, date) else value for name, value in metadata.items()
    }
    found = {}
    for name in DocumentFields.model_fields:
        value = None if name == "texts" else text(plain, getattr(mapping.document, name))
        if value:
            found[name] = value
    return found


def values(record: Any, path: str) -> Iterator[Any]:
    """Yield every value at a path, which may lead through lists."""
    yield from _follow(record, path.split(".") if path else [], 0)


def _follow(place: Any, parts: Sequence[str], depth: int) -> Iterator[Any]:
    if depth > _DEEPEST:
        return
    if isinstance(place, list):
        for entry in place:
            yield from _follow(entry, parts, depth + 1)
    elif not parts:
        yield place
    elif isinstance(place, dict):
        whole = ".".join(parts)
        if whole in place:
            # A name may contain dots.
            yield from _follow(place[whole], [], depth + 1)
        elif parts[0] in place:
            yield from _follow(place[parts[0]], parts[1:], depth + 1)


def texts(record: Any, where: Where | None) -> list[str]:
    """Return the texts of a field without empty ones; numbers and dates as written."""
    if where is None:
        return []
    if isinstance(where, Constant):
        return [str(where.value)]
    found = (
        value for path in ([where] if isinstance(where, str) else where) for value in values(record, path)
    )
    return [text for value in found if (text := plain_text(value))]


def text(record: Any, where: Where | None) -> str | None:
    """Return the first text of a field, or None."""
    return next(iter(texts(record, where)), None)


def plain_text(value: Any) -> str:
    """Convert a simple value to text; an object gives an empty text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").strip()
    return str(value) if isinstance(value, int | float) else ""


# Documents from the metadata, first heading or name of a file

# A date such as "Version: 01.01.2020" at the start of a text without front matter. Limits: characters, lines.
_STATED = re.compile(r"[\s#*>-]*([^\W\d][^:：\n]{1,40}?)\s*\**[:：]\**\s*(\S[^\n]{3,40}?)[\s.*]*")
_TELLING = (DayKind.EFFECT, DayKind.STATE, DayKind.END)
HEAD, MOST_LINES = 1200, 12


def make_document(
    source: SourceFile,
    metadata: Mapping[str, Any],
    heading: str | None,
    body: str,
    *,
    record: bool = False,
    is_plain: bool = False,
) -> Document:
    """Make the document of a file from its metadata, with names in any case and spelling, or from its first
    heading.

    A mapping of the user takes precedence; the fields of a ``record`` are already mapped. If ``is_plain``,
    the first lines of the text are the fallback for the title.
    """
    if source.mapping is not None and not record:
        metadata = {**metadata, **read_mapped_fields(source.mapping, metadata)}
    if not record:
        metadata = {**_days_above(body), **metadata}
    by_name = {name.casefold(): value for name, value in metadata.items()}
    first = _first_lines(body) if is_plain else None
    title = _text(metadata, fields.TITLES) or heading or first or _file_title(source.name)
    language = language_code(_text(metadata, fields.LANGUAGES) or "") or language_of(body)
    state = _first_day(metadata, DayKind.STATE)
    named = fields.first_text(by_name, ("id", "slug"))
    document_id = named if named and not source.shares_id else slug_of(source.stem) or "document"
    if not heading and (explaining := _explanation_title(body)):
        title = _text(metadata, fields.TITLES) or explaining
    # The number, year and short names in the title of an explanation are those of its act.
    explains = EXPLANATION.match(title) is not None
    page = FrontPage() if explains else read_front_page(title, body, language)
    plain = not heading and _text(metadata, fields.TITLES) is None
    if page.title and (page.type == STANDARD or plain):
        # Plain text has no heading, and its first lines are better than the file's name.
        title = page.title
    number = fields.first_text(by_name, ("number",)) or page.number
    kind = fields.first_text(by_name, fields.TYPES) or page.type
    year = fields.year_of(by_name) or fields.year_of({"year": by_name.get("ausfertigungsdatum")}) or page.year
    stated = by_name.get("aliases")
    aliases = tuple(str(name) for name in stated) if isinstance(stated, list) else ()
    if page.type == STANDARD and page.number:
        # The name of all editions.
        aliases = (*aliases, page.number)
    derived: tuple[str, ...] = (title,)
    if not explains:
        derived = aliases_of(
            title,
            document_id=document_id,
            number=number,
            year=year,
            type=kind,
            language=language,
            abbreviation=_text(metadata, fields.SHORT_TITLES),
        )
    quality = by_name.get("quality")
    understood = _UNDERSTOOD if named is None or document_id == named else _UNDERSTOOD - {"id", "slug"}
    return Document(
        id=document_id,
        title=title,
        language=language,
        type=kind,
        number=number,
        year=year,
        status=fields.status_of(by_name.get("status")),
        version=fields.first_text(by_name, fields.VERSIONS) or (state.isoformat() if state else page.version),
        valid_from=_first_day(metadata, DayKind.EFFECT)
        or fields.day_of(by_name.get("ausfertigungsdatum"))
        # Versions with their own numbers are in force from their dates.
        or (page.published if page.version else None),
        valid_to=_first_day(metadata, DayKind.END),
        issuer=_text(metadata, fields.ISSUERS) or page.issuer or _text(metadata, fields.AUTHORS),
        aliases=tuple(dict.fromkeys((*aliases, *derived))),
        quality=float(quality) if isinstance(quality, int | float) and 0 <= quality <= 1 else None,
        source=fields.first_text(by_name, ("source", "url")) or source_name(source),
        metadata={
            **_days_of(page),
            **{name: value for name, value in metadata.items() if name.casefold() not in understood},
        },
    )


def _days_above(body: str) -> dict[str, str]:
    """Read dates in the form of fields in the first lines of a text: "Effective Date: 1 January 2022"."""
    found: dict[str, str] = {}
    for line in islice(filter(str.strip, body[:HEAD].splitlines()), MOST_LINES):
        match = _STATED.fullmatch(line)
        if match and day_kind(match[1]) in _TELLING and fields.day_of(match[2]) is not None:
            found.setdefault(match[1], match[2])
    return found


def _file_title(path: str) -> str:
    """Return the name of a file without the date of its version."""
    file = named_file(path)
    return (file.name if file.day is not None else "") or Path(path).stem


def _first_lines(body: str) -> str | None:
    """Return the title of a text from its first line and the lines in capitals that continue it; or None."""
    lines = body.strip()[:HEAD].split("\n")
    count = next((number for number, line in enumerate(lines) if number and not line.isupper()), len(lines))
    title = " ".join(" ".join(lines[:count]).split())
    below = lines[count] if count < len(lines) else "-"
    alone = not below.strip() or is_typed(below) or heading_line(below) is not None
    if not alone or not is_bare_heading(title) or not title[:1].isalpha() or heading_line(title) is not None:
        return None
    return title_case(title) if " " in title else title


def _explanation_title(body: str) -> str | None:
    """Return the title of an explanation, or None: "PENJELASAN", "ATAS", "UNDANG-UNDANG ..."."""
    paragraph = body.strip()[:HEAD].partition("\n\n")[0].split("\n")
    lines = takewhile(lambda line: heading_line(line) is None or line is paragraph[0], paragraph)
    title = " ".join(" ".join(lines).split())
    return title_case(title) if is_bare_heading(title) and EXPLANATION.match(title) else None


def _text(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return fields.first_text({"it": fields.first_value(metadata, names)}, ("it",))


def _first_day(metadata: Mapping[str, Any], kind: DayKind) -> date | None:
    """Return the date of the first field of a kind; "valid_from" and "valid_to" precede all other names."""
    found = [
        (name not in ("valid_from", "valid_to"), index, day)
        for index, (name, value) in enumerate(fields.leaves(metadata))
        if day_kind(name.rpartition(".")[2]) is kind and (day := fields.day_of(value)) is not None
    ]
    return min(found)[2] if found else None


def _days_of(page: FrontPage) -> dict[str, str]:
    """Return the dates of enactment and publication in the text."""
    days = {"enacted": page.enacted, "published": page.published}
    return {name: day.isoformat() for name, day in days.items() if day is not None}


def language_of(text: str) -> str:
    """Detect the language of a text; "und" if unknown."""
    return language_of_text(text)


def source_name(source: SourceFile) -> str:
    """Return the name of a file, including its archive's name for a member."""
    return source.name if source.is_member else Path(source.name).name


_UNDERSTOOD = frozenset((
    "id", "title", "language", "type", "number", "year", "status", "version", "valid_from", "valid_to",
    "aliases", "quality", "issuer", "issuing_body",
))  # fmt: skip
