"""What looks like a citation is told, in any form; words and quantities are none."""

from __future__ import annotations

from time import process_time

import pytest

from engine.answers.audit.citation_forms import lookalikes
from engine.answers.audit.matching import prepare_claim
from engine.model import Span

FINDING_WORDS = [
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


@pytest.mark.parametrize(("language", "text", "said"), FINDING_WORDS, ids=[row[2] for row in FINDING_WORDS])
def test_what_looks_like_a_citation(language: str, text: str, said: str) -> None:
    found = [text[span.start : span.end] for span in lookalikes(text, language, [])]
    assert any(said in one for one in found), found


@pytest.mark.parametrize(("language", "text"), PLAIN, ids=[row[1] for row in PLAIN])
def test_what_does_not(language: str, text: str) -> None:
    assert not list(lookalikes(text, language, []))


# Texts of one thing repeated, as a stranger may send them to have a pattern go back again and again.
REPEATED = (
    *("IV", "A", "a", "Aa", "AB-", "A-1", "A/", "A.", "a.", "A. ", "C. t. ", "1", "1.", "1-", "1/", "12 A"),
    *("§", "§ 1", "§ 1 Abs. 1 ", "(", "(A", "(A1", "[A 1", ")", ", see 1", " - ", "Art", "Art. ", "Art. 1"),
    *("art.1.", "A&", "X:", "1:", "Ä", "_", "Éa", "2999 I", "A1(1)", "A 1(a)(b)", "A&B", "1:1:"),
)


def test_no_text_takes_longer_than_its_length_asks_for() -> None:
    assert len(REPEATED) > 30
    for unit in REPEATED:
        text = (unit * 3_000)[:3_000]
        began = process_time()
        list(lookalikes(text, "en", []))
        assert process_time() - began < 0.5, unit


def test_a_claim_that_is_a_list_of_references_is_compared_in_few_forms() -> None:
    for unit in REPEATED:
        text = unit * 40
        references = [Span(start, start + 1) for start in range(0, 40 * len(unit), len(unit))]
        assert len(prepare_claim(text, "en", references).texts) < 100, unit
    # Of a sentence with some, those in front and behind need not stand in its source.
    assert (
        len(prepare_claim("A, B, the fee is due, C", "en", [Span(0, 1), Span(3, 4), Span(22, 23)]).texts) > 1
    )
