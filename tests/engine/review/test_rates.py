"""Approval rates against counts by hand, against pandas over the exported table, and how many verdicts are
needed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.extraction.checklist import wilson
from engine.review.model import Assessment, Verdict
from engine.review.quality import Dimension, Outcome, Period, Rate, outcome, over_time, overall, rates
from tests.engine.review.judged import N, P, R, passage, said


def journal(votes: dict[str, list[Verdict]], strategy: str = "", round: int = 0) -> list[Assessment]:
    """What reviewers said of passages, in turn."""
    return [
        said(passage(key, strategy=strategy, round=round), verdict, f"reviewer-{number}", number + 1)
        for key, verdicts in votes.items()
        for number, verdict in enumerate(verdicts)
    ]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([R], Outcome.APPROVED),
        ([P], Outcome.APPROVED),
        ([N], Outcome.REFUSED),
        ([R, N], Outcome.CONFLICT),
        ([R, P, N], Outcome.APPROVED),
        ([R, N, N], Outcome.REFUSED),
        ([R, P, N, N], Outcome.CONFLICT),
    ],
)
def test_the_majority_decides_and_a_tie_is_a_conflict(verdicts: list[Verdict], expected: Outcome) -> None:
    assert outcome(journal({"a": verdicts})) is expected


def test_a_conflict_is_counted_and_not_approved() -> None:
    rate = overall(journal({"a": [R], "b": [R, N], "c": [N], "d": [R, R]}))
    assert rate == Rate("", 4, 2, 1)
    assert rate.share == 0.5
    assert rate.interval == wilson(2, 4)
    assert overall([]) == Rate("", 0, 0, 0)
    assert (overall([]).share, overall([]).interval) == (None, None)


def test_names_come_with_the_most_items_first_and_numbers_in_order() -> None:
    given = [
        *journal({"a": [R]}, strategy="links", round=10),
        *journal({"b": [N], "c": [R]}, strategy="names", round=2),
        *journal({"d": [R]}, strategy="areas", round=1),
    ]
    assert rates(given, Dimension.STRATEGY) == [
        Rate("names", 2, 1, 0),
        Rate("areas", 1, 1, 0),
        Rate("links", 1, 1, 0),
    ]
    assert [rate.value for rate in rates(given, Dimension.ROUND)] == [1, 2, 10]


def test_what_was_taken_back_is_not_counted() -> None:
    first, second = journal({"a": [R, N]})
    assert overall([first, second, replace(second, number=3, withdraws=2)]) == Rate("", 1, 1, 0)


def test_over_time_counts_an_item_where_it_was_judged_last() -> None:
    given = [
        said(passage("a"), R, "anna", 1, "2026-11-22T23:30:00+00:00"),
        said(passage("b"), R, "anna", 2, "2026-11-22T23:30:00+00:00"),
        said(passage("b"), N, "ben", 3, "2026-11-26T08:00:00+00:00"),
        # Monday in Berlin, Sunday in UTC.
        said(passage("c"), N, "anna", 4, "2026-11-23T00:30:00+01:00"),
    ]
    assert over_time(given, Period.DAY) == [Rate("2026-11-22", 2, 1, 0), Rate("2026-11-26", 1, 0, 1)]
    assert over_time(given, Period.WEEK) == [Rate("2026-W47", 2, 1, 0), Rate("2026-W48", 1, 0, 1)]


def test_a_week_at_the_turn_of_the_year_is_that_of_iso() -> None:
    given = [said(passage("a"), R, at="2027-01-01T00:00:00+00:00")]
    assert [rate.value for rate in over_time(given, Period.WEEK)] == ["2026-W53"]
