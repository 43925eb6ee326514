"""The plan as a panel, and what comes back from it."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from html import unescape
from typing import Any

import pytest

from engine.errors import InputError
from engine.investigation import Case
from engine.model import Constraints, Intent, QueryPlan, Suggestion, View
from engine.records.plain import plan_to_json
from engine.settings import InvestigationSettings
from tests.engine.llm.server import Asked, Scripted, ScriptedServer
from ui.investigate.plan import CaseRequest, deciding, edited_plan, plan_html, planned
from ui.investigate.updates import open_case, ranked_value
from ui.shelf import Library

PLAN = QueryPlan(
    "dues <b> since 2011",
    "en",
    (View("literal", "dues <b> since 2011"), View("register", "fees", 0.2, False, False, "words of the law")),
    intent=Intent.LOOKUP,
    evidence=("<i>when",),
    document_ids=("dues-act",),
    constraints=Constraints(must_include=("berth",)),
    suggestions=(Suggestion("year_from", "2011", "since 2011"),),
)
SETTINGS = InvestigationSettings()


def sent(plan: QueryPlan, corpus: str = "Harbour", settings: InvestigationSettings = SETTINGS) -> str:
    return json.dumps({"corpus": corpus, "plan": plan_to_json(plan), "settings": deciding(settings)})


def test_the_panel_shows_views_constraints_and_the_words_of_the_intent() -> None:
    html = plan_html(PLAN, "Harbour", SETTINGS, ("with “berth”: 3 of 9 passages remain",))
    assert "told by “&lt;i&gt;when”" in html
    assert "<b> since" not in html, "what was typed is escaped"
    assert html.count("<li data-name=") == 2
    assert html.count(" checked>") == 1
    assert "words of the law · searched by its words alone" in html
    assert "3 of 9 passages remain" in html
    chips = re.findall(r'data-kind="(\w+)" data-value="([\w-]+)" aria-pressed="(\w+)"', html)
    assert chips == [
        ("must_include", "berth", "true"),
        ("year_from", "2011", "false"),
        ("documents", "dues-act", "false"),
    ]
    assert re.findall(r'class="constraint"[^>]*title="([^"]*)"', html) == [
        "Required of every passage; click to drop it",
        "The question says “since 2011”; click to require it",
        "The question names it; click to search nothing else",
    ]


def test_the_panel_holds_the_whole_plan() -> None:
    held = re.search(r'data-plan="([^"]*)"', plan_html(PLAN, "Harbour", SETTINGS))
    assert held is not None
    assert json.loads(unescape(held[1])) == json.loads(json.dumps(plan_to_json(PLAN)))
    assert plan_html(PLAN, "Harbour", SETTINGS) != held.string, "the page notices a new plan"


def test_an_edited_plan_comes_back() -> None:
    edited = replace(PLAN, edited=True)
    assert edited_plan(sent(edited), PLAN.question, "Harbour", SETTINGS) == edited
    assert edited_plan("", PLAN.question, "Harbour", SETTINGS) is None


@pytest.mark.parametrize(
    ("text", "question", "corpus", "told"),
    [
        (sent(PLAN), "who pays?", "Harbour", "the question has changed"),
        (sent(PLAN), PLAN.question, "Sample", "made for another corpus"),
        ("{", PLAN.question, "Harbour", "cannot be read"),
        ("[]", PLAN.question, "Harbour", "cannot be read"),
        (
            '{"corpus": "Harbour", "plan": {}, "settings": {}}',
            PLAN.question,
            "Harbour",
            "the edited plan: question",
        ),
    ],
)
def test_what_does_not_fit_is_refused(text: str, question: str, corpus: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        edited_plan(text, question, corpus, SETTINGS)


HYPOTHETICAL, PARTS, GAPS, ENOUGH = "hypothetical", "sub-questions", "gap-queries", "sufficiency"


@pytest.mark.parametrize(
    ("tasks", "changes", "stale"),
    [
        ((HYPOTHETICAL, GAPS), {"query_strategy": "precision"}, True),
        ((), {"must_exclude": ("quay",)}, True),
        ((), {"depth": "auto"}, True),
        ((), {"as_of": date(2015, 1, 1)}, True),
        ((HYPOTHETICAL, GAPS), {"model_tasks": (PARTS, GAPS)}, True),
        ((HYPOTHETICAL, GAPS), {"model_tasks": (PARTS, HYPOTHETICAL)}, True),
        ((HYPOTHETICAL, GAPS), {"model_tasks": ()}, True),
        # How passages are drafted counts where a model drafts them, what it does in the rounds never.
        ((HYPOTHETICAL,), {"hypothetical_passages": 1}, True),
        ((PARTS,), {"hypothetical_passages": 1}, False),
        ((HYPOTHETICAL, PARTS), {"model_tasks": (PARTS, ENOUGH, HYPOTHETICAL), "rounds": 1}, False),
    ],
)
def test_a_plan_is_stale_where_settings_that_made_it_have_changed(
    tasks: tuple[str, ...], changes: dict[str, Any], stale: bool
) -> None:
    made = SETTINGS.changed(model_tasks=tasks)
    asked = (sent(PLAN, settings=made), PLAN.question, "Harbour", made.changed(**changes))
    refused = pytest.raises(InputError, match="settings of the query plan have changed")
    with refused if stale else nullcontext():
        assert edited_plan(*asked) == PLAN


def test_a_case_is_opened_with_the_edited_plan(library: Library) -> None:
    question = "May a manager grant broader powers?"
    plain = open_case(library, CaseRequest(question=question))
    made = plain.case.make_plan()
    views = (*made.views, View("own", "agency", 0.3))
    edited = sent(replace(made, views=views, edited=True), "")
    opened = open_case(library, CaseRequest(question=question, edited=edited))
    list(opened.case.run())
    assert opened.case.plan is not None
    assert opened.case.plan.views[-1].text == "agency"


def test_a_constraint_that_leaves_nothing_is_named_among_the_cards(library: Library) -> None:
    opened = open_case(library, CaseRequest(question='manager powers "zebra crossing"'))
    list(opened.case.run())
    shown = ranked_value(opened)
    assert "leave nothing to search" in shown
    assert "zebra crossing" in shown


def test_a_plan_by_a_language_model_is_escaped_and_tells_what_it_used(library: Library) -> None:
    question = "May a manager grant an agent broader powers?"
    loud = f"<script>alert(1)</script> {question[4:]}"

    def script(asked: Asked) -> Scripted:
        if asked.task == "hypothetical passages":
            return {"passages": []}
        return {"sub_questions": [f"Which register decides: {question}", loud]}

    with ScriptedServer(script) as server:
        settings = InvestigationSettings(model_tasks=("sub-questions", "hypothetical"))
        html = planned(Case(library.corpus(None), question, settings, model=server.connect()), "Small")
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "a part of the question, by the language model" in html
    assert "one of the first passages found, as if it answered; similarity" in html
    assert "Language model: 2 calls, " in html
