"""The questions that come with the sample corpus."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from tests.ui.evaluate.conftest import VISITOR
from ui.evaluation import EvaluationDesk, gold_of, own_questions, sample_questions


def corpus(desk: EvaluationDesk, name: str) -> Corpus:
    return desk.books.corpus(name, VISITOR)


def test_only_a_corpus_that_holds_their_gold_carries_them(desk: EvaluationDesk) -> None:
    assert len(own_questions(corpus(desk, "Republic of Meridia"))) == len(sample_questions()) >= 40
    assert own_questions(corpus(desk, "Small")) == ()


def test_gold_is_known_for_a_question_word_for_word(desk: EvaluationDesk) -> None:
    meridia, question = corpus(desk, "Republic of Meridia"), sample_questions()[0]
    assert gold_of(meridia, f" {question.text.upper()} ") == set(question.gold)
    assert gold_of(meridia, question.text[:-2]) == frozenset()
