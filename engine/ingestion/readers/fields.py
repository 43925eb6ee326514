"""Names and meanings of metadata fields."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine import bounded
from engine.ingestion.structure.headings import parse_heading
from engine.ingestion.structure.outline import Node
from engine.language.addresses import Address, parse_label
from engine.language.characters import visible
from engine.language.dates import DATE, parse_date
from engine.languages import words
from engine.model import SectionKind

# Common fields of a record under the names that sources use
#
# Unknown fields stay in the metadata of the passage, or of the document if all its records agree.

Metadata = Mapping[str, Any]

DOCUMENT_NAMES = ("regulation", "document")
ABBREVIATIONS = ("abbreviation", "short_name")
TYPES = ("regulation_type", "type")
# From the outside in; a value longer than ``LONGEST_NUMBER`` is a name.
CONTAINERS_NAMED = (
    "code", "book", "buku", "buch", "livre", "title", "part", "teil", "partie", "chapter", "bab", "kapitel",
)  # fmt: skip
LONGEST_NUMBER = 4
VERSIONS = ("version", "version_date", "consolidated")

# Status words of sources and their normal forms; other words are kept unchanged.
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
    """The provision of a record: its address, its own heading, and its outer headings from the outside in."""

    address: Address | None
    title: str
    nodes: tuple[Node, ...]
    dotted: tuple[str, ...] | None


def article_word(language: str) -> str:
    """Return the word for an article in a language."""
    return words(language).article


def first_text(metadata: Metadata, names: tuple[str, ...]) -> str | None:
    """Return the first text value of several fields, or None."""
    for name in names:
        value = metadata.get(name)
        if isinstance(value, date):
            # YAML parses "2020-04-01" as a date.
            return value.isoformat()
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return None


def day_of(value: Any) -> date | None:
    """Parse a date such as 2021-03-05 (with or without a time), 20210305, 05/03/2021, 5.3.2021 or "5 March
    2021".

    Returns None for any other value.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        # YAML parses 20210305 as an integer.
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
    """Return the year of a document, or None if it is outside the calendar."""
    value = metadata.get("year")
    if isinstance(value, int) and not isinstance(value, bool):
        return value if MINYEAR <= value <= MAXYEAR else None
    match = _YEAR.search(str(value)) if value else None
    return int(match[1]) if match else None


def status_of(value: Any) -> str | None:
    """Normalise the status of a text; unknown words are returned unchanged."""
    if value is True or value is False or not value:
        return None
    text = str(value).strip()
    return STATUSES.get(text.casefold(), text)


def passage_status(metadata: Metadata) -> str | None:
    """Return the status of the record itself, if it has a separate status field."""
    if metadata.get("repealed") is True:
        return "repealed"
    return status_of(metadata.get("article_status"))


def provision_of(metadata: Metadata, language: str) -> Provision:
    """Find the provision of a record from its label, article or recital."""
    path_field = metadata.get("path")
    pieces = (
        [str(piece) for piece in path_field] if isinstance(path_field, list) else list(_containers(metadata))
    )
    path = tuple(visible(piece).strip() for piece in pieces if visible(piece).strip())
    label = first_text(metadata, ("passage_label", "rule"))
    nodes = tuple(heading_node(piece) for piece in path)
    if label is not None:
        dotted = path or (label,)
        # A path that does not end in the label consists of headings.
        outer = () if dotted[-1] in visible(label) else nodes
        return Provision(parse_label(label, language), "", outer, None if outer else dotted)
    address, title = _numbered(metadata, language)
    return Provision(address, title, nodes, None)


def _containers(metadata: Metadata) -> Iterator[str]:
    """Yield the names of the containers of a record from the outside in: "Run-off", "Part 3" if the part is
    "3"."""
    for name in CONTAINERS_NAMED:
        if value := first_text(metadata, (name,)):
            yield value if len(value) > LONGEST_NUMBER else f"{name.capitalize()} {value}"


def heading_node(text: str) -> Node:
    """Make the node of a heading in a path."""
    heading = parse_heading(text)
    return Node(text, heading.kind, heading.number, heading.title, text, heading.slug)


def _numbered(metadata: Metadata, language: str) -> tuple[Address | None, str]:
    heading = str(metadata.get("heading") or "").strip()
    if leading := _LEADING_NUMBER.match(heading):
        return parse_label(leading[0], language), heading[leading.end() :].strip(" -–—:.")
    if recital := first_text(metadata, ("recital",)):
        return Address(SectionKind.RECITAL, recital), heading
    article = first_text(metadata, ("article",))
    label = first_text(metadata, ("article_label",))
    if label and (found := parse_heading(label)).number and found.kind is SectionKind.ARTICLE:
        # The label is as printed; some sources number articles in hundreds in addition.
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


# Names of date, identifier, title, language and author fields
#
# Names are compared folded: lower case, without accents and separators, so that "Gültig ab", "gueltig_ab" and
# "eli:date_applicability" match the entries of ``field_names.yaml``. A prefix before a colon is a vocabulary
# (ELI, Dublin Core) and is ignored.

_NAMES: Mapping[str, str] = bounded.load_yaml(Path(__file__).with_name("field_names.yaml").read_bytes())
_BETWEEN = re.compile(r"[\s_\-.@:/]+")
# Maximum depth of nested objects.
_DEEPEST = 3


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Fold a field name for comparison: "Gültig-ab" and "gueltig_ab" both give "gultigab"."""
    local = name.rpartition(":")[2] or name
    plain = unicodedata.normalize("NFKD", local.casefold())
    return _BETWEEN.sub("", "".join(letter for letter in plain if not unicodedata.combining(letter)))


# German also has spellings without umlauts.
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _folds(names: str) -> Iterator[str]:
    for name in names.split():
        yield from (folded(name), folded(name.translate(_SPELT_OUT)))


class DayKind(IntEnum):
    """The kind of date in a field, most reliable for the start of a version first."""

    EFFECT = 0
    STATE = 1
    FILE_NAME = 2
    UNKNOWN = 3
    PUBLISHED = 4
    FILE = 5
    END = 6


# Fetch dates, recognised anywhere in a field name.
_FETCHED = re.compile(
    "download|retriev|fetch|scrap|crawl|access(?!ion)|abruf|abgerufen|heruntergeladen|telecharg|consult|descarg"
    "|scaric|geraadpleegd|hamtad|hentet|unduh|akses|下载|抓取|تحميل"
)
_DAY_NAMES: Mapping[DayKind, tuple[str, ...]] = {
    kind: tuple(dict.fromkeys(_folds(_NAMES[kind.name.lower()])))
    for kind in (DayKind.FILE, DayKind.PUBLISHED, DayKind.END, DayKind.STATE, DayKind.EFFECT)
}
_KINDS: Mapping[str, DayKind] = {name: kind for kind, names in _DAY_NAMES.items() for name in names}
IDENTIFIERS = tuple(dict.fromkeys(_folds(_NAMES["identifiers"])))
TITLES = tuple(dict.fromkeys(_folds(_NAMES["titles"])))
SHORT_TITLES = tuple(dict.fromkeys(_folds(_NAMES["short_titles"])))
LANGUAGES = tuple(dict.fromkeys(_folds(_NAMES["languages"])))
ISSUERS = tuple(dict.fromkeys(_folds(_NAMES["issuers"])))
AUTHORS = tuple(dict.fromkeys(_folds(_NAMES["authors"])))
_ALL = frozenset((*_KINDS, *IDENTIFIERS, *TITLES, *SHORT_TITLES, *LANGUAGES, *ISSUERS))


def is_known_field(name: str) -> bool:
    """Return True for the name of a date, identifier, title, language or issuer field."""
    return folded(name) in _ALL or _FETCHED.search(folded(name)) is not None


def day_kind(name: str) -> DayKind:
    """Return the kind of date that a field of this name contains."""
    plain = folded(name)
    return _KINDS.get(plain, DayKind.FILE if _FETCHED.search(plain) else DayKind.UNKNOWN)


def day_names(kind: DayKind) -> tuple[str, ...]:
    """Return the folded names of fields with a kind of date."""
    return _DAY_NAMES[kind]


def leaves(metadata: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) for the fields of an object; fields of nested objects follow, with dotted names."""
    inner = []
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            inner.append((str(name), value))
        else:
            yield str(name), value
    for name, value in inner if depth < _DEEPEST else ():
        yield from ((f"{name}.{below}", simple) for below, simple in leaves(value, depth + 1))


def first_value(metadata: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first non-empty value among the fields with these folded names, or None."""
    present: dict[str, Any] = {}
    for name, value in leaves(metadata):
        if value not in (None, "", []):
            present.setdefault(folded(name.rpartition(".")[2]), value)
    return next((present[name] for name in names if name in present), None)
