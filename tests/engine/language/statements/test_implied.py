"""What a claim may say without a word of the source for it, and what it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.statements import Sort, sequence
from engine.language.statements.pairing import find_implied, pair_tokens
from engine.model import Span

NONE: frozenset[str] = frozenset()


def of(
    claim: str, source: str, language: str = "en", context: frozenset[str] = NONE, cited: str = ""
) -> tuple[list[str], list[str]]:
    """The words of the claim that the source lacks, and those of them that need none of it; ``cited`` are
    words of the claim that are a reference."""
    at = claim.find(cited) if cited else -1
    own = sequence(claim, language, [Span(at, at + len(cited))] if cited else ())
    theirs = sequence(source, language)
    pairs = pair_tokens(own, theirs)
    lost = [place for place in range(len(own)) if place not in pairs.of_claim]
    left = [place for place in range(len(theirs)) if place not in pairs.of_claim.values()]
    found = find_implied(own, theirs, pairs, lost, left, language, context)
    return [own[place].word for place in lost], [own[place].word for place in sorted(found)]


def test_a_reference_of_the_claim_need_not_stand_in_its_source() -> None:
    lost, found = of("Under Article 4 the agent shall report.", "The agent shall report.", cited="Article 4")
    assert "Article 4" in lost
    assert "Article 4" in found


@pytest.mark.parametrize(
    ("claim", "context", "found"),
    [
        ("The agent shall report.", {"agent"}, ["agent"]),
        ("The agent shall report.", {"principal"}, []),
        ("The agent shall report.", set(), []),
        # Somebody besides whom the pronoun may mean.
        ("The agent and the auditor shall report.", {"agent"}, []),
    ],
)
def test_a_pronoun_stands_for_whom_the_context_names(claim: str, context: set[str], found: list[str]) -> None:
    assert of(claim, "He shall report.", context=frozenset(context))[1] == found


def test_a_carrying_verb_stands_next_to_what_it_carries() -> None:
    assert of("The board shall submit a notification.", "The board shall make a notification.")[1] == [
        "submit"
    ]
    assert "obtain" not in of("Whoever pays shall obtain.", "The court sits.")[1]


def test_an_exception_that_only_points_at_the_law() -> None:
    claim, source = "Save in the cases of paragraph 2 the agent shall report.", "The agent shall report."
    assert "Save" in of(claim, source, cited="paragraph 2")[1]
    assert of("Unless the board objects the agent shall report.", source)[1] == []


SUBJECTS = ("agent", "board", "buyer", "court")
VERBS = ("report", "pay", "resign", "object")
claims = st.builds(
    lambda who, modal, verb: f"The {who} {modal} {verb}.",
    st.sampled_from(SUBJECTS),
    st.sampled_from(["shall", "may", "must not", "shall not"]),
    st.sampled_from(VERBS),
)


@given(claim=claims, source=claims)
def test_of_what_is_lost_only_is_anything_implied_and_never_what_binds(claim: str, source: str) -> None:
    lost, found = of(claim, source)
    assert set(found) <= set(lost)
    binding = {one.word for one in sequence(claim, "en") if one.sort is Sort.NOT}
    assert not binding & set(found)
