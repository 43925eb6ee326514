from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score, silhouette_score  # type: ignore[import-untyped]

from engine.corpus.protocol import Area, Corpus
from engine.ontology.comparing import compare, mutual_information
from engine.ontology.grouping import silhouette

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


@given(LABELS)
def test_mutual_information_is_the_one_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    left, right = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    assert mutual_information(left, right) == pytest.approx(
        normalized_mutual_info_score(left, right), abs=1e-9
    )


@given(st.integers(0, 10_000))
def test_the_silhouette_is_the_one_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(20, 3))
    labels = np.asarray([*range(4), *random.integers(0, 4, 16)], np.int32)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert silhouette(distances, labels) == pytest.approx(silhouette_score(points, labels), abs=1e-9)


def test_an_ontology_has_all_of_itself(meridia: Corpus) -> None:
    assert meridia.ontology is not None
    found = compare(meridia, meridia.ontology.areas, meridia.ontology.areas)
    assert found.jaccard == pytest.approx(1.0)
    assert found.nmi == pytest.approx(1.0)
    assert {one.keywords for one in found.matched} == {1.0}


def test_nothing_proposed_matches_nothing(meridia: Corpus) -> None:
    own = Area("tax", {"en": "Tax"}, {"en": ("tax",)})
    found = compare(meridia, [own], [])
    assert found.matched[0].other is None
    assert (found.jaccard, found.nmi, found.shared) == (0.0, 0.0, 0)
