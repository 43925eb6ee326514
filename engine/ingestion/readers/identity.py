"""What a file says about its document: its fields, its first heading, or only the file's name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.ingestion.headings import slug_of
from engine.ingestion.readers import fields
from engine.ingestion.readers.base import SourceFile
from engine.language.aliases import aliases_of
from engine.language.detect import detect
from engine.language.front_page import FrontPage, read_front_page
from engine.language.stopwords import STOPWORDS
from engine.model import Document

_LANGUAGES = (*STOPWORDS, "zh")
# How much of a text is looked at to tell its language.
_SAMPLE = 5000


def document_of(source: SourceFile, given: Mapping[str, Any], heading: str | None, body: str) -> Document:
    """The document of a file, from its fields in small or capital letters, else from its first heading."""
    known = {name.casefold(): value for name, value in given.items()}
    title = fields.text_of(known, ("title", "judul")) or heading or Path(source.name).stem
    language = fields.text_of(known, ("language", "lang")) or language_of(body)
    document_id = fields.text_of(known, ("id", "slug")) or slug_of(source.stem) or "document"
    page = read_front_page(title, body, language)
    number = fields.text_of(known, ("number",)) or page.number
    kind = fields.text_of(known, fields.TYPES) or page.type
    year = fields.year_of(known) or fields.year_of({"year": known.get("ausfertigungsdatum")}) or page.year
    stated = known.get("aliases")
    aliases = tuple(str(name) for name in stated) if isinstance(stated, list) else ()
    derived = aliases_of(
        title,
        document_id=document_id,
        number=number,
        year=year,
        type=kind,
        language=language,
        abbreviation=fields.text_of(known, ("abbreviation", "short_name", "jurabk")),
    )
    quality = known.get("quality")
    return Document(
        id=document_id,
        title=title,
        language=language,
        type=kind,
        number=number,
        year=year,
        status=fields.status_of(known.get("status")),
        version=fields.text_of(known, fields.VERSIONS),
        valid_from=fields.day_of(known.get("valid_from") or known.get("ausfertigungsdatum")),
        valid_to=fields.day_of(known.get("valid_to")),
        issuer=fields.text_of(known, ("issuer", "issuing_body")) or page.issuer,
        aliases=tuple(dict.fromkeys((*aliases, *derived))),
        quality=float(quality) if isinstance(quality, int | float) and 0 <= quality <= 1 else None,
        source=fields.text_of(known, ("source", "url")) or source_name(source),
        metadata={
            **_days_of(page),
            **{name: value for name, value in given.items() if name.casefold() not in _UNDERSTOOD},
        },
    )


def _days_of(page: FrontPage) -> dict[str, str]:
    """The days of enactment and publication, as the text has them."""
    days = {"enacted": page.enacted, "published": page.published}
    return {name: day.isoformat() for name, day in days.items() if day is not None}


def language_of(text: str) -> str:
    """The language of a text by its first pages, the commonest where none can be told."""
    return detect(text[:_SAMPLE], _LANGUAGES)


def source_name(source: SourceFile) -> str:
    """The name of a file, with its archive's where it is a member of one."""
    return source.name if source.is_member else Path(source.name).name


_UNDERSTOOD = frozenset(
    {
        "id",
        "title",
        "language",
        "type",
        "number",
        "year",
        "status",
        "version",
        "valid_from",
        "valid_to",
        "aliases",
        "quality",
        "issuer",
        "issuing_body",
    }
)
