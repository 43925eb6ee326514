"""Each word of a claim is paired with the same word of the source; one with another part there is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import sequence
from engine.language.statements.pairing import Pairs, pair_tokens
from engine.language.statements.sequence import Token
from tests.tables import table

# Who does it, to whom, with what: a table of all sentences that these make.
PEOPLE = ("agent", "principal", "buyer", "registrar", "tenant")
VERBS = ("notify", "pay", "inform", "register")
WHEN = ("", " within thirty days", " in writing", " without delay", " if the board agrees")
sentences = st.tuples(st.permutations(PEOPLE), st.sampled_from(VERBS), st.sampled_from(WHEN)).map(
    lambda drawn: f"The {drawn[0][0]} shall {drawn[1]} the {drawn[0][1]}{drawn[2]}."
)


def pairs_of(claim: str, source: str, language: str = "en") -> tuple[Pairs, tuple[Token, ...], list[str]]:
    """The pairs, the tokens of the claim, and the words of it that have another part in the source."""
    own = sequence(claim, language)
    found = pair_tokens(own, sequence(source, language))
    return found, own, [token.word for token in found.exchanged]


SAME_PARTS = table(__file__, "SAME_PARTS")


@pytest.mark.parametrize(("language", "claim", "source"), SAME_PARTS)
def test_what_stands_elsewhere_with_the_same_part_is_moved(language: str, claim: str, source: str) -> None:
    found, own, exchanged = pairs_of(claim, source, language)
    assert found.of_claim.keys() == set(range(len(own)))
    assert found.moved
    assert exchanged == []


# Each claim has all words of its source, and says something else.
OTHER_PARTS = table(__file__, "OTHER_PARTS")


@pytest.mark.parametrize(("language", "claim", "source", "words"), OTHER_PARTS)
def test_what_has_another_part_is_told(language: str, claim: str, source: str, words: set[str]) -> None:
    found, own, exchanged = pairs_of(claim, source, language)
    assert found.of_claim.keys() == set(range(len(own)))
    assert words & set(exchanged)


@given(people=st.permutations(PEOPLE), verb=st.sampled_from(VERBS), when=st.sampled_from(WHEN))
def test_who_does_it_to_whom_is_never_exchanged_in_silence(people: list[str], verb: str, when: str) -> None:
    one, other = people[:2]
    said = f"The {one} shall {verb} the {other}{when}."
    assert pairs_of(f"The {other} shall {verb} the {one}{when}.", said)[2]
