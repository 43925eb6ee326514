from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi, BM25Plus

from engine.corpus.embedded.lexical import CONTEXT_WEIGHT, LexicalField, LexicalIndex

RANDOM = np.random.default_rng(7)
WORDS = [f"w{n}" for n in range(300)]
# Zipf's law, like words of a language.
CHANCES = 1 / np.arange(1, 301)
CORPUS = [
    RANDOM.choice(WORDS, RANDOM.integers(3, 60), p=CHANCES / CHANCES.sum()).tolist() for _ in range(400)
]
QUERIES = [RANDOM.choice(WORDS, 5).tolist() for _ in range(30)]
K1, B = 1.5, 0.75


def field(folder: Path, terms: list[list[str]], **options: object) -> LexicalField:
    LexicalField.write(folder, terms, **options)  # type: ignore[arg-type]
    return LexicalField(folder)


def test_equal_to_bm25_plus_of_rank_bm25(tmp_path: Path) -> None:
    ours = field(tmp_path, CORPUS, k1=K1, b=B, method="bm25+", dtype="float64")
    theirs = BM25Plus(CORPUS, k1=K1, b=B, delta=1.0)
    for query in QUERIES:
        np.testing.assert_allclose(ours.scores(query), theirs.get_scores(query), atol=1e-11)


def test_equal_to_okapi_of_rank_bm25_but_for_words_of_most_passages(tmp_path: Path) -> None:
    ours = field(tmp_path, CORPUS, k1=K1, b=B, method="robertson", dtype="float64")
    theirs = BM25Okapi(CORPUS, k1=K1, b=B)
    frequency = {word: sum(word in passage for passage in CORPUS) for word in WORDS}
    compared = 0
    for query in QUERIES:
        words = [word for word in query if 0 < frequency[word] <= len(CORPUS) / 2]
        compared += len(words)
        # Robertson's numerator has the factor k1 + 1, which changes no order.
        np.testing.assert_allclose(ours.scores(words) * (K1 + 1), theirs.get_scores(words), atol=1e-11)
    assert compared > 50


def test_lucene_scores_by_hand(tmp_path: Path) -> None:
    passages = [["a", "b"], ["a", "a", "c", "d"], ["c"]]
    scores = field(tmp_path, passages, k1=K1, b=B, dtype="float64").scores(["a", "zebra"])
    average = 7 / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [
        idf * tf / (tf + K1 * (1 - B + B * length / average)) for tf, length in ((1, 2), (2, 4), (0, 1))
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_a_repeated_word_counts_twice(tmp_path: Path) -> None:
    index = field(tmp_path, CORPUS)
    np.testing.assert_allclose(index.scores(["w3", "w3"]), 2 * index.scores(["w3"]), rtol=1e-6)


def test_two_fields_add_up(tmp_path: Path) -> None:
    contexts = CORPUS[::-1]
    LexicalIndex.write(tmp_path, CORPUS, contexts)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    text, context = field(tmp_path / "one", CORPUS), field(tmp_path / "two", contexts)
    for query in QUERIES[:5]:
        expected = text.scores(query) + CONTEXT_WEIGHT * context.scores(query)
        np.testing.assert_allclose(LexicalIndex(tmp_path).scores(query), expected, rtol=1e-6)


@pytest.mark.parametrize("limit", [0, 1, 7, 399, 400, 1000])
def test_the_best_are_those_of_a_full_sort(tmp_path: Path, limit: int) -> None:
    LexicalIndex.write(tmp_path, CORPUS, [[] for _ in CORPUS])
    index = LexicalIndex(tmp_path)
    mask = RANDOM.random(len(CORPUS)) < 0.5
    for query, hits in zip(QUERIES, index.search(QUERIES, limit, mask), strict=True):
        scores = np.where(mask, index.scores(query), 0.0)
        order = [row for row in np.lexsort((np.arange(len(scores)), -scores)) if scores[row] > 0]
        assert hits.rows.tolist() == order[:limit]
