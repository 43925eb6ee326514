"""What limits a sentence of a brief stands by a link of the corpus, and by no other than the corpus has."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from engine.answers.answer import answer
from engine.answers.export import answer_to_json
from engine.answers.record import Answer, Citation, Sentence, with_links
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement
from engine.corpus.protocol import Corpus
from engine.extraction.judging import Ends, judge_link
from engine.investigation import Case
from engine.model import Relation, Span
from engine.settings import preset

QUESTION = "Can a manager with limited authority grant an agent broader powers than those in the register?"
EXCEPTION, RULE = "commercial-agency-code/art-15/para-1", "commercial-agency-code/art-14/para-2"
PREVAILING, BOUND = "commercial-agency-code/art-15/para-1", "commercial-register-regulation/art-4/para-3"


def answered(corpus: Corpus) -> Answer:
    case = Case(corpus, QUESTION, preset("balanced"), day=date(2024, 6, 1))
    for _ in case.run():
        pass
    return answer(case.investigation(), corpus)


def test_the_exception_of_a_brief_tells_its_link_until_that_is_rejected(
    sample_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(sample_folder, tmp_path / "meridia")
    corpus = open_corpus(tmp_path / "meridia")
    told = answered(corpus)
    links = [one.link for one in told.sentences if one.link is not None]
    assert links == [(EXCEPTION, RULE, "exception_to")]
    plain = answer_to_json(told)["sentences"]
    assert [one["link"] for one in plain if one["link"]] == [[EXCEPTION, RULE, "exception_to"]]
    judge_link(corpus, Ends(EXCEPTION, RULE, Relation.EXCEPTION_TO), Judgement.REJECTED)
    assert not any(one.link for one in answered(corpus).sentences)


@pytest.mark.parametrize(
    ("passages", "link"),
    [
        ((RULE, EXCEPTION), (EXCEPTION, RULE, "exception_to")),
        # What is subject to something is limited by it, wherever it stands: the rule comes first.
        ((BOUND, PREVAILING), (BOUND, PREVAILING, "subject_to")),
        # An exception ahead of its rule, and a rule behind what prevails over it, limit nothing before them.
        ((EXCEPTION, RULE), None),
        ((PREVAILING, BOUND), None),
        ((RULE, BOUND), None),
        ((RULE, RULE), None),
    ],
)
def test_only_what_limits_a_sentence_before_it_has_a_link(
    meridia: Corpus, passages: tuple[str, str], link: tuple[str, str, str] | None
) -> None:
    made = [
        Citation(number, None, passage, "x", ((passage, Span(0, 1)),), "x", "x")
        for number, passage in enumerate(passages, start=1)
    ]
    first, second = with_links([Sentence("a", (1,)), Sentence("b", (2,))], made, meridia)
    assert (first.link, second.link) == (None, link)


def test_a_sentence_that_cites_nothing_has_none(meridia: Corpus) -> None:
    assert with_links([Sentence("a", ()), Sentence("b", ())], (), meridia)[1].link is None
    assert with_links([], (), meridia) == ()
