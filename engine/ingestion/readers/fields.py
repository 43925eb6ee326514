"""What the metadata of a line mean: the fields that many sources have, under the names they use.

Nothing is dropped: what is not understood here stays in the metadata of the passage, or of the
document where all its lines agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime
from typing import Any

from engine.ingestion.headings import parse_heading
from engine.ingestion.outline import Node
from engine.language.addresses import Address, parse_label
from engine.language.characters import visible
from engine.language.dates import DATE, parse_date
from engine.languages import words
from engine.model import SectionKind

Metadata = Mapping[str, Any]

DOCUMENT_NAMES = ("regulation", "document")
ABBREVIATIONS = ("abbreviation", "short_name")
TYPES = ("regulation_type", "type")
# From the outside in; a longer value than a number is a name.
CONTAINERS_NAMED = (
    "code", "book", "buku", "buch", "livre", "title", "part", "teil", "partie", "chapter", "bab", "kapitel",
)  # fmt: skip
LONGEST_NUMBER = 4
VERSIONS = ("version", "version_date", "consolidated")

# The words of a source for what became of a text. Others are kept as they are.
STATUSES = {
    **dict.fromkeys((
        "ساري", "active", "in_force", "in force", "valid", "berlaku", "gjeldende", "gällande",
        "gældende", "geltend", "in kraft", "geldend", "vigente", "en vigor", "vigueur", "en vigueur",
        "vigore", "in vigore", "em vigor", "obowiązujący", "现行有效", "有效", "현행",
    ), "in force"),
    **dict.fromkeys((
        "لاغي", "ملغاة", "canceled", "cancelled", "repealed", "tidak berlaku", "dicabut",
        "aufgehoben", "opphevet", "upphävd", "ophævet", "außer kraft", "vervallen", "derogado",
        "derogada", "abrogé", "abroge", "abrogato", "abrogata", "revogado", "revogada", "uchylony",
        "已废止", "废止", "失效", "폐지", "no longer in force",
    ), "repealed"),
    "amended": "amended", "معدلة": "amended", "not_in_force": "not in force", "draft": "draft",
}  # fmt: skip

_LEADING_NUMBER = re.compile(
    r"(?:§{1,2}|Art(?:\.|ikel|icle)?|Anlage|Anhang)\s*\d+\s?[a-z]?(?![\w])", re.IGNORECASE
)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{2}:.{0,24})?|(\d{1,2})[./](\d{1,2})[./](\d{4})")
_COMPACT = re.compile(r"((?:1[5-9]|20|21)\d\d)(\d\d)(\d\d)")
_WRITTEN = re.compile(DATE, re.IGNORECASE)
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")


@dataclass(frozen=True, slots=True)
class Provision:
    """What a line is: its address, its own heading, and the headings above it from the outside in."""

    address: Address | None
    title: str
    nodes: tuple[Node, ...]
    dotted: tuple[str, ...] | None


def article_word(language: str) -> str:
    """What an article is called."""
    return words(language).article


def text_of(metadata: Metadata, names: tuple[str, ...]) -> str | None:
    """The first of several fields that holds a text."""
    for name in names:
        value = metadata.get(name)
        if isinstance(value, date):
            # YAML reads "2020-04-01" as a day.
            return value.isoformat()
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def day_of(value: Any) -> date | None:
    """A day written as 2021-03-05 (with a time or without), 20210305, 05/03/2021, 5.3.2021 or in words with a
    month's name ("5 March 2021"); None for anything else."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        # YAML reads 20210305 as a number.
        value = str(value)
    if not isinstance(value, str):
        return None
    match = _DAY.fullmatch(value.strip())
    if match is None:
        if (compact := _COMPACT.fullmatch(value.strip())) is not None:
            return _made(*map(int, compact.groups()))
        return parse_date(value) if _WRITTEN.fullmatch(value.strip()) else None
    parts = match.group(1, 2, 3) if match[1] else match.group(6, 5, 4)
    return _made(*(int(part) for part in parts))


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def year_of(metadata: Metadata) -> int | None:
    """The year a document is known by; None for a number that no calendar has."""
    value = metadata.get("year")
    if isinstance(value, int) and not isinstance(value, bool):
        return value if MINYEAR <= value <= MAXYEAR else None
    match = _YEAR.search(str(value)) if value else None
    return int(match[1]) if match else None


def status_of(value: Any) -> str | None:
    """The status of a text in this program's words where they are known."""
    if value is True or value is False or not value:
        return None
    text = str(value).strip()
    return STATUSES.get(text.casefold(), text)


def passage_status(metadata: Metadata) -> str | None:
    """The status of the line itself, where it differs from its document's by a field of its own."""
    if metadata.get("repealed") is True:
        return "repealed"
    return status_of(metadata.get("article_status"))


def provision_of(metadata: Metadata, language: str) -> Provision:
    """The provision that a line is, from its label, its article or its recital."""
    given = metadata.get("path")
    pieces = [str(piece) for piece in given] if isinstance(given, list) else list(_containers(metadata))
    path = tuple(visible(piece).strip() for piece in pieces if visible(piece).strip())
    label = text_of(metadata, ("passage_label", "rule"))
    nodes = tuple(heading_node(piece) for piece in path)
    if label is not None:
        dotted = path or (label,)
        # A path that does not end in the label is of headings.
        outer = () if dotted[-1] in visible(label) else nodes
        return Provision(parse_label(label, language), "", outer, None if outer else dotted)
    address, title = _numbered(metadata, language)
    return Provision(address, title, nodes, None)


def _containers(metadata: Metadata) -> Iterator[str]:
    """The names of what a line is in, from the outside in: "Run-off", "Part 3" if the part is "3"."""
    for name in CONTAINERS_NAMED:
        if value := text_of(metadata, (name,)):
            yield value if len(value) > LONGEST_NUMBER else f"{name.capitalize()} {value}"


def heading_node(text: str) -> Node:
    """The node of a heading in a path."""
    heading = parse_heading(text)
    return Node(text, heading.kind, heading.number, heading.title, text, heading.slug)


def _numbered(metadata: Metadata, language: str) -> tuple[Address | None, str]:
    heading = str(metadata.get("heading") or "").strip()
    if leading := _LEADING_NUMBER.match(heading):
        return parse_label(leading[0], language), heading[leading.end() :].strip(" -–—:.")
    if recital := text_of(metadata, ("recital",)):
        return Address(SectionKind.RECITAL, recital), heading
    article = text_of(metadata, ("article",))
    label = text_of(metadata, ("article_label",))
    if label and (found := parse_heading(label)).number and found.kind is SectionKind.ARTICLE:
        # The label is what the document prints; some sources count articles in hundreds beside it.
        return Address(SectionKind.ARTICLE, found.number), found.title
    if article is None:
        return None, heading
    if (
        not any(character.isdigit() for character in article)
        and (found := parse_heading(article)).number is None
    ):
        return (Address(found.kind, None) if found.kind is SectionKind.PREAMBLE else None), heading
    label = article if not article[0].isdigit() else f"{article_word(language)} {article}"
    number = parse_heading(article).number or article
    return parse_label(label, language) or Address(SectionKind.ARTICLE, number), heading
