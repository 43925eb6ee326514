"""Curves that can be counted by hand."""

from __future__ import annotations

import pytest

from engine.evaluation.metrics import precision_recall, recall_by_round, recall_by_size
from tests.engine.evaluation.values import result


def test_recall_grows_with_the_passages_read() -> None:
    results = [result("q1", [1, 4], scan=[2, None]), result("q2", [None])]
    final, scan = dict(recall_by_size(results, "final")), dict(recall_by_size(results, "scan"))
    assert (final[1], final[3], final[4], final[20]) == (0.25, 0.25, 0.5, 0.5)
    assert (scan[1], scan[2], scan[20]) == (0.0, 0.25, 0.25)


def test_rounds_add_up_and_early_stops_keep_their_state() -> None:
    slow = result("q1", [1, 2], rounds=[0, 2], sizes=(10, 12, 15))
    quick = result("q2", [1], rounds=[0], sizes=(8, 9))
    rounds = recall_by_round([slow, quick])
    assert [(r.number, r.recall, r.complete, r.size) for r in rounds] == [
        (0, 0.75, 0.5, 9.0),
        (1, 0.75, 0.5, 10.5),
        (2, 1.0, 1.0, 12.0),
    ]


def test_interpolated_precision() -> None:
    # Precision is 1 at a recall of .5, and 2/4 at 1.
    points = dict(precision_recall([result("q", [1, 4])], "final"))
    assert [points[level] for level in (0.0, 0.5, 0.6, 1.0)] == [1.0, 1.0, 0.5, 0.5]
    lost = dict(precision_recall([result("q", [2, None])], "final"))
    assert [lost[level] for level in (0.0, 0.5, 0.6, 1.0)] == pytest.approx([0.5, 0.5, 0.0, 0.0])


def test_nothing_gives_no_curve() -> None:
    assert recall_by_size([], "final") == []
    assert recall_by_round([]) == []
