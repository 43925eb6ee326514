# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Names``."""

from __future__ import annotations

import numpy as np

from engine.corpus.contract.values import RELATIONS, pairs, rows_of
from engine.corpus.protocol import Corpus, Names
from engine.language.references.definitions import DefinedName
from engine.model import Relation


class NamesContract:
    """The cases of ``Names``, over the toy corpus."""

    def test_mentions_are_those_of_each_passage(self, corpus: Corpus) -> None:
        every = corpus.mentions()
        assert every.rows.shape == every.entities.shape == every.defines.shape
        assert every.rarity.shape == (corpus.info().entities,)
        assert ((every.rarity >= 0) & (every.rarity <= 1)).all()
        pairs = sorted(zip(every.rows.tolist(), every.entities.tolist(), strict=True))
        rows = np.arange(len(corpus), dtype=np.int32)
        told = [(row, one) for row, own in enumerate(corpus.entities_of(rows)) for one in sorted(own)]
        assert pairs == told
        defining = {
            (int(r), int(e))
            for r, e in zip(every.rows[every.defines], every.entities[every.defines], strict=True)
        }
        ids = [passage.id for passage in corpus.passages(rows)]
        entities = corpus.entities(range(corpus.info().entities))
        stated = {
            (ids.index(one), number)
            for number, entity in enumerate(entities)
            for one in entity.definitions
            if one in ids and (ids.index(one), number) in pairs
        }
        assert defining == stated

    def test_entities_link_who_mentions_them(self, corpus: Names) -> None:
        assert corpus.entities_of(rows_of(1, 5, 7)) == [(0, 3), (0, 2), ()]
        links = corpus.by_entity(rows_of(1, 3), 10)
        assert pairs(links) == {(0, 0), (0, 5), (1, 5)}
        entities = dict(zip(links.rows.tolist(), links.evidence.tolist(), strict=True))
        assert entities[0] == 0

    def test_rare_entities_weigh_more_and_definers_come_first(self, corpus: Names) -> None:
        links = corpus.by_entity(rows_of(0, 3), 1)
        assert links.rows.tolist() == [5, 5]
        assert RELATIONS[links.relations[0]] is Relation.DEFINES
        assert RELATIONS[links.relations[1]] is Relation.MENTIONS
        assert links.weights[1] > links.weights[0] > 0

    def test_names_that_texts_give_to_documents(self, corpus: Names) -> None:
        assert [tuple(found) for found in corpus.given_names()] == [
            (1, "en", DefinedName("Harbour Code", "HARB", True))
        ]
