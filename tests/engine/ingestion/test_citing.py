from __future__ import annotations

import pytest

from engine.ingestion.structure.outline import cited_as, format_levels
from engine.language.addresses import Address
from engine.model import SectionKind


@pytest.mark.parametrize(
    ("kind", "number", "paragraph", "language", "label"),
    [
        (SectionKind.RULE, "1.2.1", "1", "en", "Rule 1.2.1(1)"),
        (SectionKind.RULE, "1.2.1", "1/a", "en", "Rule 1.2.1(1)(a)"),
        (SectionKind.SECTION, "14", "2", "de", "§ 14 Abs. 2"),
        (SectionKind.ARTICLE, "14", None, "de", "Art. 14"),
        (SectionKind.ARTICLE, "5", "2", "ar", "المادة 5، الفقرة (2)"),
        (SectionKind.ARTICLE, "12", "3", "zh", "第12条第3款"),
        (SectionKind.PREAMBLE, None, None, "en", ""),
    ],
)
def test_citations(
    kind: SectionKind, number: str | None, paragraph: str | None, language: str, label: str
) -> None:
    assert cited_as(Address(kind, number, paragraph), language) == label


@pytest.mark.parametrize(
    ("language", "label"), [("de", " Nr. 3"), ("id", " angka 3"), ("en", "(3)"), ("ar", "، الفقرة (3)")]
)
def test_items_of_a_list(language: str, label: str) -> None:
    assert format_levels("3", language, item=True) == label
