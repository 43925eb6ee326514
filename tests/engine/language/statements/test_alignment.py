"""Whether a text says a claim: word by word, in the same parts, under the same conditions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import Alignment, Change, align, sequence
from tests.tables import table

SAID = table(__file__, "SAID")
NOT_SAID = table(__file__, "NOT_SAID")
OTHERWISE = [
    ("en", "The buyer must pay within two years.", "The buyer must pay within one year.", Change.NUMBER),
    ("en", "The buyer may sell the goods.", "The buyer may not sell the goods.", Change.MODALITY),
    ("en", "The contract is void.", "The contract is valid.", Change.OPPOSITE),
    ("de", "Der Käufer haftet binnen 6 Monaten.", "Der Käufer haftet binnen 3 Monaten.", Change.NUMBER),
]


def of(language: str, claim: str, source: str) -> Alignment:
    return align(sequence(claim, language), sequence(source, language), language)


@pytest.mark.parametrize(("language", "claim", "source"), SAID, ids=[row[1] for row in SAID])
def test_what_is_said(language: str, claim: str, source: str) -> None:
    found = of(language, claim, source)
    assert found.complete, found


@pytest.mark.parametrize(("language", "claim", "source"), NOT_SAID, ids=[row[1] for row in NOT_SAID])
def test_what_is_not_said(language: str, claim: str, source: str) -> None:
    found = of(language, claim, source)
    assert not found.complete, found


@pytest.mark.parametrize(
    ("language", "claim", "source", "change"), OTHERWISE, ids=[row[1] for row in OTHERWISE]
)
def test_what_is_said_otherwise(language: str, claim: str, source: str, change: Change) -> None:
    found = of(language, claim, source)
    assert found.contrary, found
    assert [one.change for one in found.changed] == [change]


WORDS = st.sampled_from(
    ["buyer", "seller", "price", "goods", "pay", "deliver", "notify", "contract", "week", "court"]
)


@given(st.lists(WORDS, min_size=3, max_size=12))
def test_every_sentence_says_itself(words: list[str]) -> None:
    text = "The " + " ".join(words)
    if len({*words}) < 2:
        return
    assert of("en", text, text).complete


@given(st.lists(WORDS, min_size=3, max_size=9, unique=True), st.data())
def test_a_word_more_in_a_claim_is_never_said(words: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(words)))
    claim = [*words[:place], "lighthouse", *words[place:]]
    assert not of("en", " ".join(claim), " ".join(words)).complete


@given(st.lists(WORDS, min_size=4, max_size=9, unique=True), st.data())
def test_two_words_exchanged_are_never_said(words: list[str], data: st.DataObject) -> None:
    one, other = data.draw(
        st.tuples(st.integers(0, len(words) - 1), st.integers(0, len(words) - 1)).filter(
            lambda p: p[0] != p[1]
        )
    )
    claim = list(words)
    claim[one], claim[other] = claim[other], claim[one]
    assert not of("en", " ".join(claim), " ".join(words)).complete


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["en", "de", "ar", "zh", "fr", "und"]))
def test_any_texts_can_be_compared(claim: str, source: str, language: str) -> None:
    found = of(language, claim, source)
    assert 0.0 <= found.share <= 1.0
    assert not (found.complete and found.contrary)
