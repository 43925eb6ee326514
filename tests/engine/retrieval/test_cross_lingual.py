"""Questions in another language than the text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.contract import toy_corpus
from engine.model import QueryPlan, View
from engine.retrieval.relevance import cross_lingual_documents, has_language, note_on
from engine.retrieval.scan import Scan
from tests.engine.retrieval.searching import searched

EAST = np.array([[1.0, 0.0]], np.float32)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("toy") / "harbour"
    return toy_corpus(folder)


def scanned(corpus: Corpus, words: str, language: str, *, dense: bool = True) -> Scan:
    plan = QueryPlan(words, language, (View("literal", words),))
    return searched(corpus, plan, EAST if dense else None)


def off(found: Scan) -> dict[str, str]:
    return {finder.retriever: finder.off for finder in found.finders if finder.off}


@pytest.mark.parametrize(
    ("language", "held"), [("en", True), ("de", True), ("en-GB", True), ("fr", False), ("und", True)]
)
def test_which_languages_a_corpus_holds(toy: Corpus, language: str, held: bool) -> None:
    assert has_language(toy, language) is held
    assert (note_on(toy, language) == ()) is held


def test_words_are_set_aside_for_a_question_in_another_language(toy: Corpus) -> None:
    found = scanned(toy, "harbour", "fr")
    assert off(found)["bm25"] == "words are not compared: no text of the corpus is in 'fr'"
    assert float(found.scores[0]) > 0.9, "meaning has the whole score"


def test_words_that_stand_nowhere_do_not_halve_the_scores(toy: Corpus) -> None:
    found = scanned(toy, "zebra", "en")
    assert off(found)["bm25"] == "words are not compared: no passage has a word of the question"
    assert float(found.scores[0]) > 0.9


def test_documents_in_another_language_need_vectors_to_be_compared(toy: Corpus) -> None:
    # The German document has no vectors: nothing can be said of it.
    assert cross_lingual_documents(toy, "en") is None
    assert cross_lingual_documents(toy, "und") is None
    cross_lingual = cross_lingual_documents(toy, "de")
    assert cross_lingual is not None
    assert cross_lingual.tolist() == [True, True, False]


def test_a_passage_in_another_language_is_judged_by_its_meaning(toy: Corpus) -> None:
    row = np.array([0], np.int32)
    own, other = scanned(toy, "vessels", "en").relevance, scanned(toy, "vessels", "de").relevance
    assert other.dense(row)[0] == pytest.approx(own.dense(row)[0])
    assert float(other.of(row)[0]) > float(own.of(row)[0])
