"""The final ranking: addends, links, pins; no weight is asserted, only what weights mean."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.pool import Pool
from engine.investigation.ranking import Ranking, order, rank
from engine.investigation.strategies.contract import context_of
from engine.model import Direction, Hop, Relation
from engine.retrieval.relevance import Relevance

PILOTS = "Who takes a pilot?"
DUTY, WARSHIPS, INTEREST = "harbour-act/art-6/para-1", "harbour-act/art-9", "dues-act/art-5"
REFUSED, DUES = "harbour-act/art-3/para-3", "dues-act/art-2"


def relevance(corpus: Corpus, question: str = PILOTS) -> Relevance:
    return context_of(corpus, question=question).relevance


def scanned(corpus: Corpus, *ids: str) -> Pool:
    pool = Pool(100)
    for passage_id, row in zip(ids, corpus.rows(list(ids)).tolist(), strict=True):
        assert row >= 0, passage_id
        pool.admit(Hop(passage_id, None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.5), row, 0.5)
    return pool


def ids(ranking: Ranking, corpus: Corpus) -> list[str]:
    return [passage.id for passage in corpus.passages(ranking.rows)]


def test_parts_have_one_row_for_each_name_and_add_up(bare: Corpus) -> None:
    pool = scanned(bare, DUTY, WARSHIPS, INTEREST)
    pool.pinned.add(INTEREST)
    found = rank(pool, bare, relevance(bare))
    assert found.parts.shape == (len(found.names), 3)
    assert found.parts.sum(axis=0) == pytest.approx(found.scores)
    assert (np.diff(found.scores) <= 0).all()
    for place in range(3):
        parts = found.breakdown(place)
        assert sum(part.value for part in parts) == pytest.approx(float(found.scores[place]), abs=1e-5)
        assert {part.name for part in parts} <= set(found.names)


def test_what_a_good_passage_cites_gains_and_the_breakdown_says_by_whom(bare: Corpus) -> None:
    asked = relevance(bare, "When may a berth be refused?")
    (dues,) = (
        one for one in ids(rank(scanned(bare, REFUSED, INTEREST), bare, asked), bare) if one != REFUSED
    )
    assert dues == INTEREST
    found = rank(scanned(bare, *cited_by(bare, REFUSED), REFUSED), bare, asked)
    place = next(n for n, one in enumerate(ids(found, bare)) if one != REFUSED)
    (part,) = (part for part in found.breakdown(place) if part.name == "citations")
    assert part.detail == REFUSED
    assert part.value > 0


def cited_by(corpus: Corpus, passage_id: str) -> list[str]:
    links = corpus.neighbours(corpus.rows([passage_id]), None, Direction.OUT)
    assert len(links.rows)
    return [passage.id for passage in corpus.passages(np.unique(links.rows).astype(np.int32))]


def test_without_its_strategy_a_kind_of_link_counts_nothing(bare: Corpus) -> None:
    asked = relevance(bare, "When may a berth be refused?")
    pool = scanned(bare, *cited_by(bare, REFUSED), REFUSED)
    plain = rank(pool, bare, asked, strategies=())
    parts = dict(zip(plain.names, plain.parts, strict=True))
    assert not any(parts[name].any() for name in ("citations", "entities", "pagerank"))
    assert rank(pool, bare, asked, strategies=("citations",)).parts[plain.names.index("citations")].any()


@pytest.mark.parametrize("scan", list(permutations((DUTY, WARSHIPS, INTEREST))))
def test_where_nothing_is_trusted_the_ranking_begins_with_the_scan(
    bare: Corpus, scan: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "reach", lambda *_, **__: 0.0)
    asked = relevance(bare, "When may a berth be refused?")
    pool = scanned(bare, REFUSED, *scan)
    found = rank(pool, bare, asked, scanned=bare.rows(list(scan)))
    assert ids(found, bare)[:3] == list(scan)
    assert (np.diff(found.scores) < 0).all()
    pool.pinned.add(REFUSED)
    pool.dismissed.add(scan[1])
    steered = rank(pool, bare, asked, scanned=bare.rows(list(scan)))
    assert ids(steered, bare)[:3] == [REFUSED, scan[0], scan[2]]


def test_pinned_first_dismissed_not_at_all(bare: Corpus) -> None:
    pool = scanned(bare, DUTY, WARSHIPS, INTEREST)
    pool.pinned.add(INTEREST)
    pool.dismissed.add(DUTY)
    assert ids(rank(pool, bare, relevance(bare)), bare) == [INTEREST, WARSHIPS]


def test_the_order_of_admission_changes_nothing(bare: Corpus) -> None:
    asked = relevance(bare)
    forth = rank(scanned(bare, DUTY, WARSHIPS, INTEREST), bare, asked)
    back = rank(scanned(bare, INTEREST, WARSHIPS, DUTY), bare, asked)
    assert ids(forth, bare) == ids(back, bare)
    assert forth.scores == pytest.approx(back.scores)


def test_an_empty_pool_has_an_empty_ranking(bare: Corpus) -> None:
    found = rank(Pool(10), bare, relevance(bare))
    assert found.rows.shape == (0,)
    assert found.scores.shape == (0,)
    assert found.parts.shape == (len(found.names), 0)
