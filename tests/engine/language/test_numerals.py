from __future__ import annotations

import re

import pytest

from engine.language.numerals import (
    ARABIC_ORDINAL,
    FRENCH_NUMBER,
    arabic_ordinal,
    french_number,
    han_number,
    indonesian_number,
    roman_number,
)


def test_an_ordinal_ends_where_the_next_word_begins() -> None:
    match = re.search(ARABIC_ORDINAL, "المادة الخامسة عشرة من هذا النظام")
    assert match is not None
    assert match[0] == "الخامسة عشرة"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("一百二十三", 123),
        ("三千零五", 3005),
        ("二〇一六", 2016),
        ("一〇五", 105),
        ("x", None),
        ("", None),
    ],
)
def test_chinese_numerals(text: str, value: int | None) -> None:
    assert han_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("I", 1), ("IV", 4), ("XIV", 14), ("XL", 40), ("CCC", 300), ("IIII", None), ("", None), ("ABC", None)],
)
def test_roman_numerals(text: str, value: int | None) -> None:
    assert roman_number(text) == value


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("1er", "1"),
        ("premier", "1"),
        ("12", "12"),
        ("L. 110-1", "L110-1"),
        ("R*. 123-4", None),
        ("bis", None),
        ("", None),
    ],
)
def test_french_articles(printed: str, number: str | None) -> None:
    assert french_number(printed) == number


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("12 A compter du 1er janvier", "12"),
        ("39 A du code", "39 A"),
        ("5 L'autorité", "5"),
        ("2 bis et 3", "2 bis"),
        ("1er, paragraphe 1", "1er"),
        ("L. 110-1, deuxième", "L. 110-1"),
        ("12,5 %", None),
    ],
)
def test_where_the_number_of_a_french_article_ends(text: str, printed: str | None) -> None:
    match = re.match(FRENCH_NUMBER, text)
    assert (match[0] if match else None) == printed


_ONES = ("الأولى", "الثانية", "الثالثة", "الرابعة", "الخامسة", "السادسة", "السابعة", "الثامنة", "التاسعة")
_TENS = ("العشر", "الثلاث", "الأربع", "الخمس", "الست", "السبع", "الثمان", "التسع")
_HUNDREDS = (
    *("المائة", "المائتين", "الثلاثمائة", "الأربعمائة", "الخمسمائة"),
    *("الستمائة", "السبعمائة", "الثمانمائة", "التسعمائة"),
)


def arabic_words(value: int, ending: str) -> str:
    hundreds, rest = divmod(value, 100)
    tens, ones = divmod(rest, 10)
    if rest == 0:
        return _HUNDREDS[hundreds - 1]
    if rest == 10:
        words = "العاشرة"
    elif tens == 0:
        words = _ONES[ones - 1]
    elif tens == 1:
        words = f"{'الحادية' if ones == 1 else _ONES[ones - 1]} عشرة"
    else:
        first = "الحادية" if ones == 1 else _ONES[ones - 1]
        words = f"{first} و{_TENS[tens - 2]}{ending}" if ones else f"{_TENS[tens - 2]}{ending}"
    return f"{words} بعد {_HUNDREDS[hundreds - 1]}" if hundreds else words


@pytest.mark.parametrize("ending", ["ون", "ين"])
def test_every_arabic_ordinal_below_a_thousand(ending: str) -> None:
    wrong = [value for value in range(1, 1000) if arabic_ordinal(arabic_words(value, ending)) != value]
    assert wrong == []


@pytest.mark.parametrize(
    ("words", "value"), [("kesatu", 1), ("Pertama", 1), ("KEDUA", 2), ("keduabelas", 12), ("belas", None)]
)
def test_indonesian_numbers(words: str, value: int | None) -> None:
    assert indonesian_number(words) == value
