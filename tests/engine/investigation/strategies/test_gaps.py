"""Queries for areas without evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Evidence, Strategy
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of, toy_corpus
from engine.investigation.strategies.gaps import PER_QUERY, Gaps
from engine.investigation.trails import NO_SOURCE
from engine.language.embedders.endpoint import EndpointEmbedder
from tests.engine.endpoint import Answer, EmbeddingServer

PILOT, DUES = "certificate for a master without pilot", "interest on dues in arrears"


class TestGaps(StrategyContract):
    queries = ("vessels and fees", "form of notice", "zebra")

    @pytest.fixture(scope="class")
    @staticmethod
    def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
        return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")

    @pytest.fixture
    @staticmethod
    def strategy() -> Strategy:
        return Gaps(None)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def test_each_query_has_its_answer_and_its_ranks(bare: Corpus) -> None:
    context = context_of(bare, queries=(PILOT, DUES))
    leads = Gaps(None).expand(seeds_of(), context)
    evidence = list(Gaps(None).explain(leads, context))
    assert (leads.sources == NO_SOURCE).all()
    ids = [passage.id for passage in bare.passages(leads.rows)]
    for query, best in ((PILOT, "harbour-act/art-7"), (DUES, "dues-act/art-5")):
        ranked = [(item.rank, row) for item, row in zip(evidence, ids, strict=True) if item.quote == query]
        assert [rank for rank, _ in ranked] == list(range(1, len(ranked) + 1))
        assert len(ranked) <= PER_QUERY
        assert ranked[0] == (1, best)


def test_a_model_that_fails_leaves_the_query_to_its_words(bare: Corpus, server: EmbeddingServer) -> None:
    server.usual = Answer(400, lambda _: {"error": {"message": "out of credit"}})
    context = context_of(bare, queries=(PILOT, DUES))
    gaps = Gaps(EndpointEmbedder(server.spec, "toy", url=server.url))
    found, by_words = gaps.expand(seeds_of(), context), Gaps(None).expand(seeds_of(), context)
    assert found.rows.tolist() == by_words.rows.tolist()
    assert len(server.requests) == 1, "a model that failed is not asked again"
    first = gaps.explain(found, context)[0]
    assert isinstance(first, Evidence)
    assert first.detail.startswith("searched by words alone: embedding endpoint")
