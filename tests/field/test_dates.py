"""Questions about another time: the day is understood, and the answer says that it is the law of today."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import pytest

from engine.answers.answer import answer
from engine.investigation.case import Case
from engine.retrieval.planning.plan import day_of_law, make_plan
from engine.settings import InvestigationSettings
from tests.field.conftest import Build

DAY = date(2026, 5, 4)
THIS = "This is the law of today"
SETTINGS = InvestigationSettings()
# A question, its language, and the day of which the answer says that it does not show the law.
# fmt: off
OTHERS = [
    ("en", "Which fee applied in June 2023?", "2023-06-30"), ("en", "What fee was due for a berth as of 2023-06?", "2023-06-30"),
    ("en", "Which fee applied before March 2021?", "2021-02-28"), ("en", "Which fees applied between June 2019 and May 2021?", "2021-05-31"),
    ("en", "Which fees applied in the years 2019 to 2021?", "2021-12-31"), ("en", "Which fees applied 2019–2021?", "2021-12-31"),
    ("en", "What was the fee for a berth?", "a day"), ("en", "Which fee will apply in 2031?", "2031-12-31"), ("de", "Welche Gebühr galt im Juni 2023?", "2023-06-30"),
    ("de", "Welche Gebühr galt von Mai 2019 bis Juli 2020?", "2020-07-31"), ("de", "Wie hoch war die Gebühr?", "a day"), ("de", "Welche Gebühr galt früher?", "a day"),
    ("fr", "Quel tarif s'appliquait en juin 2023 ?", "2023-06-30"), ("fr", "Quel était le tarif du bac ?", "a day"),
    ("es", "¿Qué tasa se pagaba en junio de 2023?", "2023-06-30"), ("es", "¿Cuál era la tasa?", "a day"), ("id", "Berapa sewa dermaga pada Juni 2023?", "2023-06-30"),
    ("id", "Berapa sewa dermaga pada bulan Februari 2024?", "2024-02-29"), ("id", "Berapa sewa dermaga dulu?", "a day"),
    ("it", "Quale tariffa valeva nel giugno 2023?", "2023-06-30"), ("nl", "Welk tarief gold in juni 2023?", "2023-06-30"),
    ("pt", "Qual era a taxa em junho de 2023?", "2023-06-30"), ("zh", "2023年6月码头费用是多少？", "2023-06-30"), ("zh", "当时码头费用是多少？", "a day"),
    ("ar", "ما هو الرسم في يونيو 2023؟", "2023-06-30"), ("ar", "كم كان الرسم؟", "a day"),
]
# fmt: on
# Questions about today, with numbers that are no dates or that are part of a name.
# fmt: off
TODAY = [
    ("en", "Which fee applies since June 2023?"), ("en", "Which fee applies in May 2026?"), ("en", "What does section 4 of the Fisheries Act 2012 say?"),
    ("en", "May I sue if my boat was stolen?"), ("en", "What does rule 2023-06-A say?"), ("de", "Welche Gebühr gilt seit Juni 2023?"),
    ("de", "Was gilt, wenn das Boot gestohlen wurde?"), ("fr", "Que dit l'article 3 de la loi n° 78-17 du 6 janvier 1978 ?"),
    ("id", "Apa isi Undang-Undang Nomor 25 Tahun 2012?"), ("zh", "自2023年6月以来费用是多少？"),
]
# fmt: on


@pytest.mark.parametrize(("language", "question", "day"), OTHERS)
def test_the_day_is_understood(language: str, question: str, day: str) -> None:
    plan = make_plan(question, [language])
    told = day_of_law(plan, SETTINGS, DAY)
    assert told.startswith(THIS), plan.suggestions
    assert day in told
    chosen = make_plan(f"{question} as_of:2020-01-01", [language])
    assert not day_of_law(chosen, SETTINGS, DAY)


@pytest.mark.parametrize(("language", "question"), TODAY)
def test_the_law_of_today_needs_no_words(language: str, question: str) -> None:
    assert day_of_law(make_plan(question, [language]), SETTINGS, DAY) == ""


def test_the_answer_begins_with_it(build: Build) -> None:
    corpus = build({"act.md": "# Berths Act\n\n## Section 3\nA fee of 9 dollars is due for a berth.\n"})
    for question, begins in (
        ("Which fee was due for a berth in June 2023?", THIS),
        ("Which fee is due for a berth?", ""),
    ):
        case = Case(corpus, question, SETTINGS, day=DAY)
        list(case.run())
        told = answer(case.investigation(), corpus)
        assert told.sentences
        assert told.unanswered[: len(THIS)] == begins
