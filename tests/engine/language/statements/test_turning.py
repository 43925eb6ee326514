"""A passive as the active that it is, clauses the other way round: the same words, nothing lost unsaid."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import sequence
from engine.language.statements.alignment import rephrase
from engine.language.statements.sequence import Token

# An active sentence, and the passive that says the same.
VOICES = [
    (
        "The buyer shall pay the price within ten days.",
        "The price shall be paid by the buyer within ten days.",
    ),
    ("The principal may revoke the power.", "The power may be revoked by the principal."),
    ("The buyer or the agent shall pay the price.", "The price shall be paid by the buyer or the agent."),
    ("The board must not disclose the records.", "The records must not be disclosed by the board."),
]


def keys(tokens: object) -> list[str]:
    assert isinstance(tokens, list | tuple)
    return [token.key for token in tokens]


def forms(claim: str, source: str) -> list[tuple[list[str], list[str], bool]]:
    return [
        (keys(own), keys(other), lost)
        for own, other, lost in rephrase(sequence(claim, "en"), sequence(source, "en"))
    ]


@pytest.mark.parametrize(("active", "passive"), VOICES)
def test_the_passive_of_either_is_the_active_of_the_other(active: str, passive: str) -> None:
    said = keys(sequence(active, "en"))
    assert (said, said, False) in forms(passive, active)
    assert (said, said, False) in forms(active, passive)


def test_a_passive_without_who_does_it_says_that_this_was_lost() -> None:
    found = forms(
        "The price shall be paid within ten days.", "The buyer shall pay the price within ten days."
    )
    assert found
    assert all(lost for *_, lost in found)


@pytest.mark.parametrize(
    ("source", "turns"),
    [
        ("The board shall ensure that the records are kept.", True),
        # Who may see to it need not; what is bound to something is not said plainly; nobody ensures anything.
        ("The board may ensure that the records are kept.", False),
        ("If asked, the board shall ensure that the records are kept.", False),
        ("The board shall not ensure that the records are kept.", False),
        ("The records are kept.", False),
    ],
)
def test_what_somebody_must_ensure_is_so(source: str, turns: bool) -> None:
    said = keys(sequence("The records are kept.", "en"))
    assert any(other == said for _, other, _ in forms("The records are kept.", source)) is turns


PARTS = st.lists(
    st.sampled_from([
        "the agent shall report", "if the board agrees", "unless the court objects", "the price is paid",
        "the price shall be paid by the buyer", "within ten days", "and the seller delivers",
    ]),
    min_size=1, max_size=4, unique=True,
)  # fmt: skip


def counted(tokens: object) -> Counter[tuple[str, str]]:
    assert isinstance(tokens, list | tuple)
    return Counter((str(token.sort), token.key) for token in tokens if isinstance(token, Token))


@given(claim=PARTS, source=PARTS)
def test_no_word_is_lost_and_none_is_added(claim: list[str], source: list[str]) -> None:
    own, theirs = sequence(", ".join(claim) + ".", "en"), sequence(", ".join(source) + ".", "en")
    for one, other, _ in rephrase(own, theirs):
        assert counted(one) == counted(own)
        assert counted(other) == counted(theirs)
