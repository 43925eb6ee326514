from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.structure.headings import parse_heading
from engine.model import SectionKind
from tests.tables import table

CASES = table(__file__, "CASES")


@pytest.mark.parametrize(("text", "kind", "number", "title", "slug"), CASES)
def test_headings(text: str, kind: str, number: str | None, title: str, slug: str) -> None:
    heading = parse_heading(text)
    assert (heading.kind, heading.number, heading.title, heading.slug) == (
        SectionKind(kind),
        number,
        title,
        slug,
    )


@given(st.text(max_size=60))
def test_any_line_is_some_heading(text: str) -> None:
    heading = parse_heading(text)
    assert heading.slug
    assert heading.number is None or heading.number.strip()
