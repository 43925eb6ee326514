"""Dates in many languages: a table of words and the day they name."""

from __future__ import annotations

from datetime import date

import pytest

from engine.language.dates import dates_in

DAY = date(2024, 3, 5)


@pytest.mark.parametrize(
    ("language", "words", "day"),
    [
        ("en", "5 March 2024", DAY),
        ("en", "the 5th day of March 2024", DAY),
        ("en", "March 5, 2024", DAY),
        ("en", "[17th July 2014]", date(2014, 7, 17)),
        ("en", "NOV. 29, 2011", date(2011, 11, 29)),
        ("en", "2024-03-05", DAY),
        ("en", "13/05/2024", date(2024, 5, 13)),
        ("en", "05/13/2024", date(2024, 5, 13)),
        # Either the fifth of March or the third of May.
        ("en", "05/03/2024", None),
        ("de", "5. März 2024", DAY),
        ("de", "05.03.2024", DAY),
        ("fr", "1er janvier 2017", date(2017, 1, 1)),
        ("fr", "5 mars 2024", DAY),
        ("id", "5 Maret 2024", DAY),
        ("id", "26 Oktober 2020", date(2020, 10, 26)),
        ("ar", "٥ مارس ٢٠٢٤", DAY),
        ("ar", "5 من مارس سنة 2024", DAY),
        ("ar", "05/03/2024م", DAY),
        # A Hijri day.
        ("ar", "29/11/1444هـ", None),
        ("ar", "29/11/1544 هـ", None),
        ("zh", "2024年3月5日", DAY),
        ("zh", "2024 年 3 月 5 日", DAY),
        ("en", "30 February 2024", None),
        ("en", "March 2024", None),
        ("en", "Regulation 2016/679", None),
    ],
)
def test_the_day_that_words_name(language: str, words: str, day: date | None) -> None:
    assert [found.day for found in dates_in(words, language)] == ([] if day is None else [day])
