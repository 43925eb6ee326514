"""Whether a document can be the act that a text names, by the year or number that stands beside the name and
by words for a former act."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from engine.language.dates import DATE
from engine.language.references.grammar import NEVER, Grammar
from engine.language.script import western_digits
from engine.model import OUT_OF_FORCE, Document

# What a grammar writes for a year, a whole date and the number of an act.
YEAR, DAY, NUMBER = "YYYY", "DATE", "NNNN"
# So far from a name, in characters, stand its year and the words for a former act.
AROUND = 60
# Years of the Hijri and of the Gregorian calendar are further apart than this and are not compared.
CALENDARS_APART = 300

_YEAR = r"(?:1[2-9]|20|21)\d\d(?!\d|[/–-]\d)"
_ANY_YEAR = re.compile(rf"(?<![\d/.-]){_YEAR}")
_LEADING_YEAR = re.compile(rf"{_YEAR}\s*(?:年的?)?\s*《?")
_ACT_NUMBER = re.compile(r"(?:\bN(?:o|r|omor)\.?|\bn[°º]|رقم)\s*\(?(\d{1,4})\)?(?![\d/-])", re.IGNORECASE)


class Stated(NamedTuple):
    """The year, number and former status that a text states beside the name of an act.

    ``start`` and ``end`` enclose the statement and the name."""

    year: int | None
    number: str | None
    is_former: bool
    start: int
    end: int

    def fits(self, document: Document) -> bool:
        """Whether a document may be the act: its year and number do not differ, and it is as former."""
        if self.is_former and document.valid_to is None and document.status not in OUT_OF_FORCE:
            return False
        years, numbers = _years_and_numbers(document.title, document.aliases, document.year, document.number)
        is_other_year = self.year is not None and years and self.year not in years
        if is_other_year and all(abs(year - (self.year or 0)) < CALENDARS_APART for year in years):
            return False
        return self.number is None or not numbers or self.number in numbers


@lru_cache(maxsize=4096)
def _years_and_numbers(
    title: str, aliases: tuple[str, ...], year: int | None, number: str | None
) -> tuple[frozenset[int], frozenset[str]]:
    names = western_digits("\n".join((title, *aliases)))
    years = set(years_in(names)) or ({year} if year else set())
    numbers = set(_ACT_NUMBER.findall(names)) or ({number} if number and number.isdecimal() else set())
    return frozenset(years), frozenset(numbers)


def years_in(text: str) -> list[int]:
    """Return the years in a text that may be those of acts, in order."""
    return [int(year) for year in _ANY_YEAR.findall(western_digits(text))]


class StatementReader:
    """Reads what a text states beside the names of acts, by one grammar."""

    def __init__(self, grammar: Grammar | None) -> None:
        year_before, year_behind = (
            (grammar.year_before, grammar.year_behind) if grammar else (NEVER, rf"[\s,]*\(?{YEAR}\)?")
        )
        before, behind = (grammar.former_before, grammar.former_behind) if grammar else (NEVER, NEVER)
        self._year_before = re.compile(rf"{_filled(year_before)}\Z", re.IGNORECASE)
        self._year_behind = re.compile(rf"{_filled(year_behind)}[)）]?", re.IGNORECASE)
        self._name = re.compile(grammar.name_form if grammar else NEVER)
        self._former_before = re.compile(rf"(?<!\w)(?:{before})\s*")
        self._former_behind = re.compile(rf"[\s,(（]*(?:{behind})(?!\w)")

    def name_begin(self, text: str, position: int) -> int:
        """Return where the name of an act begins behind words for a former act, or behind a year, at a
        position; the position itself if it has no such words or no name follows them."""
        led = self._former_before.match(text, position) or _LEADING_YEAR.match(text, position)
        return led.end() if led and self._name.match(text, led.end()) else position

    def read(self, text: str, start: int, end: int) -> Stated:
        """Return what the text states beside the name from ``start`` to ``end``."""
        front = western_digits(text[max(0, start - AROUND) : start])
        behind = western_digits(text[end : end + AROUND])
        found = self._year_behind.match(behind)
        years = years_in(found[0]) if found else []
        last = found.end() if found and years else 0
        led = None if years else self._year_before.search(front)
        if led is not None:
            years = years_in(led[0])
        former = self._former_behind.match(behind, last)
        words = next((one for one in self._former_before.finditer(front) if one.end() == len(front)), None)
        begin = words or led
        return Stated(
            years[-1] if years else None,
            found.groupdict().get("number") if found else None,
            former is not None or words is not None,
            start if begin is None else start - len(front) + begin.start(),
            end + (former.end() if former else last),
        )


def _filled(pattern: str) -> str:
    return pattern.replace(YEAR, _YEAR).replace(DAY, DATE).replace(NUMBER, r"\(?(?P<number>\d{1,4})\)?")
