"""Comparison of a claim with a sentence: what agrees, what differs, named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import Agreement, Match, compare, read
from engine.language.statements.comparison import Comparison

SAME, WEAKER, OPPOSITE, UNSAID = Agreement.SAME, Agreement.WEAKER, Agreement.OPPOSITE, Agreement.UNSAID


def comparison(claim: str, sentence: str, language: str = "en") -> Comparison:
    return compare(read(claim, language), read(sentence, language))


QUANTITIES = [
    ("The deadline is 30 days.", "It shall be lodged within thirty days.", [Match.EQUAL]),
    ("The deadline is 14 days.", "It shall be lodged within thirty days.", [Match.DIFFERENT]),
    ("The deadline is one month.", "It shall be lodged within thirty days.", [Match.DIFFERENT]),
    ("It lasts at least two years.", "a duration not exceeding two years", [Match.BOUND]),
    ("It lasts two years at most.", "a duration not exceeding two years", [Match.EQUAL]),
    ("A fine of 100,000 crowns.", "The Registrar informs the trader.", [Match.ABSENT]),
    ("A three-quarters majority.", "by at least 75 per cent of the votes cast", [Match.EQUAL]),
    ("In force since 2012.", "This Act enters into force on 1 January 2012.", [Match.EQUAL]),
    (
        "Notice in the second year is three months.",
        "notice of one month in the first year, two months in the second year, and three months thereafter",
        [Match.EQUAL, Match.DIFFERENT],
    ),
]


@pytest.mark.parametrize(("claim", "sentence", "expected"), QUANTITIES, ids=[row[0] for row in QUANTITIES])
def test_quantities(claim: str, sentence: str, expected: list[Match]) -> None:
    assert [pairing.match for pairing in comparison(claim, sentence).quantities] == expected


MODALITY = [
    ("en", "Sub-agents can delegate further.", "A sub-agent may not sub-delegate further.", OPPOSITE),
    ("en", "Sub-agents cannot delegate further.", "A sub-agent may not sub-delegate further.", SAME),
    ("en", "The agent has to notify the principal.", "The agent shall notify the principal.", SAME),
    ("en", "The agent may notify the principal.", "The agent shall notify the principal.", WEAKER),
    ("en", "An agent shall notify the principal.", "The agent may notify the principal.", WEAKER),
    ("en", "An agent is obliged to act in person.", "An agent may act in person.", WEAKER),
    ("en", "The agent must not use trade secrets.", "The agent need not use trade secrets.", WEAKER),
    ("en", "The agent may act.", "The agent need not act.", SAME),
    ("en", "He must act.", "He may act, provided that it is permitted.", WEAKER),
    ("en", "He can act only in writing.", "He must act only in writing.", SAME),
    # Each verb is held against the one that governs the same words, not the first alone.
    (
        "en",
        "An agent who is to be entered shall act alone.",
        "An agent who is to be entered may act alone.",
        WEAKER,
    ),
    (
        "de",
        "Der Vertreter muss den Kunden unterrichten.",
        "Der Vertreter kann den Kunden unterrichten.",
        WEAKER,
    ),
    ("fr", "Le mandataire doit agir.", "Le mandataire peut agir.", WEAKER),
    ("id", "Kuasa wajib memberikan laporan.", "Kuasa dapat memberikan laporan.", WEAKER),
    ("ar", "يجب على الوكيل تقديم تقرير.", "يجوز للوكيل تقديم تقرير.", WEAKER),
    ("en", "The agent need not notify the principal.", "The agent must notify the principal.", OPPOSITE),
    ("en", "No agent may use trade secrets.", "The agent shall not use trade secrets.", SAME),
    ("en", "Nobody can delegate further.", "No sub-agent may delegate further.", SAME),
    ("en", "None of the partners may delegate further.", "A sub-agent may delegate further.", OPPOSITE),
    ("de", "Niemand darf Untervollmacht erteilen.", "Untervollmacht darf er nicht erteilen.", SAME),
    ("de", "Untervollmacht kann niemand erteilen.", "Der Vertreter kann Untervollmacht erteilen.", OPPOSITE),
    ("fr", "Personne ne peut agir.", "Le mandataire peut agir.", OPPOSITE),
    ("en", "He may act unless it is excluded.", "He may act only where it is permitted.", WEAKER),
    ("en", "He may not act unless it is permitted.", "He may act only where it is permitted.", SAME),
    (
        "de",
        "Der Vertreter darf weitere Untervollmacht erteilen.",
        "Er kann keine Untervollmacht erteilen.",
        OPPOSITE,
    ),
    ("id", "Kuasa boleh memberikan substitusi.", "Kuasa tidak dapat memberikan substitusi.", OPPOSITE),
    ("ar", "يجوز للوكيل منح صلاحيات.", "لا يجوز للوكيل منح صلاحيات.", OPPOSITE),
    ("fr", "Le mandataire peut agir.", "Le mandataire ne peut pas agir.", OPPOSITE),
    ("en", "The register is public.", "The register is kept by the Registrar.", UNSAID),
]


@pytest.mark.parametrize(
    ("language", "claim", "sentence", "expected"), MODALITY, ids=[m[1] for m in MODALITY]
)
def test_modality(language: str, claim: str, sentence: str, expected: Agreement) -> None:
    assert comparison(claim, sentence, language).modality is expected


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (
            "The indemnity may reach one year's commission.",
            "The indemnity may not exceed one year's commission.",
        ),
        ("Entries are published within five days.", "Entries are published no later than the fifth day."),
        ("An agent may act if it is not excluded.", "An agent may act unless it is excluded."),
    ],
)
def test_limits_and_exceptions_deny_nothing(claim: str, sentence: str) -> None:
    found = comparison(claim, sentence)
    assert OPPOSITE not in (found.modality, found.polarity), found.differences


def test_a_negation_is_seen() -> None:
    found = comparison(
        "An objection suspends the duty to pay.", "An objection does not suspend the duty to pay."
    )
    assert found.polarity is OPPOSITE
    assert found.differs


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("A late grant is valid.", "A late grant is void."),
        ("Managers act alone.", "Managers act jointly."),
        ("It is filed after the grant.", "It is filed before the grant."),
    ],
)
def test_opposites_are_named(claim: str, sentence: str) -> None:
    assert comparison(claim, sentence).opposites


def test_rare_words_count_more() -> None:
    claim, sentence = read("The harbour tender is void.", "en"), read("The tender is late.", "en")
    rare = compare(claim, sentence, lambda stem: 5.0 if stem == "tender" else 1.0)
    assert rare.agreement > compare(claim, sentence).agreement


@given(st.integers(2, 4000), st.integers(2, 4000))
def test_another_number_is_never_equal(claimed: int, stated: int) -> None:
    found = comparison(f"It is due in {claimed} days.", f"It shall be paid within {stated} days.")
    (pairing,) = found.quantities
    assert (pairing.match is Match.EQUAL) == (claimed == stated)
    assert found.differs == (claimed != stated)
