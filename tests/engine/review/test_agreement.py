"""Agreement of reviewers over their assessments, its interval and its words, and where they differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.review.agreement import agreement, disagreements
from engine.review.model import Assessment, ItemKind, Verdict
from tests.engine.review.judged import N, P, R, passage, said, table

SCALE = (R, P, N)
# Drawn once: four reviewers who see the same in three of five passages, three ratings of ten missing. The
# figures below are those of irrCAC 0.4.4 and krippendorff 0.9.0.
MISSING_RATINGS = (
    *("111-", "0020", "0202", "2222", "-000", "-110", "2021", "---1", "2-22", "1111"),
    *("000-", "-122", "1-01", "002-", "----", "-1-0", "-0-2", "1210", "2-1-", "222-"),
)


def four_reviewers() -> list[Assessment]:
    return table([None if mark == "-" else SCALE[int(mark)] for mark in row] for row in MISSING_RATINGS)


def two_judges() -> list[Assessment]:
    """Cohen (1960), Educational and Psychological Measurement 20, table 2 as numbers of 200 cases, with his
    categories as verdicts."""
    judged = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    return table(
        [SCALE[row], SCALE[column]] for row, column in np.ndindex(3, 3) for _ in range(judged[row, column])
    )


def test_alpha_with_missing_ratings() -> None:
    found = agreement(four_reviewers(), ItemKind.PASSAGE)
    assert found.value == pytest.approx(0.2961458226)
    assert found.items == 18
    assert found.reviewers == tuple(f"reviewer-{number}" for number in range(4))


def as_hops(passages: list[Assessment]) -> list[Assessment]:
    """The same verdicts with names that have no order."""
    names = {R: Verdict.RIGHT, P: Verdict.WRONG_KIND, N: Verdict.WRONG_TARGET}
    return [
        replace(one, item=replace(one.item, kind=ItemKind.HOP), verdict=names[one.verdict])
        for one in passages
    ]


def test_verdicts_on_hops_have_no_order() -> None:
    assert agreement(as_hops(four_reviewers()), ItemKind.HOP).value == pytest.approx(0.34260117)


def test_the_interval_is_near_that_of_a_large_sample_and_always_the_same() -> None:
    first = agreement(as_hops(two_judges()), ItemKind.HOP)
    assert first == agreement(as_hops(two_judges()), ItemKind.HOP)
    # Cohen's kappa of his table is .492 with a standard error of .0549.
    assert [first.value, first.low, first.high] == pytest.approx([0.492, 0.384, 0.600], abs=0.02)


def test_the_interval_narrows_with_the_items() -> None:
    rows = [[R, R], [N, N], [R, N], [P, P], [N, P]]
    few, many = (agreement(table(rows * copies), ItemKind.PASSAGE) for copies in (3, 60))
    ends = (few.low, many.low, many.high, few.high)
    assert None not in ends
    assert sorted(end for end in ends if end is not None) == list(ends)


@pytest.mark.parametrize("rows", [[], [[R], [N]], [[R, None], [None, N]]], ids=["nothing", "one", "apart"])
def test_nothing_that_two_judged_is_no_agreement(rows: list[list[Verdict | None]]) -> None:
    found = agreement(table(rows), ItemKind.PASSAGE)
    assert (found.value, found.low, found.high, found.observed, found.items) == (None, None, None, None, 0)
    assert "at least two reviewers" in found.meaning


def test_where_all_say_the_same_alpha_is_not_defined() -> None:
    found = agreement(table([[R, R]] * 5), ItemKind.PASSAGE)
    assert (found.value, found.low, found.high, found.observed) == (None, None, None, 1)
    assert "alpha is not defined" in found.meaning


def test_it_is_said_in_words() -> None:
    found = agreement(two_judges(), ItemKind.PASSAGE)
    assert found.meaning.startswith("Two reviewers chosen at random agree on 70% of what both judged.")
    assert ".80 is usually asked for firm conclusions, .67 for tentative ones" in found.meaning


def test_the_farthest_apart_come_first() -> None:
    rows: list[list[Verdict | None]] = [[R, R, R], [R, P, R], [R, N, R], [P, N, None], [R, N, None]]
    found = disagreements(table(rows))
    assert [(one.item.key, one.distance) for one in found] == [
        ("item-4", 1.0),
        ("item-2", 1.0),
        ("item-3", 0.5),
        ("item-1", 0.5),
    ]


def test_who_does_not_approve_for_another_reason_is_nearer() -> None:
    rows = [[Verdict.WRONG, Verdict.UNSUPPORTED], [Verdict.RIGHT, Verdict.UNSUPPORTED]]
    found = disagreements(table(rows, ItemKind.SENTENCE))
    assert [(one.item.key, one.distance) for one in found] == [("item-1", 1.0), ("item-0", 0.5)]


def test_a_disagreement_has_what_each_said() -> None:
    item = passage("a")
    ben = replace(said(item, N, "ben", 1), reason="other law", note="repealed")
    (found,) = disagreements([ben, said(item, R, "anna", 2)])
    assert [(one.reviewer, one.verdict) for one in found.assessments] == [("anna", R), ("ben", N)]
    assert found.assessments[1] == ben


def test_who_changed_their_mind_disagrees_with_nobody() -> None:
    assert disagreements([said(passage("a"), R, number=1), said(passage("a"), N, number=2)]) == []
