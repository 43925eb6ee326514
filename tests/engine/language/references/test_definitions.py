from __future__ import annotations

import pytest

from engine.language.references.definitions import own_regulation, same_as
from engine.language.references.readings import defined_names
from tests.tables import tuples


@pytest.mark.parametrize(
    ("text", "language", "held"),
    tuples(__file__, "test_definitions"),
)
def test_definitions(text: str, language: str, held: tuple[str, str, bool]) -> None:
    found = list(defined_names(text, language))
    assert held in found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('a person ("A")', "en"),
        ("the Money Laundering Reporting Officer (MLRO)", "en"),
        ("(BGB)", "de"),
        ("", "ar"),
    ],
)
def test_what_defines_no_document(text: str, language: str) -> None:
    assert list(defined_names(text, language)) == []


@pytest.mark.parametrize(
    ("name", "title", "language", "expected"),
    [
        ("Act", "Commercial Register Act 2004", "en", True),
        ("Rules", "Commercial Register Act 2004", "en", False),
        ("Companies Act", "Companies Act", "en", False),
        ("Gesetzes", "Aktiengesetz", "de", True),
        ("Verordnung", "Aktiengesetz", "de", False),
        ("النظام", "نظام التحكيم", "ar", True),
        ("النظام", "اللائحة التنفيذية لنظام التحكيم", "ar", False),
    ],
)
def test_a_bare_kind_of_act(name: str, title: str, language: str, expected: bool) -> None:
    assert same_as(name, title, language) is expected


def test_the_regulation_of_an_act() -> None:
    expected = "اللائحة التنفيذية لنظام التحكيم"
    assert own_regulation("اللائحة التنفيذية لهذا النظام", "نظام التحكيم", "ar") == expected
    assert own_regulation("اللائحة الداخلية", "نظام التحكيم", "ar") is None
