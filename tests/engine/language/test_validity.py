"""Clauses of commencement and end: a table of sentences and what they say."""

from __future__ import annotations

from datetime import date

import pytest

from engine.language.dates import Clause, ClauseKind, clauses_in, takes_the_place
from engine.model import Span

COMMENCES, APPLIES, CEASES = ClauseKind.COMMENCES, ClauseKind.APPLIES, ClauseKind.CEASES
JANUARY = date(2024, 1, 1)


@pytest.mark.parametrize(
    ("language", "text", "kind", "day", "days", "scope"),
    [
        ("en", "(1) This Act comes into force on 1 January 2024.", COMMENCES, JANUARY, None, None),
        ("en", "This Law shall take effect from January 1, 2024.", COMMENCES, JANUARY, None, None),
        ("en", "Sections 1 to 7 come into force on 1 January 2024.", COMMENCES, JANUARY, None,
         "Sections 1 to 7"),
        (
            "en",
            "This Regulation shall enter into force on the twentieth day following that of its "
            "publication in the Official Journal of the European Union.",
            COMMENCES,
            None,
            20,
            None,
        ),
        ("en", "2. It shall apply from 25 May 2018.", APPLIES, date(2018, 5, 25), None, None),
        (
            "en",
            "1. Directive 95/46/EC is repealed with effect from 25 May 2018.",
            CEASES,
            date(2018, 5, 25),
            None,
            "Directive 95/46/EC",
        ),
        # It still holds on the day on which it expires.
        ("en", "This Order expires on 31 December 2023.", CEASES, JANUARY, None, None),
        ("en", "This Order expires at the end of 31 December 2023.", CEASES, JANUARY, None, None),
        ("de", "Dieses Gesetz tritt am 1. Januar 2024 in Kraft.", COMMENCES, JANUARY, None, None),
        ("de", "Dieses Gesetz tritt am Tag nach der Verkündung in Kraft.", COMMENCES, None, 1, None),
        ("de", "(1) § 5 tritt mit Ablauf des 31. Dezember 2023 außer Kraft.", CEASES, JANUARY, None, "§ 5"),
        ("fr", "La présente loi entre en vigueur le 1er janvier 2024.", COMMENCES, JANUARY, None, None),
        ("fr", "1. Le présent règlement entre en vigueur le vingtième jour suivant celui de sa "
         "publication au Journal officiel.", COMMENCES, None, 20, None),
        ("id", "Peraturan Menteri ini mulai berlaku pada tanggal diundangkan.", COMMENCES, None, 0, None),
        ("id", "Peraturan Menteri ini mulai berlaku setelah 30 (tiga puluh) hari terhitung sejak tanggal "
         "diundangkan.", COMMENCES, None, 30, None),
        ("ar", "يُعمل بهذا النظام بعد (180) يوماً من تاريخ نشره في الجريدة الرسمية.", COMMENCES,
         None, 180, None),
        ("ar", "ويُعمل به من اليوم التالي لتاريخ نشره.", COMMENCES, None, 1, None),
        ("zh", "第七十九条　本条例自2024年1月1日起施行。", COMMENCES, JANUARY, None, None),
        ("zh", "本条例自公布之日起施行。", COMMENCES, None, 0, None),
    ],
)  # fmt: skip
def test_what_a_clause_says(
    language: str, text: str, kind: ClauseKind, day: date | None, days: int | None, scope: str | None
) -> None:
    (clause,) = clauses_in(text, language)
    assert (clause.kind, clause.day, clause.days) == (kind, day, days)
    assert (text[clause.scope.start : clause.scope.end] if clause.scope else None) == scope


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "An order under section 3 comes into force on 1 January 2024."),
        ("en", "After subsection (2) insert “This Act comes into force on 1 January 2024.”"),
        ("en", "This Act comes into force on such day as the Minister may by order appoint."),
        ("en", "The agreement was signed on 1 January 2024."),
        ("zh", "合同自2024年1月1日起生效。"),
        ("sv", "Denna lag träder i kraft den 1 januari 2024."),
        ("en", "This Act comes into force on 30 February 2024."),
    ],
)
def test_what_is_no_clause_on_the_text_itself(language: str, text: str) -> None:
    assert clauses_in(text, language) == []


def test_days_are_counted_from_the_publication() -> None:
    clause = Clause(COMMENCES, clauses_in("本条例自公布之日起施行。", "zh")[0].span, days=20)
    assert clause.first_day(date(2016, 5, 4)) == date(2016, 5, 24)
    assert clause.first_day(None) is None


@pytest.mark.parametrize(
    ("language", "text", "cited", "does"),
    [
        ("en", "This Act replaces the Ports Act 1998.", "Ports Act 1998", True),
        ("en", "In such a case rule 5 replaces rule 4. This Act is otherwise applied.", "rule 4", False),
        ("de", "An die Stelle der Abgabenordnung tritt dieses Gesetz.", "Abgabenordnung", True),
        ("de", "Dabei tritt an die Stelle des § 520 der Ordnung der § 112.", "§ 520 der Ordnung", False),
        ("de", "mit der Maßgabe, dass das Bundesgericht an die Stelle der Ordnung tritt", "Ordnung", False),
        ("fr", "La présente loi remplace la loi du 1er mars 1990.", "loi du 1er mars 1990", True),
        ("zh", "本法替代旧法。", "旧法", True),
        ("lv", "This Act replaces the Ports Act 1998.", "Ports Act 1998", False),
    ],
)
def test_what_takes_the_place_of_another_text(language: str, text: str, cited: str, does: bool) -> None:
    place = text.index(cited)
    assert takes_the_place(text, Span(place, place + len(cited)), language) is does
