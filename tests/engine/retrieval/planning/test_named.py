"""Provisions that questions name: found, one of several, not in their document, of no document here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.outside import Outside
from engine.corpus.protocol import Corpus
from engine.language.references import Mention
from engine.model import NamedProvision, Naming, Reference
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.named import MOST_NUMBERS, asks_for_nothing_else, provisions_named

DAY = date(2026, 1, 1)
LETTERS = "Article §14(2) of the CAC, art. 9 and Pasal 第十条 المادة 5"
ARTICLE_14 = [f"commercial-agency-code/art-14/para-{number}" for number in range(1, 6)]


def named(corpus: Corpus, question: str, language: str = "en", day: date = DAY) -> list[NamedProvision]:
    return list(provisions_named(corpus, question, language, day))


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What does Article 14 of the Agency Code say?", "en"),
        ("what does article 14 of the agency code say", "en"),
        ("Article 14 of the Commercial Agency and Powers of Attorney Code", "en"),
        ("CAC art. 14", "en"),
        ("cac art 14", "en"),
        ("CAC 14", "en"),
        ("agency code 14", "en"),
        ("What is said in the Agency Code about art. 14?", "en"),
        ("Under the Agency Code, is a power that goes beyond Article 14 void?", "en"),
        ("Article 14 of the Agencie Code", "en"),
        ("article 14 of the comercial agency and powers of atorney code", "en"),
        ("Artikel 14 Commercial Agency and Powers of Attorney Code", "de"),
    ],
)
def test_a_provision_is_found_by_the_names_of_its_document(
    meridia: Corpus, question: str, language: str
) -> None:
    (found,) = named(meridia, question, language)
    assert found.status is Naming.FOUND
    assert found.leads
    assert list(found.passage_ids) == ARTICLE_14


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Section 26 of the Tax Procedure Act", "en", "tax-procedure-act/art-26/para-1"),
        ("المادة 14 من قانون الوكالة", "ar", "commercial-agency-code-ar/art-14/para-1"),
        ("CAC art. 14(2)", "en", "commercial-agency-code/art-14/para-2"),
        ("Annex I to the Agency Code", "en", "commercial-agency-code/annex-i/para-1"),
    ],
)
def test_parts_other_words_and_other_languages(
    meridia: Corpus, question: str, language: str, expected: str
) -> None:
    (found,) = named(meridia, question, language)
    assert (found.status, found.passage_ids[0]) == (Naming.FOUND, expected)


def test_of_several_versions_the_one_in_force_on_the_day_is_meant(meridia: Corpus) -> None:
    question = "What does Article 22 of the Agency Code say?"
    (now,) = named(meridia, question)
    (then,) = named(meridia, question, day=date(2020, 1, 1))
    assert {one.split("/")[1] for one in now.passage_ids} == {"art-22@2024-01-01"}
    assert now.passage_ids != then.passage_ids
    plan = make_plan(f"{question} as_of:2020-01-01", ["en"], corpus=meridia, day=DAY)
    assert plan.named[0].passage_ids == then.passage_ids


def test_a_number_without_a_document_is_a_choice_in_the_language_of_the_question(meridia: Corpus) -> None:
    (found,) = named(meridia, "What does Article 14 say?")
    assert found.status is Naming.SEVERAL
    assert found.leads
    titles = {document.id: document.title for document in meridia.documents() if document.language == "en"}
    assert len(found.choices) > 1
    for choice in found.choices:
        assert choice.label.startswith(titles[choice.passage_id.split("/")[0]])
        assert choice.label.split(", ")[0] in found.note


def test_a_number_that_is_one_of_several_does_not_lead_where_more_is_asked(meridia: Corpus) -> None:
    question = "Which powers may a manager of limited authority confer on an agent despite Article 14?"
    (found,) = named(meridia, question)
    assert found.status is Naming.SEVERAL
    assert not found.leads


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("What does Article 99 of the Agency Code say?", "35, 36, 37, 38"),
        ("What does Article 99 of the CAC say?", "35, 36, 37, 38"),
    ],
)
def test_a_provision_that_does_not_exist_is_told_with_the_nearest(
    meridia: Corpus, question: str, near: str
) -> None:
    (found,) = named(meridia, question)
    assert found.status is Naming.MISSING
    assert not found.leads
    assert found.passage_ids == ()
    assert found.note.endswith(f"has no article 99; the nearest are {near}")
    assert [choice.passage_id.split("/")[1] for choice in found.choices] == [
        "art-35",
        "art-36",
        "art-37",
        "art-38",
    ]


def test_a_document_that_is_not_there_is_told(meridia: Corpus) -> None:
    (found,) = named(meridia, "What does Article 5 of the Panama Companies Act say?")
    assert found.status is Naming.UNKNOWN
    assert "“Panama Companies Act”" in found.note


def test_each_of_several_numbers_is_told_by_itself(meridia: Corpus) -> None:
    first, second = named(meridia, "Articles 14 and 99 of the Agency Code")
    assert (first.status, second.status) == (Naming.FOUND, Naming.MISSING)
    assert list(first.passage_ids) == ARTICLE_14


def test_a_part_that_is_not_printed_is_told(meridia: Corpus) -> None:
    (found,) = named(meridia, "Article 14(9) of the Agency Code")
    assert found.status is Naming.FOUND
    assert "no (9)" in found.note


def test_what_the_case_may_not_look_at_is_not_found(meridia: Corpus) -> None:
    mask = np.ones(len(meridia), np.bool_)
    mask[meridia.rows(ARTICLE_14)] = False
    (found,) = provisions_named(meridia, "Article 14 of the Agency Code", "en", DAY, mask)
    assert (found.status, found.passage_ids) == (Naming.MISSING, ())
    assert "limited" in found.note


@pytest.mark.parametrize(
    "question",
    [
        "What may an agent do without a written power?",
        "duties since 2015",
        "what is the tax procedure act 2015 about?",
        "thirty days or 60 days?",
        "Which agent was in the film Breaking Dawn – Part 27, and who was the principal of its director?",
        "",
    ],
)
def test_other_numbers_name_nothing(meridia: Corpus, question: str) -> None:
    assert named(meridia, question) == []


@given(question=st.text(st.sampled_from(LETTERS), max_size=60))
def test_any_question_can_be_read(meridia: Corpus, question: str) -> None:
    for found in named(meridia, question):
        assert (found.status is Naming.FOUND) <= bool(found.passage_ids)
        assert (meridia.rows(list(found.passage_ids)) >= 0).all()
        assert found.status is Naming.FOUND or found.note


@pytest.mark.parametrize(
    "question",
    [
        " ".join(f"Article {number} of the Agency Code" for number in range(1, 130)),
        "Articles " + ", ".join(str(number) for number in range(1, 59)) + " of the Agency Code",
        " ".join(f"CAC {number}" for number in range(1, 500)),
    ],
)
def test_a_thousand_numbers_are_not_looked_up(
    meridia: Corpus, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Mention] = []
    within = Outside.within

    def counted(
        reader: Outside, mention: Mention, documents: Sequence[int], text: str, language: str, day: date
    ) -> list[Reference]:
        asked.append(mention)
        return within(reader, mention, documents, text, language, day)

    monkeypatch.setattr(Outside, "within", counted)
    assert len(named(meridia, question)) <= MOST_NUMBERS
    # Each in two kinds at most, by each of the four grammars of the corpus.
    assert len(asked) <= 8 * MOST_NUMBERS


def test_what_else_is_asked() -> None:
    assert asks_for_nothing_else("What does Article 14 CAC say?", "en", ["Article 14 CAC"])
    assert not asks_for_nothing_else(
        "Does Article 14 CAC hold for managers of limited authority?", "en", ["Article 14 CAC"]
    )
