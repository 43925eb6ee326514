"""Read quantities of a statement in normal form: durations, money, percentages, dates, years, counts.

"30 days", "thirty (30) days", "vier Wochen", "tiga puluh hari" and "ثلاثون يوما" are durations in days. A
year is twelve months, but a month is not thirty days and a working day is not a day: in law they differ.
Numbers of provisions ("Article 14(2)") are not quantities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from engine.language.characters import fold_arabic, western_digits
from engine.language.dates import MONTHS, dates_in
from engine.language.designations import Occupied
from engine.language.statements.lexicon import Lexicon, group_of, lexicon, units
from engine.language.statements.numbers import Number, numbers_in
from engine.model import Span

# Maximum distance of the words of a bound before the number and after its unit, in characters.
BEFORE, BEHIND = 48, 24
# Maximum distance of a word that makes a number the name of a provision.
NAMED_WITHIN = 40
# A higher count of years is a year.
FIRST_YEAR = 1500
# Maximum number of words between "at least" and its number ("at least a period of 30 days").
WORDS_BETWEEN = 3
# Hours of the base units of durations, and the difference within which two of them are about the same.
_HOURS = {"hour": 1.0, "day": 24.0, "month": 730.0}
NEARLY = 0.07
_YEAR = re.compile(r"(?<![\w.,/-])(?:1[5-9]|20|21)\d\d(?![\w/-]|[.,]\d)")
_GAP = re.compile(r"[\s\u00a0\u202f.)-]{0,3}(?:of\s+(?:a\s+|an\s+)?|d['’]|de\s+)?")
_NOUN = re.compile(r"\s+(?:[^\W\d_]+\s+){0,1}?(?P<noun>[^\W\d_]{3,})")
_ENUMERATOR = re.compile(r"^[^\S\n]*(?:\(\d{1,3}\)|\d{1,3}\.\s)", re.MULTILINE)
_DAY = re.compile(
    rf"(?<!\w)(?:(?P<day>\d{{1,2}})\.?\s+(?P<month>{'|'.join(map(re.escape, MONTHS))})"
    rf"|(?P<month2>{'|'.join(map(re.escape, MONTHS))})\s+(?P<day2>\d{{1,2}}))(?!\w)",
    re.IGNORECASE,
)


# A number after one of these is a name: "Absatz 2", "RS 306".
_NAMED = re.compile(
    r"(?:§|(?<!\w)(?:Abs|Absatz|Nr|No|Art|Artikel|Pasal|ayat|angka|sections?|rules?|parts?|clauses?|articles?"
    r"|paragraphs?|annex|chapter|(?-i:[A-Z]{2,}))\.?)\s*\Z",
    re.IGNORECASE,
)


class Kind(StrEnum):
    """The dimension of a quantity."""

    DURATION = "duration"
    AMOUNT = "amount"
    SHARE = "share"
    DATE = "date"
    DAY = "day of the year"
    YEAR = "year"
    COUNT = "count"


class Bound(IntEnum):
    """Whether a quantity is an upper or a lower limit."""

    UPPER = -1
    EXACT = 0
    LOWER = 1


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity. ``unit`` of ``value``: day, working day, month or hour; a currency; percent; the ordinal of
    a date; the noun of a count.

    ``span`` covers number and unit; ``text``: the same as written. ``place``: a position in time ("the third
    working day").
    """

    kind: Kind
    value: float
    unit: str
    span: Span
    text: str
    bound: Bound = Bound.EXACT
    place: bool = False

    def same_as(self, other: Quantity) -> bool:
        """Return True if both are equal, ignoring their bounds."""
        return (
            self.kind is other.kind
            and self.unit == other.unit
            and abs(self.value - other.value) <= 1e-3 * max(abs(self.value), abs(other.value), 1e-9)
        )

    def nearly(self, other: Quantity) -> bool:
        """Return True for durations in different units of about the same length: "48 hours", "two days".

        Working days are of no certain length.
        """
        if not self.kind is other.kind is Kind.DURATION or self.unit == other.unit:
            return False
        if not {self.unit, other.unit} <= _HOURS.keys():
            return False
        hours, others = (one.value * _HOURS[one.unit] for one in (self, other))
        return abs(hours - others) <= NEARLY * max(hours, others)

    def comparable(self, other: Quantity) -> bool:
        """Return True if both answer the same question, so that different values contradict each other."""
        if self.kind is Kind.COUNT:
            return other.kind is Kind.COUNT and self.unit == other.unit
        return self.kind is other.kind


def quantities_in(text: str, language: str, masked: Iterable[Span] = ()) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order, except numbers inside ``masked`` spans (references)."""
    words = lexicon(language)
    taken = Occupied((span.start, span.end) for span in masked)
    for match in _ENUMERATOR.finditer(text):
        taken.add(*match.span())
    found: list[Quantity] = []
    for written in dates_in(text, language):
        if _take(written.span, taken):
            day = float(written.day.toordinal())
            found.append(_quantity(Kind.DATE, day, "date", written.span, text))
    found += _fractions(text, words, taken)
    found += _days(text, taken)
    for number in numbers_in(text, language, words):
        if not taken.overlaps(number.span.start, number.span.end):
            made = _measured(number, text, words)
            if made is not None:
                found.append(made)
                taken.add(made.span.start, made.span.end)
    found += _ones(text, words, taken)
    found += [
        _quantity(Kind.YEAR, float(match[0]), "year", Span(match.start(), match.end()), text)
        for match in _YEAR.finditer(western_digits(text))
        if not taken.overlaps(*match.span())
    ]
    bounded = [_bounded(quantity, text, words) for quantity in found]
    return tuple(sorted(bounded, key=lambda quantity: quantity.span.start))


def _take(span: Span, taken: Occupied) -> bool:
    """Mark a span as used; return False if a part of it is used already."""
    if taken.overlaps(span.start, span.end):
        return False
    taken.add(span.start, span.end)
    return True


def _quantity(kind: Kind, value: float, unit: str, span: Span, text: str, *, place: bool = False) -> Quantity:
    return Quantity(kind, value, unit, span, text[span.start : span.end], place=place)


def _duration(count: float, unit: str, span: Span, text: str, *, place: bool = False) -> Quantity:
    factor, base = units().bases[unit]
    return _quantity(Kind.DURATION, count * factor, base, span, text, place=place)


def _fractions(text: str, words: Lexicon, taken: Occupied) -> list[Quantity]:
    """Read fractions: "three quarters" is 75 percent; "one half of one per cent" is 0.5 percent."""
    found = []
    for pattern, value in words.fractions:
        for match in pattern.finditer(text):
            span = Span(match.start(), match.end())
            if taken.overlaps(span.start, span.end):
                continue
            of_one = re.compile(r"\s+(?:of\s+)?(?:one|a|1|eines?|von einem|satu|d'un)\s+").match(
                text, span.end
            )
            percent = units().percent.match(text, of_one.end()) if of_one else None
            share = value if percent else 100 * value
            if percent:
                span = Span(span.start, percent.end())
            taken.add(span.start, span.end)
            found.append(_quantity(Kind.SHARE, share, "percent", span, text))
    return found


def _days(text: str, taken: Occupied) -> list[Quantity]:
    """Read a day and month of every year: "31 January"."""
    found = []
    for match in _DAY.finditer(western_digits(text)):
        span = Span(match.start(), match.end())
        if not _take(span, taken):
            continue
        month, day = match["month"] or match["month2"], int(match["day"] or match["day2"])
        found.append(_quantity(Kind.DAY, 100.0 * MONTHS[month.casefold()] + day, "day", span, text))
    return found


def _measured(number: Number, text: str, words: Lexicon) -> Quantity | None:
    """Read a number with its unit; None if it measures nothing."""
    behind = _GAP.match(text, number.span.end)
    places = [number.span.end, behind.end()] if behind else [number.span.end]
    for place in dict.fromkeys(reversed(places)):
        unit = words.unit.match(text, place)
        if unit is not None:
            span = Span(number.span.start, unit.end())
            if group_of(unit) == "year" and number.value >= FIRST_YEAR:
                return _quantity(Kind.YEAR, number.value, "year", span, text)
            return _duration(number.value, group_of(unit), span, text, place=number.ordinal)
        percent = units().percent.match(text, place)
        if percent is not None:
            return _quantity(
                Kind.SHARE, number.value, "percent", Span(number.span.start, percent.end()), text
            )
        money = units().currency.match(text, place)
        if money is not None:
            return _amount(number, money[0], Span(number.span.start, money.end()), text)
    if number.ordinal:
        return _in_front(number, text, words)
    percent_before = _last(units().percent_before, text, number.span.start)
    if percent_before is not None:
        span = Span(percent_before.start(), number.span.end)
        return _quantity(Kind.SHARE, number.value, "percent", span, text)
    money_before = _last(units().currency, text, number.span.start)
    if money_before is not None:
        return _amount(number, money_before[0], Span(money_before.start(), number.span.end), text)
    return _count(number, text, words)


def _amount(number: Number, printed: str, span: Span, text: str) -> Quantity:
    code = next(code for pattern, code in units().currency_of if pattern.fullmatch(printed))
    return _quantity(Kind.AMOUNT, number.value, code, span, text)


def _last(pattern: re.Pattern[str], text: str, stop: int) -> re.Match[str] | None:
    """Return a match that ends directly before a position, ignoring blanks."""
    for match in pattern.finditer(text, max(0, stop - 24), stop):
        if not text[match.end() : stop].strip(" \u00a0\u202f."):
            return match
    return None


def _in_front(number: Number, text: str, words: Lexicon) -> Quantity | None:
    """Read a unit before an ordinal: "hari kesepuluh", "اليوم العاشر"."""
    unit = _last(words.unit, text, number.span.start)
    if unit is None:
        return None
    return _duration(number.value, group_of(unit), Span(unit.start(), number.span.end), text, place=True)


def _count(number: Number, text: str, words: Lexicon) -> Quantity | None:
    """Read a count: "two managers". A single "one" is no count, and a year stays a year."""
    noun = _NOUN.match(text, number.span.end)
    if noun is None or _NAMED.search(text[max(0, number.span.start - NAMED_WITHIN) : number.span.start]):
        return None
    if number.value <= 1 if number.in_words else number.value >= 1500:
        return None
    stem = noun["noun"].casefold()
    return _quantity(Kind.COUNT, number.value, stem[:5], number.span, text)


def _ones(text: str, words: Lexicon, taken: Occupied) -> list[Quantity]:
    """Read words that are a number and a unit: "sebulan", "شهرين"; in English "within a month"."""
    found = []
    for match in re.finditer(r"\w+", text) if words.ones else ():
        word = match[0].casefold()
        folded = fold_arabic(word) if words.language == "ar" else word
        one = words.ones.get(folded)
        span = Span(match.start(), match.end())
        if one is not None and _take(span, taken):
            found.append(_duration(*one, span, text))
    if words.language == "en":
        for match in re.finditer(
            r"\b(?:within|for|of|than|after|over|a)\s+(?P<a>an?)\s+", text, re.IGNORECASE
        ):
            unit = words.unit.match(text, match.end())
            span = Span(match.start("a"), unit.end()) if unit else Span(0, 0)
            if unit is not None and group_of(unit) != "day" and _take(span, taken):
                found.append(_duration(1, group_of(unit), span, text))
    return found


def _bounded(quantity: Quantity, text: str, words: Lexicon) -> Quantity:
    """Add the limit given by the surrounding words."""
    start, end = quantity.span.start, quantity.span.end
    bound = Bound.EXACT
    for match in words.bound.finditer(text, max(0, start - BEFORE), start):
        between = text[match.end() : start]
        if len(between.split()) <= WORDS_BETWEEN and not re.search(r"[,;:]|\d", between):
            bound = _bound_of(match)
    behind = words.bound.match(text, end + 1) if end < len(text) else None
    if bound is Bound.EXACT and behind is not None and behind.end() - end <= BEHIND:
        words_after = behind[0].casefold()
        if words_after.startswith(
            ("or ", "oder ", "ou ", "atau ", "at the", "at least", "at most", "أو ", "على")
        ):
            bound = _bound_of(behind)
    return Quantity(
        quantity.kind, quantity.value, quantity.unit, quantity.span, quantity.text, bound, quantity.place
    )


def _bound_of(match: re.Match[str]) -> Bound:
    return Bound.UPPER if group_of(match) in ("upper", "under") else Bound.LOWER
