"""What of a text is a claim, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.audit.claims import statements_in

LANGUAGES = ("en", "de", "id", "ar")
CUT = [
    (
        "The deadline is thirty days. It cannot be extended.",
        ["The deadline is thirty days.", "It cannot be extended."],
    ),
    ("# Deadlines\n\nThe deadline is thirty days.", ["The deadline is thirty days."]),
    ("Our advice\n\nThe deadline is thirty days.", ["The deadline is thirty days."]),
    ("Can the period be extended? It may not be extended.", ["It may not be extended."]),
    ("Table 1: Fees of the register\n\nAn extract costs 15 crowns.", ["An extract costs 15 crowns."]),
    (
        "- An agent may appoint sub-agents.\n- A sub-agent may not delegate further.",
        ["An agent may appoint sub-agents.", "A sub-agent may not delegate further."],
    ),
    (
        "1. The agent must give notice\n   within five working days.\n2. The notice is in writing.",
        ["The agent must give notice\n   within five working days.", "The notice is in writing."],
    ),
    (
        "The agent may sub-delegate; the principal must be informed within 30 days.",
        ["The agent may sub-delegate", "the principal must be informed within 30 days."],
    ),
    (
        "An extract costs 15 crowns, and the fine for a late entry may reach 50 000 crowns.",
        ["An extract costs 15 crowns", "the fine for a late entry may reach 50 000 crowns."],
    ),
    (
        "The agent shall disclose the existence, and extent, of the power.",
        ["The agent shall disclose the existence, and extent, of the power."],
    ),
    (
        "See Art. 26 para. 1 of the Act, which sets thirty days.",
        ["See Art. 26 para. 1 of the Act, which sets thirty days."],
    ),
    ("Der Einspruch ist binnen 30 Tagen einzulegen.", ["Der Einspruch ist binnen 30 Tagen einzulegen."]),
]


@pytest.mark.parametrize(("text", "claims"), CUT, ids=[row[0][:40] for row in CUT])
def test_claims(text: str, claims: list[str]) -> None:
    found = [span for one in statements_in(text, LANGUAGES) for span in one.clauses]
    assert [text[span.start : span.end] for span in found] == claims


def test_the_language_is_told_by_block() -> None:
    text = (
        "The deadline is thirty days and may not be extended.\n\n"
        "Die Frist beträgt dreißig Tage und ist nicht verlängerbar."
    )
    assert [one.language for one in statements_in(text, LANGUAGES)] == ["en", "de"]


@given(st.text(alphabet=st.sampled_from("ab Z.;,?\n-#1(é)ا\u0301"), max_size=200))
def test_claims_lie_in_the_text_in_order(text: str) -> None:
    place = 0
    for span in (clause for one in statements_in(text, LANGUAGES) for clause in one.clauses):
        assert place <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        place = span.end
