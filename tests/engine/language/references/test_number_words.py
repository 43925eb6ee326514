from __future__ import annotations

import pytest

from engine.language.references.levels import NUMBERS


@pytest.mark.parametrize(
    ("numbers", "printed", "canonical"),
    [
        ("arabic_item", "(٢)", "2"),
        ("arabic_item", "الثانية", "2"),
        ("arabic_item", "(أولاً)", "1"),
        ("arabic_item", "ثانيًا", "2"),
        ("arabic_item", "( هـ )", "ه"),
        ("arabic_item", "(2/أ)", "2/أ"),
        ("arabic_item", "(أولاً/ أ)", "1/أ"),
        # what scans make of digits, and the letters of real numbers
        ("indonesian", "7l8", "718"),
        ("indonesian", "2O1", "201"),
        ("indonesian", "1601l", "1601l"),
        ("indonesian", "25A", "25A"),
        ("indonesian", "(l)", "1"),
        ("indonesian", "III", "III"),
        ("indonesian", "Kedua", "2"),
        ("han", "一百二十三条", "123"),
        ("han", "第12条", "12"),
        ("han", "十二条之二", "12-2"),
        ("han", "", ""),
        ("french", "L. 110-1", "L110-1"),
        ("french", "1er", "1"),
        ("french", "3°", "3"),
        ("french", "IX", "IX"),
        ("ordinal", "6.º", "6"),
        ("ordinal", "22.o", "22"),
        ("ordinal", "5.º-A", "5-A"),
    ],
)
def test_a_printed_number(numbers: str, printed: str, canonical: str) -> None:
    assert NUMBERS[numbers](printed) == canonical
