"""What prose says of dates, types and documents: suggestions, never demands."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.model import Constraints
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.prose import dates_in_prose, documents_in_prose, types_in_prose


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "duties since 2015", {"year_from": "2015"}),
        ("en", "duties between 2015 and 2018", {"year_from": "2015", "year_to": "2018"}),
        ("en", "duties before 1 March 2020", {"year_to": "2020"}),
        ("en", "the tariff in force on 1 March 2020", {"as_of": "2020-03-01"}),
        ("en", "since 2015-16 and Rule 2015.3", {}),
        ("en", "more than 2015 vessels", {}),
        ("de", "Pflichten von 2015 bis 2018", {"year_from": "2015", "year_to": "2018"}),
        ("fr", "les règles à partir de 2016", {"year_from": "2016"}),
        ("xx", "since 2015", {}),
    ],
)
def test_dates(language: str, text: str, expected: dict[str, str]) -> None:
    assert {found.kind: found.value for found in dates_in_prose(text, language)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does the Harbour Dues Act say of interest?", ("dues-act",)),
        ("interest under the Dues Act", ("dues-act",)),
        ("May HA be amended?", ("harbour-act",)),
        ("ha ha", ()),
        ("the harbour and its dues", ()),
    ],
)
def test_documents_are_known_by_their_names(harbour: Corpus, text: str, expected: tuple[str, ...]) -> None:
    assert documents_in_prose(harbour, text, "en") == expected


def test_types_are_those_of_the_corpus(harbour: Corpus) -> None:
    types = {document.type for document in harbour.documents()}
    assert types_in_prose(harbour, "Which regulations and statutes name the master?", "en") == tuple(
        kind for kind in ("act", "regulation") if kind in types
    )
    assert types_in_prose(harbour, "Which treaties name the master?", "en") == ()


def test_prose_demands_nothing(harbour: Corpus) -> None:
    question = "Which dues does the Harbour Dues Act know since 2011?"
    plan = make_plan(question, ["en"], corpus=harbour)
    assert plan.constraints == Constraints()
    assert plan.document_ids == ("dues-act",)
    assert [found.value for found in plan.suggestions] == ["2011"]
