# The names of tests replace docstrings.
# ruff: noqa: D102
"""The contract of rerankers: every model that judges texts has to pass these tests.

A model's own test module inherits ``RerankerContract`` and provides the fixture ``model``::

    class TestMine(RerankerContract):
        @pytest.fixture(scope="class")
        @classmethod
        def model(cls):
            return MyReranker()
"""

from __future__ import annotations

import numpy as np

from engine.retrieval.rerank.base import Judging, Reranker

QUESTION = "Who takes a pilot?"
TEXTS = (
    "A vessel longer than 60 metres takes a pilot.",
    "Dues are paid in advance.",
    "The harbour master keeps a register of berths.",
    "A vessel longer than 60 metres takes a pilot.",
    "x" * 4_000,
    "يدفع الرسم مقدماً. § 433 “quoted” 第十二条",
)
# Models compute in half precision, and batches are padded: the same text may differ in the last digits.
TOLERANCE = 2e-2


class RerankerContract:
    """The tests. A subclass provides the fixture ``model``."""

    def test_it_has_spec_and_languages(self, model: Reranker) -> None:
        assert model.spec != ""
        assert model.calls >= 0
        assert model.at_once is None or model.at_once > 0
        assert model.languages is None or all(code == code.lower() for code in model.languages)

    def test_it_can_be_a_key(self, model: Reranker) -> None:
        assert {model: 1}[model] == 1

    def test_one_finite_score_for_each_text(self, model: Reranker) -> None:
        scores = model.scores(QUESTION, TEXTS)
        assert scores.shape == (len(TEXTS),)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()

    def test_no_texts_give_no_scores(self, model: Reranker) -> None:
        scores = model.scores(QUESTION, [])
        assert scores.shape == (0,)
        assert scores.dtype == np.float32

    def test_an_empty_text_is_judged_too(self, model: Reranker) -> None:
        assert np.isfinite(model.scores(QUESTION, ["", "Dues."])).all()

    def test_the_same_call_gives_the_same_scores(self, model: Reranker) -> None:
        assert model.scores(QUESTION, TEXTS).tolist() == model.scores(QUESTION, TEXTS).tolist()

    def test_equal_texts_get_equal_scores(self, model: Reranker) -> None:
        scores = model.scores(QUESTION, TEXTS[:4])
        np.testing.assert_allclose(scores[0], scores[3], atol=TOLERANCE)

    def test_a_text_has_its_score_in_any_company_unless_texts_are_compared(self, model: Reranker) -> None:
        if model.at_once is not None:
            together = model.scores(QUESTION, TEXTS)
            np.testing.assert_allclose(together[1], model.scores(QUESTION, TEXTS[1:2])[0], atol=TOLERANCE)

    def test_loading_again_is_nothing(self, model: Reranker) -> None:
        model.load()
        model.load()

    def test_it_expects_more_time_for_more_text(self, model: Reranker) -> None:
        model.scores(QUESTION, TEXTS)
        one, all_of_them = model.expected(QUESTION, TEXTS[:1]), model.expected(QUESTION, TEXTS)
        assert 0.0 <= one <= all_of_them

    def test_it_judges_within_a_case(self, model: Reranker) -> None:
        judged = Judging(model, QUESTION).judge(
            range(len(TEXTS)), lambda rows: [TEXTS[row] for row in rows], 600_000, lambda: False
        )
        assert (len(judged.scores), judged.new, judged.why) == (len(TEXTS), len(TEXTS), "")
