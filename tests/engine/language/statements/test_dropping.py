"""What a claim may not leave out of its source is told; what frames, repeats or only adds may go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import sequence
from engine.language.statements.dropping import binding
from engine.language.statements.pairing import pair_tokens


def dropped(claim: str, source: str, language: str = "en", *, agentless: bool = False) -> list[str]:
    own, theirs = sequence(claim, language), sequence(source, language)
    pairs = pair_tokens(own, theirs)
    left = [place for place in range(len(theirs)) if place not in pairs.of_claim.values()]
    return [token.word for token in binding(own, theirs, pairs, left, language, agentless=agentless)]


BOUND = [
    ("en", "The agent may act.", "The agent may not act.", "may not"),
    ("en", "The agent may act.", "The agent may act unless the principal objects.", "unless"),
    ("en", "The agent may act.", "The agent may act only in writing.", "only"),
    ("en", "The agent may act.", "If the board agrees, the agent may act.", "If"),
    ("en", "Rents are due.", "Rents are due within ten days.", "ten days"),
    # A permission ends where it says so.
    ("en", "The agent may act.", "The agent may act in the presence of a notary.", "notary"),
    # Which agent, and which of all records.
    ("en", "The agent shall keep records.", "The commercial agent shall keep records.", "commercial"),
    ("en", "The board must keep all records.", "The board must keep all records of sales.", "sales"),
    # Whoever must do one of two things need not do the first.
    (
        "en",
        "The seller must deliver the goods.",
        "The seller must deliver the goods or the documents.",
        "documents",
    ),
    (
        "en",
        "The seller must deliver the goods.",
        "The seller must deliver the goods, the documents or a receipt.",
        "documents",
    ),
    (
        "en",
        "Notice must be given in writing.",
        "Notice must be given in writing or by electronic means.",
        "electronic",
    ),
    (
        "de",
        "Der Verkäufer muss die Ware liefern.",
        "Der Verkäufer muss die Ware oder die Urkunden liefern.",
        "Urkunden",
    ),
    ("de", "Der Mieter darf kündigen.", "Der Mieter darf nicht kündigen.", "nicht"),
    (
        "fr",
        "Le vendeur peut livrer la chose.",
        "Le vendeur peut livrer la chose, sauf si l'acheteur refuse.",
        "sauf",
    ),
]


@pytest.mark.parametrize(("language", "claim", "source", "word"), BOUND)
def test_what_binds_may_not_be_left_out(language: str, claim: str, source: str, word: str) -> None:
    assert any(word in one for one in dropped(claim, source, language))


FREE = [
    ("en", "The agent shall act in writing.", "The agent shall act in writing and without delay."),
    # How a duty is done more closely.
    ("en", "The agent shall act.", "The agent shall act in the presence of a notary."),
    # One of several who must, one of several things that must be or that may be.
    ("en", "The seller must deliver.", "The seller and the carrier must deliver."),
    ("en", "The seller must deliver the goods.", "The seller must deliver the goods and the documents."),
    ("en", "The seller may deliver the goods.", "The seller may deliver the goods or the documents."),
    ("en", "The seller must not sell the goods.", "The seller must not sell the goods or the documents."),
    # Brackets, and whoever sees to it.
    ("en", "The agent shall notify the board.", "The agent shall notify the board (see Article 4)."),
    ("en", "The records are kept.", "The board shall ensure that the records are kept."),
    # "Shall" of the law: what shall be is so.
    ("en", "The board manages the company.", "The board shall manage the company."),
]


@pytest.mark.parametrize(("language", "claim", "source"), FREE)
def test_what_only_adds_may_be_left_out(language: str, claim: str, source: str) -> None:
    assert dropped(claim, source, language) == []


def test_who_does_it_may_be_left_out_where_a_passive_lost_it() -> None:
    claim, source = "Shall pay the price.", "The buyer shall pay the price."
    assert dropped(claim, source) == ["buyer"]
    assert dropped(claim, source, agentless=True) == []


DUTIES = st.sampled_from([
    "The agent shall report", "The seller must deliver the goods", "The tenant may withdraw",
    "The board shall not disclose the records", "A trader must keep accounts",
])  # fmt: skip
TIES = st.sampled_from([
    " if the court agrees", " unless the court objects", " provided that the fee is paid",
    " only after a hearing", " except on Sundays",
])  # fmt: skip


@given(duty=DUTIES, tie=TIES)
def test_a_condition_or_exception_behind_any_rule_binds_it(duty: str, tie: str) -> None:
    assert dropped(f"{duty}.", f"{duty}{tie}.")
    assert dropped(f"{duty}{tie}.", f"{duty}{tie}.") == []


@given(duty=DUTIES, tie=TIES, other=DUTIES)
def test_another_sentence_binds_nothing(duty: str, tie: str, other: str) -> None:
    strange = "Vessels pay harbour dues" + tie
    assert dropped(f"{duty}.", f"{duty}. {strange}.") == []
    assert dropped("Whales sing.", f"{other}{tie}.") == []
