"""What a Formex file says of its act: CELEX number, type, number, dates, the body that adopted it."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

from lxml import etree

from engine.ingestion.headings import slug_of
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.fields import year_of
from engine.ingestion.readers.identity import language_of, source_name
from engine.ingestion.readers.xml import children, descendants, first, plain
from engine.language.aliases import aliases_of
from engine.model import Document

# The value of LEG.VAL, and the letter of a CELEX number (sector 3: legal acts), by type of act.
_LEGAL_VALUES = {
    "REG": "Regulation",
    "DIR": "Directive",
    "DEC": "Decision",
    "REC": "Recommendation",
    "OPI": "Opinion",
    "AGR": "Agreement",
}
_CELEX = re.compile(r"(?P<sector>\d)(?P<year>\d{4})(?P<letter>[A-Z]{1,2})(?P<number>\d{4})")
_LETTERS = {"R": "Regulation", "L": "Directive", "D": "Decision", "H": "Recommendation"}
_PARLIAMENT = re.compile(r"Parliament|Parlament|Parlement", re.IGNORECASE)
_COUNCIL = re.compile(r"\bCouncil\b|\bRat(?:e?s)?\b|\bConseil\b", re.IGNORECASE)
_COMMISSION = re.compile(r"Commission|Kommission", re.IGNORECASE)
# "(Text with EEA relevance)" in any language: a remark behind the title.
_REMARK = re.compile(r"\([^()]*(?:EEA|EWR|EEE|EØS|EES)[^()]*\)\s*$")
_FORM = {"YN": "{year}/{number}", "NY": "{number}/{year}"}


def document_of_act(root: etree._Element, source: SourceFile) -> Document:
    """The document that an act is. Its id is made of type, number, language and version."""
    title = _title(root) or Path(source.name).stem
    language = _text(root, "LG.DOC", "LG.OJ").lower() or language_of(plain(root))
    celex = _celex(root)
    kind = _kind(root, celex)
    number, year = _number(root, celex)
    version, begin, end = _consolidation(root)
    name = f"{kind or 'act'}-{number}" if number else slug_of(Path(source.name).stem)
    document_id = f"eu-{slug_of(name)}-{language}" + (f"@{version.isoformat()}" if version else "")
    union = f"({_text(root, 'COM')}) " if _text(root, "COM") else ""
    short = f"{kind} {union}{number}" if kind and number else ""
    aliases = aliases_of(title, number=number, year=year, type=kind, language=language)
    extra: dict[str, Any] = {
        "celex": celex,
        "created": _iso(_first(root, "BIB.DATA", "DATE")),
        "published": _published(root),
    }
    return Document(
        id=document_id,
        title=title,
        language=language,
        type=kind,
        number=number,
        year=year,
        version=version.isoformat() if version else None,
        valid_from=begin,
        valid_to=end,
        issuer=_issuer(f"{title} {_text(root, 'PREAMBLE.INIT')}"),
        aliases=tuple(dict.fromkeys(filter(None, (*aliases, short, celex)))),
        source=source_name(source),
        metadata={field: value for field, value in extra.items() if value},
    )


def _title(root: etree._Element) -> str:
    found = _first(root, "TITLE", "TI")
    if found is None:
        return ""
    paragraphs = [plain(part) for part in children(found, "P")] or [plain(found)]
    return " ".join(part for part in paragraphs if part and not _REMARK.match(part))


def _first(root: etree._Element, *path: str) -> etree._Element | None:
    """The first element of a name anywhere, and what stands below it."""
    found = next(descendants(root, path[0]), None)
    for name in path[1:]:
        found = None if found is None else first(found, name)
    return found


def _text(root: etree._Element, *names: str) -> str:
    return next((plain(found) for name in names if (found := _first(root, name)) is not None), "")


def _celex(root: etree._Element) -> str | None:
    """The CELEX number of the act itself: a corrigendum's goes on behind it in brackets."""
    stated = (plain(found) for found in descendants(root, "NO.CELEX"))
    return next((number for number in stated if _CELEX.fullmatch(number)), None)


def _kind(root: etree._Element, celex: str | None) -> str | None:
    for element in root.iter():
        if isinstance(element.tag, str) and (value := element.get("LEG.VAL")):
            return _LEGAL_VALUES.get(value[:3])
    match = _CELEX.fullmatch(celex) if celex else None
    return _LETTERS.get(match["letter"]) if match else None


def _number(root: etree._Element, celex: str | None) -> tuple[str | None, int | None]:
    """Number and year as lawyers write them: 2016/679 today, 1408/71 before 2015."""
    stated = _first(root, "NO.DOC")
    number, year = plain(first(stated, "NO.CURRENT")), plain(first(stated, "YEAR"))
    if stated is not None and number and year.isdecimal():
        form = _FORM.get(stated.get("FORMAT") or "", "{year}/{number}")
        return form.format(year=year, number=number), year_of({"year": int(year)})
    match = _CELEX.fullmatch(celex) if celex else None
    if match is None:
        return None, None
    return f"{match['year']}/{int(match['number'])}", int(match["year"])


def _consolidation(root: etree._Element) -> tuple[date | None, date | None, date | None]:
    """The date of a consolidated version, and from when to when it applies."""
    stated = _first(root, "INFO.CONSLEG")
    if stated is None:
        return None, None, None
    return tuple(_day(stated.get(name)) for name in ("CONSLEG.DATE", "START.DATE", "END.DATE"))  # type: ignore[return-value]


def _published(root: etree._Element) -> str | None:
    """The day of the Official Journal that the act stands in: entry into force is counted from it."""
    for name in ("BIB.INSTANCE.CONS", "BIB.INSTANCE"):
        day = _iso(_first(root, name, "DATE"))
        if day is not None:
            return day
    return None


def _iso(element: etree._Element | None) -> str | None:
    day = _day(element.get("ISO")) if element is not None else None
    return day.isoformat() if day is not None else None


def _day(written: str | None) -> date | None:
    """A day written 20160504; 99999999 means that none is known."""
    if written is None or not re.fullmatch(r"\d{8}", written):
        return None
    try:
        return date(int(written[:4]), int(written[4:6]), int(written[6:]))
    except ValueError:
        return None


def _issuer(words: str) -> str | None:
    if _PARLIAMENT.search(words):
        return "European Parliament and Council" if _COUNCIL.search(words) else "European Parliament"
    if _COMMISSION.search(words):
        return "European Commission"
    return "Council of the European Union" if _COUNCIL.search(words) else None
