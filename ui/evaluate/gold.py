"""Where the page's gold questions come from: the sample corpus carries some, a visitor may send others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from pydantic import TypeAdapter

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation import Question, read_questions
from engine.evaluation.choosing import spread
from ui.corpus.intake import put
from ui.evaluate.asked import Ask
from ui.jobs.reading import Reading, read_apart
from ui.sample import SOURCES

_QUESTION = TypeAdapter(Question)


@cache
def sample_questions() -> tuple[Question, ...]:
    """The questions that come with the sample corpus."""
    return tuple(read_questions(SOURCES / "queries.jsonl", SOURCES / "qrels.tsv"))


def own_questions(corpus: Corpus) -> tuple[Question, ...]:
    """The sample's questions, for a corpus that holds most of the passages they ask for; else none."""
    questions = sample_questions()
    wanted = sorted({name for question in questions for name in question.gold})
    return questions if (corpus.rows(wanted) >= 0).mean() > 0.5 else ()


def questions_for(corpus: Corpus, ask: Ask) -> list[Question]:
    """The questions that a request asks for, spread evenly over the set where not all are wanted.

    Raises InputError, SourceError naming the file and the line that is wrong.
    """
    if ask.gold == "own":
        questions: Sequence[Question] = own_questions(corpus)
        if not questions:
            raise InputError(f"{corpus.name!r} carries no gold questions: choose files of your own")
    else:
        questions = _sent_questions(ask)
    return spread(questions, ask.questions)


def gold_of(corpus: Corpus, text: str) -> frozenset[str]:
    """Gold of a question that is word for word one of the corpus's own; else nothing."""
    asked = " ".join(text.split()).casefold()
    found = (q for q in own_questions(corpus) if " ".join(q.text.split()).casefold() == asked)
    question = next(found, None)
    return frozenset(question.gold) if question is not None else frozenset()


def _sent_questions(ask: Ask) -> list[Question]:
    if ask.queries is None or ask.qrels is None:
        raise InputError("two files are needed: questions (JSON lines) and judgements (qrels)")
    files, most = partial(put, [ask.queries, ask.qrels]), ask.questions
    return read_apart(Reading("questions", files, _QUESTION.validate_json, most, {"most": most}), ask.owner)
