"""Dates as legal texts write them, in the languages that have grammars.

Only whole dates of the Gregorian calendar: a year alone is no date, a day of the Hijri calendar is
passed over unless its Gregorian day stands beside it. "05/03/2021" is the fifth of March but in English,
where it may be either and so is none.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from engine import languages
from engine.language.script import western_digits
from engine.model import Span

MONTHS = {
    name: number
    for own in languages.all_words().values()
    for number, names in enumerate(own.months, start=1)
    for name in names
}
_SHORT = {name: number for own in languages.all_words().values() for name, number in own.short_months.items()}
_MONTH = "|".join(sorted((re.escape(name) for name in (*MONTHS, *_SHORT)), key=len, reverse=True))
_YEAR = r"(?:1[5-9]|20|21)\d\d"
# A Hijri year is marked by a letter behind it, "1444هـ" or "1444 هـ".
_HIJRI = r"(?!\d|\s*ه)"
DATE = (
    rf"(?:{_YEAR}-\d{{1,2}}-\d{{1,2}}(?!\d)"
    rf"|{_YEAR}\s*年\s*\d{{1,2}}\s*月\s*\d{{1,2}}\s*日"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|º|°)?\.?\s*(?:day\s+of\s+|de\s+|من\s+)?(?:{_MONTH})\.?\s*,?\s*(?:de\s+|سنة\s+|عام\s+)?"
    rf"{_YEAR}{_HIJRI}"
    rf"|(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+{_YEAR}"
    rf"|\d{{1,2}}\s?[./]\s?\d{{1,2}}\s?[./]\s?{_YEAR}{_HIJRI})"
)
# "June 2023", "2023-06", "2023年6月".
MONTH_OF_YEAR = (
    rf"(?:(?:{_MONTH})\.?\s*,?\s*(?:del?\s+|do\s+|سنة\s+|عام\s+|tahun\s+)?{_YEAR}{_HIJRI}"
    rf"|{_YEAR}-(?:0[1-9]|1[0-2])(?![\w-])|{_YEAR}\s*年\s*\d{{1,2}}\s*月(?:份)?(?!\s*\d))"
)
_ANY = re.compile(rf"(?<![\w/.]){DATE}", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+")
_LONGEST_YEAR = 4
_NAME = re.compile(_MONTH, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date and where it stands in the text."""

    day: date
    span: Span


def dates_in(text: str, language: str = "und") -> Iterator[WrittenDate]:
    """The whole dates of a text, in order."""
    for match in _ANY.finditer(western_digits(text)):
        day = parse_date(match[0], language)
        if day is not None:
            yield WrittenDate(day, Span(match.start(), match.end()))


def parse_date(words: str, language: str = "und") -> date | None:
    """The day that some words name; None where they name none, or more than one."""
    plain = western_digits(words)
    written = _NUMBERS.findall(plain)
    if any(len(number) > _LONGEST_YEAR for number in written):
        return None
    numbers = [int(number) for number in written]
    name = _NAME.search(plain)
    if name is not None and len(numbers) == 2:
        month = MONTHS.get(name[0].casefold()) or _SHORT[name[0].casefold()]
        return _made(numbers[1], month, numbers[0])
    if len(numbers) != 3:
        return None
    if numbers[0] > 31:
        return _made(*numbers)
    day, month, year = numbers
    american = "/" in plain and languages.words(language).month_first
    if american and day <= 12 and month <= 12 and day != month:
        return None
    if american and month > 12:
        day, month = month, day
    return _made(year, month, day)


def parse_period(words: str, language: str = "und") -> tuple[date, date] | None:
    """The first and the last day of the day, month or year that some words name; None if they name none."""
    day = parse_date(words, language)
    plain = western_digits(words)
    numbers = [int(number) for number in _NUMBERS.findall(plain)]
    name = _NAME.search(plain)
    if day is not None or not numbers or len(numbers) > 2:
        return None if day is None else (day, day)
    if len(numbers) == 1 and name is None:
        return date(numbers[0], 1, 1), date(numbers[0], 12, 31)
    year = max(numbers)
    month = min(numbers) if name is None else MONTHS.get(name[0].casefold()) or _SHORT[name[0].casefold()]
    first = _made(year, month, 1)
    return None if first is None else (first, first.replace(day=monthrange(year, month)[1]))


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
