"""Quantities: one form for digits and words in five languages."""

from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.language.statements import Bound, Kind, quantities_in

DAYS, MONTHS = (Kind.DURATION, "day"), (Kind.DURATION, "month")
FOUND = [
    ("en", "within thirty days of delivery", [(*DAYS, 30, Bound.UPPER)]),
    ("en", "a period of 30 (thirty) days", [(*DAYS, 30, Bound.EXACT)]),
    ("en", "thirty (30) days", [(*DAYS, 30, Bound.EXACT)]),
    ("en", "four weeks", [(*DAYS, 28, Bound.EXACT)]),
    ("en", "a fortnight: a 14-day period", [(*DAYS, 14, Bound.EXACT)]),
    ("en", "not more than two years", [(*MONTHS, 24, Bound.UPPER)]),
    ("en", "no longer than 24 months", [(*MONTHS, 24, Bound.UPPER)]),
    ("en", "at least one year", [(*MONTHS, 12, Bound.LOWER)]),
    ("en", "within a month", [(*MONTHS, 1, Bound.UPPER)]),
    ("en", "on the third working day", [(Kind.DURATION, "working day", 3, Bound.EXACT)]),
    ("en", "five business days", [(Kind.DURATION, "working day", 5, Bound.EXACT)]),
    ("en", "up to 100 000 crowns", [(Kind.AMOUNT, "crown", 100_000, Bound.UPPER)]),
    ("en", "more than US$1,250.50", [(Kind.AMOUNT, "USD", 1250.5, Bound.LOWER)]),
    ("en", "$5 million", [(Kind.AMOUNT, "USD", 5_000_000, Bound.EXACT)]),
    ("en", "5million euros", [(Kind.AMOUNT, "EUR", 5_000_000, Bound.EXACT)]),
    ("de", "2,5Millionen Euro", [(Kind.AMOUNT, "EUR", 2_500_000, Bound.EXACT)]),
    ("en", "three quarters of the votes", [(Kind.SHARE, "percent", 75, Bound.EXACT)]),
    ("en", "75 per cent of the votes", [(Kind.SHARE, "percent", 75, Bound.EXACT)]),
    ("en", "one half of one per cent", [(Kind.SHARE, "percent", 0.5, Bound.EXACT)]),
    ("en", "10% or more", [(Kind.SHARE, "percent", 10, Bound.LOWER)]),
    ("en", "on 1 January 2024", [(Kind.DATE, "date", 738_886, Bound.EXACT)]),
    ("en", "by 31 January", [(Kind.DAY, "day", 131, Bound.EXACT)]),
    ("en", "the Act of 2012", [(Kind.YEAR, "year", 2012, Bound.EXACT)]),
    ("en", "at least two managers", [(Kind.COUNT, "manag", 2, Bound.LOWER)]),
    ("en", "under Article 14(2) and RS 306, any one manager", []),
    ("de", "innerhalb von vierzehn Tagen", [(*DAYS, 14, Bound.UPPER)]),
    ("de", "vier Wochen", [(*DAYS, 28, Bound.EXACT)]),
    ("de", "eine 30-tägige Frist", [(*DAYS, 30, Bound.EXACT)]),
    ("de", "250.000,50 Euro", [(Kind.AMOUNT, "EUR", 250_000.5, Bound.EXACT)]),
    ("de", "spätestens fünf Werktage danach", [(Kind.DURATION, "working day", 5, Bound.UPPER)]),
    ("id", "tiga puluh hari", [(*DAYS, 30, Bound.EXACT)]),
    ("id", "paling lama dua tahun", [(*MONTHS, 24, Bound.UPPER)]),
    ("id", "dua puluh satu hari kerja", [(Kind.DURATION, "working day", 21, Bound.EXACT)]),
    ("id", "pada hari kesepuluh", [(*DAYS, 10, Bound.EXACT)]),
    ("id", "Rp 100.000.000", [(Kind.AMOUNT, "IDR", 1e8, Bound.EXACT)]),
    ("ar", "ثلاثون يوما", [(*DAYS, 30, Bound.EXACT)]),
    ("ar", "خلال ٣٠ يوما", [(*DAYS, 30, Bound.UPPER)]),
    ("ar", "خلال خمسة عشر يوما من النشر", [(*DAYS, 15, Bound.UPPER)]),
    ("ar", "مدة شهرين", [(*MONTHS, 2, Bound.EXACT)]),
    ("fr", "dans un délai de trente jours", [(*DAYS, 30, Bound.UPPER)]),
    ("fr", "au moins 1 500,50 euros", [(Kind.AMOUNT, "EUR", 1500.5, Bound.LOWER)]),
    ("fr", "trois quarts des voix", [(Kind.SHARE, "percent", 75, Bound.EXACT)]),
]


@pytest.mark.parametrize(("language", "text", "expected"), FOUND, ids=[row[1] for row in FOUND])
def test_quantities(language: str, text: str, expected: list[tuple[Kind, str, float, Bound]]) -> None:
    found = quantities_in(text, language, [m.span for m in find_mentions(text, language)])
    if text.startswith("a fortnight"):
        found = found[-1:]
    assert [(q.kind, q.unit, round(q.value, 6), q.bound) for q in found] == expected


def test_a_month_is_not_thirty_days_and_a_year_is_twelve_months() -> None:
    (month,), (days,) = quantities_in("one month", "en"), quantities_in("30 days", "en")
    (year,), (months,) = quantities_in("1 year", "en"), quantities_in("twelve months", "en")
    assert not month.same_as(days)
    assert month.comparable(days)
    assert year.same_as(months)
