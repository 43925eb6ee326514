"""Hypothetical passages: what is asked, what can be used, and how far each is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.errors import SettingsError
from engine.investigation import Case
from engine.language.embedders import embedder
from engine.llm import Meter
from engine.llm.base import Asking
from engine.llm.cost import AnswerCache
from engine.model import QueryPlan, View
from engine.retrieval.embedding import embed_views
from engine.retrieval.planning import Helpers, active, make_plan
from engine.retrieval.planning.hypothetical import (
    LOWEST_SIMILARITY,
    Draft,
    DraftRequest,
    checked,
    feedback_drafts,
    prompt,
    weigh_drafts,
    write_drafts,
)
from engine.settings import HYPOTHETICAL, InvestigationSettings
from tests.engine.harbour import QUESTION
from tests.engine.investigation.assistance.script import sensible
from tests.engine.llm.server import Asked, ScriptedServer

NEAR = "The harbour master may refuse or withdraw a berth; an objection suspends the withdrawal."
FAR = "Bees are kept in hives, and their honey is sold by the jar at the village market on Sundays."


@pytest.mark.parametrize("name", ["bare", "dense"])
def test_what_is_near_the_question_is_used_and_what_is_far_is_not(
    name: str, request: pytest.FixtureRequest
) -> None:
    corpus: Corpus = request.getfixturevalue(name)
    model = embedder(corpus.embedding)
    near, far = weigh_drafts([Draft(NEAR, ""), Draft(FAR, "")], QUESTION, "en", corpus, model)
    assert near.used
    if name == "bare":
        # The toy model sees but two directions: everything is near everything.
        assert near.similarity > far.similarity
        assert near.agreement > far.agreement
        assert not far.used
    assert all(0.0 <= one.similarity <= 1.0 and 0.0 <= one.agreement <= 1.0 for one in (near, far))


def test_drafts_that_say_the_same_agree_more(bare: Corpus) -> None:
    alike = weigh_drafts([Draft(NEAR, ""), Draft(f"{NEAR} It is so.", "")], QUESTION, "en", bare, None)
    apart = weigh_drafts([Draft(NEAR, ""), Draft(FAR, "")], QUESTION, "en", bare, None)
    assert alike[0].agreement > apart[0].agreement
    assert weigh_drafts([], QUESTION, "en", bare, None) == ()


def test_without_drafts_that_are_near_the_question_stands_alone(bare: Corpus) -> None:
    with ScriptedServer(lambda asked: {"passages": [FAR]}) as server:
        helpers = Helpers(Asking(server.connect(), Meter()))
        settings = InvestigationSettings(model_tasks=(HYPOTHETICAL,))
        plan = make_plan(QUESTION, ["en"], settings, corpus=bare, helpers=helpers)
    (view,) = [view for view in plan.views if view.name == "hypothetical"]
    assert not view.enabled
    assert f"under {LOWEST_SIMILARITY:g}" in view.origin
    assert any("only the question is searched" in note for note in plan.notes)
    plain = make_plan(QUESTION, ["en"], corpus=bare)
    assert active(plan).views == plain.views


def test_a_copy_of_a_sample_is_no_hypothetical_passage() -> None:
    assert checked([NEAR, FAR], "en", [f"(1) {NEAR} And more."]) == (FAR,)


def test_the_fallback_takes_the_first_passages_within_the_mask(bare: Corpus) -> None:
    drafts = feedback_drafts(QUESTION, "en", bare, None)
    assert 1 <= len(drafts) <= 3
    (hits,) = bare.search_lexical([QUESTION], "en", 3)
    assert drafts[0].text == " ".join(bare.passages(hits.rows[:1])[0].text.split())
    assert feedback_drafts(QUESTION, "en", bare, None, np.zeros(len(bare), np.bool_)) == ()
    assert feedback_drafts("zzyzx", "en", bare, None) == ()


def test_a_hypothetical_passage_is_embedded_as_a_passage(dense: Corpus) -> None:
    model = embedder(dense.embedding)
    settings = InvestigationSettings(model_tasks=(HYPOTHETICAL,), query_strategy="precision")
    plan = make_plan(QUESTION, ["en"], settings, corpus=dense, helpers=Helpers(embedder=model))
    vectors, notes = embed_views(model, dense, plan)
    assert vectors is not None
    assert notes == ()
    assert model is not None
    number = next(place for place, view in enumerate(plan.views) if view.name == "hypothetical")
    for place, kind in ((number, "passage"), (0, "query")):
        expected = model.encode([plan.views[place].text], "passage" if kind == "passage" else "query")
        np.testing.assert_allclose(vectors[place], expected[0], atol=1e-6)


GERMAN = "Der Hafenmeister kann einem Schiff den Liegeplatz entziehen, wenn die Gebühren nicht bezahlt sind."


def asked_with(corpus: Corpus, answers: list[str], **changes: Any) -> tuple[QueryPlan, Asked]:
    with ScriptedServer(lambda asked: {"passages": answers}) as server:
        helpers = Helpers(Asking(server.connect(), Meter()))
        settings = InvestigationSettings(model_tasks=("hypothetical",), **changes)
        plan = make_plan(QUESTION, ["en"], settings, corpus=corpus, helpers=helpers)
    (asked,) = server.requests
    return plan, asked


def drafts_of(plan: QueryPlan) -> list[View]:
    return [view for view in plan.views if view.name == "hypothetical"]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_so_many_are_asked_for_and_no_more_are_kept(number: int, bare: Corpus) -> None:
    answers = [f"{NEAR} Article {letter}." for letter in "abcdefg"]
    plan, asked = asked_with(bare, answers, hypothetical_passages=number)
    assert asked.data["number"] == str(number)
    assert [view.text for view in drafts_of(plan)] == answers[:number]
    assert sum(view.weight for view in drafts_of(plan)) <= 0.91, "no more than the question"
    assert asked.body["max_tokens"] == 400 * number
    plain = InvestigationSettings(model_tasks=("hypothetical",), hypothetical_passages=number)
    assert len(drafts_of(make_plan(QUESTION, ["en"], plain, corpus=bare))) == number


def test_the_temperature_is_sent_for_this_task_alone(bare: Corpus) -> None:
    with ScriptedServer(sensible) as server:
        helpers = Helpers(Asking(server.connect(), Meter()))
        settings = InvestigationSettings(
            model_tasks=("hypothetical", "sub-questions"), hypothetical_temperature=0.7
        )
        make_plan(QUESTION, ["en"], settings, corpus=bare, helpers=helpers)
    sent = {asked.task: asked.body["temperature"] for asked in server.requests}
    assert sent == {"hypothetical passages": 0.7, "sub-questions": 0}


def test_an_answer_of_another_temperature_is_not_used_again(bare: Corpus, tmp_path: Path) -> None:
    with ScriptedServer(lambda asked: {"passages": [NEAR]}) as server:
        for temperature in (0.0, 0.0, 0.5):
            asking = Asking(server.connect(cache=AnswerCache(tmp_path)), Meter())
            write_drafts(asking, QUESTION, "en", bare, None, DraftRequest(temperature=temperature))
        assert [asked.body["temperature"] for asked in server.requests] == [0, 0.5]


def test_they_are_written_in_a_language_that_is_named(bare: Corpus) -> None:
    plan, asked = asked_with(bare, [GERMAN, NEAR], hypothetical_language="de")
    assert asked.data["language"] == "de"
    assert [view.text for view in drafts_of(plan)] == [GERMAN], "what is in another language is dropped"


def test_the_language_of_the_corpus_is_its_most_frequent_one(meridia: Corpus) -> None:
    german = "Wann ist eine Vollmacht nichtig?"
    named = {
        wished: {
            part.name: part.text
            for part in prompt(german, "de", meridia, None, DraftRequest(language=wished)).data
        }
        for wished in ("question", "corpus", "id")
    }
    assert {wished: parts["language"] for wished, parts in named.items()} == {
        "question": "de",
        "corpus": "en",
        "id": "id",
    }
    french = prompt("Quand le mandat est-il nul ?", "fr", meridia)
    assert {part.name: part.text for part in french.data}["language"] == "en"


@pytest.mark.parametrize("code", ["xx", "german", "DE-", "zxx", "x" * 500])
def test_a_language_that_is_none_is_refused_by_name(code: str, bare: Corpus) -> None:
    settings = InvestigationSettings(hypothetical_language=code)
    with pytest.raises(SettingsError, match=r"^hypothetical_language: .* a code of ISO 639-1") as refused:
        Case(bare, QUESTION, settings)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("code", ["question", "corpus", "de", "pl", "zh", " "])
def test_languages_that_are_known(code: str, bare: Corpus) -> None:
    Case(bare, QUESTION, InvestigationSettings(hypothetical_language=code))
