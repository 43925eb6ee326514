"""What is told of the provisions that a question names, and what is offered instead."""

from __future__ import annotations

import html
import re
from dataclasses import replace

from engine.model import Choice, NamedProvision, Naming, QueryPlan, View
from ui.named import named_html

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
    assert named_html(replace(PLAN, named=(found,))) == ""


def test_what_is_missing_is_told_with_what_to_ask_instead() -> None:
    told = named_html(replace(PLAN, named=(MISSING,)))
    assert 'data-status="missing"' in told
    assert "“Code” has no article 99; the nearest are 60." in told
    (question,) = re.findall(r'data-question="([^"]*)"', told)
    assert html.unescape(question) == "What does Code, Article 60 say?"


def test_a_choice_is_offered_by_its_labels_alone() -> None:
    several = replace(MISSING, status=Naming.SEVERAL, note="Article 99 may be Code, Article 60: say which")
    told = re.sub(r"<[^>]+>", "|", named_html(replace(PLAN, named=(several,))))
    assert "may be one of several.|" in told
    assert told.count("Code, Article 60") == 1


def test_words_of_the_question_are_no_markup() -> None:
    told = named_html(replace(PLAN, named=(replace(MISSING, status=Naming.SEVERAL),)))
    assert "<b>" not in told
