"""What of a text is a claim, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.audit.claims import find_statements
from tests.tables import table

LANGUAGES = ("en", "de", "id", "ar")
CUT = table(__file__, "CUT")


@pytest.mark.parametrize(("text", "claims"), CUT, ids=[row[0][:40] for row in CUT])
def test_claims(text: str, claims: list[str]) -> None:
    found = [span for one in find_statements(text, LANGUAGES) for span in one.clauses]
    assert [text[span.start : span.end] for span in found] == claims


# Full stops that end no sentence, and such that do: how many claims a text makes.
ENDED = table(__file__, "ENDED")


@pytest.mark.parametrize(("language", "text", "claims"), ENDED, ids=[row[1][:40] for row in ENDED])
def test_claims_end_where_sentences_do(language: str, text: str, claims: int) -> None:
    found = [text[s.start : s.end] for one in find_statements(text, (language,)) for s in one.clauses]
    assert (len(found), " ".join(found)) == (claims, text)


def test_the_language_is_told_by_block() -> None:
    text = (
        "The deadline is thirty days and may not be extended.\n\n"
        "Die Frist beträgt dreißig Tage und ist nicht verlängerbar."
    )
    assert [one.language for one in find_statements(text, LANGUAGES)] == ["en", "de"]


@given(st.text(alphabet=st.sampled_from("ab Z.;,?\n-#1(é)ا\u0301"), max_size=200))
def test_claims_lie_in_the_text_in_order(text: str) -> None:
    place = 0
    for span in (clause for one in find_statements(text, LANGUAGES) for clause in one.clauses):
        assert place <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        place = span.end
