"""The table of who said what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.review.agreement import MISSING, SCALES, ratings
from engine.review.model import ItemKind, Verdict
from tests.engine.review.judged import N, P, R, passage, said, table


def test_scales_have_no_verdict_that_is_none() -> None:
    assert SCALES[ItemKind.PASSAGE] == (R, P, N)
    assert all(Verdict.LATER not in scale for scale in SCALES.values())


def test_rows_are_items_and_columns_reviewers() -> None:
    found = ratings(table([[R, None, N], [P, P, None]]), ItemKind.PASSAGE)
    assert [item.key for item in found.items] == ["item-0", "item-1"]
    assert found.reviewers == ("reviewer-0", "reviewer-1", "reviewer-2")
    assert found.values.tolist() == [[0, MISSING, 2], [1, 1, MISSING]]
    assert found.counts.tolist() == [[1, 0, 1], [0, 2, 0]]
    assert found.compared == (2, found.reviewers)


def test_what_one_alone_judged_is_not_compared() -> None:
    found = ratings(table([[R, None, N], [None, P, None]]), ItemKind.PASSAGE)
    assert found.compared == (1, ("reviewer-0", "reviewer-2"))


def test_only_what_stands_counts_and_only_of_the_kind() -> None:
    item = passage("a")
    given = [
        said(item, R, number=1),
        said(item, N, number=2),
        said(item, P, "ben", 3),
        replace(said(item, P, "ben", 4), withdraws=3),
        said(item, Verdict.LATER, "cem", 5),
        *table([[Verdict.RIGHT]], ItemKind.HOP),
    ]
    found = ratings(given, ItemKind.PASSAGE)
    assert (found.reviewers, found.values.tolist()) == (("anna",), [[2]])


def test_the_same_key_in_two_cases_is_two_items() -> None:
    given = [said(passage("a", case_id=case), R, number=number) for number, case in enumerate("xy", 1)]
    assert ratings(given, ItemKind.PASSAGE).values.shape == (2, 1)


def test_nothing_gives_an_empty_table() -> None:
    found = ratings([], ItemKind.SENTENCE)
    assert np.array_equal(found.counts, np.zeros((0, 3)))
    assert found.compared == (0, ())
