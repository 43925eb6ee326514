"""The loop: events in order, the same story every time, and what the record of it holds."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus.protocol import Area, Corpus, Ontology
from engine.errors import InputError
from engine.investigation.record import Ranked, RoundFinished, RoundStarted, ScanFinished
from engine.model import EvidenceStatus, StopReason
from tests.engine.endpoint import Answer, EmbeddingServer
from tests.engine.harbour import NEW_ARTICLE_12, NOTHING, OLD_ARTICLE_12, QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, case_of, finished, names, ran, story

ROOT = Path(__file__).parents[3]
DUES = "What dues are paid for a pilot?"


@pytest.mark.parametrize("corpus", ["harbour", "bare", "dense"])
def test_events_come_in_their_order(corpus: str, request: pytest.FixtureRequest) -> None:
    events = ran(case_of(request.getfixturevalue(corpus), QUESTION, SETTINGS))
    told = names(events)
    assert told[:3] == ["PlanMade", "ScanFinished", "CoverageChanged"]
    assert told[-3:] == ["CoverageChanged", "Stopped", "Ranked"]
    rounds = told[3:-3]
    assert len(rounds) % 3 == 0
    assert len(rounds) >= 3
    assert rounds == ["RoundStarted", "RoundFinished", "CoverageChanged"] * (len(rounds) // 3)
    numbers = [event.number for event in events if isinstance(event, RoundStarted)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_the_events_say_agrees_with_the_pool(harbour: Corpus) -> None:
    case = case_of(harbour, QUESTION, SETTINGS)
    size = 0
    seen: set[str] = set()
    for event in case.run():
        if isinstance(event, ScanFinished | RoundFinished):
            brought = {hop.target_id for hop in event.hops}
            assert len(brought) == len(event.hops) == event.report.admitted
            assert seen.isdisjoint(brought)
            seen |= brought
            size += event.report.admitted
            assert event.report.pool_size == size == len(case.pool)
        if isinstance(event, RoundFinished):
            assert event.report.admitted == sum(count.admitted for count in event.report.strategies)
            refused = sum(sum(count.refused.values()) for count in event.report.strategies)
            assert event.report.refused == refused
            for count in event.report.strategies:
                assert count.admitted + sum(count.refused.values()) <= count.proposed
    assert seen == {entry.passage_id for entry in case.pool.entries()}


def test_the_story_does_not_hang_on_the_order_of_sets(harbour_folder: Path, harbour: Corpus) -> None:
    script = (
        "import json, sys; from engine.corpus import open_corpus\n"
        "from tests.engine.investigation.story import finished, story, case_of\n"
        "print(json.dumps(story(finished(open_corpus(sys.argv[1]), sys.argv[2]))))"
    )
    command = [sys.executable, "-c", script, str(harbour_folder), QUESTION]
    # The seed of this process is of chance where nobody gave it one.
    environment = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    here = json.dumps(story(finished(harbour, QUESTION)))
    assert done.stdout.strip() == here
    assert json.loads(here)["passages"]


@pytest.mark.parametrize(
    ("day", "there", "absent"),
    [
        (date(2015, 6, 1), OLD_ARTICLE_12, NEW_ARTICLE_12),
        (date(2018, 12, 31), OLD_ARTICLE_12, NEW_ARTICLE_12),
        (date(2019, 1, 1), NEW_ARTICLE_12, OLD_ARTICLE_12),
    ],
)
@pytest.mark.parametrize("corpus", ["bare", "dense"])
def test_a_date_is_a_hard_filter(
    corpus: str, day: date, there: str, absent: str, request: pytest.FixtureRequest
) -> None:
    case = finished(
        request.getfixturevalue(corpus),
        QUESTION,
        SETTINGS.changed(as_of=day, rounds=3),
        replace(BREADTH, hops=4),
    )
    assert there in case.pool
    assert absent not in case.pool
    assert absent not in {i for ranked in case.ranking for i in ranked.assembled_ids}
    both = finished(
        request.getfixturevalue(corpus), QUESTION, SETTINGS.changed(include_superseded=True, rounds=3)
    )
    assert {there, absent} <= {entry.passage_id for entry in both.pool.entries()}


def test_without_a_date_the_law_of_the_day_is_found(bare: Corpus) -> None:
    today = case_of(bare, QUESTION, SETTINGS, day=date(2026, 1, 1))
    list(today.run())
    assert NEW_ARTICLE_12 in today.pool
    assert OLD_ARTICLE_12 not in today.pool
    assert today.investigation().day == date(2026, 1, 1)
    # Before the change, what is not yet in force is found beside what still is.
    earlier = case_of(bare, QUESTION, SETTINGS, day=date(2018, 1, 1))
    list(earlier.run())
    assert {NEW_ARTICLE_12, OLD_ARTICLE_12} <= {entry.passage_id for entry in earlier.pool.entries()}


def test_superseded_text_that_a_person_points_at_is_admitted(bare: Corpus) -> None:
    case = case_of(bare, QUESTION, SETTINGS, day=date(2026, 1, 1))
    list(case.run())
    case.pin(OLD_ARTICLE_12)
    assert case.ranking[0].passage.id == OLD_ARTICLE_12


@pytest.mark.parametrize("corpus", ["harbour", "bare"])
def test_a_question_that_finds_nothing(corpus: str, request: pytest.FixtureRequest) -> None:
    case = case_of(request.getfixturevalue(corpus), NOTHING, SETTINGS)
    told = ran(case)[-1]
    assert told == Ranked((), case.milliseconds, evidence=case.evidence, metrics=case.metrics)
    assert case.evidence.status is EvidenceStatus.NONE
    assert case.evidence.missing
    assert case.stop is not None
    assert case.stop.reason is StopReason.NOTHING_NEW
    assert case.stop.completeness is None
    assert story(case)["message"] == f"nothing in {corpus} answers this question"


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(bare: Corpus, question: str) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        case_of(bare, question, SETTINGS)


def test_a_case_that_was_not_run_has_no_record(bare: Corpus) -> None:
    case = case_of(bare, QUESTION, SETTINGS)
    with pytest.raises(InputError, match="not been run"):
        case.investigation()
    with pytest.raises(InputError, match="not been run"):
        next(case.follow("harbour-act/art-4", ["citations"]))


def test_every_trail_starts_at_the_question_and_quotes_verbatim(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION, SETTINGS.changed(rounds=3))
    texts = {p.id: p.text for p in harbour.passages(np.arange(len(harbour), dtype=np.int32))}
    assert case.ranking
    hops = 0
    for ranked in case.ranking:
        assert ranked.trails
        for trail in ranked.trails:
            assert trail[0].source_id is None
            assert trail[-1].target_id == ranked.passage.id
            for hop, following in itertools.pairwise(trail):
                assert following.source_id == hop.target_id
    for hop in case.pool.hops():
        if hop.quoted_from is not None:
            hops += 1
            assert hop.quote in texts[hop.quoted_from]
            assert hop.quoted_from in (hop.source_id, hop.target_id)
    assert hops > 0


def test_meaning_finds_what_words_do_not(dense: Corpus, bare: Corpus) -> None:
    asked = "fee"
    worded = {entry.passage_id for entry in finished(bare, asked, SETTINGS.changed(rounds=0)).pool.entries()}
    case = finished(dense, asked, SETTINGS.changed(rounds=0))
    meant = {entry.passage_id for entry in case.pool.entries()}
    assert "dues-act/art-5" in meant - worded
    by = {hit.retriever for ranked in case.ranking for hit in ranked.hits}
    assert by == {"bm25", "dense"}


def test_a_model_that_cannot_be_reached_leaves_the_case_to_words(
    dense: Corpus, model_server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Answer(400, lambda _: {"error": {"message": "out of credit"}})
    monkeypatch.setattr(model_server, "usual", broken)
    case = case_of(dense, DUES, SETTINGS.changed(strategies=("citations", "metadata")))
    (scanned,) = (event for event in ran(case) if isinstance(event, ScanFinished))
    (note,) = scanned.notes
    assert note == (
        "dense search is off: embedding endpoint of toy: it does not accept this request (status 400)"
    ), "neither the address nor what the server said"
    by_words = finished(dense, DUES, SETTINGS.changed(rounds=0, retrievers=("bm25",)))
    assert [h.passage_id for h in case.pool.entries() if h.round == 0] == [
        entry.passage_id for entry in by_words.pool.entries()
    ]


def test_a_model_that_has_changed_its_dimensions_is_not_used(
    dense: Corpus, model_server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = [{"index": 0, "embedding": [1, 0, 0]}]
    wider = Answer(200, lambda _: {"data": answer})
    monkeypatch.setattr(model_server, "usual", wider)
    (scanned,) = (e for e in ran(case_of(dense, DUES, SETTINGS)) if isinstance(e, ScanFinished))
    assert scanned.notes == ("dense search is off: the model gives 3 dimensions, the corpus holds 2",)


def test_a_model_that_fails_over_the_areas_leaves_them_to_words(
    dense: Corpus, model_server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Words of another language than the corpus's: only their meaning can be compared.
    areas = (Area("salvage", {"de": "Bergung"}, {"de": ("Wrack", "Bergelohn")}),)
    only = Ontology(areas, {"wreck-removal": ("salvage",)})
    monkeypatch.setattr(type(dense), "ontology", property(lambda _: only))
    usual = model_server.usual
    broken = Answer(400, lambda _: {"error": {"message": "out of credit"}})
    model_server.next = [usual, broken]
    case = case_of(dense, DUES, SETTINGS.changed(transaction_type="wreck-removal", rounds=0))
    (scanned,) = (event for event in ran(case) if isinstance(event, ScanFinished))
    assert model_server.next == []
    (note,) = scanned.notes
    assert note.startswith("coverage is measured by words: embedding endpoint")
    assert {area.id for area in case.areas} >= {"salvage"}
