from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.headings import parse_heading
from engine.model import SectionKind

CASES = [
    ("Part I General provisions", "part", "I", "General provisions", "part-i"),
    ("Chapter 1 Scope and definitions", "chapter", "1", "Scope and definitions", "chapter-1"),
    ("CHAPTER IV Controller and processor", "chapter", "IV", "Controller and processor", "chapter-iv"),
    ("Article 5 Objection", "article", "5", "Objection", "art-5"),
    ("Article 22a Notice", "article", "22a", "Notice", "art-22a"),
    # letters in capitals are part of the number, unless they begin the title
    ("Article 22A Notice", "article", "22A", "Notice", "art-22a"),
    ("Article 22A", "article", "22A", "", "art-22a"),
    ("Article 14AA: Notice", "article", "14AA", "Notice", "art-14aa"),
    ("Article 22 A new day", "article", "22", "A new day", "art-22"),
    ("Pasal 22A", "article", "22A", "", "art-22a"),
    ("§ 14a", "section", "14a", "", "sec-14a"),
    ("Rule 4.3.2A Fees", "rule", "4.3.2A", "Fees", "rule-4-3-2a"),
    ("( المادة الثالثة عشرة مكرر )", "article", "13 مكرر", "", "art-13-bis"),
    ("المادة ( 53 ) (مكرر2)", "article", "53 مكرر 2", "", "art-53-bis-2"),
    ("Article R*121-16", "article", "R121-16", "", "art-r121-16"),
    ("Article **R9-9", "article", "R9-9", "", "art-r9-9"),
    ("Article L9 bis", "article", "L9 bis", "", "art-l9-bis"),
    ("Article 1er - Objet", "article", "1", "Objet", "art-1"),
    ("Article premier", "article", "1", "", "art-1"),
    ("Articolo 5-bis Oggetto", "article", "5-bis", "Oggetto", "art-5-bis"),
    ("Artigo 5.º-A Objeto", "article", "5-A", "Objeto", "art-5-a"),
    ("LIVRE Ier : Organisation", "book", "I", "Organisation", "book-i"),
    ("5 a § Undantag", "section", "5a", "Undantag", "sec-5a"),
    ("Annex I Form", "annex", "I", "Form", "annex-i"),
    ("Preamble", "preamble", None, "Preamble", "preamble"),
    ("Clause 4 Fees", "section", "4", "Fees", "clause-4"),
    ("Section 1 Purpose", "section", "1", "Purpose", "section-1"),
    ("Disclosure RS 306-1 Approach to tax", "rule", "RS 306-1", "Approach to tax", "disclosure-rs-306-1"),
    ("§ 14 Keine weitergehenden Befugnisse", "section", "14", "Keine weitergehenden Befugnisse", "sec-14"),
    ("Buch 1 - Allgemeiner Teil", "book", "1", "Allgemeiner Teil", "book-1"),
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
    ("14. Abschnitt - Beschwerde", "chapter", "14", "Beschwerde", "chapter-14"),
    ("III. - Register", "chapter", "III", "Register", "iii"),
    ("Unterabschnitt 2 - Inhalt", "subsection", "2", "Inhalt", "subsection-2"),
    ("BAB I - KETENTUAN UMUM", "chapter", "I", "KETENTUAN UMUM", "chapter-i"),
    ("Pasal 14 Larangan", "article", "14", "Larangan", "art-14"),
    ("Buku KESATU: ORANG", "book", "1", "ORANG", "book-1"),
    ("المادة 14 حظر الصلاحيات", "article", "14", "حظر الصلاحيات", "art-14"),
    ("المادة الثانية عشرة:", "article", "12", "", "art-12"),
    ("المادة 22 مكرر الإخطار", "article", "22 مكرر", "الإخطار", "art-22-bis"),
    ("الباب الأول أحكام عامة", "part", "1", "أحكام عامة", "part-1"),
    ("الفصل العاشر: التعويض", "chapter", "10", "التعويض", "chapter-10"),
    ("第一章 总 则", "chapter", "1", "总 则", "chapter-1"),
    ("第十四条", "article", "14", "", "art-14"),
    ("1.1 Introduction", "section", "1.1", "Introduction", "1-1"),
    ("1. DEALING WITH INFORMATION", "chapter", "1", "DEALING WITH INFORMATION", "1"),
    # Words that only look like levels.
    ("Part of a thing", "heading", None, "Part of a thing", "part-of-a-thing"),
    ("Section headings", "heading", None, "Section headings", "section-headings"),
    ("A Person must apply", "heading", None, "A Person must apply", "a-person-must-apply"),
    ("Zweiter Weltkrieg", "heading", None, "Zweiter Weltkrieg", "zweiter-weltkrieg"),
    ("Table A", "heading", None, "Table A", "table-a"),
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
