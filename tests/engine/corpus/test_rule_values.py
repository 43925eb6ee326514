from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.rule_values import (
    Choice,
    Duration,
    FactType,
    add_duration,
    month_bounds,
    parse_duration,
    parse_number,
    parse_value,
    value_text,
)
from engine.errors import SettingsError

DAYS = st.dates(date(1900, 1, 1), date(2300, 1, 1))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("50000", "50000"),
        ("50,000", "50000"),
        ("50 000", "50000"),
        ("50,000.50", "50000.50"),
        ("50.000,50", "50000.50"),
        ("1.234.567", "1234567"),
    ],
)
def test_numbers(text: str, number: str) -> None:
    assert parse_number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "fifty", "50.000", "1,2.3,4", "5%", "1e9", "NaN", "--1", "9" * 40])
def test_what_is_no_one_number_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_number(text)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("30 days", Duration(0, 30)),
        ("6 weeks", Duration(0, 42)),
        ("2 years", Duration(24)),
        ("1 year 6 months", Duration(18)),
        ("2 Jahre, 3 Tage", Duration(24, 3)),
        ("30 hari", Duration(0, 30)),
        ("P1Y6M", Duration(18)),
    ],
)
def test_durations(text: str, span: Duration) -> None:
    assert parse_duration(text) == span


@pytest.mark.parametrize("text", ["", "days", "10 working days", "30", "P", "about 3 weeks", "99999 years"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_duration(text)


@given(DAYS, st.integers(0, 60))
def test_the_bounds_of_months_hold_on_every_calendar(first: date, months: int) -> None:
    low, high = month_bounds(months)
    day = first.replace(day=1)
    assert low <= (add_duration(day, Duration(months)) - day).days <= high


@given(DAYS, st.integers(-2000, 2000))
def test_days_are_counted_as_the_calendar_counts_them(day: date, days: int) -> None:
    assert add_duration(day, Duration(days=days)) == day + timedelta(days=days)


def test_values_of_facts() -> None:
    scale = ("joint", "sole")
    assert parse_value(FactType.MONEY, "MRC 50,000", unit="MRC") == Decimal(50000)
    assert parse_value(FactType.MONEY, "50000 mrc", unit="MRC") == Decimal(50000)
    assert parse_value(FactType.DATE, "31 January 2024") == date(2024, 1, 31)
    assert parse_value(FactType.DATE, "2024-01-31") == date(2024, 1, 31)
    assert parse_value(FactType.TRUTH, "Ja") is True
    assert parse_value(FactType.TRUTH, "no") is False
    assert parse_value(FactType.CHOICE, "Sole", scale=scale) == Choice("sole", scale)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FactType.MONEY, "EUR 50000"),
        (FactType.DATE, "05/03/2024 or so"),
        (FactType.DATE, "soon"),
        (FactType.TRUTH, "perhaps"),
        (FactType.CHOICE, "third"),
    ],
)
def test_values_of_another_kind_are_refused(kind: FactType, text: str) -> None:
    with pytest.raises(SettingsError):
        parse_value(kind, text, unit="MRC", scale=("joint", "sole"))


def test_values_in_words() -> None:
    assert value_text(Decimal("50000.50"), "MRC") == "50,000.50 MRC"
    assert value_text(Duration(18, 1)) == "1 year 6 months 1 day"
    assert value_text(True) == "yes"
    assert value_text(Choice("very_wide", ("very_wide",))) == "very wide"
