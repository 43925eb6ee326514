"""What prose says of dates, types and documents."""

from __future__ import annotations

from datetime import date
from unittest import mock

import pytest

from engine.corpus.protocol import Corpus
from engine.language.references import find_mentions
from engine.model import Document
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.prose import dates_in_prose, documents_focused_on, types_in_prose
from engine.settings import InvestigationSettings

YEARS = {"year_from": "2015", "year_to": "2018", "as_of": "2018-12-31"}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "duties since 2015", {"year_from": "2015"}),
        (
            "en",
            "duties between 2015 and 2018",
            {"year_from": "2015", "year_to": "2018", "as_of": "2018-12-31"},
        ),
        ("en", "duties before 1 March 2020", {"year_to": "2020", "as_of": "2020-02-29"}),
        ("en", "who could sign on 1 March 2020?", {"as_of": "2020-03-01"}),
        ("en", "who could sign in 2015?", {"as_of": "2015-12-31"}),
        ("en", "the duty of before 2015", {"year_to": "2015", "as_of": "2014-12-31"}),
        ("de", "Wer durfte am 1. März 2020 unterzeichnen?", {"as_of": "2020-03-01"}),
        ("de", "Wer durfte im Jahr 2015 unterzeichnen?", {"as_of": "2015-12-31"}),
        ("fr", "Qui pouvait signer avant le 1er janvier 2024 ?", {"year_to": "2024", "as_of": "2023-12-31"}),
        ("id", "Siapa yang berwenang pada tahun 2015?", {"as_of": "2015-12-31"}),
        ("zh", "2020年3月1日谁可以签字？", {"as_of": "2020-03-01"}),
        ("en", "the tariff in force on 1 March 2020", {"as_of": "2020-03-01"}),
        ("en", "since 2015-16 and Rule 2015.3", {}),
        ("en", "more than 2015 vessels", {}),
        ("fr", "article 3 de la loi n° 78-17 du 6 janvier 1978", {}),
        (
            "de",
            "Pflichten von 2015 bis 2018",
            {"year_from": "2015", "year_to": "2018", "as_of": "2018-12-31"},
        ),
        ("fr", "les règles à partir de 2016", {"year_from": "2016"}),
        ("xx", "since 2015", {}),
    ],
)
def test_dates(language: str, text: str, expected: dict[str, str]) -> None:
    names = [mention.span for mention in find_mentions(text, language)]
    assert {found.kind: found.value for found in dates_in_prose(text, language, names)} == expected


TYPES = [
    ("en", ("regulation", "act"), "Which regulations say so?", ("regulation",)),
    ("en", ("tax ruling", "ruling"), "Do tax rulings of 2015 bind?", ("tax ruling", "ruling")),
    ("en", ("tax ruling",), "Does a ruling on tax bind?", ()),
    ("en", ("regulations", "statute"), "Which act and which regulation?", ("regulations", "statute")),
    ("de", ("Verordnung", "Gesetz"), "In welchen Verordnungen steht das?", ("Verordnung",)),
    ("fr", ("règlement", "loi"), "Quelles lois le disent ?", ("loi",)),
    ("en", (), "Which regulations say so?", ()),
]


def test_types_are_named_by_any_form_of_their_words(subtests: pytest.Subtests) -> None:
    for language, types, question, expected in TYPES:
        corpus = mock.create_autospec(Corpus, instance=True)
        corpus.documents.return_value = [Document(id=one, title=one, type=one) for one in ("", *types)]
        with subtests.test(question):
            assert types_in_prose(corpus, question, language) == expected


def test_a_day_in_prose_limits_the_case_where_the_corpus_has_law_of_that_day(harbour: Corpus) -> None:
    question = "Who could moor on 1 March 2012?"
    plan = make_plan(question, ["en"], corpus=harbour)
    assert plan.constraints.as_of == date(2012, 3, 1)
    assert any("law of 2012-03-01" in note for note in plan.notes)
    alone = make_plan(question, ["en"])
    assert alone.constraints.as_of is None
    assert any("as_of:2012-03-01" in note for note in alone.notes)
    chosen = InvestigationSettings(as_of=date(2012, 3, 1))
    for plan in (
        make_plan(f"{question} as_of:2012-03-01", ["en"], corpus=harbour),
        make_plan(question, ["en"], chosen, corpus=harbour),
    ):
        assert plan.constraints.as_of in (None, date(2012, 3, 1))
        assert not any("as_of" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does the Harbour Dues Act say on interest?", ("dues-act",)),
        ("According to the Dues Act, who pays?", ("dues-act",)),
        ("Which dues does the Dues Act lay down?", ("dues-act",)),
        ("Who pays interest under the Dues Act?", ()),
        ("What does the law say on interest?", ()),
    ],
)
def test_documents_whose_own_text_is_asked_for(harbour: Corpus, text: str, expected: tuple[str, ...]) -> None:
    assert documents_focused_on(harbour, text, "en") == expected
    assert make_plan(text, ["en"], corpus=harbour).focus == expected


def test_who_asks_for_a_provision_asks_for_no_more_of_its_document(harbour: Corpus) -> None:
    assert make_plan("What does Article 5 of the Dues Act say?", ["en"], corpus=harbour).focus == ()
