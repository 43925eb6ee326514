"""Which facets have evidence, and what is asked for the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.coverage import Coverage
from engine.investigation.facets import Facet, facets_for
from engine.investigation.pool import Reading
from engine.investigation.record import CoverageChanged, RoundStarted
from engine.model import AreaState, Evidence, EvidenceStatus, GapQuery, Transaction
from engine.retrieval.planning import make_plan
from engine.retrieval.scan import Scan
from tests.engine.endpoint import EmbeddingServer
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, case_of, finished, ran
from tests.engine.retrieval.searching import searched

Ids = tuple[str, ...]
DUES = "Who pays harbour dues, and what are arrears?"
ARREARS = "Are there arrears of harbour dues?"
EVIDENCE = ("dues-act/art-2/para-1", "dues-act/art-5")


def scanned(corpus: Corpus, question: str) -> Scan:
    return searched(corpus, make_plan(question, ["en"]))


def opened(corpus: Corpus, question: str, transaction: str | None = None) -> Coverage:
    found = scanned(corpus, question)
    facets = facets_for(found.relevance, found.rows, transaction)
    return Coverage(found.relevance, facets, Reading(corpus))


def update(coverage: Coverage, corpus: Corpus, ids: Ids, number: int = 0) -> bool:
    return coverage.update(corpus.rows(list(ids)), list(ids), number)


def test_an_area_is_covered_by_what_belongs_to_it_and_serves_the_question(harbour: Corpus) -> None:
    coverage = opened(harbour, DUES, "berth-refusal")
    best = [entry.passage_id for entry in finished(harbour, DUES).pool.entries()]
    update(coverage, harbour, tuple(best))
    dues = next(area for area in coverage.areas if area.id == "dues")
    assert dues.state is AreaState.COVERED
    assert dues.score >= 0.5
    assert dues.closed_in == 0
    assert all(one.startswith("dues-act") for one in dues.evidence[:2])


def test_what_a_question_does_not_ask_for_is_no_evidence(harbour: Corpus) -> None:
    """Passages that belong to an area, and say nothing of the question."""
    coverage = opened(harbour, "How many crowns is the fee for a pilot?", "wreck-removal")
    everything = [passage.id for passage in harbour.passages(np.arange(len(harbour), dtype=np.int32))]
    update(coverage, harbour, tuple(everything))
    salvage = next(area for area in coverage.areas if area.id == "salvage")
    assert salvage.required
    assert salvage.state is not AreaState.COVERED


@pytest.mark.parametrize("transaction", ["berth-refusal", "pilot-exemption", "wreck-removal"])
def test_nothing_of_a_transaction_is_covered_for_a_question_about_something_else(
    harbour: Corpus, transaction: str
) -> None:
    case = finished(harbour, NOTHING, SETTINGS.changed(transaction_type=transaction))
    assert case.areas
    assert {(area.state, area.score, area.evidence) for area in case.areas} == {(AreaState.MISSING, 0.0, ())}


@pytest.mark.parametrize(
    ("question", "ids", "states"),
    [
        (ARREARS, (), {"arrears": "missing", "harbour dues": "missing"}),
        (ARREARS, EVIDENCE[:1], {"arrears": "missing", "harbour dues": "covered"}),
        (ARREARS, EVIDENCE, {"arrears": "covered", "harbour dues": "covered"}),
        ("Who pays arrears of harbour dues?", EVIDENCE, {"pays arrears": "weak", "harbour dues": "covered"}),
        ("What are harbour dues?", EVIDENCE[:1], {"harbour dues": "covered"}),
    ],
)
def test_without_an_ontology_each_part_of_the_question_has_its_own_state(
    bare: Corpus, question: str, ids: Ids, states: dict[str, str]
) -> None:
    coverage = opened(bare, question)
    update(coverage, bare, ids)
    parts = {part.name: part for part in coverage.areas}
    assert {name: parts[name].state.value for name in states} == states
    for part in coverage.areas:
        assert part.closed_in == (0 if part.state is AreaState.COVERED else None)
        assert set(part.evidence) <= set(ids)


@pytest.mark.parametrize(("article", "state"), [("Article 5", "covered"), ("Article 95", "missing")])
def test_a_provision_that_the_question_names_is_a_part(bare: Corpus, article: str, state: str) -> None:
    case = finished(bare, f"What does {article} of the Harbour Dues Act say of arrears?")
    assert {article in area.name: area.state.value for area in case.areas}[True] == state


def test_no_part_is_covered_if_the_question_was_not_found(bare: Corpus) -> None:
    for status in (EvidenceStatus.NONE, EvidenceStatus.PARTIAL):
        coverage = opened(bare, ARREARS)
        update(coverage, bare, EVIDENCE)
        coverage.agree(Evidence(status))
        assert AreaState.COVERED not in {area.state for area in coverage.areas}


@pytest.mark.parametrize(("proposed", "state"), [(False, AreaState.WEAK), (True, AreaState.MISSING)])
def test_a_required_area_with_passages_is_not_missing_if_the_question_was_not_found(
    harbour: Corpus, proposed: bool, state: AreaState
) -> None:
    found = scanned(harbour, DUES)
    facets = facets_for(found.relevance, found.rows, "berth-refusal")
    transaction = Transaction("berth-refusal", proposed)
    coverage = Coverage(found.relevance, facets, Reading(harbour), transaction=transaction)
    ids = tuple(entry.passage_id for entry in finished(harbour, DUES).pool.entries())
    update(coverage, harbour, ids)
    coverage.agree(Evidence(EvidenceStatus.NONE))
    assert {area.state for area in coverage.areas if area.id == "dues"} == {state}
    assert {area.state for area in coverage.areas if not area.required} == {AreaState.MISSING}


def test_a_part_that_the_corpus_does_not_bear_is_missing_whatever_the_pool_holds(bare: Corpus) -> None:
    coverage = opened(bare, "When may a berth be refused, and which tax does a zeppelin on Mars owe?")
    everything = [passage.id for passage in bare.passages(np.arange(len(bare), dtype=np.int32))]
    update(coverage, bare, tuple(everything))
    first, second = coverage.areas
    assert first.state is AreaState.COVERED
    assert second.state is AreaState.MISSING
    assert (second.score, second.evidence) == (0.0, ())


def test_it_says_whether_anything_changed_and_in_which_round_a_part_closed(bare: Corpus) -> None:
    coverage = opened(bare, ARREARS)
    assert update(coverage, bare, EVIDENCE[:1])
    assert not update(coverage, bare, EVIDENCE[:1], 1)
    assert update(coverage, bare, EVIDENCE, 2)
    assert coverage.areas[0].closed_in == 2
    update(coverage, bare, EVIDENCE, 3)
    assert coverage.areas[0].closed_in == 2


def test_each_query_of_an_open_facet_is_sent_once(bare: Corpus) -> None:
    found = scanned(bare, "Who pays arrears of harbour dues?")
    first = Facet("first", "Dues", ("dues?", "arrears?"), True, 2, 0.5, view=0)
    second = Facet("second", "Wrecks", ("wrecks?",), False, 50, 0.5, view=0)
    coverage = Coverage(found.relevance, [first, second], Reading(bare))
    update(coverage, bare, ())
    assert coverage.open_queries == 2
    assert coverage.gap_queries() == (
        GapQuery("dues?", "first", "Dues"),
        GapQuery("wrecks?", "second", "Wrecks"),
    )
    assert [area.query for area in coverage.areas] == ["dues?", "wrecks?"]
    assert [query.text for query in coverage.gap_queries()] == ["arrears?"]
    assert coverage.gap_queries() == ()
    update(coverage, bare, EVIDENCE, 1)
    assert [(area.state, area.query) for area in coverage.areas] == [
        (AreaState.COVERED, "arrears?"),
        (AreaState.WEAK, "wrecks?"),
    ]


def test_a_covered_part_asks_nothing(bare: Corpus) -> None:
    coverage = opened(bare, ARREARS)
    update(coverage, bare, EVIDENCE)
    assert coverage.gap_queries() == ()


def test_gaps_become_queries_and_the_trail_says_which(harbour: Corpus) -> None:
    settings = SETTINGS.changed(transaction_type="pilot-exemption")
    case = case_of(
        harbour, "How long is a berth allocated?", settings, search_budget=replace(BREADTH, seeds=2)
    )
    events = ran(case)
    sent = {event.number: event.queries for event in events if isinstance(event, RoundStarted)}
    assert GapQuery("How long is a berth allocated? Pilotage", "pilotage", "Pilotage") in sent[1]
    brought = [hop for hop in case.pool.hops() if hop.strategy == "gaps"]
    assert brought
    for hop in brought:
        assert hop.query in sent[hop.round]
        assert hop.query is not None
        assert hop.quote == hop.query.text
        assert (hop.source_id, hop.quoted_from) == (None, None)
        assert hop.rank is not None
    (area,) = (area for area in case.areas if area.id == "pilotage")
    assert area.query in [query.text for queries in sent.values() for query in queries]
    changed = [event for event in events if isinstance(event, CoverageChanged)]
    assert [event.round for event in changed] == [*range(len(changed) - 1), len(changed) - 2]


def test_gaps_can_be_left_open(harbour: Corpus) -> None:
    settings = SETTINGS.changed(transaction_type="wreck-removal", close_gaps=False)
    case = finished(harbour, QUESTION, settings)
    assert all(hop.strategy != "gaps" for hop in case.pool.hops())
    assert {area.query for area in case.areas} == {None}


def test_a_corpus_without_an_ontology_is_covered_by_the_parts_of_the_question(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(include_superseded=True))
    assert [(area.id, area.required) for area in case.areas] == [("part-1", True), ("part-2", True)]
    assert all(area.state is AreaState.COVERED for area in case.areas)


def test_a_side_that_no_model_reads_is_found_by_its_words(
    tmp_path: Path, model_server: EmbeddingServer
) -> None:
    texts = (
        "A pilot is licensed by the harbour master for two years.",
        "A tug is licensed by the board of the port for five years and a fee.",
        "Dues are paid in advance at the office of the harbour.",
    )
    lines = [json.dumps({"id": f"act-{number}", "text": text}) for number, text in enumerate(texts)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    build_corpus([tmp_path / "corpus.jsonl"], tmp_path / "corpus", embedding=model_server.spec)
    case = finished(open_corpus(tmp_path / "corpus"), "Which is licensed for longer, a pilot or a tug?")
    assert case.plan is not None
    assert [view.dense for view in case.plan.views if view.name == "side"] == [False, False]
    assert len(case.areas) == 2
    assert AreaState.MISSING not in {area.state for area in case.areas}
