from __future__ import annotations

import re

import pytest

from engine.language.numerals import ARABIC_ORDINAL, arabic_ordinal, han_number, roman_number


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("الأولى", 1),
        ("الثانية", 2),
        ("العاشرة", 10),
        ("الحادية عشرة", 11),
        ("الثانية عشرة", 12),
        ("الثانية عشر", 12),
        ("العشرون", 20),
        ("العشرين", 20),
        ("الحادية والعشرين", 21),
        ("الواحدة والعشرون", 21),
        ("السادسة والخمسين", 56),
        ("المائة", 100),
        ("الأولى بعد المائة", 101),
        ("الثانية والأربعين بعد المائة", 142),
        ("الرابعة والثلاثون بعد المائتين", 234),
        ("التاسعة عشرة بعد الثلاثمائة", 319),
        ("الثانية والخمسين بعد الستمائة", 652),
        ("التاسِعة والثلاثين", 39),
        # "and" left out between ones and tens
        ("الحادية العشرون", 21),
        ("الثانيه", 2),
        ("واحدة", None),
        ("النظام", None),
        ("", None),
    ],
)
def test_arabic_ordinals(words: str, value: int | None) -> None:
    assert arabic_ordinal(words) == value


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
