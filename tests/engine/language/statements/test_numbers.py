from __future__ import annotations

import pytest

from engine.language.statements.lexicon import lexicon
from engine.language.statements.numbers import numbers_in

# A text; of each number its value, its characters, and whether it counts a place (º) or stands in words (w).
FOUND = {
    ("en", "30 days, 30 (thirty) and thirty (30)"): "30 = 30; 30 = 30 (thirty) w; 30 = thirty (30) w",
    ("en", "5 (six) or 5 (five)"): "5 = 5; 6 = six w; 5 = 5 (five) w",
    (
        "en",
        "1,500.25 and 1.500,25; 1,500 and 1.5",
    ): "1500.25 = 1,500.25; 1500.25 = 1.500,25; 1500 = 1,500; 1.5 = 1.5",
    ("de", "1.500,25 und 1.500 und 1,5"): "1500.25 = 1.500,25; 1500 = 1.500; 1.5 = 1,5",
    ("fr", "100 000 et 10\u202f000,5 francs"): "100000 = 100 000; 10000.5 = 10\u202f000,5",
    ("en", "1,000,000 or 10'000"): "1e+06 = 1,000,000; 10000 = 10'000",
    ("en", "rule 4.3.2, 1,2,3, 1/2, 2015/12, a-5, 5x"): "",
    ("en", "5 million and 2 thousand"): "5e+06 = 5 million; 2000 = 2 thousand",
    ("en", "twenty million"): "2e+07 = twenty million w",
    ("de", "2 Millionen oder zwölf"): "2e+06 = 2 Millionen; 12 = zwölf w",
    ("en", "the 3rd and the tenth"): "3 = 3rd º; 10 = tenth ºw",
    ("fr", "le 1er et vingt-et-un"): "1 = 1er º; 21 = vingt-et-un w",
    ("en", "twenty-one, three hundred and five"): "21 = twenty-one w; 305 = three hundred and five w",
    ("id", "dua puluh lima ribu tiga ratus"): "25300 = dua puluh lima ribu tiga ratus w",
    ("id", "seratus lima belas; sepuluh, dua"): "115 = seratus lima belas w; 10 = sepuluh w; 2 = dua w",
    ("id", "dua juta, hari kesepuluh"): "2e+06 = dua juta w; 10 = kesepuluh ºw",
    ("ar", "خمسة وعشرون"): "25 = خمسة وعشرون w",
    ("ar", "مائة وخمسون"): "150 = مائة وخمسون w",
    ("ar", "٣٠ يوما في المادة الثانية"): "30 = ٣٠; 2 = الثانية ºw",
}


def test_numbers_in_digits_and_in_words(subtests: pytest.Subtests) -> None:
    for (language, text), expected in FOUND.items():
        with subtests.test(text):
            told = [
                f"{one.value:g} = {text[one.span.start : one.span.end]} "
                f"{'º' * one.ordinal}{'w' * one.in_words}".rstrip()
                for one in numbers_in(text, language, lexicon(language))
            ]
            assert "; ".join(told) == expected
