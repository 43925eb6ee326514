"""Which facets have evidence, and what is asked for the others."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.case import Case
from engine.investigation.coverage import Coverage
from engine.investigation.events import CoverageChanged, RoundStarted
from engine.investigation.facets import Compared, Facet
from engine.model import AreaState
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, finished, ran

DUES = Facet("dues", "Dues", "dues arrears", ("dues?", "arrears?"), True, 2, 0.3, Compared.WORDS)
WRECKS = Facet("wrecks", "Wrecks", "wreck salvage", ("wrecks?",), False, 1, 0.3, Compared.WORDS)


def pool(corpus: Corpus, *ids: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], list[str]]:
    return corpus.rows(list(ids)), list(ids)


@pytest.mark.parametrize(
    ("ids", "state"),
    [
        ((), AreaState.MISSING),
        (("harbour-act/art-4",), AreaState.MISSING),
        (("dues-act/art-5",), AreaState.WEAK),
        (("dues-act/art-5", "dues-act/art-2/para-2"), AreaState.COVERED),
    ],
)
def test_states_by_how_much_evidence_there_is(bare: Corpus, ids: tuple[str, ...], state: AreaState) -> None:
    coverage = Coverage(bare, [DUES], "en", None, None)
    rows, names = pool(bare, *ids)
    coverage.update(rows, np.ones(len(rows), np.float32), names, 0)
    (area,) = coverage.areas
    assert area.state is state
    assert area.closed_in == (0 if state is AreaState.COVERED else None)
    assert set(area.evidence) == (set() if state is AreaState.MISSING else set(ids))
    assert (area.similarity > 0) == bool(area.evidence)


def test_evidence_must_serve_the_question_too(bare: Corpus) -> None:
    coverage = Coverage(bare, [DUES], "en", None, None)
    rows, names = pool(bare, "dues-act/art-5", "dues-act/art-2/para-2")
    coverage.update(rows, np.array([1.0, 0.1], np.float32), names, 0)
    assert coverage.areas[0].evidence == ("dues-act/art-5",)


def test_it_says_whether_anything_changed_and_in_which_round_an_area_closed(bare: Corpus) -> None:
    coverage = Coverage(bare, [DUES], "en", None, None)
    rows, names = pool(bare, "dues-act/art-5", "dues-act/art-2/para-2")
    assert coverage.update(rows[:1], np.ones(1, np.float32), names[:1], 0)
    assert not coverage.update(rows[:1], np.ones(1, np.float32), names[:1], 1)
    assert coverage.update(rows, np.ones(2, np.float32), names, 2)
    assert coverage.areas[0].closed_in == 2
    coverage.update(rows, np.ones(2, np.float32), names, 3)
    assert coverage.areas[0].closed_in == 2


def test_each_query_of_an_open_area_is_sent_once(bare: Corpus) -> None:
    coverage = Coverage(bare, [DUES, WRECKS], "en", None, None)
    rows, names = pool(bare)
    coverage.update(rows, np.empty(0, np.float32), names, 0)
    assert coverage.gap_queries() == ("dues?", "wrecks?")
    assert [area.query for area in coverage.areas] == ["dues?", "wrecks?"]
    assert coverage.gap_queries() == ("arrears?",)
    assert coverage.gap_queries() == ()
    rows, names = pool(bare, "dues-act/art-5", "dues-act/art-2/para-2")
    coverage.update(rows, np.ones(2, np.float32), names, 1)
    assert [(area.state, area.query) for area in coverage.areas] == [
        (AreaState.COVERED, "arrears?"),
        (AreaState.MISSING, "wrecks?"),
    ]


def test_a_covered_area_asks_nothing(bare: Corpus) -> None:
    coverage = Coverage(bare, [DUES], "en", None, None)
    rows, names = pool(bare, "dues-act/art-5", "dues-act/art-2/para-2")
    coverage.update(rows, np.ones(2, np.float32), names, 0)
    assert coverage.gap_queries() == ()


def test_gaps_become_queries_and_the_trail_says_which(harbour: Corpus) -> None:
    settings = SETTINGS.changed(transaction_type="pilot-exemption", seeds_per_round=2)
    case = Case(harbour, "How long is a berth allocated?", settings)
    events = ran(case)
    sent = {event.number: event.queries for event in events if isinstance(event, RoundStarted)}
    assert sent[1] == ("How long is a berth allocated? Pilotage",)
    assert all(not queries for number, queries in sent.items() if number > 1)
    brought = [hop for hop in case.pool.hops() if hop.strategy == "gaps"]
    assert {hop.round for hop in brought} == {1}
    for hop in brought:
        assert (hop.quote,) == sent[hop.round]
        assert (hop.source_id, hop.quoted_from) == (None, None)
        assert hop.rank is not None
    (area,) = (area for area in case.areas if area.id == "pilotage")
    assert (area.query,) == sent[1]
    assert (area.state, area.closed_in) == (AreaState.COVERED, 1)
    changed = [event for event in events if isinstance(event, CoverageChanged)]
    assert [event.round for event in changed] == list(range(len(changed)))


def test_gaps_can_be_left_open(harbour: Corpus) -> None:
    settings = SETTINGS.changed(transaction_type="wreck-removal", close_gaps=False)
    case = finished(harbour, QUESTION, settings)
    assert all(hop.strategy != "gaps" for hop in case.pool.hops())
    assert {area.query for area in case.areas} == {None}


def test_a_corpus_without_an_ontology_is_covered_by_the_parts_of_the_question(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS.changed(include_superseded=True))
    required = [area for area in case.areas if area.required]
    assert [area.id for area in required] == ["part-1", "part-2"]
    assert all(area.state is AreaState.COVERED for area in required)


def test_areas_are_compared_by_meaning_where_there_are_vectors(dense: Corpus) -> None:
    case = finished(dense, "Who pays the pilot?", SETTINGS.changed(transaction_type="pilot-exemption"))
    (area,) = (area for area in case.areas if area.id == "pilotage")
    assert area.state is AreaState.COVERED
    assert "harbour-act/art-9" in area.evidence
    assert area.similarity > 0.6
