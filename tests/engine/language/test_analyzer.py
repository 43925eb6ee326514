from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.analysis import analyzer, find_numbers
from engine.language.entities import words_of


@pytest.mark.parametrize(
    ("language", "text", "held"),
    [
        ("en", "Rule 4.3.2(1)(a) applies.", {"4.3.2", "4.3.2(1)(a)", "4", "3", "2", "rule"}),
        ("en", "Article 6(1) of the Act", {"art6", "6(1)", "articl", "act"}),
        ("en", "ISO 14001 and GRI 306", {"iso14001", "gri306", "iso", "14001", "306"}),
        ("en", "The café’s obligations", {"cafe", "oblig"}),
        ("en", "a fee of USD 50,000", {"50,000", "50", "000"}),
        ("en", "Rule \u200e2.7.1", {"2.7.1"}),
        ("de", "§ 433 Abs. 2", {"§433", "433"}),
        ("de", "des Bürgerlichen Gesetzbuches", {"burg", "gesetzbuch"}),
        ("de", "STRASSE Straße", {"strass"}),
        ("ar", "المادة 5", {"مادة5", "5"}),
        ("ar", "الْمَادَّة ٥", {"5"}),
        ("id", "Pasal 25 ayat (1)", {"pasal25", "25", "1"}),
        ("zh", "合同法", {"合同", "同法"}),
        ("zh", "第十二条", {"第12条"}),
        ("zh", "第12条的规定", {"第12条", "规定"}),
        ("fr", "l'article L. 110-1 du code", {"l110-1", "110", "1"}),
        ("fr", "R.* 123-4 et LO141-2", {"r123-4", "lo141-2"}),
        ("ja", "契約", {"契約"}),
        ("und", "Zürich", {"zurich"}),
    ],
)
def test_terms_hold(language: str, text: str, held: set[str]) -> None:
    assert held <= set(analyzer(language).terms(text))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "obligation", "obligations"),
        ("de", "Vertrag", "Vertrages"),
        ("id", "perjanjian", "janji"),
        ("ar", "المادة", "والمادة"),
        ("ar", "الإجراءات", "الاجراءات"),
    ],
)
def test_forms_of_one_word_meet(language: str, one: str, other: str) -> None:
    assert analyzer(language).terms(one) == analyzer(language).terms(other) != []


def test_region_does_not_matter() -> None:
    assert analyzer("en-GB") is analyzer("en")


def test_batch_is_terms_of_each() -> None:
    texts = ["Rule 4.3.2", "", "the fund manager"]
    assert analyzer("en").batch(texts) == [analyzer("en").terms(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("§§ 12", ["§12"]),
        ("section 58(2)", ["section58", "58(2)"]),
        ("a4.3.2", ["a4.3.2"]),
        ("7(3)", ["7(3)"]),
        ("7", []),
    ],
)
def test_whole_numbers(text: str, expected: list[str]) -> None:
    assert find_numbers(text) == expected


@settings(deadline=None)
@given(
    text=st.text() | st.text("§ (.)-,artse12x™ﬁ½\u0301\u0345İςé\u200d第条Lز٣"),
    language=st.sampled_from(["en", "de", "ar", "zh", "fr", "und"]),
)
def test_terms_are_those_of_the_words_and_the_numbers(text: str, language: str) -> None:
    own = analyzer(language)
    if own.is_wordwise(text):
        words = [term for word in words_of(text) for term in own.terms_of_word(word)]
        assert own.terms(text) == words + own.numbers(text)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Who pays, and who pays when?", ["Who", "pays", "and", "who", "when"]),
        ("zh", "谁支付港口费？", ["谁支", "支付", "付港", "港口", "口费"]),
        ("zh", "PPP项目，税", ["PPP", "项目", "税"]),
        ("id", "kapal-kapal asing", ["kapal", "asing"]),
        ("en", "", []),
    ],
)
def test_words_that_are_queries_of_their_own(language: str, text: str, expected: list[str]) -> None:
    assert analyzer(language).query_words(text) == expected
