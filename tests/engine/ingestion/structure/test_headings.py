from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.structure.headings import parse_heading
from engine.model import SectionKind

CASES = [
    ("Part I General provisions", "part", "I", "General provisions", "part-i"),
    ("Chapter 1 Scope and definitions", "chapter", "1", "Scope and definitions", "chapter-1"),
    ("Article 5 Objection", "article", "5", "Objection", "art-5"),
    ("Article 22a Notice", "article", "22a", "Notice", "art-22a"),
    # letters in capitals are part of the number, unless they begin the title
    ("Article 22A Notice", "article", "22A", "Notice", "art-22a"),
    ("Article 22 A new day", "article", "22", "A new day", "art-22"),
    ("( المادة الثالثة عشرة مكرر )", "article", "13 مكرر", "", "art-13-bis"),
    ("المادة ( 53 ) (مكرر2)", "article", "53 مكرر 2", "", "art-53-bis-2"),
    ("Article R*121-16", "article", "R121-16", "", "art-r121-16"),
    ("Article **R9-9", "article", "R9-9", "", "art-r9-9"),
    ("Article premier", "article", "1", "", "art-1"),
    ("Articolo 5-bis Oggetto", "article", "5-bis", "Oggetto", "art-5-bis"),
    ("Artigo 5.º-A Objeto", "article", "5-A", "Objeto", "art-5-a"),
    ("5 a § Undantag", "section", "5a", "Undantag", "sec-5a"),
    ("Preamble", "preamble", None, "Preamble", "preamble"),
    (
        "Erster Abschnitt - Offene Handelsgesellschaft",
        "chapter",
        "1",
        "Offene Handelsgesellschaft",
        "chapter-1",
    ),
    (
        "Dritter Abschnitt Insolvenzverwalter. Organe",
        "chapter",
        "3",
        "Insolvenzverwalter. Organe",
        "chapter-3",
    ),
    ("III. - Register", "chapter", "III", "Register", "iii"),
    ("Buku KESATU: ORANG", "book", "1", "ORANG", "book-1"),
    ("المادة 14 حظر الصلاحيات", "article", "14", "حظر الصلاحيات", "art-14"),
    ("المادة الثانية عشرة:", "article", "12", "", "art-12"),
    ("الباب الأول أحكام عامة", "part", "1", "أحكام عامة", "part-1"),
    ("第一章 总 则", "chapter", "1", "总 则", "chapter-1"),
    ("第十四条", "article", "14", "", "art-14"),
    ("1.1 Introduction", "section", "1.1", "Introduction", "1-1"),
    # Words that only look like levels.
    ("Part of a thing", "heading", None, "Part of a thing", "part-of-a-thing"),
    ("Section headings", "heading", None, "Section headings", "section-headings"),
    ("A Person must apply", "heading", None, "A Person must apply", "a-person-must-apply"),
]


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
