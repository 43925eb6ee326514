"""What is told of the provisions that a question names, and what is offered instead."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import date

from engine.model import Choice, Constraints, NamedProvision, Naming, QueryPlan, Suggestion, View
from ui.investigate.progress import named_html

DAY = date(2026, 11, 23)
QUESTION = "What does  Article 99 of the <b>Code</b> say?"
PLAN = QueryPlan(QUESTION, "en", (View("literal", QUESTION),))
MISSING = NamedProvision(
    "Article 99 of the <b>Code</b>",
    Naming.MISSING,
    choices=(Choice("code/art-60", "Code, Article 60"),),
    note="“Code” has no article 99; the nearest are 60",
)


def test_what_is_plainly_there_needs_no_line() -> None:
    found = NamedProvision("Article 14", Naming.FOUND, ("code/art-14",), leads=True)
    assert named_html(replace(PLAN, named=(found,)), DAY) == ""


def test_what_is_missing_is_told_with_what_to_ask_instead() -> None:
    told = named_html(replace(PLAN, named=(MISSING,)), DAY)
    assert 'data-status="missing"' in told
    assert "“Code” has no article 99; the nearest are 60." in told
    (question,) = re.findall(r'data-question="([^"]*)"', told)
    assert html.unescape(question) == "What does Code, Article 60 say?"


def test_a_choice_is_offered_by_its_labels_alone() -> None:
    several = replace(MISSING, status=Naming.SEVERAL, note="Article 99 may be Code, Article 60: say which")
    told = re.sub(r"<[^>]+>", "|", named_html(replace(PLAN, named=(several,)), DAY))
    assert "may be one of several.|" in told
    assert told.count("Code, Article 60") == 1


def test_words_of_the_question_are_no_markup() -> None:
    told = named_html(replace(PLAN, named=(replace(MISSING, status=Naming.SEVERAL),)), DAY)
    assert "<b>" not in told


def test_a_day_that_the_question_names_is_offered_and_never_taken() -> None:
    day = Suggestion("as_of", "2020-03-01", "on 1 March 2020")
    plan = replace(PLAN, suggestions=(day,))
    told = named_html(plan, DAY)
    assert "law of 23 Nov 2026" in told
    assert "Look at the law of 1 Mar 2020" in told
    (question,) = re.findall(r'data-question="([^"]*)"', told)
    assert html.unescape(question).endswith("say? as_of:2020-03-01")
    assert named_html(plan, date(2020, 3, 1)) == ""
    assert named_html(replace(plan, constraints=Constraints(as_of=date(2019, 1, 1))), DAY) == ""


def test_a_document_that_comes_first_is_told_with_a_way_to_search_nothing_else() -> None:
    plan = replace(PLAN, focus=("code",))
    told = named_html(plan, DAY, {"code": "Agency <Code>"})
    assert "What “Agency &lt;Code&gt;” says comes first" in told
    (question,) = re.findall(r'data-question="([^"]*)"', told)
    assert html.unescape(question).endswith('say? document:"code"')
    assert named_html(replace(plan, constraints=Constraints(documents=("code",))), DAY) == ""
