"""What a file says about its document, and mappings of fields that a user writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded_yaml, files
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

# Which fields of JSON, JSON lines, a table or front matter hold what: a small file that the user
# writes.
#
# .. code-block:: yaml
#
#     records: data.laws          # where the list of records is; leave it out if it is the file itself
#     items: articles             # the provisions inside a record; leave it out if a record is one passage
#     document:                   # fields of a record that tell of its document
#       id: law_id
#       title: title
#       number: royal_decree.number
#       language: {value: ar}     # the same for all
#     passage:                    # fields of an item, or of the record where there are no items
#       label: number_text
#       text: text
#       path: [part, chapter]     # headings above it, from the outside in
#       notes: amendments.description
#
# The same for the front matter of Markdown and text, the head of a page and the properties of a
# file, which have no passages:
#
# .. code-block:: yaml
#
#     document:
#       valid_from: zeitpunkt     # from when this version holds
#       valid_to: ablauf
#       work: gesetzesnummer      # what all versions of one text share
#
# A field is named by its path: names with dots between, which also leads through lists
# ("chapters.articles"). ``items: "**"`` takes each object that has the text, however deep it
# stands.

# As ``items``: each object anywhere in a record that has the text; the objects around it are its headings.
EVERYWHERE = "**"
# A list in a list in a list: no path is longer.
_DEEPEST = 12
LARGEST = 100_000


class Constant(BaseModel):
    """A value that is the same for every record."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str | int | float


Where = str | list[str] | Constant


class DocumentFields(BaseModel):
    """The fields of a record, or of a file's front matter, that tell of its document.

    ``texts`` are those before a record's provisions; ``work`` is what all versions of one text share.
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
    """The fields of a provision. ``label`` is its number as printed, ``heading`` its title.

    ``parts`` is a list of its paragraphs beside the text, taken where it says more than the text does.
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
    """Where the records of a file are, and what their fields mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: str = ""
    items: str | None = None
    document: DocumentFields = DocumentFields()
    # Front matter has none.
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
    """The content of a mapping file (YAML or JSON), checked. Raises SourceError that says what is wrong."""
    try:
        data = files.read_named(path, LARGEST)
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"mapping {path}: cannot be opened ({error})") from error
    return parse_mapping(data, str(path))


def parse_mapping(text: str | bytes, name: str = "") -> dict[str, Any]:
    """The content of a mapping in YAML or JSON, checked. Raises SourceError that says what is wrong."""
    shown = f"mapping {name}".rstrip()
    try:
        content = bounded_yaml.load(text, largest=LARGEST)
    except YamlError as error:
        raise SourceError(f"{shown}: not readable as YAML or JSON ({error})") from error
    if not isinstance(content, dict):
        raise SourceError(f"{shown}: must be fields with values, such as 'passage: {{text: body}}'")
    mapping_of(content, name)
    return {str(field): value for field, value in content.items()}


def records_mapping_of(content: Mapping[str, Any]) -> FieldMapping:
    """The mapping of this content for records. Raises SourceError also where it names no text."""
    mapping = mapping_of(content)
    if not mapping.passage.text:
        raise SourceError("mapping: passage: missing; records need it, such as 'passage: {text: body}'")
    return mapping


def mapping_of(content: Mapping[str, Any], name: str = "") -> FieldMapping:
    """The mapping of this content. Raises SourceError that names the first field that is wrong."""
    try:
        found = FieldMapping.model_validate(content)
        if (found.records or found.items) and not found.passage.text:
            raise SourceError(f"mapping {name}: passage: Field required".replace(" :", ":"))
        return found
    except ValidationError as error:
        faults = error.errors()
        # A field that is missing is most often there under a name that does not exist.
        first = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
        # The last parts name a branch of a union, not a field of the file.
        where = ".".join(str(part) for part in first["loc"] if part not in ("str", "Constant", "list[str]"))
        message = "no such field" if first["type"] == "extra_forbidden" else first["msg"]
        groups: dict[str, type[BaseModel]] = {"document": DocumentFields, "passage": PassageFields}
        known = groups.get(str(first["loc"][0]), FieldMapping) if len(first["loc"]) > 1 else FieldMapping
        hint = f"; known: {', '.join(known.model_fields)}" if first["type"] == "extra_forbidden" else ""
        raise SourceError(f"mapping {name}: {where or 'file'}: {message}{hint}".replace(" :", ":")) from error


def stated_by(content: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    """What a mapping finds in the front matter of a file, by the names that documents have for it.

    Raises SourceError for a mapping that is none.
    """
    mapping = mapping_of(content)
    plain = {name: value.isoformat() if isinstance(value, date) else value for name, value in given.items()}
    found = {}
    for name in DocumentFields.model_fields:
        value = None if name == "texts" else text(plain, getattr(mapping.document, name))
        if value:
            found[name] = value
    return found


def values(record: Any, path: str) -> Iterator[Any]:
    """Everything that a path leads to, through lists as well; nothing where it leads nowhere."""
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
            # A name may have dots in itself.
            yield from _follow(place[whole], [], depth + 1)
        elif parts[0] in place:
            yield from _follow(place[parts[0]], parts[1:], depth + 1)


def texts(record: Any, where: Where | None) -> list[str]:
    """The texts that a field holds, numbers and dates as they are written; empty ones are left out."""
    if where is None:
        return []
    if isinstance(where, Constant):
        return [str(where.value)]
    found = (
        value for path in ([where] if isinstance(where, str) else where) for value in values(record, path)
    )
    return [text for value in found if (text := said(value))]


def text(record: Any, where: Where | None) -> str | None:
    """The first text that a field holds."""
    return next(iter(texts(record, where)), None)


def said(value: Any) -> str:
    """A simple value as text; nothing for an object."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").strip()
    return str(value) if isinstance(value, int | float) else ""


# What a file says about its document: its fields, its first heading, or only the file's name.

# "Stand: 01.01.2020" at the head of a text that has no fields; so many lines of it are looked at.
_STATED = re.compile(r"[\s#*>-]*([^\W\d][^:：\n]{1,40}?)\s*\**[:：]\**\s*(\S[^\n]{3,40}?)[\s.*]*")
_TELLING = (DayKind.EFFECT, DayKind.STATE, DayKind.END)
HEAD, MOST_LINES = 1200, 12


def document_of(
    source: SourceFile,
    given: Mapping[str, Any],
    heading: str | None,
    body: str,
    *,
    record: bool = False,
    is_plain: bool = False,
) -> Document:
    """The document of a file, from its fields in any letters and spelling, else from its first heading.

    Where the user has said which fields hold what, that counts first; of a ``record`` it was said already.
    The first lines of a text that ``is_plain`` are its title if nothing else is.
    """
    if source.mapping is not None and not record:
        given = {**given, **stated_by(source.mapping, given)}
    if not record:
        given = {**_days_above(body), **given}
    known = {name.casefold(): value for name, value in given.items()}
    first = _first_lines(body) if is_plain else None
    title = _text(given, fields.TITLES) or heading or first or _file_title(source.name)
    language = language_code(_text(given, fields.LANGUAGES) or "") or language_of(body)
    state = _first_day(given, DayKind.STATE)
    named = fields.first_text(known, ("id", "slug"))
    document_id = named if named and not source.shares_id else slug_of(source.stem) or "document"
    if not heading and (explaining := _explanation_title(body)):
        title = _text(given, fields.TITLES) or explaining
    # The number, year and short names in the title of an explanation are those of its act.
    explains = EXPLANATION.match(title) is not None
    page = FrontPage() if explains else read_front_page(title, body, language)
    plain = not heading and _text(given, fields.TITLES) is None
    if page.title and (page.type == STANDARD or plain):
        # A plain text has no heading, and its file's name says less than its first lines.
        title = page.title
    number = fields.first_text(known, ("number",)) or page.number
    kind = fields.first_text(known, fields.TYPES) or page.type
    year = fields.year_of(known) or fields.year_of({"year": known.get("ausfertigungsdatum")}) or page.year
    stated = known.get("aliases")
    aliases = tuple(str(name) for name in stated) if isinstance(stated, list) else ()
    if page.type == STANDARD and page.number:
        # All editions are called so.
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
            abbreviation=_text(given, fields.SHORT_TITLES),
        )
    quality = known.get("quality")
    understood = _UNDERSTOOD if named is None or document_id == named else _UNDERSTOOD - {"id", "slug"}
    return Document(
        id=document_id,
        title=title,
        language=language,
        type=kind,
        number=number,
        year=year,
        status=fields.status_of(known.get("status")),
        version=fields.first_text(known, fields.VERSIONS) or (state.isoformat() if state else page.version),
        valid_from=_first_day(given, DayKind.EFFECT)
        or fields.day_of(known.get("ausfertigungsdatum"))
        # What counts its versions holds from the day of each.
        or (page.published if page.version else None),
        valid_to=_first_day(given, DayKind.END),
        issuer=_text(given, fields.ISSUERS) or page.issuer or _text(given, fields.AUTHORS),
        aliases=tuple(dict.fromkeys((*aliases, *derived))),
        quality=float(quality) if isinstance(quality, int | float) and 0 <= quality <= 1 else None,
        source=fields.first_text(known, ("source", "url")) or source_name(source),
        metadata={
            **_days_of(page),
            **{name: value for name, value in given.items() if name.casefold() not in understood},
        },
    )


def _days_above(body: str) -> dict[str, str]:
    """The days that the first lines of a text state as fields: "Effective Date: 1 January 2022"."""
    found: dict[str, str] = {}
    for line in islice(filter(str.strip, body[:HEAD].splitlines()), MOST_LINES):
        match = _STATED.fullmatch(line)
        if match and day_kind(match[1]) in _TELLING and fields.day_of(match[2]) is not None:
            found.setdefault(match[1], match[2])
    return found


def _file_title(path: str) -> str:
    """What a file is called, without the day of its version."""
    file = named_file(path)
    return (file.name if file.day is not None else "") or Path(path).stem


def _first_lines(body: str) -> str | None:
    """The title of a text that has no other: its first line, with those in capitals that go on with it."""
    lines = body.strip()[:HEAD].split("\n")
    count = next((number for number, line in enumerate(lines) if number and not line.isupper()), len(lines))
    title = " ".join(" ".join(lines[:count]).split())
    below = lines[count] if count < len(lines) else "-"
    alone = not below.strip() or is_typed(below) or heading_line(below) is not None
    if not alone or not is_bare_heading(title) or not title[:1].isalpha() or heading_line(title) is not None:
        return None
    return title_case(title) if " " in title else title


def _explanation_title(body: str) -> str | None:
    """The first lines of a text if they name an explanation: "PENJELASAN", "ATAS", "UNDANG-UNDANG ..."."""
    paragraph = body.strip()[:HEAD].partition("\n\n")[0].split("\n")
    lines = takewhile(lambda line: heading_line(line) is None or line is paragraph[0], paragraph)
    title = " ".join(" ".join(lines).split())
    return title_case(title) if is_bare_heading(title) and EXPLANATION.match(title) else None


def _text(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return fields.first_text({"it": fields.first_value(given, names)}, ("it",))


def _first_day(given: Mapping[str, Any], kind: DayKind) -> date | None:
    """The day of the first field of a kind that holds one; "valid_from" before all other names."""
    found = [
        (name not in ("valid_from", "valid_to"), place, day)
        for place, (name, value) in enumerate(fields.leaves(given))
        if day_kind(name.rpartition(".")[2]) is kind and (day := fields.day_of(value)) is not None
    ]
    return min(found)[2] if found else None


def _days_of(page: FrontPage) -> dict[str, str]:
    """The days of enactment and publication, as the text has them."""
    days = {"enacted": page.enacted, "published": page.published}
    return {name: day.isoformat() for name, day in days.items() if day is not None}


def language_of(text: str) -> str:
    """The language of a text, "und" where none can be told."""
    return language_of_text(text)


def source_name(source: SourceFile) -> str:
    """The name of a file, with its archive's where it is a member of one."""
    return source.name if source.is_member else Path(source.name).name


_UNDERSTOOD = frozenset((
    "id", "title", "language", "type", "number", "year", "status", "version", "valid_from", "valid_to",
    "aliases", "quality", "issuer", "issuing_body",
))  # fmt: skip
