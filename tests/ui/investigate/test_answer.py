from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answers.answer import answer
from engine.answers.record import Answer, Conflict, ConflictKind, Sentence, Support
from engine.investigation import Case
from engine.settings import preset
from ui.investigate.answer import answer_html, writing_html
from ui.investigate.answer_panel import brief_value, offer
from ui.open_case import OpenCase
from ui.shelf import Library

QUESTION = "May a manager grant broader powers?"
EVIL = '<img src=x onerror=window.harmed=1> "quoted" & more'


@pytest.fixture
def opened(library: Library) -> OpenCase:
    corpus = library.corpus("Small")
    case = Case(corpus, QUESTION, preset("quick"))
    list(case.run())
    return OpenCase(case, corpus, QUESTION, (), "Small")


@pytest.fixture
def brief(opened: OpenCase) -> Answer:
    return answer(opened.case.investigation(), opened.corpus)


def test_each_sentence_has_its_chips_and_each_chip_its_quote(opened: OpenCase, brief: Answer) -> None:
    html = answer_html(brief, opened)
    for sentence in brief.sentences:
        for number in sentence.citations:
            assert f'class="source" data-n="{number}"' in html
            assert f'<article class="quoted" data-n="{number}"' in html
    assert "<mark>A grant of broader powers is void, subject to Article 3.</mark>" in html


def test_everything_is_escaped(opened: OpenCase, brief: Answer) -> None:
    citation = replace(brief.citations[0], short=EVIL, cited=EVIL, quote=EVIL, validity=EVIL)
    evil = replace(
        brief,
        question=EVIL,
        sentences=(Sentence(EVIL, (1,), Support.NONE, (EVIL,), EVIL, 'en" onclick="x'),),
        citations=(citation,),
        conflicts=(Conflict(ConflictKind.DIFFERENCE, EVIL, (1, 1)),),
        gaps=(EVIL,),
        notes=(EVIL,),
    )
    for html in (
        answer_html(evil, opened, EVIL),
        answer_html(replace(evil, missing=True, unanswered=EVIL), opened),
        writing_html(EVIL),
    ):
        assert "<img" not in html
        assert 'onclick="x' not in html


def test_what_is_not_supported_is_marked_with_the_reason(opened: OpenCase, brief: Answer) -> None:
    doubted = Sentence("It is so.", (), Support.NONE, ("it cites nothing",))
    html = answer_html(replace(brief, sentences=(doubted,)), opened)
    assert 'class="say none"' in html
    assert "it cites nothing" in html


def test_what_is_missing_says_what_helps(opened: OpenCase, brief: Answer) -> None:
    html = answer_html(replace(brief, missing=True, unanswered="No fish.", sentences=()), opened)
    assert "does not contain an answer" in html
    assert "more rounds" in html


def test_a_case_that_was_stopped_has_no_answer(library: Library) -> None:
    corpus = library.corpus("Small")
    unfinished = OpenCase(Case(corpus, QUESTION, preset("quick")), corpus, QUESTION, (), "Small")
    assert brief_value(unfinished) == ""


def test_without_a_model_nothing_is_offered(opened: OpenCase) -> None:
    assert offer(opened, None) == ""
    assert 'class="offer"' not in brief_value(opened)
