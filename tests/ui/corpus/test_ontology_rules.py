"""Rules as the page shows them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from engine.corpus import open_corpus
from engine.ontology.applying import apply_rules, facts_from
from ui.corpus.ontology_rules import rule_json


def test_a_rule_on_law_that_is_not_in_force_is_shown_so(sample_folder: Path) -> None:
    corpus = open_corpus(sample_folder)
    ontology = corpus.ontology
    assert ontology is not None
    facts = facts_from(ontology, {"permission_named": "no", "urgency": "no"})
    for day, verdict, told in (
        (date(2023, 5, 1), "not in force", "not in force on 2023-05-01"),
        (date(2024, 5, 1), "holds", "holds: not permitted"),
    ):
        outcomes = apply_rules(corpus, ontology, facts, day, transaction="sub-delegation")
        found = next(one for one in outcomes if one.rule.id == "sub-delegation-not-permitted")
        shown = rule_json(found)
        assert (shown["verdict"], shown["told"], shown["day"]) == (verdict, told, day.isoformat())
