"""Approval rates against counts by hand, against pandas over the exported table, and how many verdicts are
needed."""

from __future__ import annotations

import io
from dataclasses import replace

import pandas as pd  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extraction.precision import wilson
from engine.review.exchange.registry import format_of
from engine.review.model import Assessment, Item, ItemKind, Verdict
from engine.review.rates import (
    Dimension,
    Outcome,
    Period,
    Rate,
    outcome,
    over_time,
    overall,
    rates,
)
from tests.engine.review.judged import N, P, R, passage, said

COLUMNS = {
    Dimension.STRATEGY: "strategy",
    Dimension.RELATION: "relation",
    Dimension.DISTANCE: "distance",
    Dimension.ROUND: "round",
    Dimension.LANGUAGE: "language",
    Dimension.DOCUMENT_TYPE: "document_type",
}


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


PLACES = st.builds(
    Item,
    case_id=st.sampled_from(["case-1", "case-2"]),
    kind=st.just(ItemKind.PASSAGE),
    key=st.from_regex(r"p[1-9]", fullmatch=True),
    passage_id=st.just("p"),
    strategy=st.sampled_from(["links", "names", "areas"]),
    relation=st.sampled_from(["cites", "amends"]),
    round=st.integers(0, 3),
    distance=st.integers(1, 3),
    language=st.sampled_from(["de", "en"]),
    document_type=st.sampled_from(["act", "judgment"]),
)


@st.composite
def judged(draw: st.DrawFn) -> list[Assessment]:
    """Passages with values of all dimensions, judged by up to four people."""
    found: list[Assessment] = []
    items = st.lists(PLACES, min_size=1, max_size=12, unique_by=lambda item: (item.case_id, item.key))
    for item in draw(items):
        for number in range(draw(st.integers(1, 4))):
            verdict = draw(st.sampled_from([R, P, N]))
            found.append(said(item, verdict, f"reviewer-{number}", len(found) + 1))
    return found


@given(judged(), st.sampled_from(Dimension))
def test_rates_are_those_that_pandas_computes_from_the_export(
    assessments: list[Assessment], dimension: Dimension
) -> None:
    write = format_of("csv").write
    assert write is not None
    rows = pd.read_csv(io.BytesIO(write(assessments)), encoding="utf-8-sig")
    items = rows.groupby([COLUMNS[dimension], "case_id", "key"])["approved"].mean().reset_index(level=0)
    groups = items.groupby(COLUMNS[dimension])["approved"]
    expected = {
        value: (len(means), int((means > 0.5).sum()), int((means == 0.5).sum())) for value, means in groups
    }
    found = rates(assessments, dimension)
    assert {rate.value: (rate.count, rate.approved, rate.conflicts) for rate in found} == expected
    assert sum(rate.count for rate in found) == overall(assessments).count
