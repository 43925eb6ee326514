"""Read dates in legal texts, and clauses about when a text is in force."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import cache

from engine import languages
from engine.language.characters import western_digits
from engine.languages import Validity, law, words
from engine.model import Span

# Dates as written in legal texts, in languages with grammars
#
# Only complete dates of the Gregorian calendar: a year alone is not a date, and a day of the Hijri calendar
# is ignored unless its Gregorian date is next to it. "05/03/2021" is 5 March, except in English, where it is
# ambiguous and ignored.

MONTHS = {
    name: number
    for own in languages.all_words().values()
    for number, names in enumerate(own.months, start=1)
    for name in names
}
_SHORT = {name: number for own in languages.all_words().values() for name, number in own.short_months.items()}
_MONTH = "|".join(sorted((re.escape(name) for name in (*MONTHS, *_SHORT)), key=len, reverse=True))
_YEAR = r"(?:1[5-9]|20|21)\d\d"
# A letter after it marks a Hijri year: "1444هـ" or "1444 هـ".
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
    """A date and its span in the text."""

    day: date
    span: Span


def dates_in(text: str, language: str = "und") -> Iterator[WrittenDate]:
    """Yield the complete dates of a text in order."""
    for match in _ANY.finditer(western_digits(text)):
        day = parse_date(match[0], language)
        if day is not None:
            yield WrittenDate(day, Span(match.start(), match.end()))


def parse_date(words: str, language: str = "und") -> date | None:
    """Return the date that some words name; None unless there is exactly one."""
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
    """Return the first and last day of the day, month or year that some words name; None if they name
    none."""
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


# Clauses about the validity of a text: commencement, application, end
#
# "This Act comes into force on 1 January 2024", "tritt am Tag nach der Verkündung in Kraft", "mulai berlaku
# pada tanggal diundangkan", "自2021年1月1日起施行". A clause counts only if its subject is the text itself
# ("this Act"), provisions by number ("Sections 1 to 7"), or, for an end, another named text; "an order comes
# into force on the day it is made" is not about the act.
#
# The patterns of a language are in its ``law.yaml``; see ``engine.languages.Validity``.


class ClauseKind(StrEnum):
    """The kind of a clause: the text comes into force, begins to apply, or ends."""

    COMMENCES = "commences"
    APPLIES = "applies"
    CEASES = "ceases"


# The start of a sentence, after the number of a paragraph if there is one.
_BEGIN = r"(?:^|(?<=[.;:؛。；])\s|(?<=—))[\s\"“«]*(?:\(?\w{1,4}[.)]\s*)?"
# Every complete date contains a year, which is found much faster.
_VALIDITY_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_END_OF_SENTENCE = re.compile(r"[.;؛。；](?=\s|\Z)(?<!\bNr\.)(?<!\bArt\.)(?<!\bAbs\.)(?<!\bNo\.)|\n\n")
# Maximum distance of the words for the text itself from those for the replaced text, in characters.
_NEAR = 80
_QUOTES = (("“", "”"), ("«", "»"), ("„", "“"), ("‘‘", "’’"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause on validity.

    ``scope``: the provisions that it is about; None for the whole document. ``day``: the first day in force
    (for an end, the first day no longer in force). ``days``: days after publication, if the clause counts
    from there. Both are None for an unstated day.
    """

    kind: ClauseKind
    span: Span
    day: date | None = None
    days: int | None = None
    scope: Span | None = None

    def first_day(self, published: date | None) -> date | None:
        """Return the day, counted from the publication if necessary; or None."""
        if self.day is not None or self.days is None or published is None:
            return self.day
        return published + timedelta(days=self.days)


def prepare(language: str) -> None:
    """Compile the patterns of a language; cached."""
    if law(language).validity is not None:
        _compiled(language)


def clauses_in(text: str, language: str) -> list[Clause]:
    """Find the clauses on validity in a passage, in order; empty for a language without patterns."""
    patterns = law(language).validity
    small = text.lower()
    if patterns is None or not any(word in small for word in patterns.hint):
        return []
    plain = western_digits(text)
    has_date = _VALIDITY_YEAR.search(plain) is not None
    has_publication = any(word in small for word in patterns.publication)
    found = [
        clause
        for kind, pattern, dated in _compiled(language)
        if (has_date if dated else has_publication)
        for clause in _found(kind, pattern, plain, language, patterns)
    ]
    return sorted(found, key=lambda clause: (clause.span.start, clause.kind))


def takes_the_place(text: str, span: Span, language: str) -> bool:
    """Return True if a sentence states that the text itself replaces the one cited at ``span``.

    "This Act replaces the Ports Act 1998" does; "§ 112 tritt an die Stelle des § 520 der Zivilprozessordnung"
    only states what is read instead if § 520 is applied to something else. False for a language without
    patterns.
    """
    if law(language).validity is None:
        return False
    start = max((match.end() for match in _END_OF_SENTENCE.finditer(text, 0, span.start)), default=0)
    behind = _END_OF_SENTENCE.search(text, span.end)
    around = Span(
        max(start, span.start - _NEAR), min(behind.start() if behind else len(text), span.end + _NEAR)
    )
    pattern = _itself(language)
    return any(
        pattern.search(text, first, stop) is not None
        for first, stop in ((around.start, span.start), (span.end, around.end))
    )


def _found(
    kind: ClauseKind, pattern: re.Pattern[str], text: str, language: str, patterns: Validity
) -> Iterator[Clause]:
    for match in pattern.finditer(text):
        groups = match.groupdict()
        day = parse_date(groups["date"], language) if groups.get("date") else None
        if (groups.get("date") and day is None) or _is_quoted(text, match.start()):
            continue
        if day is not None and kind is ClauseKind.CEASES and groups.get("until"):
            # "At the end of 31 December": the last day in force.
            day += timedelta(days=1)
        days = _days(match, patterns)
        scope = Span(*match.span("some")) if groups.get("some") else None
        yield Clause(kind, Span(match.start(), match.end()), day, None if day else days, scope)


def _is_quoted(text: str, place: int) -> bool:
    """Return True if a position is in a quotation, in which an amendment quotes the new text."""
    return any(text.count(left, 0, place) > text.count(right, 0, place) for left, right in _QUOTES)


def _days(match: re.Match[str], patterns: Validity) -> int | None:
    """Return the number of days after publication: a number, a word for one, or the day itself."""
    groups = match.groupdict()
    days = groups.get("days")
    if days:
        if (number := re.search(r"\d+", days)) is not None:
            return int(number[0])
        return patterns.ordinals.get(days.strip().casefold())
    if groups.get("next"):
        return 1
    return 0 if groups.get("published") else None


def _patterns(language: str) -> Validity:
    patterns = law(language).validity
    assert patterns is not None, f"no patterns of validity for {language}"
    return patterns


@cache
def _itself(language: str) -> re.Pattern[str]:
    """Return the pattern of a text's name for itself, without pronouns, which may refer to anything."""
    named = rf"(?!(?:it|sie|es|il|elle)\b)(?:{_patterns(language).itself})"
    named = named if words(language).without_blanks else rf"(?<!\w){named}(?!\w)"
    return re.compile(named.replace(" ", r"\s+"), re.IGNORECASE)


@cache
def _compiled(language: str) -> tuple[tuple[ClauseKind, re.Pattern[str], bool], ...]:
    """Return the compiled patterns of a language, with their kinds and whether they need a date."""
    patterns = _patterns(language)
    ordinals = "|".join(sorted(map(re.escape, patterns.ordinals), key=len, reverse=True)) or r"\d+"
    parts: Mapping[str, str] = {
        "begin": _BEGIN,
        "date": f"(?P<date>{DATE})",
        "self": f"(?P<self>{patterns.itself})",
        "some": f"(?P<some>{patterns.some})",
        "days": rf"(?P<days>\d{{1,3}}|{ordinals})",
    }
    made = []
    for kind, lines in (
        (ClauseKind.COMMENCES, patterns.commences),
        (ClauseKind.APPLIES, patterns.applies),
        (ClauseKind.CEASES, patterns.ceases),
    ):
        for line in lines:
            dated = "{date}" in line
            for name, expression in parts.items():
                line = line.replace("{" + name + "}", expression)
            pattern = re.compile(line.replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE)
            made.append((kind, pattern, dated))
    return tuple(made)
