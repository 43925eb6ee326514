"""What a question must be covered by."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from engine.corpus.protocol import Area, Corpus
from engine.errors import SettingsError
from engine.investigation.evidence import key_phrases
from engine.investigation.facets import Facet, facets_for, keywords_of, shared_terms
from engine.retrieval.planning import make_plan
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.retrieval.searching import searched


def facets(corpus: Corpus, question: str, transaction: str | None = None) -> tuple[Facet, ...]:
    plan = make_plan(question, ["en"])
    found = searched(corpus, plan)
    return facets_for(found.relevance, found.rows, transaction)


def test_areas_that_the_question_touches(harbour: Corpus) -> None:
    found = facets(harbour, "Who takes a pilot?")
    assert (found[0].id, found[0].name, found[0].required) == ("pilotage", "Pilotage", False)
    assert not next(facet for facet in found if facet.id == "salvage").queries, "it is not touched"
    assert found[0].queries == ("Who takes a pilot? Pilotage", "Pilotage pilot certificate")
    assert (found[0].minimum, found[0].similarity) == (3, 0.1)
    assert found[0].area is not None


@pytest.mark.parametrize(
    ("transaction", "required"),
    [
        ("berth-refusal", ["berths", "dues"]),
        ("pilot-exemption", ["pilotage"]),
        ("wreck-removal", ["salvage"]),
    ],
)
def test_areas_that_a_transaction_requires_come_first(
    harbour: Corpus, transaction: str, required: list[str]
) -> None:
    found = facets(harbour, "Who takes a pilot?", transaction)
    assert [facet.id for facet in found if facet.required] == required
    assert [facet.id for facet in found[: len(required)]] == required
    assert {facet.id for facet in found} >= {*required, "pilotage"}


def test_without_an_ontology_the_parts_of_the_question_are_its_facets(bare: Corpus) -> None:
    found = facets(bare, QUESTION)
    assert [facet.name for facet in found] == [
        "When may the harbour master refuse or withdraw a berth",
        "how long does an objection suspend the withdrawal?",
    ]
    assert all(facet.required and facet.area is None for facet in found)
    assert [facet.view for facet in found] == [1, 2]


def test_the_phrases_of_a_question_of_one_part_are_its_facets(bare: Corpus) -> None:
    found = facets(bare, "Who takes a pilot?")
    assert [(facet.id, facet.name, facet.view) for facet in found] == [
        ("part-words-1", "takes", None),
        ("part-words-2", "pilot", None),
    ]


def test_question_words_and_modal_verbs_name_no_part(bare: Corpus, subtests: pytest.Subtests) -> None:
    for language, question, expected in (
        (
            "en",
            "When may data about criminal convictions be processed?",
            "data|criminal convictions|processed",
        ),
        ("en", "Must the controller tell people about a breach?", "controller|people|breach"),
        ("de", "Wann darf der Arbeitgeber die Kaution behalten?", "Arbeitgeber|Kaution behalten"),
        ("fr", "Quand peut-on traiter les condamnations pénales?", "traiter|condamnations pénales"),
        ("id", "Apakah ahli waris wajib melunasi utang pewaris?", "ahli waris|melunasi utang pewaris"),
        ("ar", "من يحق له الاعتراض على قرار الجمعية العامة؟", "الاعتراض|قرار الجمعية العامة"),
        ("zh", "行政机关应当在多长时间内作出许可决定？", "行政机关|作出许可决定"),
        ("ja", "代理人の権限はどのような場合に消滅しますか", "代理人|権限|消滅"),
        ("th", "นายจ้างต้องจดทะเบียนที่ดินภายในกี่วัน", "นายจ้าง|จดทะเบียนที่ดิน"),
        ("en", "Limited commercial agency", "Limited commercial agency"),
    ):
        with subtests.test(question):
            assert "|".join(key_phrases(question, language, bare)) == expected


@pytest.mark.parametrize("corpus", ["harbour", "bare"])
def test_a_question_that_touches_nothing_still_has_a_facet(
    corpus: str, request: pytest.FixtureRequest
) -> None:
    found = facets(request.getfixturevalue(corpus), NOTHING)
    assert " ".join(facet.name for facet in found) == NOTHING


def test_terms_are_those_that_most_of_the_first_candidates_share() -> None:
    # What each candidate mentions; those behind the tenth are not looked at.
    mentioned = [[7, 7, 3], [3, 5], [5, 3], [5, 9], [2, 5, 9], [2], [1, 1], [], [], [], [8], [8]]
    corpus = SimpleNamespace(
        entities_of=lambda rows: [mentioned[row] for row in rows],
        entities=lambda numbers: [SimpleNamespace(name=f"name {number}") for number in numbers],
    )
    rows = np.arange(len(mentioned), dtype=np.int32)
    assert shared_terms(cast(Corpus, corpus), rows) == ["name 5", "name 3", "name 2"]
    assert shared_terms(cast(Corpus, corpus), rows[:2]) == ["name 3"]
    assert shared_terms(cast(Corpus, corpus), rows[:1]) == []


def test_unknown_transactions_are_refused_with_the_known_ones(harbour: Corpus, bare: Corpus) -> None:
    with pytest.raises(SettingsError, match=r"unknown transaction type 'sale'; known types: .*wreck-removal"):
        facets(harbour, QUESTION, "sale")
    with pytest.raises(SettingsError, match="none: the corpus has no ontology"):
        facets(bare, QUESTION, "berth-refusal")


@pytest.mark.parametrize(
    ("language", "keywords"), [("de", ("Liegeplatz",)), ("en", ("berth",)), ("fr", ("berth",))]
)
def test_keywords_fall_back_to_the_first_language(language: str, keywords: tuple[str, ...]) -> None:
    area = Area("a", {"en": "Berths"}, {"en": ("berth",), "de": ("Liegeplatz",)})
    assert keywords_of(area, language) == keywords
    assert keywords_of(Area("a", {"en": "Berths"}, {}), language) == ()
