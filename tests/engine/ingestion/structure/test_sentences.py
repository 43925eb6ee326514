from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.ingestion.structure.segmentation import sentence_starts


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            [
                "The Regulator may act under s. 12(3). ",
                "See Rule 4.3.2 and No. 5 of 2013. ",
                "It must report.",
            ],
        ),
        (
            "de",
            ["1. Die Frist nach § 12 Abs. 2 Nr. 3 beginnt am 1. Januar. ", "Sie endet vgl. Art. 6 Abs. 1. "],
        ),
        ("en", ["(1) The rule is old. ", "The law is new.\n", "(2) It stays. ", "It does."]),
        ("id", ["Kuasa dapat menolak (Pasal 17 ayat (2) UU). ", "Kuasa melapor (Pasal 18 ayat (1) UU)."]),
    ],
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
