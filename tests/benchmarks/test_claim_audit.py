"""The gold claims and how figures are made of them."""

from __future__ import annotations

from collections import Counter

from benchmarks.claim_audit import HELD_OUT, NAMES, TUNING, Gold, Outcome, figures, gold_claims
from engine.answers.audit import Checked, Claim, Finding
from engine.model import Span

# What is told of citations alone is measured by claims that are made.
CITATIONS = {"no_such_provision", "citation_not_understood"}


def test_gold_claims_are_whole() -> None:
    golds = gold_claims()
    assert len({gold.id for gold in golds}) == len(golds) >= 120
    assert len({gold.text for gold in golds}) == len(golds)
    counts = Counter(gold.verdict for gold in golds)
    assert set(counts) == set(NAMES) - CITATIONS
    assert counts["supported"] >= 30
    assert counts["not_in_corpus"] >= 25
    for gold in golds:
        assert bool(gold.passages) == (gold.verdict != "not_in_corpus")
        assert bool(gold.current) == (gold.verdict == "outdated")


def test_both_halves_hold_every_verdict() -> None:
    for half in (TUNING, HELD_OUT):
        assert {gold.verdict for gold in gold_claims() if gold.half == half} == set(NAMES) - CITATIONS


def test_figures() -> None:
    def outcome(verdict: str, found: Finding) -> Outcome:
        passages = () if verdict == "not_in_corpus" else ("a",)
        gold = Gold("x", "c", "en", "A claim.", verdict, passages)
        return Outcome(gold, Checked(Claim(1, Span(0, 8), "A claim.", "en"), found, ""), 0.1)

    told = figures(
        [
            outcome("supported", Finding.SUPPORTED),
            outcome("supported", Finding.RELATED),
            outcome("not_in_corpus", Finding.NOT_IN_CORPUS),
        ]
    )
    assert (told["right"], told["claims"]) == (2, 3)
    assert told["by_finding"]["supported"] == {"claims": 2, "recall": 0.5, "precision": 1.0}
    assert told["confusion"]["supported"] == {"supported": 1, "related": 1}
    assert told["pinpoint"] == 0.0
