from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded import lexical
from engine.corpus.embedded.block import FIELDS, Block, postings_of
from engine.corpus.embedded.lexical import LexicalField, LexicalIndex, weights

RANDOM = np.random.default_rng(7)
WORDS = [f"w{n}" for n in range(300)]
# Zipf's law, like words of a language.
CHANCES = 1 / np.arange(1, 301)
CORPUS = [
    RANDOM.choice(WORDS, RANDOM.integers(3, 60), p=CHANCES / CHANCES.sum()).tolist() for _ in range(400)
]
QUERIES = [RANDOM.choice(WORDS, 5).tolist() for _ in range(30)]
K1, B = 1.5, 0.75


def field(*parts: list[list[str]], k1: float = K1, b: float = B) -> LexicalField:
    state, postings = Block({}), [postings_of(terms) for terms in parts]
    LexicalField.put(state, "text", postings, k1=k1, b=b, dtype=np.float64)
    return LexicalField(state, "text")


def block_of(**fields: list[list[str]]) -> Block:
    block = Block({})
    for name in FIELDS:
        block.put_postings(name, postings_of(fields.get(name, [[] for _ in CORPUS])))
    return block


def test_equal_to_bm25s() -> None:
    ours = field(CORPUS)
    theirs = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64")
    theirs.index(CORPUS, show_progress=False)
    for query in QUERIES:
        np.testing.assert_allclose(ours.scores(query), theirs.get_scores(query), atol=1e-11)


def test_lucene_scores_by_hand() -> None:
    passages = [["a", "b"], ["a", "a", "c", "d"], ["c"]]
    scores = field(passages).scores(["a", "zebra"])
    average = 7 / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [
        idf * tf / (tf + K1 * (1 - B + B * length / average)) for tf, length in ((1, 2), (2, 4), (0, 1))
    ]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@given(st.lists(st.integers(0, 400), max_size=6))
def test_parts_make_the_index_of_the_whole(borders: list[int]) -> None:
    bounds = sorted({0, 400, *borders})
    parts = [CORPUS[start:stop] for start, stop in pairwise(bounds)]
    whole, in_parts = field(CORPUS), field(*parts)
    for query in QUERIES:
        assert in_parts.scores(query).tolist() == whole.scores(query).tolist()


@pytest.mark.parametrize("titles", [True, False])
def test_fields_add_up(titles: bool) -> None:
    state = Block({})
    LexicalIndex.put(state, [block_of(text=CORPUS, context=CORPUS[::-1], title=[one[:2] for one in CORPUS])])
    parts = {name: LexicalField(state, name) for name in FIELDS}
    told = weights(titles=titles)
    assert ("title" in told) is titles
    assert min(told.values()) > 0
    for query in QUERIES[:5]:
        expected = sum(weight * parts[name].scores(query) for name, weight in told.items())
        np.testing.assert_allclose(LexicalIndex.of(state, titles=titles).scores(query), expected, rtol=1e-6)


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("rare", [0, 4, 10**9])
def test_what_is_touched_alone_scores_as_all_passages_do(
    rare: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 0: always by what is touched, each row looked up; 10**9: always all passages.
    monkeypatch.setattr(lexical, "RARE", rare)
    monkeypatch.setattr(lexical, "FEW", few)
    state = Block({})
    LexicalIndex.put(state, [block_of(text=CORPUS, context=CORPUS[::-1], title=[one[:2] for one in CORPUS])])
    index = LexicalIndex.of(state)
    rows = RANDOM.permutation(len(CORPUS))[:150].astype(np.int32)
    asked = [[], ["zebra"], ["w299"], ["w3", "w3", "w250"], *QUERIES]
    for query, scores in zip(asked, index.score(asked, rows), strict=True):
        # To the bit: which way was taken must not show.
        assert scores.tolist() == index.scores(query)[rows].tolist()
    for query, hits in zip(asked, index.search(asked, 20, None), strict=True):
        scores = index.scores(query)
        wanted = [row for row in np.lexsort((np.arange(len(scores)), -scores)) if scores[row] > 0][:20]
        assert hits.rows.tolist() == wanted
        assert hits.scores.tolist() == scores[wanted].tolist()
    for query, scores in zip(asked, index.score(asked, rows), strict=True):
        # What was searched before is known, and the same.
        assert scores.tolist() == index.scores(query)[rows].tolist()


def test_threads_do_not_mix_their_sums() -> None:
    state = Block({})
    LexicalIndex.put(state, [block_of(text=CORPUS)])
    index, words = LexicalIndex.of(state), [[word] for word in WORDS * 3]
    wanted = [hits.rows.tolist() for hits in LexicalIndex.of(state).search(words, 400, None)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda query: index.search([query], 400, None)[0].rows.tolist(), words))
    assert found == wanted
