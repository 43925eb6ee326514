from __future__ import annotations

from typing import Any

import pytest

from engine.corpus.ontology import load_ontologies, parse_ontology
from tests.ui.corpus.conftest import STRANGER, VISITOR, Caller
from ui.corpus.access import CorpusDesk
from ui.investigate.sidebar import transactions_of

HARM = "<img src=x onerror=alert(1)>"
AREA = {"id": "limits", "names": {"en": "Limits"}, "keywords": {"en": ["limits", "register"], "ar": ["حدود"]}}
MINE: dict[str, Any] = {"areas": [AREA], "transactions": {"grant-of-powers": ["limits"]}}
RULES: dict[str, Any] = {
    **MINE,
    "facts": [
        {"id": "held", "type": "money", "unit": "marks", "names": {"en": "Powers held"},
         "keywords": {"en": ["holds"]}},
        {"id": "granted", "type": "money", "unit": "marks", "names": {"en": "Powers granted"}},
        {"id": "day", "type": "date", "names": {"en": "Day"}},
    ],
    "rules": [
        {"id": "void", "when": "held < granted", "then": "void", "because": HARM,
         "cite": ["Article 1(2) of the Agency Act"], "transactions": ["grant-of-powers"]},
        {"id": "late", "when": "day > date('2024-01-01')", "then": "late",
         "cite": ["regulation/art-1", "nothing"]},
    ],
}  # fmt: skip


def test_a_corpus_without_areas_says_so(mine: Caller) -> None:
    found = mine.good("areas")
    assert found["content"] == {"areas": [], "transactions": {}}
    assert (found["origin"], found["writable"], found["undo"]) == ("none", True, False)


def test_what_is_saved_is_in_force_at_once(mine: Caller, desk: CorpusDesk) -> None:
    before = desk.books.find("Mine", VISITOR)
    assert mine.good("areas-save", ontology=MINE, words="edited") == {"saved": True}
    after = desk.books.find("Mine", VISITOR)
    assert before.state != after.state
    assert transactions_of(desk.books.open(after))[2] == ("grant of powers", "grant-of-powers")
    found = mine.good("areas")
    assert (found["origin"], found["undo"]) == ("people", True)
    assert found["content"]["areas"][0]["keywords"] == AREA["keywords"]
    reach = found["reach"]["limits"]
    assert reach["passages"] > 0
    assert mine("areas-save", ontology=MINE, state=before.state)["changed"]


def test_each_undo_goes_a_state_back(mine: Caller) -> None:
    mine.good("areas-save", ontology=MINE)
    mine.good("areas-undo")
    assert mine.good("areas")["origin"] == "none"
    assert "nothing to undo" in mine("areas-undo")["error"]


def test_only_those_who_may_change_a_corpus_change_its_areas(desk: CorpusDesk) -> None:
    stranger = Caller(desk, STRANGER, "Mine")
    changes: dict[str, dict[str, Any]] = {
        "areas-save": {"ontology": MINE},
        "areas-undo": {},
        "areas-load": {"mapping": "areas: []"},
    }
    for do, sent in changes.items():
        assert "unknown corpus" in stranger(do, **sent)["error"]
    assert "unknown corpus" in stranger("areas")["error"]
    given = Caller(desk, VISITOR, desk.books.names(VISITOR)[0])
    assert given.good("areas")["writable"] is False
    for do, sent in changes.items():
        assert "cannot be changed here" in given(do, **sent)["error"]
    assert not load_ontologies(desk.books.find(given.corpus, VISITOR).folder)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"areas": []}, "no area left"),
        ({"areas": [AREA, AREA]}, "described twice"),
        ({"areas": [AREA], "transactions": {"t": ["nowhere"]}}, "unknown area"),
        ({"areas": [{**AREA, "keywords": {"en": ["x" * 999]}}]}, "at most 200"),
        ({"areas": [{**AREA, "surprise": 1}]}, "Extra inputs"),
        ({"areas": [AREA], "rules": [{"id": "r", "when": "__import__('os')", "then": "x"}]}, "rule 'r'"),
    ],
)
def test_what_is_no_ontology_is_not_saved(mine: Caller, desk: CorpusDesk, content: Any, words: str) -> None:
    assert words in mine("areas-save", ontology=content)["error"]
    assert not load_ontologies(desk.books.find("Mine", VISITOR).folder)


def test_areas_being_edited_are_measured_and_written_as_a_file(mine: Caller) -> None:
    found = mine.good("areas-measure", ontology=MINE)
    assert found["reach"]["limits"]["passages"] > 0
    assert 0 < found["covered"] <= 1
    text = mine.good("areas-file", ontology=RULES)["text"]
    assert parse_ontology(text, "x")["rules"][0]["when"] == "held < granted"
    loaded = mine.good("areas-load", mapping=text)
    assert loaded["content"]["areas"][0]["id"] == "limits"
    assert "not readable as YAML" in mine("areas-load", mapping="areas: [")["error"]
    assert mine.good("areas")["origin"] == "none", "nothing was saved"


def test_rules_are_applied_to_what_a_person_gives(mine: Caller) -> None:
    assert mine.good("rules") == {"rules": [], "facts": []}
    mine.good("areas-save", ontology=RULES)
    question = "A manager holds 300 marks."
    found = mine.good("rules", words=question, kind="grant-of-powers", day="2024-05-01")
    assert [fact["id"] for fact in found["facts"]] == ["held", "granted", "day"]
    (void, late) = found["rules"]
    assert void["verdict"] == "needs"
    assert void["citations"][0]["passages"][0]["text"].endswith("subject to Article 3.")
    assert late["warnings"][0].startswith("nothing: ")
    given = {"held": "300", "granted": "1,000", "day": "05/2024", "unknown": "x"}
    found = mine.good("rules", kind="grant-of-powers", facts=given, day="2024-05-01")
    assert found["rules"][0]["verdict"] == "holds"
    assert found["rules"][0]["used"] == {"Powers held": "300 marks", "Powers granted": "1,000 marks"}
    problems = {fact["id"]: fact["problem"] for fact in found["facts"]}
    assert "is not a date" in problems["day"]
    assert not problems["held"]


def test_rules_of_another_transaction_are_not_asked(mine: Caller) -> None:
    other = {**RULES, "transactions": {"grant-of-powers": ["limits"], "sale": ["limits"]}}
    mine.good("areas-save", ontology=other)
    found = mine.good("rules", kind="sale")
    assert [rule["rule"] for rule in found["rules"]] == ["late"]
    assert [fact["id"] for fact in found["facts"]] == ["day"]
