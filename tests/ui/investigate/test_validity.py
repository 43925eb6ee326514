from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.records.context import Badge, badge
from tests.ui.values import CODE, TODAY, passage

BARE = replace(CODE, status=None)


@pytest.mark.parametrize(
    ("status", "begin", "end", "expected"),
    [
        (None, None, None, None),
        ("in force", None, None, Badge("in force", False)),
        ("IN_FORCE", None, None, Badge("in force", False)),
        ("repealed", None, None, Badge("repealed", True)),
        ("in force", None, date(2023, 12, 31), Badge("until 31 Dec 2023", True)),
        (None, date(2020, 1, 1), None, Badge("in force", False)),
        (None, date(2027, 1, 1), None, Badge("from 1 Jan 2027", True)),
        (None, date(2020, 1, 1), date(2030, 6, 30), Badge("in force until 30 Jun 2030", False)),
        ("draft", None, None, Badge("draft", False)),
    ],
)
def test_badges(status: str | None, begin: date | None, end: date | None, expected: Badge | None) -> None:
    found = replace(passage("p"), status=status, valid_from=begin, valid_to=end)
    assert badge(found, BARE, TODAY) == expected


def test_the_passage_speaks_before_its_document() -> None:
    assert badge(replace(passage("p"), status="repealed"), CODE, TODAY) == Badge("repealed", True)
    assert badge(passage("p"), CODE, TODAY) == Badge("in force", False)
