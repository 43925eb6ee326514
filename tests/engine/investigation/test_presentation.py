"""From a ranking to what a person reads."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.investigation.presentation import TRAILS_SHOWN, present
from engine.investigation.reading import Reading
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, finished


def test_each_passage_comes_with_everything_that_explains_it(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION, SETTINGS.changed(rounds=3))
    titles = {document.id: document.title for document in harbour.documents()}
    for ranked in case.ranking:
        assert ranked.document.id == ranked.passage.document_id
        assert ranked.document.title == titles[ranked.document.id]
        assert 1 <= len(ranked.trails) <= TRAILS_SHOWN
        assert ranked.breakdown
        by_scan = any(hop.strategy == "scan" for trail in ranked.trails for hop in trail[-1:])
        assert bool(ranked.hits) or not by_scan


def test_the_limit_of_passages_is_that_of_the_settings(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    assert case.order is not None
    assert case.scanned is not None
    shown = present(
        case.order, case.pool, harbour, Reading(harbour), case.scanned.hits, SETTINGS.changed(top_k=2)
    )
    assert [ranked.rank for ranked in shown] == [1, 2]
    assert [r.passage.id for r in shown] == [r.passage.id for r in case.ranking[:2]]


def test_passages_are_read_once(harbour: Corpus) -> None:
    reading = Reading(harbour)
    rows = harbour.rows(["dues-act/art-5", "dues-act/art-1", "dues-act/art-5"])
    first = reading.passages(rows)
    assert reading.ids(rows) == ["dues-act/art-5", "dues-act/art-1", "dues-act/art-5"]
    assert first[0] is first[2] is reading.passages(rows)[0]
