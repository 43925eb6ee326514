"""Maximal marginal relevance: checked by eye, against the plain algorithm, and for what it must keep."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.investigation.diversity import Likeness, diversified
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, finished

CHOICES = [0.1, 0.3, 0.5, 1.0]


def ranking_of(corpus: Corpus, scores: list[float], pins: int = 0) -> Ranking:
    """The first passages of a corpus with these scores, the first ``pins`` pinned."""
    own = np.array(scores, np.float32)
    rows = np.arange(len(own), dtype=np.int32)
    pinned = np.where(np.arange(len(own)) < pins, 10.0, 0.0).astype(np.float32)
    parts = np.stack([own, pinned])
    total = parts.sum(axis=0)
    order = np.lexsort((rows, -total))
    return Ranking(rows[order], total[order], ("question", "pinned"), parts[:, order], {})


def plain(ranking: Ranking, like: list[list[float]], diversity: float) -> list[int]:
    """The algorithm as its paper has it, one passage after the other; places in the order taken."""
    best = float(ranking.scores.max())
    taken: list[int] = []
    left = list(range(len(ranking.rows)))
    while left:

        def marginal(place: int) -> float:
            repeated = max((like[place][other] for other in taken), default=0.0)
            return float(ranking.scores[place]) - diversity * best * repeated

        chosen = max(left, key=lambda place: (round(marginal(place), 5), -place))
        taken.append(chosen)
        left.remove(chosen)
    return taken


def test_none_changes_nothing(harbour: Corpus) -> None:
    ranking = ranking_of(harbour, [1.0, 0.9, 0.8])
    assert diversified(ranking, harbour, Reading(harbour), 0.0) is ranking
    empty = ranking_of(harbour, [])
    assert diversified(empty, harbour, Reading(harbour), 0.5) is empty


@pytest.mark.parametrize("name", ["harbour", "dense"])
@pytest.mark.parametrize("diversity", CHOICES)
def test_it_is_the_plain_algorithm(name: str, diversity: float, request: pytest.FixtureRequest) -> None:
    corpus: Corpus = request.getfixturevalue(name)
    ranking = ranking_of(corpus, np.linspace(1.0, 0.4, 24).tolist())
    likeness = Likeness(corpus, Reading(corpus), ranking.rows)
    like = [likeness.to(place).tolist() for place in range(24)]
    found = diversified(ranking, corpus, Reading(corpus), diversity)
    expected = [int(ranking.rows[place]) for place in plain(ranking, like, diversity)]
    places = {row: number for number, row in enumerate(expected)}
    # Toy vectors make exact ties; those may stand either way.
    marginals = found.scores.tolist()
    order = [places[row] for row in found.rows.tolist()]
    assert all(
        first < second or abs(marginals[at] - marginals[at + 1]) < 1e-4
        for at, (first, second) in enumerate(pairwise(order))
    )


@settings(max_examples=40)
@given(
    scores=st.lists(st.floats(0.0, 2.0, width=32), min_size=2, max_size=24),
    diversity=st.sampled_from(CHOICES),
    depth=st.integers(1, 24),
    pins=st.integers(0, 2),
)
def test_every_passage_stays_and_the_parts_add_up(
    harbour: Corpus, scores: list[float], diversity: float, depth: int, pins: int
) -> None:
    ranking = ranking_of(harbour, scores, pins)
    found = diversified(ranking, harbour, Reading(harbour), diversity, depth)
    assert sorted(found.rows.tolist()) == sorted(ranking.rows.tolist())
    np.testing.assert_allclose(found.parts.sum(axis=0), found.scores, atol=1e-5)
    assert (np.diff(found.scores) <= 1e-6).all()
    assert (found.parts[-1] <= 0).all()
    assert found.rows[0] == ranking.rows[0], "the best repeats nothing"
    assert set(found.rows[:pins].tolist()) == set(ranking.rows[:pins].tolist()), "pins stay first"


def test_what_was_lost_names_what_is_repeated(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION, SETTINGS.changed(diversity=0.5))
    assert case.order is not None
    losses = [part for ranked in case.ranking for part in ranked.breakdown if part.name == "diversity"]
    assert losses
    ids = {passage.id for passage in harbour.passages(np.arange(len(harbour), dtype=np.int32))}
    assert {part.detail for part in losses} <= ids
    better = {ranked.passage.id: ranked.rank for ranked in case.ranking}
    for ranked in case.ranking:
        for part in ranked.breakdown:
            if part.name == "diversity" and part.detail in better:
                assert better[part.detail] < ranked.rank


def test_likeness_is_between_0_and_1_and_1_to_itself(harbour: Corpus, dense: Corpus) -> None:
    for corpus in (harbour, dense):
        rows = np.arange(len(corpus), dtype=np.int32)
        likeness = Likeness(corpus, Reading(corpus), rows)
        for place in range(len(corpus)):
            like = likeness.to(place)
            assert like.shape == (len(corpus),)
            assert like.min() >= 0.0
            assert like.max() <= 1.0
            assert like[place] == pytest.approx(1.0, abs=1e-3) or not corpus.vectors(rows[[place]]).any()
