"""The hierarchy around a seed."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies import metadata
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.metadata import Metadata


class TestMetadata(StrategyContract):
    made, on = Metadata, "toy"


class TestMetadataOfALaw(StrategyContract):
    made, on = Metadata, "bare"


@pytest.mark.parametrize(
    ("seed", "passage", "place"),
    [
        ("harbour-act/art-3/para-1", "harbour-act/art-3/para-3", "same section"),
        ("harbour-act/art-4", "harbour-act/art-5/para-1", "next"),
        ("harbour-act/art-4", "harbour-act/art-3/para-3", "previous"),
        ("harbour-act/art-6/para-1", "harbour-act/art-8", "same chapter"),
        ("dues-act/art-3", "dues-act/annex-i", "annex"),
    ],
)
def test_where_a_passage_stands(bare: Corpus, seed: str, passage: str, place: str) -> None:
    context = context_of(bare)
    seeds = seeds_of(*bare.rows([seed]).tolist())
    leads = Metadata().expand(seeds, context)
    row = bare.rows([passage])[0]
    only = leads.take(leads.rows == row)
    assert [item.detail for item in Metadata().explain(only, context)] == [place]


def test_leads_stay_in_the_document_and_its_limit(bare: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "PER_DOCUMENT", 2)
    seeds = seeds_of(*bare.rows(["harbour-act/art-4", "dues-act/art-3"]).tolist())
    leads = Metadata().expand(seeds, context_of(bare))
    numbers = bare.document_numbers(leads.rows)
    assert (numbers == bare.document_numbers(leads.sources)).all()
    for number in set(numbers.tolist()):
        assert len(set(leads.rows[numbers == number].tolist())) == 2
