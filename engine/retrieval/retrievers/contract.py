# The names of tests replace docstrings.
# ruff: noqa: D102
"""The contract of retrievers: every retriever has to pass these tests.

A retriever's test module inherits ``RetrieverContract`` and provides the retriever, a corpus and vectors of
some views::

    class TestDense(RetrieverContract):
        @pytest.fixture(scope="class")
        @classmethod
        def corpus(cls, tmp_path_factory):
            return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")

        @pytest.fixture
        def retriever(self):
            return Dense()

``views`` are texts of which each finds something; ``vectors`` returns their vectors, shape (views, d), for a
retriever that needs them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows
from engine.model import QueryPlan, View
from engine.retrieval.retrievers.base import Found, Inquiry, Off, Retriever
from engine.retrieval.retrievers.registry import BUILT_IN

DEPTH = 500


def plan_of(*texts: str) -> QueryPlan:
    """Make a plan with a view for each text; the first is the literal question."""
    views = tuple(View("part" if number else "literal", text) for number, text in enumerate(texts))
    return QueryPlan(texts[0], "en", views)


class RetrieverContract:
    """The tests. A subclass provides the fixtures ``retriever`` and ``corpus``."""

    views: tuple[str, ...] = ("fees of a vessel", "powers of the harbour master")

    def vectors(self, views: int) -> NDArray[np.float32] | None:
        return None

    def inquiry(self, corpus: Corpus, *texts: str) -> Inquiry:
        plan = plan_of(*(texts or self.views))
        return Inquiry(corpus, plan, DEPTH, self.vectors(len(plan.views)))

    def answer(self, retriever: Retriever, inquiry: Inquiry) -> Found:
        found = retriever.search(inquiry)
        assert not isinstance(found, Off), found
        return found

    def every(self, corpus: Corpus) -> Rows:
        return np.arange(len(corpus), dtype=np.int32)

    def test_it_has_a_name_and_a_title(self, retriever: Retriever) -> None:
        assert retriever.name == retriever.name.strip().lower() != ""
        assert retriever.title.strip() != ""
        if retriever.name in BUILT_IN:
            assert BUILT_IN[retriever.name] is type(retriever), "a built-in name cannot be taken"

    def test_a_list_for_each_view_best_first(self, retriever: Retriever, corpus: Corpus) -> None:
        found = self.answer(retriever, self.inquiry(corpus))
        assert len(found.hits) == len(self.views)
        for hits in found.hits:
            assert len(hits.rows) > 0
            assert (hits.rows.dtype.name, hits.scores.dtype.name) == ("int32", "float32")
            assert hits.rows.shape == hits.scores.shape
            assert len(set(hits.rows.tolist())) == len(hits.rows)
            order = np.lexsort((hits.rows, -hits.scores))
            assert order.tolist() == list(range(len(order))), "best first, equal scores in row order"

    def test_limit_and_mask_are_kept(self, retriever: Retriever, corpus: Corpus) -> None:
        inquiry = self.inquiry(corpus)
        mask = np.ones(len(corpus), np.bool_)
        mask[[int(hits.rows[0]) for hits in self.answer(retriever, inquiry).hits]] = False
        masked = self.answer(retriever, replace(inquiry, mask=mask))
        assert all(mask[hits.rows].all() for hits in masked.hits)
        empty = self.answer(retriever, replace(inquiry, mask=np.zeros(len(corpus), np.bool_)))
        assert [len(hits.rows) for hits in empty.hits] == [0] * len(self.views)
        few = replace(inquiry, depth=10)
        assert all(len(hits.rows) <= 10 for hits in self.answer(retriever, few).hits)

    def test_shares_are_of_the_best(self, retriever: Retriever, corpus: Corpus) -> None:
        found, every = self.answer(retriever, self.inquiry(corpus)), self.every(corpus)
        shares = found.shares(every)
        assert shares.shape == (len(self.views), len(corpus))
        assert shares.dtype == np.float32
        assert ((shares >= 0) & (shares <= 1 + 1e-6)).all()
        for own, hits in zip(shares, found.hits, strict=True):
            assert own[hits.rows[0]] == own.max()
            assert abs(float(own.max()) - 1) < 1e-5
            assert (np.diff(own[hits.rows]) <= 1e-6).all(), "shares are in the order of the hits"

    def test_a_passage_has_its_share_in_any_company(self, retriever: Retriever, corpus: Corpus) -> None:
        every = self.every(corpus)
        together = self.answer(retriever, self.inquiry(corpus)).shares(every)
        found = self.answer(retriever, self.inquiry(corpus))
        for row in reversed(every.tolist()):
            alone = found.shares(np.array([row], np.int32))
            np.testing.assert_allclose(alone[:, 0], together[:, row], atol=1e-5)
        twice = found.shares(np.array([1, 0, 1], np.int32))
        np.testing.assert_allclose(twice, together[:, [1, 0, 1]], atol=1e-5)
        assert found.shares(np.empty(0, np.int32)).shape == (len(self.views), 0)

    def test_the_same_question_has_the_same_answer(self, retriever: Retriever, corpus: Corpus) -> None:
        first, second = (self.answer(retriever, self.inquiry(corpus)) for _ in range(2))
        for one, other in zip(first.hits, second.hits, strict=True):
            assert one.rows.tolist() == other.rows.tolist()
            assert one.scores.tolist() == other.scores.tolist()

    def test_a_view_is_read_or_it_counts_for_nothing(self, retriever: Retriever, corpus: Corpus) -> None:
        inquiry = self.inquiry(corpus)
        words = replace(inquiry.plan.views[1], dense=False)
        plan = replace(inquiry.plan, views=(inquiry.plan.views[0], words))
        found = self.answer(retriever, replace(inquiry, plan=plan))
        assert found.reads[0]
        if not found.reads[1]:
            assert len(found.hits[1].rows) == 0
            assert not found.shares(self.every(corpus))[1].any()

    def test_words_that_no_passage_has_do_no_harm(self, retriever: Retriever, corpus: Corpus) -> None:
        found = self.answer(retriever, self.inquiry(corpus, "zyzzyva qwxz", "the of"))
        shares = found.shares(self.every(corpus))
        assert np.isfinite(shares).all()
        assert ((shares >= 0) & (shares <= 1 + 1e-6)).all()
