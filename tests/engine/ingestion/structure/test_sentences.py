from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.ingestion.structure.segmentation import sentence_starts
from tests.tables import table


@pytest.mark.parametrize(
    ("language", "sentences"),
    table(__file__, "test_sentences"),
)
def test_sentences(language: str, sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = sentence_starts(text, language)
    assert [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences


TOKENS = st.sampled_from(["18.", "3.", "1.", "(2)", "§", "Abs.", "des", "Jahr", "gilt.", "\n", "Art.", "5"])


@given(st.lists(TOKENS, max_size=8).map(" ".join), st.sampled_from(["de", "en", "fr", "id", "ar", "xx"]))
@example("Es gilt § 18. Jahr.", "de")
def test_starts_rise_from_the_beginning(text: str, language: str) -> None:
    starts = sentence_starts(text, language)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] <= len(text)
