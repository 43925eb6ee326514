"""Read the title and the first page of an act: type, number, year, issuing body, dates.

Conservative: a line must have the form of such an act, and a name counts only if a title or the head of the
page gives it to the document itself; acts that are only cited are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from engine import languages
from engine.language.characters import visible, western_digits
from engine.language.dates import DATE, parse_date
from engine.language.references.instruments import standard_titled

# Number of characters of the first page.
FIRST_PAGE = 2500
STANDARD = "Standard"
# Number of characters of its head, before the text itself.
HEAD = 400
_NUMBER = r"(?P<number>\d[\w./-]*)"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"


@dataclass(frozen=True, slots=True)
class FrontPage:
    """Data on the first page; None if missing. ``enacted``, ``published``: dates. ``title``: the line that
    names the act, if the page has it and the title has not."""

    type: str | None = None
    number: str | None = None
    year: int | None = None
    issuer: str | None = None
    enacted: date | None = None
    published: date | None = None
    version: str | None = None
    title: str | None = None


# Lines above the name on the cover of a standard.
_GENERIC = re.compile(
    r"(?:(?:INTERNATIONAL|EUROPEAN|BRITISH|NATIONAL|AMERICAN NATIONAL|INDIAN) )?STANDARD|FINAL DRAFT"
    r"|NORME (?:INTERNATIONALE|EUROP[ÉE]ENNE)|(?:EUROPÄISCHE|DEUTSCHE) NORM|NORMA (?:INTERNACIONAL|EUROPEA)",
    re.IGNORECASE,
)
# "2022-10", "Third edition 2022-10", "Edition 3.0 2016".
_EDITION_LINE = re.compile(
    r"(?:(?:[A-Z][a-z]+|\d+(?:st|nd|rd|th)?\.?)\s[Ee]dition|[ÉE]dition \d[\d.]*|\w+ Auflage)?[\s,:–—-]*"
    r"(?P<year>(?:19|20)\d\d)(?:-\d\d){0,2}"
)
_KEEP_CASE = frozenset({"di", "dan", "of", "and"})


def read_front_page(title: str, text: str, language: str) -> FrontPage:
    """Read the first page of a document from its title and text."""
    edition = _standard(title, text)
    if edition is not None:
        return edition
    patterns = _patterns(language)
    if patterns is None:
        return FrontPage()
    page = western_digits(visible(text[:FIRST_PAGE]))
    act = _titled(patterns, western_digits(visible(title)))
    own = _headed(patterns, page) if act is None else None
    act = act or own
    groups = act.groupdict() if act is not None else {}
    kind = groups.get("type")
    year = groups.get("year") or groups.get("slash")
    number = groups.get("number")
    enacted = parse_date(groups["day"], language) if groups.get("day") else None
    if number and groups.get("slash"):
        number = f"{number.rstrip('/ ')}/{year}"
    return FrontPage(
        type=title_case(kind) if kind else None,
        number=number.rstrip(".-/") if number else None,
        year=int(year) if year else enacted.year if enacted else None,
        issuer=_issuer(patterns, page),
        enacted=enacted or _day(patterns.enacted, text, language),
        published=_day(patterns.published, text, language),
        version=_first(patterns.versions, page, "version"),
        title=_line(own, page) if own else None,
    )


@cache
def _patterns(language: str) -> languages.FrontPage | None:
    """Return the patterns of a language with dates, numbers and years inserted; None if it has none."""
    written = languages.law(language).front_page
    if written is None:
        return None
    parts = {"{date}": DATE, "{number}": _NUMBER, "{year}": _YEAR}
    filled = {}
    for kind, patterns in written:
        for name, expression in parts.items():
            patterns = tuple(pattern.replace(name, expression) for pattern in patterns)
        filled[kind] = patterns
    return languages.FrontPage(**filled)


def _standard(title: str, text: str) -> FrontPage | None:
    """Return the edition of a standard, if its designation begins the title or is one of the first lines; or
    None."""
    lines = [line.strip(" #*") for line in text[:HEAD].splitlines() if line.strip(" #*")]
    designations = (found for line in lines if (found := standard_titled(line)) and found[1] == len(line))
    named = next(designations, None)
    found = standard_titled(title) or named
    if found is None:
        return None
    standard = found[0]
    if standard.year is None and named and named[0].key == standard.key:
        standard = named[0]
    year = standard.year or _edition_year(lines, title)
    named_by = None
    if _GENERIC.fullmatch(title.strip()):
        # "INTERNATIONAL STANDARD" is above the name of the standard.
        printed = f"{standard.publisher} {standard.number}"
        named_by = f"{printed}:{year}" if year else printed
    return FrontPage(
        STANDARD, f"{standard.publisher} {standard.number}", year, standard.issuer, title=named_by
    )


def _edition_year(lines: Sequence[str], title: str) -> int | None:
    """Return the year of an edition on a separate line at the start of a standard.

    For example "Third edition", "2022-10".
    """
    for line in (title, *lines):
        if (found := _EDITION_LINE.fullmatch(line)) is not None:
            return int(found["year"])
    return None


def _titled(patterns: languages.FrontPage, title: str) -> re.Match[str] | None:
    """Match the name of the act in the title."""
    plain = " ".join(title.split())
    found = (re.match(_spaced(pattern), plain, re.IGNORECASE) for pattern in patterns.acts)
    return next((one for one in found if one is not None), None)


def _headed(patterns: languages.FrontPage, page: str) -> re.Match[str] | None:
    """Match the name of the act at the start of a line at the head of the page."""
    for pattern in patterns.acts:
        # On the page only acts with a number count: a heading "Gesetz über ..." may have another meaning.
        if "number" in pattern:
            found = re.search(rf"^{_spaced(pattern)}", page, re.IGNORECASE | re.MULTILINE)
            if found is not None and _is_head(found, page):
                return found
    return None


def _line(found: re.Match[str], page: str) -> str:
    """Join the lines that name an act."""
    return title_case(f"{found[0]}{page[found.end() :].partition(chr(10))[0]}")


def _is_head(match: re.Match[str], page: str) -> bool:
    """Return True if a line that names an act is the head of its page: in capitals, or the first that is
    not."""
    before = page[: match.start()]
    return match[0].isupper() or before.isupper() or re.search(r"\w", before) is None


def _issuer(patterns: languages.FrontPage, page: str) -> str | None:
    issuer = _first(patterns.issuers, page, "issuer")
    return title_case(issuer) if issuer else None


def _first(patterns: Sequence[str], page: str, group: str) -> str | None:
    """Return the group of the first pattern that matches the page."""
    for pattern in patterns:
        if (found := re.search(_spaced(pattern), page, re.IGNORECASE | re.MULTILINE)) is not None:
            return " ".join(found[group].split())
    return None


def _day(patterns: Sequence[str], text: str, language: str) -> date | None:
    for pattern in patterns:
        found = re.search(_spaced(pattern), western_digits(text), re.IGNORECASE | re.MULTILINE)
        if found is not None and (day := parse_date(found["day"], language)) is not None:
            return day
    return None


def _spaced(pattern: str) -> str:
    return pattern.replace(" ", r"\s+")


def title_case(words: str) -> str:
    """Convert words in capitals to the case of running text."""
    plain = " ".join(words.split())
    if not plain.isupper():
        return plain[:1].upper() + plain[1:]
    return "-".join(
        " ".join(w if w in _KEEP_CASE else w[:1].upper() + w[1:] for w in part.lower().split(" "))
        for part in plain.split("-")
    )
