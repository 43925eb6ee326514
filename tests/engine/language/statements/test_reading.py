"""The words, quantities and modal verbs of a sentence, and the quantities of two sentences."""

from __future__ import annotations

import pytest

from engine.language.statements import Match, pair_quantities, read
from engine.model import Span

EQUAL, DIFFERENT = Match.EQUAL, Match.DIFFERENT
PAIRS = [
    ("The deadline is 30 days.", "It shall be lodged within thirty days.", [EQUAL]),
    ("The deadline is 14 days.", "It shall be lodged within thirty days.", [DIFFERENT]),
    ("The deadline is one month.", "It shall be lodged within thirty days.", [DIFFERENT]),
    ("It lasts at least two years.", "a duration not exceeding two years", [Match.BOUND]),
    ("It lasts two years at most.", "a duration not exceeding two years", [EQUAL]),
    ("A fine of 100,000 crowns.", "The Registrar informs the trader.", [Match.ABSENT]),
    ("A three-quarters majority.", "by at least 75 per cent of the votes cast", [EQUAL]),
    ("In force since 2012.", "This Act enters into force on 1 January 2012.", [EQUAL]),
    (
        "Notice in the second year is three months.",
        "notice of one month in the first year, two months in the second year, and three months thereafter",
        [EQUAL, DIFFERENT],
    ),
]


def test_each_quantity_has_its_counterpart(subtests: pytest.Subtests) -> None:
    for claim, sentence, expected in PAIRS:
        with subtests.test(claim):
            found = pair_quantities(read(claim, "en"), read(sentence, "en"))
            assert [pairing.match for pairing in found] == expected


def test_references_numbers_and_modal_verbs_are_no_content() -> None:
    text = "Under Article 5 the agent’s fee of 30 crowns is due."
    one = read(text, "en-GB")
    assert [term.word for term in one.terms] == ["agent’s", "fee", "due"]
    assert one.stems == {"agent", "fee", "due"}
    assert [quantity.value for quantity in one.quantities] == [30]
    other = read(text, "en", [Span(16, 32)])
    assert "articl" in other.stems
    assert "agent" not in other.stems
    (verb,) = read("The agent may pay. The period may not exceed ten days.", "en").modals
    assert verb == Span(10, 13)
