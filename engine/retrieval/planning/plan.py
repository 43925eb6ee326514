"""The query plan of a question: its views, filters, depth, and changes that a user makes to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType

from engine.corpus.protocol import Corpus, Mask
from engine.errors import InputError
from engine.language.detection import detect_question
from engine.language.references.readings import find_mentions
from engine.model import Constraints, Depth, DepthKind, Intent, QueryPlan, Suggestion, View
from engine.retrieval.planning.assisted import (
    LITERAL,
    PART,
    SIDE,
    Helpers,
    hypothetical_views,
    with_sub_questions,
)
from engine.retrieval.planning.named import provisions_named
from engine.retrieval.planning.prose import (
    dates_in_prose,
    documents_asked,
    documents_in_prose,
    types_in_prose,
)
from engine.retrieval.planning.syntax import read_signs
from engine.retrieval.planning.views import Asked, views_of
from engine.retrieval.planning.words import intent_of, words_of
from engine.retrieval.relevance import note_on
from engine.settings import AUTO, InvestigationSettings

# How deep a question goes, where the settings leave it to the question, and why.
#
# A look-up names what it wants. A question with several parts or sides, or that asks for one
# thing through another, goes as deep as the settings allow; every other one as deep as has proved
# enough. None goes deeper than the settings say.

REASONS: Mapping[Intent, str] = MappingProxyType(
    {
        Intent.COMPARATIVE: "it compares",
        Intent.MULTI_HOP: "it asks for one thing through another",
    }
)


def depth_of(plan: QueryPlan, settings: InvestigationSettings) -> Depth | None:
    """How deep a question goes, and why; None where the settings say how deep."""
    asked = plan.constraints.depth
    if asked is not None:
        return Depth(asked, "the question says so")
    if settings.depth != AUTO:
        return None
    named = [one for one in plan.named if one.leads]
    if named:
        return Depth(DepthKind.LOOK_UP, f"it asks for {named[0].words}")
    parts = sum(view.name in (PART, SIDE) for view in plan.views)
    if parts > 1:
        return Depth(DepthKind.DEEP, f"it has {parts} parts")
    if plan.intent is not None and plan.intent in REASONS:
        return Depth(DepthKind.DEEP, REASONS[plan.intent])
    return Depth(DepthKind.USUAL, "it asks for one thing")


# A plan that a person has edited: what must be right about it before it is used.

HEAVIEST = 10.0
MOST_VIEWS = 16
LONGEST_VIEW = 4_000


def checked_plan(plan: QueryPlan, question: str) -> QueryPlan:
    """The plan, with views of no words left out. Raises InputError where it cannot be used."""
    if plan.question.strip() != question.strip():
        raise InputError("the plan is for another question; make a new plan, or ask that question")
    views = tuple(replace(view, text=" ".join(view.text.split())) for view in plan.views)
    views = tuple(view for view in views if view.text)
    if not any(view.enabled for view in views):
        raise InputError("the plan has no view that is switched on: switch one on, or make a new plan")
    if len(views) > MOST_VIEWS:
        raise InputError(f"the plan has {len(views)} views; {MOST_VIEWS} is the most")
    for number, view in enumerate(views, 1):
        _check(view, number)
    return replace(plan, views=views)


def _check(view: View, number: int) -> None:
    if not (math.isfinite(view.weight) and 0 < view.weight <= HEAVIEST):
        raise InputError(
            f"view {number}: the weight must be above 0 and at most {HEAVIEST:g}, not {view.weight}"
        )
    if len(view.text) > LONGEST_VIEW:
        raise InputError(f"view {number}: {len(view.text):,} characters; {LONGEST_VIEW:,} is the most")


# Making the plan of a question: what it asks, what it requires, and the views by which it is
# scanned.

LONGEST_QUESTION = 4_000


def make_plan(
    question: str,
    languages: Sequence[str],
    settings: InvestigationSettings | None = None,
    *,
    corpus: Corpus | None = None,
    mask: Mask | None = None,
    allowed: Mask | None = None,
    day: date | None = None,
    offered: bool = False,
    helpers: Helpers | None = None,
) -> QueryPlan:
    """The plan for a question put to a corpus in these languages (most frequent first).

    Without a ``corpus`` there are no views made from its words, and no documents are recognised.
    ``mask`` limits what the corpus is asked, ``allowed`` what may be meant by its name, though it be out of
    force; shapes (passages,). Provisions that the question names are those in force on ``day`` (today), where
    neither it nor the settings name one. ``offered``: views that the strategy leaves out are there too,
    switched off, for a person to choose from. ``helpers`` are asked where the settings say so. A question of
    more than 4,000 characters is cut there, and the plan's notes say so. Raises InputError for a constraint
    that cannot be read (``year:soon``) and a question that is nothing but constraints.
    """
    settings, helpers = settings or InvestigationSettings(), helpers or Helpers()
    notes: tuple[str, ...] = ()
    text = " ".join(question.split())
    if len(text) > LONGEST_QUESTION:
        text = text[:LONGEST_QUESTION]
        notes = (f"the question was cut to {LONGEST_QUESTION} characters",)
    signs = read_signs(text)
    if text and not signs.text:
        raise InputError("the question only says what passages must be like: add what it is about")
    text = signs.text
    language = detect_question(text, tuple(languages)) if languages else "und"
    mentions = find_mentions(text, language)
    references = tuple(dict.fromkeys(mention.text for mention in mentions))
    intent = intent_of(text, language, references)
    plan = QueryPlan(
        question,
        language,
        (View(LITERAL, text, origin="the question"),),
        references,
        notes,
        intent.intent,
        intent.evidence,
        constraints=with_settings(signs.constraints, settings),
        suggestions=(
            *(Suggestion("must_include", phrase, phrase) for phrase in signs.quoted),
            *dates_in_prose(text, language, [mention.span for mention in mentions]),
        ),
        strategy=settings.query_strategy,
    )
    if corpus is not None:
        day = signs.constraints.as_of or settings.as_of or day or date.today()
        named = provisions_named(corpus, text, language, day, allowed)
        # Who asks for a provision asks for no more of its document.
        focus = () if named else documents_asked(corpus, text, language)
        plan = replace(
            plan,
            notes=(*plan.notes, *note_on(corpus, language)),
            document_types=types_in_prose(corpus, text, language),
            document_ids=documents_in_prose(corpus, text, language),
            named=named,
            focus=focus,
        )
    asked = Asked(text, language, intent.intent, corpus, mask)
    views = tuple(views_of(asked, settings, offered=offered))
    views = with_sub_questions(views, text, language, settings, helpers)
    drafted, weighed = (
        ((), ()) if corpus is None else hypothetical_views(text, language, corpus, mask, settings, helpers)
    )
    told = (*(one.note for one in plan.named if one.note), *_day_note(plan, settings))
    notes = (*told, *plan.notes, *helpers.asking.notes, *weighed)
    plan = replace(plan, views=(*plan.views, *views, *drafted), notes=notes)
    return replace(plan, depth=depth_of(plan, settings))


def _day_note(plan: QueryPlan, settings: InvestigationSettings) -> Iterator[str]:
    """That a question may mean the law of a day which nobody has chosen."""
    if plan.constraints.as_of is None and settings.as_of is None:
        for found in plan.suggestions:
            if found.kind == "as_of":
                yield f"the question says “{found.words}”: as_of:{found.value} looks at the law of that day"


def law_of_today(plan: QueryPlan, settings: InvestigationSettings, day: date) -> str:
    """That an answer is the law of ``day`` though the question is about another time; empty if it is not."""
    if plan.constraints.as_of is not None or settings.as_of is not None:
        return ""
    for found in sorted(plan.suggestions, key=lambda one: one.kind):
        value = f"{found.value}-12-31" if found.kind == "year_to" else found.value
        is_other = value < day.isoformat() or value[:4] > str(day.year)
        if found.kind in ("as_of", "year_to") and is_other:
            return f"This is the law of today: for that of “{found.words}” ask with as_of:{value}."
    past = words_of(plan.language).dates.past
    asks_for_past = any(re.search(one, plan.question, re.IGNORECASE) for one in past)
    return (
        "This is the law of today: for that of the past ask with as_of: and a day." if asks_for_past else ""
    )


def with_settings(constraints: Constraints, settings: InvestigationSettings) -> Constraints:
    """Constraints with the phrases that the settings require besides."""
    return replace(
        constraints,
        must_include=_union(constraints.must_include, settings.must_include),
        must_exclude=_union(constraints.must_exclude, settings.must_exclude),
    )


def active(plan: QueryPlan) -> QueryPlan:
    """The plan with the views that are switched on, and only those."""
    return replace(plan, views=tuple(view for view in plan.views if view.enabled))


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
