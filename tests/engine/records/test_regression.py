"""Saved cases on the corpus of today: what got worse is told, and a broken case does not stop the rest."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.records.regression import (
    Outcome,
    Saved,
    find_excesses,
    regression_lines,
    regression_markdown,
    regression_to_json,
    replay_cases,
    totals_of,
)
from engine.records.replaying import Dismiss, Follow, Pin, Step, steps_shown
from engine.records.store.chain import RAN, Event
from engine.settings import preset
from tests.engine.harbour import HARBOUR_ACT, QUESTION, write_harbour
from tests.engine.investigation.story import finished, record_of

FINES = "### Article 10 Fines"
ARTICLE_10 = "harbour-act/art-10"


@pytest.fixture(scope="module")
def fewer(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The harbour's law without the article on fines."""
    root = tmp_path_factory.mktemp("fewer")
    sources = write_harbour(root / "sources", ontology=True)
    before, _, after = HARBOUR_ACT.partition(FINES)
    rest = after[after.index("### Article 11") :]
    (sources / "harbour.md").write_text(before + rest, encoding="utf-8")
    build_corpus([sources], root / "harbour", embedding="none", name="harbour")
    return open_corpus(root / "harbour")


def saved(corpus: Corpus, question: str, *steps: Step) -> Saved:
    case = finished(corpus, question, preset("balanced"), None)
    for step in steps:
        match step:
            case Pin():
                case.pin(step.passage)
            case Dismiss():
                case.dismiss(step.passage)
            case Follow():
                list(case.follow(step.passage, step.strategies))
    events = [Event(1, "", "Ann", RAN)]
    events += [Event(2 + place, "", "Ann", step.kind, step.data()) for place, step in enumerate(steps)]
    return Saved(question[:10], record_of(case), events)


def outcome(cases: list[Saved], corpus: Corpus, **more: Any) -> Outcome:
    (found,) = replay_cases(cases, corpus, **more)
    return found


def test_on_the_same_corpus_nothing_is_worse(harbour: Corpus) -> None:
    cases = [
        saved(harbour, QUESTION),
        saved(harbour, "zyxomorph quibbleflax"),
        saved(harbour, "رسوم الميناء"),
    ]
    outcomes = list(replay_cases(cases, harbour))
    assert [one.verdict for one in outcomes] == ["same"] * 3
    totals = totals_of(outcomes)
    assert (totals.cases, totals.lost, totals.gained, totals.lost_pins) == (3, 0, 0, 0)
    assert find_excesses(totals, 0) == []
    assert list(regression_lines(outcomes, totals, []))[-1] == "Nothing is worse than allowed."


def test_what_is_lost_is_named_with_why(harbour: Corpus, fewer: Corpus) -> None:
    found = outcome([saved(harbour, "Whoever moors without a berth is fined")], fewer)
    assert found.verdict == "worse"
    assert ARTICLE_10 in [move.id for move in found.lost]
    assert "is no longer in the corpus" in next(move.why for move in found.lost if move.id == ARTICLE_10)
    totals = totals_of([found])
    assert any(told.startswith("passages lost") for told in find_excesses(totals, len(found.lost) - 1))
    assert not any("passages" in told for told in find_excesses(totals, len(found.lost)))


def test_only_the_best_are_looked_at(harbour: Corpus, fewer: Corpus) -> None:
    case = saved(harbour, QUESTION)
    rank = next(one["rank"] for one in case.record["passages"] if one["id"] == ARTICLE_10)
    assert ARTICLE_10 in [move.id for move in outcome([case], fewer, top=rank).lost]
    assert ARTICLE_10 not in [move.id for move in outcome([case], fewer, top=rank - 1).lost]


def test_a_pinned_passage_that_is_gone_is_lost(harbour: Corpus, fewer: Corpus) -> None:
    pinned = saved(harbour, QUESTION, Pin(passage=ARTICLE_10), Dismiss(passage="harbour-act/art-4"))
    found = outcome([pinned], fewer)
    assert found.lost_pins == (ARTICLE_10,)
    assert found.verdict == "worse"
    assert find_excesses(totals_of([found]), 100)[0].startswith("pinned passages lost: 1")


def test_a_pinned_passage_that_is_no_longer_found_unaided_is_lost(harbour: Corpus, bare: Corpus) -> None:
    case = saved(harbour, QUESTION)
    ids = [node["id"] for node in case.record["pool"]["nodes"]]
    found_by_itself = next(name for name in reversed(ids) if not name.startswith("pilot-regulation/"))
    narrow = dict(case.record)
    # As if the engine of today scanned less: its settings let nothing else in.
    narrow["settings"] = {**case.record["settings"], "documents": ["pilot-regulation"]}
    pinned = saved(harbour, QUESTION, Pin(passage=found_by_itself))
    assert outcome([pinned], harbour).lost_pins == ()
    narrowed = Saved("narrow", {**pinned.record, "settings": narrow["settings"]}, pinned.events)
    assert outcome([narrowed], harbour).lost_pins == (found_by_itself,)


def test_what_a_person_brought_is_not_expected_of_the_engine(harbour: Corpus) -> None:
    case = saved(harbour, "Who takes a pilot?")
    there = {node["id"] for node in case.record["pool"]["nodes"]}
    ids = harbour.ids(harbour.rows(["dues-act/art-5", "dues-act/art-4/para-1", ARTICLE_10]))
    brought = next((name for name in ids if name not in there), ids[0])
    assert outcome([saved(harbour, "Who takes a pilot?", Pin(passage=brought))], harbour).lost_pins == ()


def test_a_broken_case_does_not_stop_the_rest(harbour: Corpus) -> None:
    whole = saved(harbour, QUESTION)
    cases = [
        Saved("nothing", {}),
        Saved("half", {"question": "<script>", "settings": {"rounds": "many"}}),
        Saved("unread", {}, error="the record is damaged"),
        Saved("no pool", {**whole.record, "pool": {}}),
        Saved("other strategies", {**whole.record, "settings": {"strategies": ["telepathy"]}}),
        whole,
    ]
    outcomes = list(replay_cases(cases, harbour))
    assert [one.verdict for one in outcomes] == [*["failed"] * 5, "same"]
    assert all(one.error for one in outcomes[:-1])
    totals = totals_of(outcomes)
    bad = find_excesses(totals, 0)
    assert bad == ["cases that could not be replayed: 5, at most 0"]
    plain = orjson.loads(orjson.dumps(regression_to_json(outcomes, totals, bad)))
    assert plain["worse_than_allowed"] == bad
    assert [case["verdict"] for case in plain["cases"]] == [one.verdict for one in outcomes]


def test_a_record_of_a_file_shows_its_pins(harbour: Corpus) -> None:
    ids = [one["id"] for one in saved(harbour, QUESTION).record["passages"]]
    case = saved(harbour, QUESTION, Pin(passage=ids[-1]), Dismiss(passage=ids[0]))
    assert outcome([Saved("file", case.record, steps_shown(case.record))], harbour).verdict == "same"


def test_markdown_reads_nothing_in_the_words_of_others(harbour: Corpus, fewer: Corpus) -> None:
    question = "[Who](http://x) is *fined* | `rm` <script>alert(1)</script> berth"
    outcomes = [outcome([saved(harbour, question)], fewer)]
    text = "\n".join(regression_markdown(outcomes, totals_of(outcomes), ["a: 1"], "ha|rb <b>"))
    assert "<script>" not in text
    assert "](http" not in text
    assert r"ha\|rb \<b\>" in text
    row = next(line for line in text.splitlines() if line.startswith(r"| \[Who"))
    assert row.replace(r"\|", "").count("|") == 11
