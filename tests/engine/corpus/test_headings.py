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


@pytest.mark.parametrize(
    "text",
    [
        "Fees are paid.",
        "A Person must apply",
        "every Authorised Person; and",
        "Definitions\nIn these Regulations",
        "the activities of a firm",
        "Es gilt.",
        "يسري هذا النظام.",
        "本条例自发布之日起施行。",
        "(a) keep books",
        "x " * 100,
    ],
)
def test_no_headings(text: str) -> None:
    assert not is_bare_heading(text)
