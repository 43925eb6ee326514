"""How approval goes over time, as the figures of a queue draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.review.model import Assessment
from engine.review.rates import Period, Rate, over_time

# Days are told apart as long as there are so many at most; then weeks, the last so many.
MOST_DAYS, MOST_WEEKS = 31, 60


@dataclass(frozen=True, slots=True)
class Span:
    """A day or a week: its first day, the rate of what was judged last in it, and where it stands among all
    from the first to the last, 0..1, from ``left`` to ``right``."""

    day: date
    rate: Rate
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Spans:
    """Rates over time; those before the first span shown are ``earlier`` in number."""

    period: Period
    shown: tuple[Span, ...]
    earlier: int


def spans_of(said: Sequence[Assessment]) -> Spans | None:
    """The rates over time of assessments of one kind; None where all was judged in one day."""
    days = [(date.fromisoformat(str(one.value)), one) for one in over_time(said, Period.DAY)]
    if len(days) < 2:
        return None
    if (days[-1][0] - days[0][0]).days < MOST_DAYS:
        return _spans(Period.DAY, days, timedelta(days=1), 0)
    weeks = [(_monday(str(one.value)), one) for one in over_time(said, Period.WEEK)]
    since = weeks[-1][0] - timedelta(weeks=MOST_WEEKS - 1)
    kept = [(day, one) for day, one in weeks if day >= since]
    return _spans(Period.WEEK, kept, timedelta(weeks=1), len(weeks) - len(kept))


def _spans(period: Period, found: Sequence[tuple[date, Rate]], each: timedelta, earlier: int) -> Spans:
    first = found[0][0]
    count = (found[-1][0] - first) // each + 1
    places = [(day - first) // each for day, _ in found]
    shown = (
        Span(day, rate, place / count, (place + 1) / count)
        for place, (day, rate) in zip(places, found, strict=True)
    )
    return Spans(period, tuple(shown), earlier)


def _monday(week: str) -> date:
    year, number = week.split("-W")
    return date.fromisocalendar(int(year), int(number), 1)
