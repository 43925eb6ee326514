"""Approval over time: by day as long as it is a month, then by week, each where it stands in time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from engine.review.model import Assessment
from engine.review.quality import Period
from tests.engine.review.judged import N, R, passage, said
from ui.review.figures import MOST_WEEKS, spans_of

FIRST = datetime(2026, 1, 1, 12, tzinfo=UTC)


def judged(*days: int) -> list[Assessment]:
    """An item a day, every second of them approved."""
    return [
        said(passage(f"passage:{day}"), R if day % 2 else N, at=(FIRST + timedelta(days=day)).isoformat())
        for day in days
    ]


def test_days_stand_where_they_are_in_time() -> None:
    assert spans_of(judged(3)) is None
    found = spans_of(judged(0, 1, 9))
    assert found is not None
    assert (found.period, found.earlier) == (Period.DAY, 0)
    assert [(one.left, one.right) for one in found.shown] == [(0.0, 0.1), (0.1, 0.2), (0.9, 1.0)]
    assert [one.rate.share for one in found.shown] == [0.0, 1.0, 1.0]


def test_more_than_a_month_is_shown_by_weeks_across_the_year() -> None:
    month = spans_of(judged(0, 30))
    assert month is not None
    assert month.period is Period.DAY
    found = spans_of(judged(-40, -39, 0))
    assert found is not None
    assert found.period is Period.WEEK
    # Weeks begin on a Monday, whichever year their number is of.
    assert [one.day for one in found.shown] == [date(2025, 11, 17), date(2025, 12, 29)]
    assert [one.rate.count for one in found.shown] == [2, 1]
    assert [(round(one.left * 7), round(one.right * 7)) for one in found.shown] == [(0, 1), (6, 7)]


def test_the_last_weeks_are_drawn_and_the_others_counted() -> None:
    found = spans_of(judged(*range(0, 7 * (MOST_WEEKS + 5), 7)))
    assert found is not None
    assert (len(found.shown), found.earlier) == (MOST_WEEKS, 5)
