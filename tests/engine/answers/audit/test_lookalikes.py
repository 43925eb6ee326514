"""What looks like a citation is told, in any form; words and quantities are none."""

from __future__ import annotations

import pytest

from engine.answers.audit.lookalikes import lookalikes

TOLD = [
    ("en", "As PRU R412.4 provides, a firm must dine.", "PRU R412.4"),
    ("en", "A firm must dine, see Circular 77/2033.", "Circular 77/2033"),
    ("de", "Nach Ziff. 412 der Mietordnung gilt: Der Mieter muss essen.", "Ziff. 412"),
    ("de", "Der Mieter muss essen, BGB/R-412.", "BGB/R-412"),
    ("fr", "Selon C. tour. 412 al. 9, une société doit dîner.", "C. tour. 412 al. 9"),
    ("fr", "Aux termes de l'article X412 du code, une société doit dîner.", "article X412"),
    ("id", "Menurut KUHPer-412/A, perseroan wajib makan.", "KUHPer-412/A"),
]
PLAIN = [
    ("en", "The fee was $5,000 on 3 Jan. 2024."),
    ("en", "Mr. 5 and St. 7 are out."),
    ("de", "Die Frist beträgt 14 Tage."),
]


@pytest.mark.parametrize(("language", "text", "said"), TOLD, ids=[row[2] for row in TOLD])
def test_what_looks_like_a_citation(language: str, text: str, said: str) -> None:
    found = [text[span.start : span.end] for span in lookalikes(text, language, [])]
    assert any(said in one for one in found), found


@pytest.mark.parametrize(("language", "text"), PLAIN, ids=[row[1] for row in PLAIN])
def test_what_does_not(language: str, text: str) -> None:
    assert not list(lookalikes(text, language, []))
