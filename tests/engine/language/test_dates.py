"""Dates in many languages: a table of words and the day they name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.dates import dates_in, parse_date

DAY = date(2024, 3, 5)


@pytest.mark.parametrize(
    ("language", "words", "day"),
    [
        ("en", "5 March 2024", DAY),
        ("en", "the 5th day of March 2024", DAY),
        ("en", "March 5, 2024", DAY),
        ("en", "2024-03-05", DAY),
        ("en", "13/05/2024", date(2024, 5, 13)),
        ("en", "05/13/2024", date(2024, 5, 13)),
        # Either the fifth of March or the third of May.
        ("en", "05/03/2024", None),
        ("de", "05.03.2024", DAY),
        ("ar", "05/03/2024م", DAY),
        # A Hijri day.
        ("ar", "29/11/1444هـ", None),
        ("ar", "29/11/1544 هـ", None),
        ("zh", "2024年3月5日", DAY),
        ("zh", "2024 年 3 月 5 日", DAY),
        ("en", "30 February 2024", None),
        ("en", "March 2024", None),
    ],
)
def test_the_day_that_words_name(language: str, words: str, day: date | None) -> None:
    assert [found.day for found in dates_in(words, language)] == ([] if day is None else [day])


@given(st.dates(date(1500, 1, 1), date(2199, 12, 31)))
def test_every_day_is_read_back(day: date) -> None:
    for words in (
        day.isoformat(),
        f"{day.day}.{day.month}.{day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        assert parse_date(words, "de") == day
