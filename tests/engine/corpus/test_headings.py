from __future__ import annotations

import pytest

from engine.corpus.headings import is_bare_heading


@pytest.mark.parametrize(
    "text",
    [
        "INTRODUCTION",
        "Jurisdiction",
        " Scope \n",
        "[Deleted]",
        "Listing. Discontinuance or Suspension:  procedure",
        "Exclusions. Other exclusions",
        "أحكام عامة",
        "Begriffsbestimmungen",
        "第一章 总则",
        "",
    ],
)
def test_headings(text: str) -> None:
    assert is_bare_heading(text)
