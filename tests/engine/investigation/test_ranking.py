"""The final ranking: addends, links, pins; no weight is asserted, only what weights mean."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.pool import Pool
from engine.investigation.ranking import LINK_WEIGHTS, Ranking, beside, link_support, rank
from engine.investigation.strategies.contract import context_of
from engine.model import Direction, Hop, Relation
from engine.retrieval.relevance import Relevance

PILOTS = "Who takes a pilot?"
DUTY, WARSHIPS, INTEREST = "harbour-act/art-6/para-1", "harbour-act/art-9", "dues-act/art-5"


def relevance(corpus: Corpus, question: str = PILOTS) -> Relevance:
    return context_of(corpus, question=question).relevance


def scanned(corpus: Corpus, *ids: str) -> Pool:
    pool = Pool(100)
    for passage_id, row in zip(ids, corpus.rows(list(ids)).tolist(), strict=True):
        pool.admit(Hop(passage_id, None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.5), row, 0.5)
    return pool


def linked(pool: Pool, corpus: Corpus, source: str, target: str, strategy: str = "citations") -> Pool:
    hop = Hop(target, source, strategy, Relation.CITES, Direction.OUT, 1, 1.0)
    pool.admit(hop, int(corpus.rows([target])[0]), 0.5)
    return pool


def scores(ranking: Ranking, corpus: Corpus) -> dict[str, float]:
    found = corpus.passages(ranking.rows)
    return {passage.id: score for passage, score in zip(found, ranking.scores.tolist(), strict=True)}


def test_parts_have_one_row_for_each_name_and_add_up(bare: Corpus) -> None:
    pool = linked(scanned(bare, DUTY, WARSHIPS), bare, DUTY, INTEREST)
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
    alone = scores(rank(scanned(bare, DUTY, INTEREST), bare, relevance(bare)), bare)
    found = rank(linked(scanned(bare, DUTY, INTEREST), bare, DUTY, INTEREST), bare, relevance(bare))
    together = scores(found, bare)
    assert together[INTEREST] > alone[INTEREST]
    place = found.rows.tolist().index(bare.rows([INTEREST])[0])
    (part,) = (part for part in found.breakdown(place) if part.name == "citations")
    assert part.detail == DUTY
    assert part.value > 0


def test_a_link_counts_from_either_end(bare: Corpus) -> None:
    forth = linked(scanned(bare, DUTY, WARSHIPS), bare, DUTY, WARSHIPS)
    back = linked(scanned(bare, DUTY, WARSHIPS), bare, WARSHIPS, DUTY)
    assert scores(rank(forth, bare, relevance(bare)), bare) == pytest.approx(
        scores(rank(back, bare, relevance(bare)), bare)
    )


def test_a_link_never_lifts_a_passage_past_the_one_that_vouches_for_it(bare: Corpus) -> None:
    pool = linked(scanned(bare, DUTY, WARSHIPS), bare, DUTY, INTEREST)
    found = scores(rank(pool, bare, relevance(bare)), bare)
    assert found[INTEREST] < found[DUTY]


def test_a_strategy_without_a_weight_lends_nothing(bare: Corpus) -> None:
    strategy = "a strategy of another package"
    assert strategy not in LINK_WEIGHTS
    plain = scanned(bare, DUTY, INTEREST)
    joined = linked(scanned(bare, DUTY, INTEREST), bare, DUTY, INTEREST, strategy)
    assert scores(rank(plain, bare, relevance(bare)), bare) == scores(
        rank(joined, bare, relevance(bare)), bare
    )


def test_pinned_first_dismissed_not_at_all(bare: Corpus) -> None:
    pool = scanned(bare, DUTY, WARSHIPS, INTEREST)
    pool.pinned.add(INTEREST)
    pool.dismissed.add(DUTY)
    found = bare.passages(rank(pool, bare, relevance(bare)).rows)
    assert [passage.id for passage in found] == [INTEREST, WARSHIPS]


def test_neighbours_in_the_document_count_and_documents_have_ends(bare: Corpus) -> None:
    rows = np.arange(len(bare), dtype=np.int32)
    asked = relevance(bare, "interest on dues in arrears")
    own, found = asked.of(rows), beside(bare, asked, rows)
    documents = bare.document_numbers(rows)
    for row in rows.tolist():
        around = [n for n in (row - 1, row + 1) if 0 <= n < len(bare) and documents[n] == documents[row]]
        assert found[row] == pytest.approx(max((float(own[n]) for n in around), default=0.0))
    assert beside(bare, asked, rows[:0]).shape == (0,)


def test_support_goes_to_what_is_still_ranked(bare: Corpus) -> None:
    pool = linked(scanned(bare, DUTY), bare, DUTY, INTEREST)
    rows = bare.rows([DUTY])
    own = relevance(bare).of(rows)
    support, details = link_support(pool, rows, own, own, {DUTY: 0})
    assert all(not lent.any() for lent in support.values())
    assert details == {}


def test_an_empty_pool_has_an_empty_ranking(bare: Corpus) -> None:
    found = rank(Pool(10), bare, relevance(bare))
    assert found.rows.shape == (0,)
    assert found.scores.shape == (0,)


def test_equal_scores_go_by_row(tariff: Corpus) -> None:
    ids = [f"tariff/art-{number}" for number in (40, 12, 90)]
    found = rank(scanned(tariff, *ids), tariff, relevance(tariff, "zebra"))
    assert found.rows.tolist() == sorted(tariff.rows(ids).tolist())
