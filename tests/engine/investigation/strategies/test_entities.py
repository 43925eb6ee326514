"""Shared entities, weighted by rarity, quoted as the seed writes them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Evidence
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.entities import Entities, as_written
from engine.investigation.trails import RELATIONS
from engine.model import Relation


class TestEntities(StrategyContract):
    made, on = Entities, "toy"


class TestEntitiesOfALaw(StrategyContract):
    made, on = Entities, "bare"


def test_who_defines_a_term_is_told_from_who_uses_it(toy: Corpus) -> None:
    leads = Entities().expand(seeds_of(0), context_of(toy))
    relations = {
        row: RELATIONS[number] for row, number in zip(leads.rows.tolist(), leads.relations, strict=True)
    }
    assert relations == {1: Relation.MENTIONS, 5: Relation.DEFINES}


def test_two_shared_entities_are_more_than_either(toy: Corpus) -> None:
    # Rows 1 and 5 share "harbour", rows 3 and 5 share "fees", rarer; row 5 shares both with nobody else.
    leads = Entities().expand(seeds_of(1, 3), context_of(toy))
    links = toy.by_entity(np.array([1, 3], np.int32), 20)
    single = {(o, r): w for o, r, w in zip(links.origins, links.rows, links.weights, strict=True)}
    for source, row, strength in zip(leads.sources, leads.rows, leads.strengths, strict=True):
        assert strength == pytest.approx(single[[1, 3].index(int(source)), int(row)], abs=2e-3)


def test_the_evidence_is_the_word_of_the_seed(toy: Corpus) -> None:
    context = context_of(toy)
    leads = Entities().expand(seeds_of(3), context)
    assert Entities().explain(leads, context) == [Evidence("Fees", "p3", "heading")]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("power of attorney", "Powers of  attorney end.", "Powers of  attorney"),
        ("Behörde", "Die Behörden prüfen.", "Behörden"),
        ("وكيل", "يلتزم الوكيل بذلك", "وكيل"),
        ("C.I.S. (fund)", "a c.i.s. (fund) is", "c.i.s. (fund)"),
        ("special resolution", "a resolution that is special", ""),
    ],
)
def test_a_name_is_found_as_it_is_written(name: str, text: str, words: str) -> None:
    assert as_written(name, text) == words
    assert words in text
