"""What a memo says of a case: never more than the engine, and every difference is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.cases import ExportableCase
from engine.exports.memo.composing import MOST_ROWS, compose
from engine.exports.memo.content import Check, Memo
from engine.exports.memo.findings import CLOSEST, NONE_RANKED
from tests.engine.exports.conftest import HOSTILE, Hand, Record
from tests.engine.harbour import QUESTION


@pytest.fixture
def memo(handed: Hand, asked: Record, harbour: Corpus) -> Memo:
    return compose(handed(asked, harbour, name="Berth 7"))


def told(memo: Memo) -> str:
    return orjson.dumps(memo, default=str).decode()


def test_it_finds_sentences_of_the_sources_each_with_a_checked_note(memo: Memo, harbour: Corpus) -> None:
    assert memo.findings.findings
    texts = {
        p.id: p.text for p in harbour.passages(harbour.rows([n.passage_id for n in memo.findings.notes]))
    }
    for finding in memo.findings.findings:
        [note, *_] = [memo.findings.notes[number - 1] for number in finding.notes]
        assert finding.words.text in texts[note.passage_id]
        assert note.check is Check.SAME
    assert [note.number for note in memo.findings.notes] == list(range(1, len(memo.findings.notes) + 1))
    assert not memo.warnings


def test_it_names_matter_case_day_corpus_engine_and_both_states(memo: Memo) -> None:
    facts = dict(memo.facts)
    assert (memo.title, memo.matter, memo.question.text) == ("Berth 7", "Berths of 2026", QUESTION)
    assert facts["Corpus"] == "harbour"
    assert len(facts["Fingerprint of the corpus"]) == 64
    assert facts["Checked against"] == "the corpus in the same state"
    assert facts["Verdict"] == "sound, the engine was right"
    assert {"Law as of", "Asked", "Engine", "Memo written"} <= set(facts)


def test_it_says_who_did_what_and_that_the_seals_hold(handed: Hand, asked: Record, harbour: Corpus) -> None:
    given = handed(asked, harbour)
    memo = compose(given)
    done = [(step.who, step.words) for step in memo.steps]
    first = asked["passages"][0]
    assert ("Ben", next(words for _, words in done if words.startswith("pinned"))) in done
    assert any(words.startswith("dismissed") and words.endswith(": <b>no</b> use") for _, words in done)
    assert ("Cem", "verdict “sound”; the engine was right") in done
    assert first["label"] in next(words for _, words in done if words.startswith("pinned"))
    seals = dict(reversed(memo.seals))
    assert seals["Last hash (SHA-256)"] == given.events[-1].hash
    assert any("fits the one before it" in value for _, value in memo.seals)
    assert any("is the one that event" in value for _, value in memo.seals)


def test_a_changed_chain_or_record_is_reported(handed: Hand, asked: Record, harbour: Corpus) -> None:
    given = handed(asked, harbour)
    forged = [replace(event, who="Eve") if event.kind == "pin" else event for event in given.events]
    assert "CHAIN OF EVENTS IS BROKEN" in told(compose(replace(given, events=forged)))
    assert "CHAIN OF EVENTS IS BROKEN" in told(compose(replace(given, events=given.events[:-1])))
    other = {**given.record, "notes": ["changed"]}
    assert "THE RECORD IS NOT THE ONE" in told(compose(replace(given, record=other)))


def test_a_passage_that_was_changed_since_is_quoted_as_recorded_with_a_warning(
    handed: Hand, asked: Record, amended: Corpus
) -> None:
    memo = compose(handed(asked, amended))
    assert memo.warnings
    assert "changed or lost 1 ranked passage" in " ".join(memo.warnings)
    assert "has changed since the case ran" in " ".join(memo.warnings)
    [note] = [note for note in memo.findings.notes if note.check.differs]
    [finding] = [one for one in memo.findings.findings if note.number in one.notes]
    assert "fourteen days" in finding.words.text
    assert "forty days" in note.now
    assert f"footnote {note.number}" in memo.warnings[0]


def test_without_a_corpus_nothing_is_said_to_be_checked(handed: Hand, asked: Record) -> None:
    memo = compose(handed(asked, None))
    assert {note.check for note in memo.findings.notes} == {Check.UNCHECKED}
    assert [one.words.text for one in memo.findings.findings] == [
        one["text"] for one in asked["passages"][: len(memo.findings.findings)]
    ]
    assert "none was checked" in memo.checks[0]
    assert "the corpus was not opened" in memo.findings.lead[0]


def test_of_another_corpus_it_says_that_the_sources_are_gone(
    handed: Hand, asked: Record, tariff: Corpus
) -> None:
    memo = compose(handed(asked, tariff))
    assert {note.check for note in memo.findings.notes} == {Check.NOT_FOUND}
    assert any("“tariff”; the case used “harbour”" in one for one in memo.warnings)


def test_where_nothing_was_found_nothing_is_a_finding(handed: Hand, in_vain: Record, harbour: Corpus) -> None:
    for corpus in (harbour, None):
        memo = compose(handed(in_vain, corpus))
        assert memo.status == "Nothing found"
        assert memo.findings.findings == ()
        assert memo.evidence[0].startswith("Nothing was found on this; without evidence: “zyxomorph”")
        assert memo.lacking[0].title.startswith("Terms and parts")
    assert memo.findings.lead in ((NONE_RANKED,), (CLOSEST,))


def test_a_case_found_in_part_is_not_called_found(handed: Hand, asked: Record, harbour: Corpus) -> None:
    evidence = {**asked["evidence"], "status": "partial", "missing": ["Peru"]}
    memo = compose(handed({**asked, "evidence": evidence}, harbour))
    assert memo.status == "Found in part"
    assert memo.evidence[0] == "Found in part; without evidence: “Peru”."
    assert "Found in part; without evidence: “Peru”." in memo.findings.lead


def test_a_long_ranking_is_cut_and_the_rest_counted(handed: Hand, asked: Record, harbour: Corpus) -> None:
    passages = [{**asked["passages"][0], "rank": rank} for rank in range(1, 501)]
    memo = compose(handed({**asked, "passages": passages}, harbour))
    assert len(memo.rows) == MOST_ROWS
    assert memo.more_rows == 500 - MOST_ROWS


def test_two_quotes_of_one_passage_name_it_in_full_once(memo: Memo) -> None:
    by_passage: dict[str, list[Any]] = {}
    for note in memo.findings.notes:
        by_passage.setdefault(note.passage_id, []).append(note)
    for first, *others in by_passage.values():
        assert first.above is None
        assert first.passage_id in first.cited
        assert all(note.above == first.number for note in others)


def test_how_each_source_was_found_is_said_in_the_words_of_the_page(memo: Memo) -> None:
    assert {source.name.text for source in memo.sources}
    assert all(trail.endswith(".") for source in memo.sources for trail in source.trails)
    assert any("the scan ranked" in trail.lower() for source in memo.sources for trail in source.trails)


def test_settings_that_were_changed_stand_beside_those_of_the_preset(
    handed: Hand, asked: Record, harbour: Corpus
) -> None:
    settings = {**asked["settings"], "pool_size": 777}
    memo = compose(handed({**asked, "settings": settings}, harbour))
    assert ("pool size", "777") in [(name, here) for name, here, _ in memo.settings]
    assert all(here != there for _, here, there in memo.settings)


@pytest.mark.parametrize(
    "damage",
    [
        {"passages": [{"rank": "x"}]},
        {"stop": None},
        {"question": None},
        {"threads": [{"name": "x", "title": "x", "colour": {"light": "red;}", "dark": "#000000"}}]},
        {"pool": []},
        {"passages": [{"trails": [[{"source": None}]]}]},
    ],
)
def test_a_damaged_record_is_refused_in_a_sentence(asked: Record, damage: Record) -> None:
    with pytest.raises(InputError, match="record of the case: damaged: "):
        compose(ExportableCase({**asked, **damage}))


def test_old_law_is_marked(handed: Hand, asked: Record) -> None:
    passages = [{**one, "validity": "until 31 Dec 2018", "out_of_force": True} for one in asked["passages"]]
    memo = compose(handed({**asked, "passages": passages}, None))
    assert any(one.startswith("Not in force on the day of the case") for one in memo.warnings)
    assert all(note.old for note in memo.findings.notes)


def test_a_very_long_question_has_a_short_title(handed: Hand, asked: Record) -> None:
    memo = compose(handed({**asked, "question": f"{HOSTILE} " * 40}, None))
    assert len(memo.title) < 130
    assert memo.title.endswith("…")
