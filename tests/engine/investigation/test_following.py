"""Nothing followed: the plain hybrid list, in the order of the scan. References followed in one direction."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.leading import NAMED
from engine.model import AreaState, Direction, EvidenceStatus
from engine.retrieval.scan import scan
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, finished

PLAIN = SETTINGS.changed(follow=False)
NAMING = "What does Article 7 of the Harbour Act say?"


@pytest.mark.parametrize("question", [QUESTION, NAMING, "Who takes a pilot?"])
@pytest.mark.parametrize("corpus", ["harbour", "bare", "dense"])
def test_the_order_is_that_of_the_scan(corpus: str, question: str, request: pytest.FixtureRequest) -> None:
    opened = request.getfixturevalue(corpus)
    case = finished(opened, question, PLAIN)
    assert case.plan is not None
    assert case.scanned is not None
    assert case.order is not None
    assert case.order.rows.tolist() == case.scanned.rows.tolist()
    assert case.order.scores.tolist() == pytest.approx(case.scanned.scores.tolist())
    if corpus != "dense":
        # The scan itself, asked without any case.
        found = scan(
            opened, case.scanned.relevance.plan, None, ~opened.out_of_force(case.as_of),
            names=PLAIN.retrievers, limit=BREADTH.scan, depth=BREADTH.depth,
        )  # fmt: skip
        assert case.order.rows.tolist() == found.rows.tolist()
    shown = opened.rows([one.passage.id for one in case.ranking]).tolist()
    assert shown == [row for row in case.order.rows.tolist() if row in shown]


def test_the_areas_are_judged_and_none_is_asked_for(harbour: Corpus) -> None:
    settings = PLAIN.changed(transaction_type="wreck-removal")
    case = finished(harbour, QUESTION, settings)
    (area,) = (area for area in case.areas if area.id == "salvage")
    assert area.required
    assert area.state is AreaState.MISSING
    assert {area.query for area in case.areas} == {None}


def test_the_evidence_is_judged_as_ever(bare: Corpus) -> None:
    assert finished(bare, QUESTION, PLAIN).evidence.status is EvidenceStatus.FOUND
    nothing = finished(bare, NOTHING, PLAIN)
    assert nothing.evidence.status is EvidenceStatus.NONE
    assert nothing.ranking == ()


def test_what_the_question_names_leads_only_where_threads_are_followed(harbour: Corpus) -> None:
    plain, followed = finished(harbour, NAMING, PLAIN), finished(harbour, NAMING)
    assert followed.ranking[0].passage.id.startswith("harbour-act/art-7")
    assert NAMED in {part.name for part in followed.ranking[0].breakdown}
    assert not any(part.name == NAMED for one in plain.ranking for part in one.breakdown)


def test_a_person_steers_it_all_the_same(bare: Corpus) -> None:
    case = finished(bare, QUESTION, PLAIN)
    last, first, outside = case.ranking[-1].passage.id, case.ranking[0].passage.id, "harbour-act/art-9"
    case.pin(last)
    assert case.ranking[0].passage.id == last
    case.dismiss(first)
    assert first not in {one for found in case.ranking for one in found.assembled_ids}
    assert outside not in case.pool
    case.pin(outside)
    assert {found.passage.id for found in case.ranking[:2]} == {last, outside}
    list(case.follow(last, ["metadata"]))
    brought = [entry.row for entry in case.pool.entries() if entry.strategy == "metadata"]
    assert brought
    assert case.order is not None
    assert set(brought) <= set(case.order.rows.tolist()), "what a person has followed is ranked, too"
    unpinned = case.order.scores[2:]
    assert (unpinned[:-1] >= unpinned[1:]).all()


@pytest.mark.parametrize(("direction", "never"), [("out", Direction.IN), ("in", Direction.OUT)])
def test_a_case_follows_references_in_one_direction(
    harbour: Corpus, direction: str, never: Direction
) -> None:
    settings = SETTINGS.changed(strategies=("citations",), close_gaps=False, rounds=3)
    cited = {
        wanted: {
            (hop.source_id, hop.target_id, hop.direction)
            for hop in finished(harbour, QUESTION, settings.changed(citation_direction=wanted)).pool.hops()
            if hop.strategy == "citations"
        }
        for wanted in ("both", direction)
    }
    assert cited[direction]
    assert never not in {way for _, _, way in cited[direction]}
    assert {way for _, _, way in cited["both"]} == {Direction.OUT, Direction.IN}
