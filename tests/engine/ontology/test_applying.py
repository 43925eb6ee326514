from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.protocol import Corpus, Ontology
from engine.corpus.rule_expressions import Rule
from engine.errors import SettingsError
from engine.ontology.applying import Outcome, apply_rules, cite, facts_from, find_provision
from engine.ontology.reports import outcomes_json, verdict_words

DAY = date(2026, 1, 1)


@pytest.fixture
def ontology(meridia: Corpus) -> Ontology:
    assert meridia.ontology is not None
    return meridia.ontology


def outcome(corpus: Corpus, ontology: Ontology, rule: str, given: dict[str, str], day: date = DAY) -> Outcome:
    found = apply_rules(corpus, ontology, facts_from(ontology, given), day)
    return next(one for one in found if one.rule.id == rule)


@pytest.mark.parametrize(
    ("rule", "given", "verdict"),
    [
        ("no-broader-powers", {"authority": "50000", "scope": "200,000 crowns", "special_resolution": "no"},
         "holds"),
        ("no-broader-powers", {"authority": "50000", "scope": "50000"}, "does not hold"),
        ("no-broader-powers", {"special_resolution": "yes"}, "does not hold"),
        ("no-broader-powers", {"authority": "50000", "scope": "200000"}, "needs"),
        ("resolution-too-long", {"resolution_duration": "30 months"}, "holds"),
        ("resolution-too-long", {"resolution_duration": "2 years"}, "does not hold"),
        ("sub-delegation-not-permitted", {"permission_named": "no", "urgency": "no"}, "holds"),
        ("sub-delegation-not-permitted", {"urgency": "yes"}, "does not hold"),
        ("objection-out-of-time", {"delivered": "2024-01-10", "lodged": "2024-02-09", "in_meridia": "yes",
                                   "instruction_correct": "yes"}, "does not hold"),
        ("objection-out-of-time", {"delivered": "2024-01-10", "lodged": "2024-02-10", "in_meridia": "yes",
                                   "instruction_correct": "yes"}, "holds"),
        ("objection-out-of-time", {"delivered": "2024-01-10", "lodged": "2025-01-11"}, "holds"),
        ("objection-out-of-time", {"delivered": "2024-01-10", "lodged": "2024-01-20"}, "does not hold"),
    ],
)  # fmt: skip
def test_the_rules_of_the_sample(
    meridia: Corpus, ontology: Ontology, rule: str, given: dict[str, str], verdict: str
) -> None:
    assert outcome(meridia, ontology, rule, given).verdict.value == verdict


def test_a_provision_that_is_not_in_force_on_the_day_is_told(meridia: Corpus, ontology: Ontology) -> None:
    found = outcome(meridia, ontology, "sub-delegation-not-permitted", {}, date(2023, 5, 1))
    assert "Article 22(1) of the Agency Code is not yet in force on 2023-05-01" in found.warnings
    old = cite(meridia, "commercial-agency-code/art-22/para-1", DAY)
    assert old.lapsed == "no longer in force"


@pytest.mark.parametrize(
    ("day", "told"),
    [
        (date(2023, 5, 1), "not in force on 2023-05-01"),
        (date(2023, 12, 31), "not in force on 2023-12-31"),
        (date(2024, 1, 1), "holds: not permitted"),
    ],
)
def test_a_rule_cannot_hold_before_its_provisions_do(
    meridia: Corpus, ontology: Ontology, day: date, told: str
) -> None:
    facts = {"permission_named": "no", "urgency": "no"}
    found = outcome(meridia, ontology, "sub-delegation-not-permitted", facts, day)
    assert verdict_words(found) == told
    assert outcomes_json([found])[0]["verdict"] == told.split(" on ")[0].split(":")[0]


@pytest.mark.parametrize(
    ("said", "problem"),
    [("Article 999 of the Tax Procedure Act", "no such provision"), ("the law", "does not name a provision")],
)
def test_a_citation_that_leads_nowhere_says_so(
    meridia: Corpus, ontology: Ontology, said: str, problem: str
) -> None:
    found = cite(meridia, said, DAY)
    assert found.texts == ()
    assert problem in found.problem


def test_ids_of_sections_and_documents_are_citations(meridia: Corpus) -> None:
    found = cite(meridia, "tax-procedure-act/art-26", DAY)
    assert [text.label for text in found.texts] == [f"Article 26({number})" for number in (1, 2, 3, 4)]
    assert len(find_provision(meridia, "tax-procedure-act").rows) == 1


def test_a_rule_without_citation_says_so(meridia: Corpus, ontology: Ontology) -> None:
    bare = Ontology((), {}, ontology.facts, (Rule("r", "authority < scope", "invalid"),))
    assert apply_rules(meridia, bare, {}, DAY)[0].warnings == ("this rule cites no provision",)


@pytest.mark.parametrize(
    ("given", "words"),
    [({"reach": "3"}, "unknown fact 'reach'"), ({"authority": "lots"}, "authority: 'lots'"),
     ({"scope": "50.000"}, "may be 50 or 50000")],
)  # fmt: skip
def test_facts_that_cannot_be_read_are_refused(ontology: Ontology, given: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        facts_from(ontology, given)
