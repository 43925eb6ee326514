"""Which passages hold a phrase."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.retrieval.planning.phrases import holding


def found(corpus: Corpus, phrase: str) -> set[str]:
    mask = holding(corpus, phrase, "en")
    assert mask is not None
    return {passage.id for passage in corpus.passages(mask.nonzero()[0].astype("int32"))}


def test_the_words_stand_one_behind_the_other(harbour: Corpus) -> None:
    inside = found(harbour, "harbour master")
    assert inside
    assert all("harbour master" in passage.text.lower() or "Harbour master" in passage.headings
               or any("harbour master" in heading.lower() for heading in passage.headings)
               for passage in harbour.passages(harbour.rows(sorted(inside))))  # fmt: skip
    assert found(harbour, "master harbour") == set()


def test_inflected_words_count_and_function_words_between_do_not(harbour: Corpus) -> None:
    assert found(harbour, "withdrawal of a berth") >= found(harbour, "withdrawal berth")
    assert found(harbour, "berth dues") <= found(harbour, "dues")
    assert found(harbour, "vessels") == found(harbour, "vessel")


def test_a_phrase_of_function_words_says_nothing(harbour: Corpus) -> None:
    assert holding(harbour, "of the", "en") is None
    assert holding(harbour, "", "en") is None


@pytest.mark.parametrize("phrase", ["zebra", "harbour zebra"])
def test_nothing_holds_a_word_that_is_not_there(harbour: Corpus, phrase: str) -> None:
    assert found(harbour, phrase) == set()
