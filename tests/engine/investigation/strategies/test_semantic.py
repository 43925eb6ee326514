"""Neighbourhoods of clusters, in a plane where angles can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.investigation.strategies import pagerank
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.pagerank import Semantic, clusters, radius_of
from engine.investigation.trails import RELATIONS
from engine.model import Relation


class TestSemantic(StrategyContract):
    made, on = Semantic, "toy"


def directions(*degrees: float) -> NDArray[np.float32]:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.mark.parametrize(
    ("degrees", "radius", "minimum", "members"),
    [
        ((0, 10, 90, 100), 0.9, 2, [[0, 1], [2, 3]]),
        ((0, 10, 90), 0.9, 2, [[0, 1]]),
        ((0, 10, 90), 0.9, 1, [[0, 1], [2]]),
        ((0, 10, 90), 0.0, 2, [[0, 1, 2]]),
        ((0, 60), 0.9, 2, []),
        ((0,), 0.9, 1, [[0]]),
        ((0,), 0.9, 2, []),
        ((0, 0, 0), 1.0, 2, [[0, 1, 2]]),
    ],
)
def test_clusters_by_angle(
    degrees: tuple[float, ...], radius: float, minimum: int, members: list[list[int]]
) -> None:
    found = [group.tolist() for group in clusters(directions(*degrees), radius, minimum)]
    assert sorted(found) == members


def test_the_neighbourhood_of_a_cluster_starts_at_its_nearest_member(
    toy: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rows lie at 0, 10, 90, 100, 180, 45, 46 and 270 degrees; row 7 is German and has no vector.
    monkeypatch.setattr(pagerank, "RADIUS", 0.7)
    leads = Semantic().expand(seeds_of(0, 1), context_of(toy))
    around = dict(zip(leads.rows.tolist(), leads.sources.tolist(), strict=True))
    assert around == {5: 1, 6: 1}, "a member is nearest to itself and no lead"
    strengths = dict(zip(leads.rows.tolist(), leads.strengths.tolist(), strict=True))
    assert strengths[5] == pytest.approx(np.cos(np.radians(40)), abs=1e-5)
    assert {RELATIONS[number] for number in leads.relations.tolist()} == {Relation.SIMILAR_TO}
    context = context_of(toy)
    assert Semantic().explain(leads, context)[leads.rows.tolist().index(5)].detail == "similarity 0.77"


def test_a_lone_seed_is_no_cluster_unless_one_is_enough(toy: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagerank, "RADIUS", 0.7)
    assert len(Semantic().expand(seeds_of(0), context_of(toy))) == 0
    monkeypatch.setattr(pagerank, "SMALLEST", 1)
    alone = Semantic().expand(seeds_of(0), context_of(toy))
    assert set(alone.rows.tolist()) == {1, 5}


def test_passages_that_are_not_allowed_are_not_searched(toy: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagerank, "RADIUS", 0.7)
    context = context_of(toy)
    mask = np.ones(len(toy), np.bool_)
    mask[5] = False
    assert 5 in Semantic().expand(seeds_of(0, 1), context).rows.tolist()
    assert 5 not in Semantic().expand(seeds_of(0, 1), replace(context, mask=mask)).rows.tolist()


def test_without_vectors_there_is_nothing_to_be_near_to(bare: Corpus, toy: Corpus) -> None:
    assert len(Semantic().expand(seeds_of(0, 1, 2), context_of(bare))) == 0
    assert len(Semantic().expand(seeds_of(7), context_of(toy))) == 0


@pytest.mark.parametrize(
    ("floor", "radius", "expected"),
    [(0.02, 0.55, 0.55), (-0.1, 0.0, 0.0), (0.8, 0.5, 0.9), (0.55, 0.55, 0.7975)],
)
def test_a_radius_that_everything_is_within_is_measured_from_the_floor(
    floor: float, radius: float, expected: float
) -> None:
    assert radius_of(floor, radius) == pytest.approx(expected)
