"""What a claim may not leave out of its source is told; what frames, repeats or only adds may go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import sequence
from engine.language.statements.dropping import binding
from engine.language.statements.pairing import pair_tokens
from tests.tables import table


def dropped(claim: str, source: str, language: str = "en", *, agentless: bool = False) -> list[str]:
    own, theirs = sequence(claim, language), sequence(source, language)
    pairs = pair_tokens(own, theirs)
    left = [place for place in range(len(theirs)) if place not in pairs.of_claim.values()]
    return [token.word for token in binding(own, theirs, pairs, left, language, agentless=agentless)]


BOUND = table(__file__, "BOUND")


@pytest.mark.parametrize(("language", "claim", "source", "word"), BOUND)
def test_what_binds_may_not_be_left_out(language: str, claim: str, source: str, word: str) -> None:
    assert any(word in one for one in dropped(claim, source, language))


FREE = table(__file__, "FREE")


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
