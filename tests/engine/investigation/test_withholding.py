"""What a model is not shown stands where it stood."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.ranking import Ranking
from engine.investigation.ranking.reranking import RERANKER, WITHHELD, keep_in_place, mixed


def ranking(count: int) -> Ranking:
    """Rows 0, 1, ... with scores that fall evenly."""
    scores = np.linspace(1.0, 0.1, count, dtype=np.float32)
    return Ranking(np.arange(count, dtype=np.int32), scores, ("own",), scores[None, :].copy(), {})


def test_pushing_down_what_stands_above_lifts_nothing_that_is_withheld() -> None:
    before = ranking(6)
    judged = [0, 1, 2, 4, 5]
    after = mixed(before, judged, np.array([0, 1, 2, 3, 4], np.float32), 1.0)
    assert after.rows.tolist()[0] == 5
    kept = keep_in_place(before, after, [3])
    assert kept.rows.tolist() == [5, 4, 2, 3, 1, 0]
    assert kept.details[RERANKER, 3] == WITHHELD


def test_nothing_withheld_changes_nothing() -> None:
    before = ranking(4)
    after = mixed(before, [0, 1, 2, 3], np.array([0, 3, 1, 2], np.float32), 0.5)
    assert keep_in_place(before, after, []) is after


@given(st.data())
def test_places_scores_and_sums_hold(data: st.DataObject) -> None:
    count = data.draw(st.integers(3, 12))
    before = ranking(count)
    withheld = sorted(data.draw(st.sets(st.integers(0, count - 1), max_size=count - 2)))
    judged = [place for place in range(count) if place not in withheld]
    verdicts = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=len(judged), max_size=len(judged))), np.float32
    )
    after = mixed(before, judged, verdicts, 0.7)
    if after is before:
        return
    kept = keep_in_place(before, after, withheld)
    assert sorted(kept.rows.tolist()) == list(range(count))
    for place in withheld:
        assert kept.rows[place] == before.rows[place]
    others = [row for row in kept.rows.tolist() if row not in withheld]
    assert others == [row for row in after.rows.tolist() if row not in withheld]
    assert np.all(np.diff(kept.scores) <= 1e-6)
    np.testing.assert_allclose(kept.parts.sum(axis=0), kept.scores, atol=1e-5)
