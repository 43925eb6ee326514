"""What one sentence states: what must or may be done, what is denied, exempt, opposite, before and after."""

from __future__ import annotations

import pytest

from engine.language.statements import Modality, read
from engine.model import Span

MAY, MUST, MUST_NOT = Modality.MAY, Modality.MUST, Modality.MUST_NOT
NEED_NOT, ONLY = Modality.NEED_NOT, Modality.ONLY

MODALS: dict[tuple[str, str], list[Modality]] = {
    ("en", "The agent must notify the principal."): [MUST],
    ("en", "The agent may not notify the principal."): [MUST_NOT],
    ("en", "The agent may notify only the principal."): [ONLY],
    ("en", "The agent may act; only the principal pays."): [MAY],
    ("en", "The agent may not act unless the principal agrees."): [ONLY],
    ("en", "Unless asked, the agent may not act."): [MUST_NOT],
    ("en", "The agent is not required to act."): [NEED_NOT],
    ("en", "The period may not exceed thirty days."): [],
    ("en", "The agent acts, and the principal shall pay."): [MUST],
    ("de", "Der Vertreter ist nicht befugt."): [MUST_NOT],
    ("de", "Der Vertreter ist berechtigt, das Register einzusehen."): [MAY],
    ("de", "Der Vertreter ist nicht verpflichtet, das Register zu lesen."): [NEED_NOT],
    ("es", "El agente no está autorizado a leerlo."): [MUST_NOT],
    ("xx", "kala tavu"): [],
}


def test_what_must_and_may_be_done(subtests: pytest.Subtests) -> None:
    for (language, text), expected in MODALS.items():
        with subtests.test(text):
            assert [one.modality for one in read(text, language).modals] == expected


def test_what_is_denied_and_what_stands_beside_the_negation() -> None:
    one = read("The fee is not due on heavy old ships, but the master pays.", "en")
    assert one.denied == {"due", "heavi", "old"}
    assert one.heads == {"due"}
    assert read("The agent may not sell. No more than ten days.", "en").denied == frozenset()
    german = read("Das Register ist nicht öffentlich.", "de")
    assert german.heads == german.denied
    assert len(german.heads) == 2


def test_what_stands_before_and_after() -> None:
    one = read("The fee is due before departure and after the inspection of ships.", "en")
    assert one.times == (("departur", -1), ("inspect", 1))
    assert read("He pays before, as is and was in all of them then, the ship.", "en").times == ()


def test_references_and_numbers_are_no_words_of_a_sentence() -> None:
    text = "Under Article 5 the agent’s fee of 30 crowns is due."
    one = read(text, "en-GB")
    assert [term.word for term in one.terms] == ["agent’s", "fee", "due"]
    assert [term.stem for term in one.terms] == ["agent", "fee", "due"]
    assert one.stems == {"agent", "fee", "due"}
    assert [quantity.value for quantity in one.quantities] == [30]
    other = read(text, "en", [Span(16, 32)])
    assert "articl" in other.stems
    assert "agent" not in other.stems
