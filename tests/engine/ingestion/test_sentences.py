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
        ("fr", ["L'art. 6, par. 1, s'applique. ", "La loi n° 78-17 du 6 janv. 1978. ", "Fin."]),
        ("id", ["Pasal 25 ayat (1) UU No. 6 Tahun 1983. ", "Menteri dapat menetapkan. "]),
        ("ar", ["تسري أحكام هذا النظام. ", "ويعمل به من تاريخ نشره؟ ", "نعم."]),
        ("zh", ["第一条 为了规范。", "依照本法；本条例自公布之日起施行。"]),
        ("en", ["(1) The rule is old. ", "The law is new.\n", "(2) It stays. ", "It does."]),
        ("xx", ["One thing. ", "Another thing."]),
    ],
)
def test_sentences(language: str, sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = sentence_starts(text, language)
    assert [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)] == sentences
