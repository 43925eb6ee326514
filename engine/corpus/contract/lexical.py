# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Lexical``."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Lexical


class LexicalContract:
    """The cases of ``Lexical``, over the toy corpus."""

    def test_lexical_search_finds_words_and_nothing_else(self, corpus: Lexical) -> None:
        fees, unknown = corpus.search_lexical(["fees", "zebra"], "en", 50)
        assert set(fees.rows.tolist()) == {3, 5}
        assert (fees.scores > 0).all()
        assert unknown.rows.tolist() == []
        assert fees.rows.tolist()[0] == 3, "the shorter text is the better one"

    def test_lexical_search_stems_in_the_language_of_the_question(self, corpus: Lexical) -> None:
        (german,) = corpus.search_lexical(["Schiff"], "de", 5)
        assert german.rows.tolist() == [7]

    def test_lexical_search_reads_the_headings(self, corpus: Lexical) -> None:
        (hits,) = corpus.search_lexical(["powers"], "en", 8)
        assert set(hits.rows.tolist()) == {1, 2, 3}
        assert hits.rows.tolist()[-1] == 3, "only its heading says so"

    def test_lexical_search_keeps_limit_and_mask(self, corpus: Lexical) -> None:
        mask = np.zeros(8, np.bool_)
        mask[5] = True
        assert [hits.rows.tolist() for hits in corpus.search_lexical(["fees"], "en", 8, mask=mask)] == [[5]]
        assert corpus.search_lexical(["harbour"], "en", 1)[0].rows.shape == (1,)
        assert corpus.search_lexical(["fees"], "en", 8, mask=np.zeros(8, np.bool_))[0].rows.tolist() == []

    def test_chosen_rows_score_as_in_the_search(self, corpus: Lexical) -> None:
        (hits,) = corpus.search_lexical(["harbour powers"], "en", 8)
        scores = corpus.score_lexical(["harbour powers", "zebra"], "en", np.arange(8, dtype=np.int32))
        assert scores.shape == (2, 8)
        np.testing.assert_allclose(scores[0, hits.rows], hits.scores, rtol=1e-6)
        assert np.flatnonzero(scores[0]).tolist() == sorted(hits.rows.tolist())
        assert not scores[1].any()

    def test_the_same_question_has_the_same_answer(self, corpus: Lexical) -> None:
        first, second = (corpus.search_lexical(["harbour code vessel"], "en", 8)[0] for _ in range(2))
        assert first.rows.tolist() == second.rows.tolist()
        assert first.scores.tolist() == second.scores.tolist()
