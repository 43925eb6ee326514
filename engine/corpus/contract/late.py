# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Late``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import rows_of
from engine.corpus.protocol import Corpus, Late
from engine.corpus.toy import toy_tokens


class LateContract:
    """The cases of ``Late``, over the toy corpus."""

    def test_late_scores_are_the_mean_of_the_highest_cosines(self, corpus: Corpus) -> None:
        assert (corpus.late_model, corpus.info().late) == ("toy", "toy")
        asked = toy_tokens((0, 90), (), (180,))
        scores = corpus.score_late(asked, rows_of(1, 0, 5, 7, 1))
        near, half = float(np.cos(np.radians(10))), float(np.sqrt(0.5))
        expected = [(near + 1) / 2, 0.5, (half + np.sin(np.radians(46))) / 2, 0.0, (near + 1) / 2]
        np.testing.assert_allclose(scores[0], expected, atol=0.01)
        assert not scores[1].any()
        opposite = [-near, -1.0, np.cos(np.radians(134)), 0.0, -near]
        np.testing.assert_allclose(scores[2], [np.cos(np.radians(90)), *opposite[1:4], 0.0], atol=0.01)
        assert corpus.score_late(asked, rows_of()).shape == (3, 0)

    def test_late_search_scores_the_nearest_and_what_it_is_told(self, corpus: Late) -> None:
        asked = toy_tokens((0, 90))
        (hits,) = corpus.search_late(asked, 8, also=rows_of())
        assert hits.rows.tolist()[:2] == [1, 3]
        assert 7 not in hits.rows.tolist(), "it has no tokens"
        scores = corpus.score_late(asked, hits.rows)[0]
        np.testing.assert_allclose(hits.scores, scores, atol=1e-6)
        (near,) = corpus.search_late(asked, 2, also=rows_of())
        assert set(near.rows.tolist()) <= {1, 3, 5, 6}
        (told,) = corpus.search_late(asked, 3, also=rows_of(1, 2))
        assert told.rows.tolist()[0] == 1
        mask = np.ones(8, np.bool_)
        mask[[1, 3]] = False
        assert corpus.search_late(asked, 1, also=rows_of(1), mask=mask)[0].rows.tolist() in ([5], [6])
        assert corpus.search_late(toy_tokens(), 5, also=rows_of(3)) == []
        assert corpus.search_late(toy_tokens(()), 5, also=rows_of(3))[0].rows.tolist() == []
