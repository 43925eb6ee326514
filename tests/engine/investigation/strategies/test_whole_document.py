"""Reading documents whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation import round as whole
from engine.investigation.strategies import metadata
from engine.investigation.strategies.base import Context, Seeds
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.metadata import WholeDocument
from engine.model import NamedProvision, Naming
from engine.records.phrases import trail_sentence
from engine.settings import presets
from tests.engine.investigation.story import BREADTH, SETTINGS, finished

PILOTS = "Who takes a pilot?"
SEED = "dues-act/art-4/para-1"
NAMED = NamedProvision("Article 5 of the Dues Act", Naming.FOUND, ("dues-act/art-5",))
ALONE = SETTINGS.changed(strategies=("whole_document",), close_gaps=False, rounds=1)


class TestWholeDocument(StrategyContract):
    made, on = WholeDocument, "toy"


def of_document(corpus: Corpus, name: str) -> list[str]:
    (rows,) = corpus.by_document([name])
    return [passage.id for passage in corpus.passages(rows)]


def brought_by(corpus: Corpus, seeds: Seeds, context: Context | None = None) -> list[str]:
    leads = WholeDocument().expand(seeds, context or context_of(corpus))
    return [passage.id for passage in corpus.passages(leads.rows)]


def test_only_the_deepest_preset_follows_it() -> None:
    found = [name for name, settings in presets().items() if "whole_document" in settings.strategies]
    assert found == ["detective"]


def test_all_of_a_document_comes_in_its_order_its_annex_too(bare: Corpus) -> None:
    (seed,) = bare.rows([SEED]).tolist()
    expected = [one for one in of_document(bare, "dues-act") if one != SEED]
    assert "dues-act/annex-i" in expected
    assert brought_by(bare, seeds_of(seed)) == expected


def test_the_document_with_the_best_seeds_together_comes_first(
    bare: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "DOCUMENTS", 1)
    rows = bare.rows([SEED, "harbour-act/art-7", "harbour-act/art-9"])
    one_strong = Seeds(rows, np.array([0.9, 0.5, 0.5], np.float32))
    assert {name.split("/")[0] for name in brought_by(bare, one_strong)} == {"harbour-act"}
    context = context_of(bare)
    for named in ({"document_ids": ("dues-act",)}, {"focus": ("dues-act",)}, {"named": (NAMED,)}):
        relevance = replace(context.relevance, plan=replace(context.relevance.plan, **named))
        asked = replace(context, relevance=relevance)
        assert {name.split("/")[0] for name in brought_by(bare, one_strong, asked)} == {"dues-act"}


def test_at_most_two_documents_a_round(bare: Corpus) -> None:
    seeds = seeds_of(*range(len(bare)))
    assert len({name.split("/")[0] for name in brought_by(bare, seeds)}) == 2 < len(bare.documents())


def test_of_a_long_document_a_round_brings_what_is_nearest_and_the_next_the_rest(
    bare: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (metadata, whole):
        monkeypatch.setattr(module, "WHOLE_PER_DOCUMENT", 2)
    case = finished(
        bare,
        "Who decides on the harbour, the vessel, the berth or the harbour master?",
        ALONE.changed(rounds=0),
    )
    every = [one for one in of_document(bare, "dues-act") if one != SEED]
    missing = [one for one in every if one not in case.pool]
    assert len(missing) > 4
    rows = bare.rows(missing)
    assert case.scanned is not None
    relevance = case.scanned.relevance.of(rows)
    nearest = [missing[place] for place in np.lexsort((rows, -relevance)).tolist()]
    assert nearest[:2] != [one for one in missing if one in nearest[:2]], "nearest is not first in the text"
    for turn in (0, 2):
        before = len(case.pool) + (SEED not in case.pool)
        list(case.follow(SEED, ["whole_document"]))
        brought = [entry.passage_id for entry in case.pool.entries()][before:]
        assert brought == [one for one in every if one in nearest[turn : turn + 2]], (
            "in the order of the text"
        )
        assert case.rounds[-1].strategies[0].refused == {"document budget": len(missing) - turn - 2}
    (hop,) = case.pool.hops_to(brought[0])
    assert hop.detail == f"read whole: Harbour Dues Act, at most 2 of {len(every) + 1} passages a round"


def test_what_the_filters_leave_out_is_not_read(bare: Corpus) -> None:
    every = of_document(bare, "dues-act")
    mask = np.ones(len(bare), np.bool_)
    mask[bare.rows([every[-1]])] = False
    context = replace(context_of(bare), mask=mask)
    (seed,) = bare.rows([SEED]).tolist()
    leads = WholeDocument().expand(seeds_of(seed), context)
    assert every[-1] not in [passage.id for passage in bare.passages(leads.rows)]
    assert {one.detail for one in WholeDocument().explain(leads, context)} == {"read whole: Harbour Dues Act"}


def test_the_gate_weighs_nothing_of_it_and_keeps_its_order(bare: Corpus) -> None:
    strict = replace(BREADTH, gate=1.0, per_strategy=1, per_document=1, per_relation=1)
    case = finished(bare, PILOTS, ALONE.changed(rounds=0), strict)
    before = set(case.pool.rows().tolist())
    list(case.follow(SEED, ["whole_document"]))
    (count,) = case.rounds[-1].strategies
    assert (count.strategy, dict(count.refused)) == ("whole_document", {})
    every = of_document(bare, "dues-act")
    assert all(name in case.pool for name in every)
    new = [entry.passage_id for entry in case.pool.entries() if entry.row not in before]
    assert new == [SEED, *(name for name in every if name in new and name != SEED)]
    (trail, *_) = case.pool.trails(new[-1])
    assert trail_sentence(trail, str) == (
        f"Read whole: Harbour Dues Act, from {SEED}, which the person found."
    )


def test_a_full_pool_makes_room_for_what_a_person_asks_for(bare: Corpus) -> None:
    case = finished(bare, PILOTS, ALONE.changed(rounds=0))
    case.pool.limit = len(case.pool)
    list(case.follow(SEED, ["whole_document"]))
    assert all(name in case.pool for name in of_document(bare, "dues-act"))
