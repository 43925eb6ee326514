from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.corpus.extracted import Proposal, locate, occurrence_at
from engine.model import Relation, Span
from tests.engine.corpus.extracted.values import EXCEPTION, USE, proposal


def test_the_key_is_of_what_is_said_not_of_who_says_it() -> None:
    same = Proposal(**{**EXCEPTION.model_dump(), "confidence": 0.1, "said_by": "another"})
    assert same.key == EXCEPTION.key
    assert Proposal(**{**EXCEPTION.model_dump(), "occurrence": 1}).key != EXCEPTION.key
    assert Proposal(**{**USE.model_dump(), "concept": " POWERS "}).key == USE.key


def test_a_proposal_leads_to_one_thing() -> None:
    with pytest.raises(ValidationError, match="to a passage or to a concept"):
        proposal("p1", "x", Relation.EXTENDS)
    with pytest.raises(ValidationError, match="to a passage or to a concept"):
        proposal("p1", "x", Relation.EXTENDS, target_id="p2", concept="fees")
    with pytest.raises(ValidationError):
        proposal("p1", "x", Relation.EXTENDS, target_id="p2", confidence=1.01)


@given(st.text("ab ", max_size=30), st.data())
def test_an_occurrence_is_found_again(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    quote = text[start:stop]
    if quote:
        again = proposal(
            "p", quote, Relation.EXTENDS, target_id="q", occurrence=occurrence_at(text, quote, start)
        )
        assert locate(again, text) == Span(start, stop)
        assert locate(again, "") is None
