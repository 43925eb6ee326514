"""One number for how well a passage serves a question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus, Rows
from engine.investigation.strategies.contract import toy_corpus
from engine.model import QueryPlan, View
from engine.retrieval.relevance import HEADING_FACTOR, Relevance


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Rows at 0, 10, 90, 100, 180, 45 and 46 degrees, row 7 without a vector; 0, 4 and 6 are headings."""
    return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")


def rows_of(*rows: int) -> Rows:
    return np.array(rows, np.int32)


def relevance(corpus: Corpus, *, dense: bool, share: float = 0.5) -> Relevance:
    """For "fees", looking east: the best possible word is in row 3, the best cosine in row 0."""
    best = corpus.search_lexical(["fees"], "en", 1)[0].scores
    return Relevance(
        corpus,
        QueryPlan("fees", "en", (View("literal", "fees"),)),
        np.array([[1.0, 0.0]], np.float32) if dense else None,
        best,
        np.ones(1, np.float32),
        floor=0.0,
        dense_weight=share,
    )


def test_words_alone_count_as_a_share_of_the_best(toy: Corpus) -> None:
    scores = relevance(toy, dense=False).of(rows_of(3, 5, 2))
    assert scores[0] == pytest.approx(1.0)
    assert 0 < scores[1] < 1
    assert scores[2] == 0.0


def test_cosines_count_above_the_floor(toy: Corpus) -> None:
    found = relevance(toy, dense=True)
    assert found.dense(rows_of(1, 5, 3, 4, 7))[0].tolist() == pytest.approx(
        [np.cos(np.radians(10)), np.sqrt(0.5), 0.0, 0.0, 0.0], abs=1e-6
    )
    raised = replace(found, floor=np.cos(np.radians(60)))
    assert raised.dense(rows_of(5))[0, 0] == pytest.approx((np.sqrt(0.5) - 0.5) / 0.5, abs=1e-6)


def test_the_two_are_weighed(toy: Corpus) -> None:
    by_words = relevance(toy, dense=False).of(rows_of(3, 5))
    by_angle = relevance(toy, dense=True).dense(rows_of(3, 5))[0]
    for share in (0.0, 0.3, 1.0):
        mixed = relevance(toy, dense=True, share=share).of(rows_of(3, 5))
        assert mixed.tolist() == pytest.approx(((1 - share) * by_words + share * by_angle).tolist(), abs=1e-6)


def test_a_bare_heading_says_little(toy: Corpus) -> None:
    assert relevance(toy, dense=True, share=1.0).of(rows_of(0, 1)).tolist() == pytest.approx(
        [HEADING_FACTOR, np.cos(np.radians(10))], abs=1e-6
    )


def test_views_count_by_their_weight(toy: Corpus) -> None:
    views = (View("literal", "fees", 1.0), View("part", "zebra", 3.0))
    plan = QueryPlan("fees", "en", views)
    best = np.array([relevance(toy, dense=False).best_lexical[0], 0.0], np.float32)
    found = replace(relevance(toy, dense=False), plan=plan, best_lexical=best)
    assert found.of(rows_of(3)).tolist() == pytest.approx([0.25])


def test_similarity_is_that_of_the_literal_question(toy: Corpus) -> None:
    rows = rows_of(3, 1)
    assert relevance(toy, dense=False).similarity(rows).tolist() == pytest.approx([1.0, 0.0])
    assert relevance(toy, dense=True).similarity(rows).tolist() == pytest.approx(
        [0.0, np.cos(np.radians(10))], abs=1e-6
    )


def test_no_rows_no_scores(toy: Corpus) -> None:
    for dense in (True, False):
        assert relevance(toy, dense=dense).of(rows_of()).shape == (0,)


def test_scores_are_between_zero_and_one_for_every_row(toy: Corpus) -> None:
    scores = relevance(toy, dense=True).of(np.arange(len(toy), dtype=np.int32))
    assert ((scores >= 0) & (scores <= 1 + 1e-6)).all()
