"""Values of facts: numbers, money, dates, durations, yes or no, ordered choices."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from engine.errors import SettingsError
from engine.language.characters import western_digits
from engine.language.dates import dates_in
from engine.languages import all_words

# Values of facts: numbers, money, dates, durations, yes or no, and choices from an ordered scale.
#
# Inexact input is rejected: "50.000" may be fifty or fifty thousand, "ten working days" needs a
# calendar. Months have no fixed length in days; durations are compared only as far as all
# calendars agree.


class FactType(StrEnum):
    """The kind of a fact's value."""

    NUMBER = "number"
    MONEY = "money"
    DATE = "date"
    DURATION = "duration"
    TRUTH = "truth"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Choice:
    """A value on an ordered scale."""

    id: str
    scale: tuple[str, ...]

    @property
    def rank(self) -> int:
        """Its index on the scale, from 0."""
        return self.scale.index(self.id)


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of calendar time in months and days, which are not convertible."""

    months: int = 0
    days: int = 0

    def __add__(self, other: Duration) -> Duration:
        return Duration(self.months + other.months, self.days + other.days)

    def __sub__(self, other: Duration) -> Duration:
        return Duration(self.months - other.months, self.days - other.days)

    def bounds(self) -> tuple[int, int]:
        """Return the minimum and maximum number of days."""
        low, high = month_bounds(abs(self.months))
        low, high = (low, high) if self.months >= 0 else (-high, -low)
        return low + self.days, high + self.days

    def __str__(self) -> str:
        years, months = divmod(self.months, 12)
        parts = [(years, "year"), (months, "month"), (self.days, "day")]
        parts_text = [f"{count} {word}{'' if abs(count) == 1 else 's'}" for count, word in parts if count]
        return " ".join(parts_text) or "0 days"


Value = Decimal | date | Duration | bool | Choice

MOST_DIGITS = 30
# Limits of durations: longer ones exceed the calendar.
MOST_MONTHS, MOST_DAYS = 12 * 1000, 366 * 1000
_YES = frozenset(word for own in all_words().values() for word in own.yes)
_NO = frozenset(word for own in all_words().values() for word in own.no)
_UNITS: dict[str, str] = {
    word: unit for own in all_words().values() for unit, listed in own.time_units.items() for word in listed
}
_ISO = re.compile(r"P(?=\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?", re.IGNORECASE)
_LETTERS = sorted(_UNITS, key=len, reverse=True)
DURATION = re.compile(
    rf"(?<![\w.,])(?P<count>\d{{1,5}})\s*[- ]?\s*(?P<unit>{'|'.join(map(re.escape, _LETTERS))})(?!\w)",
    re.IGNORECASE,
)
_GROUPS = re.compile(r"[\s'’_\u00a0\u202f]")


@lru_cache(maxsize=512)
def month_bounds(months: int) -> tuple[int, int]:
    """Return the minimum and maximum days of some months, over the calendar's cycle of 400 years."""
    lengths = [calendar.monthrange(year, month)[1] for year in range(2000, 2400) for month in range(1, 13)]
    cycles, rest = divmod(months, len(lengths))
    window = sum(lengths[:rest])
    low = high = window
    for start in range(len(lengths)):
        window += lengths[(start + rest) % len(lengths)] - lengths[start]
        low, high = min(low, window), max(high, window)
    return low + cycles * sum(lengths), high + cycles * sum(lengths)


def add_duration(day: date, span: Duration, sign: int = 1) -> date:
    """Return the day a duration after another (before, with ``sign`` -1).

    A day that a month lacks becomes its last. Raises OverflowError beyond the calendar.
    """
    months = day.year * 12 + day.month - 1 + sign * span.months
    year, month = divmod(months, 12)
    if not date.min.year <= year <= date.max.year:
        raise OverflowError("beyond the calendar")
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last)) + timedelta(days=sign * span.days)


def parse_number(text: str) -> Decimal:
    """Parse a number with separators. Raises SettingsError for an ambiguous one."""
    digits = western_digits(text).replace("٫", ".").replace("٬", "_").strip()
    negative = digits[:1] in ("-", "−")
    digits = _GROUPS.sub("", digits[1:] if negative else digits)
    marks = re.sub(r"\d", "", digits)
    if not re.fullmatch(r"\d+(?:[.,]\d+)*", digits) or len(digits) > MOST_DIGITS:
        raise SettingsError(f"{text.strip()[:40]!r} is not a number; write it like 50000 or 49999.90")
    if len(set(marks)) == 2:
        decimal_mark = marks[-1]
        if marks.count(decimal_mark) > 1:
            raise SettingsError(f"{text.strip()!r} is not a number; write it like 50000 or 49999.90")
        digits = digits.replace("," if decimal_mark == "." else ".", "").replace(decimal_mark, ".")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits) or re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", digits):
        digits = re.sub(r"[.,]", "", digits)
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits):
        whole, part = digits.split(".")
        raise SettingsError(f"{text.strip()!r} may be {whole} or {whole}{part}: write one of them")
    elif len(marks) > 1:
        raise SettingsError(f"{text.strip()!r} is not a number; write it like 50000 or 49999.90")
    number = Decimal(digits.replace(",", "."))
    return -number if negative else number


def parse_duration(text: str) -> Duration:
    """Parse a duration: "2 years", "6 weeks 3 days" or "P1Y6M". Raises SettingsError."""
    folded = western_digits(text).strip()
    iso = _ISO.fullmatch(folded)
    if iso is not None:
        years, months, weeks, days = (int(part or 0) for part in iso.groups())
        return _in_calendar(Duration(12 * years + months, 7 * weeks + days), text)
    total, end = Duration(), 0
    for match in DURATION.finditer(folded):
        if folded[end : match.start()].strip(" ,"):
            break
        total, end = total + make_duration(int(match["count"]), _UNITS[match["unit"].casefold()]), match.end()
    if end == 0 or folded[end:].strip(" ."):
        raise SettingsError(
            f"{text.strip()[:40]!r} is not a duration; write it like 30 days, 6 months or 2 years"
        )
    return _in_calendar(total, text)


def make_duration(count: int, unit: str) -> Duration:
    """Return a duration of some days, weeks, months or years."""
    match unit:
        case "day":
            return Duration(days=count)
        case "week":
            return Duration(days=7 * count)
        case "month":
            return Duration(months=count)
        case _:
            return Duration(months=12 * count)


def _in_calendar(span: Duration, text: str) -> Duration:
    if span.months > MOST_MONTHS or span.days > MOST_DAYS:
        raise SettingsError(f"{text.strip()[:40]!r} is longer than a thousand years")
    return span


def parse_value(kind: FactType, text: str, *, unit: str = "", scale: Sequence[str] = ()) -> Value:
    """Parse a user's value of a fact. Raises SettingsError with the expected form."""
    cleaned = " ".join(text.split())
    match kind:
        case FactType.NUMBER | FactType.MONEY:
            return parse_number(_without_unit(cleaned, unit))
        case FactType.DURATION:
            return parse_duration(cleaned)
        case FactType.DATE:
            return _date_of(cleaned)
        case FactType.TRUTH:
            folded = cleaned.casefold()
            if folded not in _YES | _NO:
                raise SettingsError(f"{cleaned[:40]!r} is neither yes nor no")
            return folded in _YES
        case FactType.CHOICE:
            folded = cleaned.casefold().replace(" ", "_").replace("-", "_")
            found = next((value for value in scale if value.casefold() == folded), None)
            if found is None:
                raise SettingsError(f"{cleaned[:40]!r} is not on the scale: {', '.join(scale)}")
            return Choice(found, tuple(scale))


def value_text(value: Value, unit: str = "") -> str:
    """Return a value as text: "50,000 MRC", "2 years", "yes"."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Decimal():
            return f"{value:,f} {unit}".strip()
        case date():
            return value.isoformat()
        case Choice():
            return value.id.replace("_", " ")
        case _:
            return str(value)


def _without_unit(text: str, unit: str) -> str:
    """Return "50,000" of "MRC 50,000" if the unit is MRC; other words stay and are rejected later."""
    if unit and text.casefold().startswith(unit.casefold()):
        return text[len(unit) :]
    if unit and text.casefold().endswith(unit.casefold()):
        return text[: -len(unit)]
    if re.search(r"[^\W\d_]", text) and unit:
        raise SettingsError(f"{text[:40]!r} is not an amount in {unit}; write it like 50000 {unit}")
    return text


def _date_of(text: str) -> date:
    try:
        return date.fromisoformat(western_digits(text))
    except ValueError:
        found = list(dates_in(text))
        if len(found) == 1 and not (text[: found[0].span.start] + text[found[0].span.end :]).strip(" ."):
            return found[0].day
        raise SettingsError(f"{text[:40]!r} is not a date; write it like 2024-01-31") from None
