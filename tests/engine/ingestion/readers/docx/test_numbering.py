from __future__ import annotations

import pytest
from lxml import etree

from engine.ingestion.readers.base import numeral
from engine.ingestion.readers.docx.package import Numbering
from tests.engine.ingestion.readers.docx.writing import levels
from tests.tables import table

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def numbering(inner: str) -> Numbering:
    return Numbering(etree.fromstring(f"<w:numbering {W}>{inner}</w:numbering>"))


def labels(inner: str, *asked: tuple[str, int]) -> list[str]:
    counting = numbering(inner)
    return [label.text if (label := counting.next(*one)) is not None else "" for one in asked]


OUTLINE = levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))


def test_an_override_begins_a_list_anew() -> None:
    second = (
        '<w:num w:numId="7"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    )
    assert labels(OUTLINE + second, ("1", 0), ("7", 0), ("7", 0)) == ["1.", "5.", "6."]


def test_a_level_that_never_begins_again() -> None:
    inner = OUTLINE.replace('<w:lvlText w:val="%1.%2"/>', '<w:lvlRestart w:val="0"/><w:lvlText w:val="%2"/>')
    assert labels(inner, ("1", 0), ("1", 1), ("1", 0), ("1", 1)) == ["1.", "1", "2.", "2"]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    table(__file__, "test_numerals"),
)
def test_numerals(value: int, form: str, shown: str) -> None:
    assert numeral(value, form) == shown
