"""What a file says about its document: its fields, its first heading, or only the file's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from engine.corpus.headings import is_bare_heading
from engine.ingestion.headings import slug_of
from engine.ingestion.readers import field_names, fields
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.field_names import Told, told_by
from engine.ingestion.readers.lines import heading_line
from engine.ingestion.readers.mapping import stated_by
from engine.ingestion.typed_numbers import is_title as is_typed
from engine.ingestion.version_days import named_file
from engine.language.aliases import aliases_of
from engine.language.detection import language_code, language_of_text
from engine.language.front_page import STANDARD, FrontPage, read_front_page, title_case
from engine.model import Document

# "Stand: 01.01.2020" at the head of a text that has no fields; so many lines of it are looked at.
_STATED = re.compile(r"[\s#*>-]*([^\W\d][^:：\n]{1,40}?)\s*\**[:：]\**\s*(\S[^\n]{3,40}?)[\s.*]*")
_TELLING = (Told.EFFECT, Told.STATE, Told.END)
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
    title = _text(given, field_names.TITLES) or heading or first or _file_title(source.name)
    language = language_code(_text(given, field_names.LANGUAGES) or "") or language_of(body)
    state = _first_day(given, Told.STATE)
    named = fields.text_of(known, ("id", "slug"))
    document_id = named if named and not source.shares_id else slug_of(source.stem) or "document"
    page = read_front_page(title, body, language)
    plain = not heading and _text(given, field_names.TITLES) is None
    if page.title and (page.type == STANDARD or plain):
        # A plain text has no heading, and its file's name says less than its first lines.
        title = page.title
    number = fields.text_of(known, ("number",)) or page.number
    kind = fields.text_of(known, fields.TYPES) or page.type
    year = fields.year_of(known) or fields.year_of({"year": known.get("ausfertigungsdatum")}) or page.year
    stated = known.get("aliases")
    aliases = tuple(str(name) for name in stated) if isinstance(stated, list) else ()
    if page.type == STANDARD and page.number:
        # All editions are called so.
        aliases = (*aliases, page.number)
    derived = aliases_of(
        title,
        document_id=document_id,
        number=number,
        year=year,
        type=kind,
        language=language,
        abbreviation=_text(given, field_names.SHORT_TITLES),
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
        version=fields.text_of(known, fields.VERSIONS) or (state.isoformat() if state else page.version),
        valid_from=_first_day(given, Told.EFFECT)
        or fields.day_of(known.get("ausfertigungsdatum"))
        # What counts its versions holds from the day of each.
        or (page.published if page.version else None),
        valid_to=_first_day(given, Told.END),
        issuer=_text(given, field_names.ISSUERS) or page.issuer or _text(given, field_names.AUTHORS),
        aliases=tuple(dict.fromkeys((*aliases, *derived))),
        quality=float(quality) if isinstance(quality, int | float) and 0 <= quality <= 1 else None,
        source=fields.text_of(known, ("source", "url")) or source_name(source),
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
        if match and told_by(match[1]) in _TELLING and fields.day_of(match[2]) is not None:
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


def _text(given: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return fields.text_of({"it": field_names.first_of(given, names)}, ("it",))


def _first_day(given: Mapping[str, Any], kind: Told) -> date | None:
    """The day of the first field of a kind that holds one; "valid_from" before all other names."""
    found = [
        (name not in ("valid_from", "valid_to"), place, day)
        for place, (name, value) in enumerate(field_names.leaves(given))
        if told_by(name.rpartition(".")[2]) is kind and (day := fields.day_of(value)) is not None
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
