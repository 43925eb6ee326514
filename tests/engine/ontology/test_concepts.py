"""Concepts in texts, in their hierarchy, and at their provisions."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpus.ontology import checked, ontology_from
from engine.corpus.protocol import Corpus
from engine.corpus.related import with_ontology
from engine.ontology.applying import Concepts, find_problems, find_provision, get_concepts
from engine.ontology.reports import check_text


@pytest.fixture
def known(meridia: Corpus) -> Concepts:
    found = get_concepts(meridia)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "language", "named"),
    [
        ("When does the objection period end?", "en", ["objection-period"]),
        ("May an objection be lodged after the objection period?", "en", ["objection", "objection-period"]),
        ("Powers that exceed those of the grantor", "en", ["broader-powers"]),
        ("هل يجوز للوكيل أن يوكل غيره؟", "ar", ["sub-delegation"]),
        ("Wann endet die Einspruchsfrist?", "de", ["objection-period"]),
        ("Who is the moon?", "en", []),
        ("", "en", []),
    ],
)
def test_a_text_names_concepts_by_their_words_the_longest_first(
    known: Concepts, text: str, language: str, named: list[str]
) -> None:
    assert sorted(one.concept.id for one in known.named_in(text, language)) == named


def test_provisions_are_found_from_concepts_and_concepts_from_passages(
    meridia: Corpus, known: Concepts
) -> None:
    articles = known.articles(meridia, known.by_id["objection-period"])
    assert [article.defines for article in articles] == [True, False, False, False, False, False]
    rows = meridia.rows(["tax-procedure-act/art-26/para-2", "tax-procedure-act/art-1/para-1"])
    found = [(row, concept.id, article.words) for row, concept, article in known.at(meridia, rows)]
    assert found == [(int(rows[0]), "objection-period", "Article 26 of the Tax Procedure Act")]


def test_every_provision_of_the_sample_is_there(meridia: Corpus, known: Concepts) -> None:
    assert list(find_problems(meridia, known)) == []


def test_what_no_document_has_is_told_with_its_concept(meridia: Corpus) -> None:
    concepts = [
        {
            "id": "a",
            "articles": ["Article 999 of the Tax Procedure Act", "Article 26 of the Tax Procedure Act"],
        },
        {"id": "b", "parent": "a", "defined_in": "the law"},
    ]
    ontology = ontology_from(checked({"concepts": concepts}))
    assert list(find_problems(meridia, Concepts(ontology))) == [
        "concept a: articles: Article 999 of the Tax Procedure Act: this corpus has no such provision",
        "concept b: defined_in: the law: it does not name a provision",
    ]
    told = list(check_text(meridia, ontology))
    assert "  concept b (importance 3): 0 articles, 0 passages" in told
    assert told[-1] == "2 concepts; 2 provisions missing"


def test_a_number_that_is_not_understood_is_not_the_whole_document(meridia: Corpus) -> None:
    assert len(find_provision(meridia, "Tax Procedure Act").rows) == 1
    found = find_provision(meridia, "Nr. 7 bis of the Tax Procedure Act")
    assert not len(found.rows)
    assert "its number is not understood" in found.problem


def test_a_corpus_without_concepts_has_none(meridia: Corpus, bare: Corpus) -> None:
    assert get_concepts(bare) is None
    assert get_concepts(with_ontology(meridia, ontology_from(checked({"areas": [{"id": "a"}]})))) is None
    assert not list(
        Concepts(ontology_from(checked({"concepts": [{"id": "a"}]}))).at(bare, np.arange(3, dtype=np.int32))
    )
