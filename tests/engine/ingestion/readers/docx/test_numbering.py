from __future__ import annotations

import pytest
from lxml import etree

from engine.ingestion.readers.counting import numeral
from engine.ingestion.readers.docx.numbering import Numbering
from tests.engine.ingestion.readers.docx.writing import levels

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def numbering(inner: str) -> Numbering:
    return Numbering(etree.fromstring(f"<w:numbering {W}>{inner}</w:numbering>"))


def labels(inner: str, *asked: tuple[str, int]) -> list[str]:
    counting = numbering(inner)
    return [label.text if (label := counting.next(*one)) is not None else "" for one in asked]


OUTLINE = levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))


def test_lower_levels_begin_again() -> None:
    asked = [("1", level) for level in (0, 1, 1, 2, 2, 0, 1, 2)]
    assert labels(OUTLINE, *asked) == ["1.", "1.1", "1.2", "(a)", "(b)", "2.", "2.1", "(a)"]


def test_a_level_that_was_jumped_over_counts_as_one() -> None:
    assert labels(OUTLINE, ("1", 1), ("1", 1), ("1", 0), ("1", 1)) == ["1.1", "1.2", "2.", "2.1"]


def test_two_lists_on_one_abstract_list_go_on() -> None:
    second = '<w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num>'
    assert labels(OUTLINE + second, ("1", 0), ("7", 0), ("1", 0)) == ["1.", "2.", "3."]


def test_an_override_begins_a_list_anew() -> None:
    second = (
        '<w:num w:numId="7"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    )
    assert labels(OUTLINE + second, ("1", 0), ("7", 0), ("7", 0)) == ["1.", "5.", "6."]


def test_legal_numbering_prints_digits() -> None:
    inner = levels(("upperRoman", "Article %1."), ("decimal", "Section %1.%2"))
    legal = inner.replace('<w:lvlText w:val="Section', '<w:isLgl/><w:lvlText w:val="Section')
    assert labels(inner, ("1", 0), ("1", 1)) == ["Article I.", "Section I.1"]
    assert labels(legal, ("1", 0), ("1", 1)) == ["Article I.", "Section 1.1"]


def test_a_level_that_never_begins_again() -> None:
    inner = OUTLINE.replace('<w:lvlText w:val="%1.%2"/>', '<w:lvlRestart w:val="0"/><w:lvlText w:val="%2"/>')
    assert labels(inner, ("1", 0), ("1", 1), ("1", 0), ("1", 1)) == ["1.", "1", "2.", "2"]


def test_what_is_a_clause() -> None:
    counting = numbering(OUTLINE + levels(("decimal", "%1)"), number=2) + levels(("bullet", "o"), number=3))
    asked = [("1", 0), ("1", 1), ("1", 2), ("2", 0), ("3", 0)]
    found = [label for one in asked if (label := counting.next(*one)) is not None]
    assert [label.is_clause for label in found] == [True, True, False, False, False]
    assert [label.is_bullet for label in found] == [False, False, False, False, True]


def test_unknown_lists_have_no_numbers() -> None:
    assert labels(OUTLINE, ("9", 0), ("1", 12), ("1", -1)) == ["", "", ""]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (3, "decimal", "3"),
        (4, "lowerRoman", "iv"),
        (1999, "upperRoman", "MCMXCIX"),
        (26, "lowerLetter", "z"),
        (28, "upperLetter", "BB"),
        (7, "decimalZero", "07"),
        (10, "chineseCounting", "十"),
        (21, "chineseCountingThousand", "二十一"),
        (105, "chineseCounting", "一百〇五"),
        (2, "arabicAbjad", "ب"),
        (0, "lowerRoman", "0"),
        (5, "unheard of", "5"),
    ],
)
def test_numerals(value: int, form: str, shown: str) -> None:
    assert numeral(value, form) == shown
