"""One number for how well a passage serves a question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus, Rows
from engine.model import QueryPlan, View
from engine.retrieval.planning import make_plan
from engine.retrieval.relevance import HEADING_FACTOR, PHRASE, Relevance
from engine.retrieval.retrievers.registry import DENSE, LEXICAL
from tests.engine.retrieval.searching import searched

EAST = np.array([[1.0, 0.0]], np.float32)


def rows_of(*rows: int) -> Rows:
    return np.array(rows, np.int32)


def relevance(corpus: Corpus, *views: View, dense: bool, share: float = 0.5) -> Relevance:
    """For "fees", looking east: the best possible word is in row 3, the best cosine in row 0."""
    plan = QueryPlan("fees", "en", views or (View("literal", "fees"),))
    vectors = np.repeat(EAST, len(plan.views), axis=0) if dense else None
    found = searched(corpus, plan, vectors).relevance
    return replace(found, weights={LEXICAL: 1.0 - share, DENSE: share}) if dense else found


def above_floor(corpus: Corpus, *degrees: float) -> list[float]:
    floor = corpus.similarity_floor
    return [max(0.0, (float(np.cos(np.radians(angle))) - floor) / (1 - floor)) for angle in degrees]


def test_cosines_count_above_the_floor(toy: Corpus) -> None:
    found = relevance(toy, dense=True)
    assert found.dense(rows_of(0, 1, 5, 3, 4))[0].tolist() == pytest.approx(
        above_floor(toy, 0, 10, 45, 100, 180), abs=1e-6
    )


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_two_are_weighed(toy: Corpus, share: float) -> None:
    by_words = relevance(toy, dense=False).of(rows_of(3, 5))
    by_angle = relevance(toy, dense=True).dense(rows_of(3, 5))[0]
    mixed = relevance(toy, dense=True, share=share).of(rows_of(3, 5))
    assert mixed.tolist() == pytest.approx(((1 - share) * by_words + share * by_angle).tolist(), abs=1e-6)


def test_it_is_the_weighted_sum_of_what_the_retrievers_say(toy: Corpus) -> None:
    found, rows = relevance(toy, dense=True, share=0.3), rows_of(1, 2, 3, 5, 7)
    said = found.by_retriever(rows)
    assert list(said) == ["bm25", "dense"]
    summed = sum(found.weights[name] * scores for name, scores in said.items())
    assert found.of(rows).tolist() == pytest.approx(np.asarray(summed).tolist(), abs=1e-6)


def test_a_view_that_is_only_words_weighs_nothing_in_the_dense_score(toy: Corpus) -> None:
    views = (View("literal", "fees", 1.0), View("terms", "zebra", 3.0, dense=False))
    found = relevance(toy, *views, dense=True, share=1.0)
    assert found.of(rows_of(1)).tolist() == pytest.approx(above_floor(toy, 10), abs=1e-6)
    assert not found.dense(rows_of(0, 1))[1].any()


def test_a_view_that_is_switched_off_is_not_searched(toy: Corpus) -> None:
    views = (View("literal", "fees"), View("part", "powers", enabled=False))
    assert relevance(toy, *views, dense=False).lexical(rows_of(3, 1)).tolist() == [[1.0, 0.0]]


def test_similarity_is_that_of_the_literal_question(toy: Corpus) -> None:
    rows = rows_of(3, 1)
    assert relevance(toy, dense=False).similarity(rows).tolist() == pytest.approx([1.0, 0.0])
    assert relevance(toy, dense=True).similarity(rows).tolist() == pytest.approx(
        above_floor(toy, 100, 10), abs=1e-6
    )


@pytest.mark.parametrize(
    ("question", "favoured"),
    [
        ('Who pays "in advance" for a berth?', [3]),
        ("Who pays in advance for a berth?", []),
        ('Who pays under the "code harbour"?', []),
    ],
)
def test_a_phrase_in_quotation_marks_is_kept(toy: Corpus, question: str, favoured: list[int]) -> None:
    plan = make_plan(question, ["en"], corpus=toy)
    quoted = searched(toy, plan).relevance
    plain = searched(toy, replace(plan, suggestions=())).relevance
    rows = np.arange(len(toy), dtype=np.int32)
    gained = quoted.of(rows) - plain.of(rows)
    factor = np.where(toy.bare_headings(rows), HEADING_FACTOR, 1.0)
    expected = PHRASE * factor * np.isin(rows, favoured)
    assert gained.tolist() == pytest.approx(expected.tolist(), abs=1e-6)
