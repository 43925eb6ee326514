"""The broad scan: every retriever, every view, thresholds, masks, and what each hit says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Hits
from engine.investigation.strategies.contract import toy_corpus
from engine.model import QueryPlan, View
from engine.retrieval.retrievers.base import above
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.retrieval.scan import Scan, scan
from engine.settings import InvestigationSettings

SETTINGS = InvestigationSettings()
EAST: NDArray[np.float32] = np.array([[1.0, 0.0]], np.float32)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")


def plan(*texts: str) -> QueryPlan:
    return QueryPlan(
        texts[0], "en", tuple(View("literal" if n == 0 else "part", t) for n, t in enumerate(texts))
    )


def test_by_words_alone(toy: Corpus) -> None:
    found = scan(toy, plan("fees"), SETTINGS, None)
    assert found.rows.tolist() == [3, 5]
    assert found.scores[0] == pytest.approx(1.0)
    assert [[(hit.retriever, hit.rank) for hit in found.hits[row]] for row in (3, 5)] == [
        [(LEXICAL, 1)],
        [(LEXICAL, 2)],
    ]


@pytest.mark.parametrize("fusion", ["minmax", "rrf"])
def test_words_and_meaning_together(toy: Corpus, fusion: str) -> None:
    found = scan(toy, plan("fees"), SETTINGS.changed(fusion=fusion, dense_threshold=0.5), EAST)
    assert set(found.rows.tolist()) == {0, 1, 3, 5, 6}
    assert found.rows[0] == 5, "both retrievers know it"
    assert {hit.retriever for hit in found.hits[5]} == {LEXICAL, DENSE}
    assert (np.diff(found.scores) <= 0).all()


def test_every_view_is_searched_and_named(toy: Corpus) -> None:
    found = scan(toy, plan("fees", "powers"), SETTINGS, None)
    assert set(found.rows.tolist()) == {1, 2, 3, 5}
    assert {hit.view for hit in found.hits[1]} == {"part"}
    assert {hit.view for hit in found.hits[3]} == {"literal", "part"}


def test_thresholds(toy: Corpus) -> None:
    def rows(**changes: float) -> list[int]:
        return sorted(scan(toy, plan("zebra"), SETTINGS.changed(**changes), EAST).rows.tolist())

    assert rows(dense_threshold=0.9) == [0, 1]
    assert rows(dense_threshold=1.0) == [0]
    weak = scan(toy, plan("fees"), SETTINGS.changed(lexical_threshold=1.0), None)
    assert weak.rows.tolist() == [3]


def test_a_mask_holds_for_every_retriever(toy: Corpus) -> None:
    mask = np.ones(len(toy), np.bool_)
    mask[[0, 3]] = False
    found = scan(toy, plan("fees"), SETTINGS, EAST, mask)
    assert {0, 3}.isdisjoint(found.rows.tolist())
    assert len(found.rows) > 0


def test_the_limit_keeps_the_best(tariff: Corpus) -> None:
    asked = plan("tariff of a quay")
    whole = scan(tariff, asked, SETTINGS.changed(scan_limit=200), None)
    cut = scan(tariff, asked, SETTINGS.changed(scan_limit=10), None)
    assert len(whole.rows) == 150
    assert cut.rows.tolist() == whole.rows[:10].tolist()
    assert set(cut.hits) == set(cut.rows.tolist())


@pytest.mark.parametrize("vectors", [None, -EAST])
def test_nothing_found(toy: Corpus, vectors: NDArray[np.float32] | None) -> None:
    none = np.zeros(len(toy), np.bool_)
    found: Scan = scan(toy, plan("zebra"), SETTINGS, vectors, none)
    assert (found.rows.tolist(), found.hits) == ([], {})
    assert found.relevance.of(np.array([0], np.int32)).shape == (1,)


def test_above_keeps_what_reaches_the_minimum() -> None:
    hits = Hits(np.array([4, 2, 9], np.int32), np.array([3.0, 2.0, 1.0], np.float32))
    assert above(hits, 2.0).rows.tolist() == [4, 2]
