"""Which passages are judged first: as the plain formula over all pairs says, and less of what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from engine.corpus.protocol import Corpus
from engine.investigation.ranking.experience import Kernel
from engine.review.active import Candidates, most_telling

KERNEL = Kernel()


def among(corpus: Corpus, seed: int = 0, *, dimensions: int = 4) -> Candidates:
    """Passages of six questions, many of them of several."""
    rng = np.random.default_rng(seed)
    of_question = np.repeat(np.arange(6, dtype=np.int32), 30)
    rows = np.concatenate([rng.permutation(min(90, len(corpus)))[:30] for _ in range(6)]).astype(np.int32)
    vectors = rng.normal(size=(6, dimensions)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return Candidates(rows, of_question, rng.normal(size=len(rows)).astype(np.float32), vectors)


def plainly(corpus: Corpus, one: Candidates, known: list[int]) -> list[int]:
    """The rule in the plainest words, over all pairs of candidates."""
    same = one.rows[:, None] == one.rows[None, :]
    alike = KERNEL.of_questions(one.vectors @ one.vectors.T) if one.vectors.shape[1] else np.ones((6, 6))
    shared = KERNEL.same * same + KERNEL.asked * same * alike[np.ix_(one.of_question, one.of_question)]
    if one.vectors.shape[1]:
        vectors = corpus.vectors(one.rows)
        shared = shared + KERNEL.like * KERNEL.likeness(vectors @ vectors.T)
    np.fill_diagonal(shared, 0.0)
    likely = expit(4.0 * (one.scores - np.quantile(one.scores, 0.8)))
    value: NDArray[np.float64] = np.sqrt(likely * (1 - likely)) * shared.sum(axis=1)
    order: list[int] = []
    while len(order) < len(value):
        chosen = [*known, *one.rows[order].tolist()]
        left = {
            place: value[place] / (1 + chosen.count(int(one.rows[place])))
            for place in range(len(value))
            if place not in order
        }
        order.append(max(left, key=lambda place: left[place]))
    return order


def test_the_order_is_that_of_the_plain_formula(harbour: Corpus) -> None:
    nothing: list[int] = []
    for one in (among(harbour), among(harbour, 1, dimensions=0)):
        for known in (nothing, one.rows[:20].tolist() * 2):
            found = most_telling(harbour, one, np.array(known, np.int32)).tolist()
            expected = plainly(harbour, one, known)
            assert sorted(found) == list(range(len(one.rows)))
            assert found == expected


def test_nothing_among_nothing_and_one_among_one(harbour: Corpus) -> None:
    one = among(harbour)
    nothing = Candidates(one.rows[:0], one.of_question[:0], one.scores[:0], one.vectors)
    assert most_telling(harbour, nothing).tolist() == []
    alone = replace(nothing, rows=one.rows[:1], of_question=one.of_question[:1], scores=one.scores[:1])
    assert most_telling(harbour, alone).tolist() == [0]
