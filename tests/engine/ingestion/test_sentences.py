from __future__ import annotations

import pytest

from engine.ingestion.sentences import sentence_starts


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
    ],
)
def test_sentences(language: str, sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = sentence_starts(text, language)
    assert [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences
