"""Relations between entities, with the passages that say them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.related import EntityRelation, entity_graph, log_likelihood, mutual_information
from engine.ingestion.build import build_corpus
from tests.tables import table

CONTRACT: str = table(__file__, "CONTRACT")


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("contract")
    (folder / "contract.md").write_text(CONTRACT, encoding="utf-8")
    build_corpus([folder / "contract.md"], folder / "corpus", embedding="none")
    return open_corpus(folder / "corpus")


def told(corpus: Corpus, name: str) -> set[tuple[EntityRelation, str, str]]:
    graph = entity_graph(corpus)
    (number,) = graph.numbers(name)
    return {(one.relation, one.entity.name, one.detail) for one in graph.related(number)}


def test_parties_and_their_contract(contract: Corpus) -> None:
    agreement = "Agency Agreement between Corvane and Dellmar"
    assert (EntityRelation.PARTY_TO, agreement, "Agent") in told(contract, "dellmar trading ltd")
    parties = {one for one in told(contract, "Corvane Agreement") if one[0] is EntityRelation.HAS_PARTY}
    assert parties == {
        (EntityRelation.HAS_PARTY, "Corvane Instruments S.A.", "Principal"),
        (EntityRelation.HAS_PARTY, "Dellmar Trading Ltd", "Agent"),
    }


def test_a_term_and_where_it_is_defined(contract: Corpus) -> None:
    graph = entity_graph(contract)
    (number,) = graph.numbers("Harbour Tenders")
    (found,) = [one for one in graph.related(number) if one.relation is EntityRelation.DEFINED_IN]
    assert found.entity.name == "Agency Agreement between Corvane and Dellmar"
    assert (found.confidence, found.passages) == (1.0, graph.entity(number).definitions)
    assert (EntityRelation.DEFINES, "Harbour Tenders", "") in told(contract, "Corvane Agreement")


def test_every_relation_has_passages_that_say_it(contract: Corpus) -> None:
    graph = entity_graph(contract)
    for number in range(contract.info().entities):
        for one in graph.related(number):
            assert one.number != number
            assert 0.0 <= one.confidence <= 1.0
            assert (contract.rows(one.passages) >= 0).all()
            assert one.passages


def test_the_ratio_is_that_of_the_contingency_table() -> None:
    both, own, other, total = 12, 20, 30, 400
    table = [[both, own - both], [other - both, total - own - other + both]]
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    (found,) = log_likelihood(np.asarray([both]), own, np.asarray([other]), total)
    assert found == pytest.approx(expected)


def test_mutual_information_is_1_for_what_is_always_together_and_0_for_chance() -> None:
    assert mutual_information(5, 5, 5, 100) == pytest.approx(1.0)
    assert mutual_information(1, 10, 10, 100) == pytest.approx(0.0)
    assert mutual_information(100, 100, 100, 100) == 1.0
