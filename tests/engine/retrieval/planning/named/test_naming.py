"""Provisions that questions name: found, one of several, not in their document, of no document here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.external_text import ExternalTextResolver
from engine.corpus.protocol import Corpus
from engine.language.references import Mention
from engine.model import NamedProvision, Naming, Reference
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.named import MOST_NUMBERS, asks_only_for, provisions_named
from tests.tables import table

DAY = date(2026, 1, 1)
LETTERS = "Article §14(2) of the CAC, art. 9 and Pasal 第十条 المادة 5"
ARTICLE_14 = [f"commercial-agency-code/art-14/para-{number}" for number in range(1, 6)]


def named(corpus: Corpus, question: str, language: str = "en", day: date = DAY) -> list[NamedProvision]:
    return list(provisions_named(corpus, question, language, day))


# Words that name Article 14 of the Agency Code, and the language of the question.
NAMES = table(__file__, "NAMES")
PARTS = [
    ("Section 26 of the Tax Procedure Act", "en", "tax-procedure-act/art-26/para-1"),
    ("المادة 14 من قانون الوكالة", "ar", "commercial-agency-code-ar/art-14/para-1"),
    ("CAC art. 14(2)", "en", "commercial-agency-code/art-14/para-2"),
    ("CAC 14(2)", "en", "commercial-agency-code/art-14/para-2"),
    ("Annex I to the Agency Code", "en", "commercial-agency-code/annex-i/para-1"),
]
NOTHING = [
    "What may an agent do without a written power?",
    "duties since 2015",
    "what is the tax procedure act 2015 about?",
    "thirty days or 60 days?",
    "Which agent was in the film Breaking Dawn – Part 27, and who was the principal of its director?",
    "",
]


def test_a_provision_is_found_by_the_names_of_its_document(
    meridia: Corpus, subtests: pytest.Subtests
) -> None:
    for question, language in NAMES:
        with subtests.test(question):
            (found,) = named(meridia, question, language)
            assert (found.status, found.leads, list(found.passage_ids)) == (Naming.FOUND, True, ARTICLE_14)


def test_parts_other_words_and_other_languages(meridia: Corpus, subtests: pytest.Subtests) -> None:
    for question, language, expected in PARTS:
        with subtests.test(question):
            (found,) = named(meridia, question, language)
            assert (found.status, found.passage_ids[0]) == (Naming.FOUND, expected)


def test_of_several_versions_the_one_in_force_on_the_day_is_meant(meridia: Corpus) -> None:
    question = "What does Article 22 of the Agency Code say?"
    plan = make_plan(f"{question} as_of:2020-01-01", ["en"], corpus=meridia, day=DAY)
    (now,), (then,) = named(meridia, question), named(meridia, question, day=date(2020, 1, 1))
    assert {one.split("/")[1] for one in now.passage_ids} == {"art-22@2024-01-01"}
    assert now.passage_ids != then.passage_ids == plan.named[0].passage_ids


def test_the_words_are_those_of_the_number_and_of_the_name_beside_it(meridia: Corpus) -> None:
    first, second = named(
        meridia, "Under CAC art. 14(2), and by the Agency Code in its\n Article 16, what holds?"
    )
    assert (first.words, second.words) == ("CAC art. 14(2)", "Article 16")


def test_a_document_that_is_not_there_is_told(meridia: Corpus) -> None:
    (found,) = named(meridia, "What does Article 5 of the Panama Companies Act say?")
    assert found.status is Naming.UNKNOWN
    assert "“Panama Companies Act”" in found.note


def test_what_is_written_twice_is_one_and_of_two_readings_the_surer_counts(meridia: Corpus) -> None:
    (found,) = named(meridia, "Article 14 of the Agency Code, I repeat: Article 14 of the Agency Code")
    assert found.status is Naming.FOUND
    (found,) = named(meridia, "Artikel 14 of the Agency Code")
    assert list(found.passage_ids) == ARTICLE_14


def test_a_standard_that_is_not_there_is_told_unless_much_else_is_asked(meridia: Corpus) -> None:
    (found,) = named(meridia, "What does ISO 9001:2015 say?")
    assert (found.status, found.note) == (Naming.UNKNOWN, "no document of the corpus is ISO 9001:2015")
    more = "Which powers may a manager of limited authority confer on commercial agents and brokers despite"
    assert named(meridia, f"{more} ISO 9001:2015?") == []


def test_other_numbers_name_nothing(meridia: Corpus, subtests: pytest.Subtests) -> None:
    for question in NOTHING:
        with subtests.test(question):
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
    within = ExternalTextResolver.within

    def counted(
        reader: ExternalTextResolver,
        mention: Mention,
        documents: Sequence[int],
        text: str,
        language: str,
        day: date,
    ) -> list[Reference]:
        asked.append(mention)
        return within(reader, mention, documents, text, language, day)

    monkeypatch.setattr(ExternalTextResolver, "within", counted)
    assert len(named(meridia, question)) <= MOST_NUMBERS
    # Each in two kinds at most, by each of the four grammars of the corpus.
    assert len(asked) <= 8 * MOST_NUMBERS


def test_what_else_is_asked() -> None:
    assert asks_only_for("What does Article 14 CAC say?", "en", ["Article 14 CAC"])
    assert not asks_only_for(
        "Does Article 14 CAC hold for managers of limited authority?", "en", ["Article 14 CAC"]
    )
