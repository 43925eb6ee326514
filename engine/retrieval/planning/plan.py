"""The query plan of a question: its views, filters and depth, and plans that a user edited."""

from __future__ import annotations

import math
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
    asks_for_past,
    changes_asked,
    dates_in_prose,
    day_asked,
    documents_focused_on,
    documents_in_prose,
    types_in_prose,
)
from engine.retrieval.planning.syntax import read_signs
from engine.retrieval.planning.views import ViewSource, views_of
from engine.retrieval.planning.words import IntentReading, intent_of
from engine.retrieval.relevance import note_on
from engine.settings import AUTO, InvestigationSettings

# The depth of a question, if the settings leave it to the question
#
# A look-up names the provision it asks for. A question with several parts or sides, or that asks for one
# thing through another, is deep. All others have the usual depth. The settings limit the depth.

REASONS: Mapping[Intent, str] = MappingProxyType(
    {
        Intent.COMPARATIVE: "it compares",
        Intent.MULTI_HOP: "it asks for one thing through another",
    }
)


def depth_of(plan: QueryPlan, settings: InvestigationSettings) -> Depth | None:
    """Return the depth of a question and the reason; None if the settings set it."""
    stated = plan.constraints.depth
    if stated is not None:
        return Depth(stated, "the question says so")
    if settings.depth != AUTO:
        return None
    named = [provision for provision in plan.named if provision.leads]
    if named:
        return Depth(DepthKind.LOOK_UP, f"it asks for {named[0].words}")
    if plan.intent is Intent.CHANGES:
        return Depth(DepthKind.LOOK_UP, "it asks what changed")
    parts = sum(view.name in (PART, SIDE) for view in plan.views)
    if parts > 1:
        return Depth(DepthKind.DEEP, f"it has {parts} parts")
    if plan.intent is not None and plan.intent in REASONS:
        return Depth(DepthKind.DEEP, REASONS[plan.intent])
    return Depth(DepthKind.USUAL, "it asks for one thing")


# Plans that a user edited

HEAVIEST = 10.0
MOST_VIEWS = 16
LONGEST_VIEW = 4_000


def checked_plan(plan: QueryPlan, question: str) -> QueryPlan:
    """Check an edited plan and return it without empty views. Raises InputError if it cannot be used."""
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


# The plan of a question

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
    """Make the plan for a question to a corpus with these languages, most frequent first.

    - ``corpus``: without it there are no views from its words, and no documents are recognised.
    - ``mask``: passages that are searched; ``allowed``: passages that the question may name, also out of
      force; shapes (passages,), None for all.
    - ``day``: the date of the law for named provisions, unless the question or the settings name one; today
      by default.
    - ``offered``: include the views that the strategy leaves out, switched off, for a user to choose from.
    - ``helpers``: used if the settings say so.

    A question of more than 4,000 characters is cut, with a note. Raises InputError for an invalid
    constraint (``year:soon``) and a question that has only constraints.
    """
    settings, helpers = settings or InvestigationSettings(), helpers or Helpers()
    notes: tuple[str, ...] = ()
    text = " ".join(question.split())
    if len(text) > LONGEST_QUESTION:
        text = text[:LONGEST_QUESTION]
        notes = (f"the question was cut to {LONGEST_QUESTION} characters",)
    signs = read_signs(text)
    if text and not signs.text:
        raise InputError("the question has only filters: add what it is about")
    text = signs.text
    language = detect_question(text, tuple(languages)) if languages else "und"
    mentions = find_mentions(text, language)
    references = tuple(dict.fromkeys(mention.text for mention in mentions))
    day = day or date.today()
    intent = intent_of(text, language, references)
    asked = changes_asked(text, language, day)
    if asked is not None:
        intent = IntentReading(Intent.CHANGES, (text,))
        notes = (*notes, f"the law of {asked.first} and that of {asked.last} are compared")
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
        if asked is None:
            plan = _on_day_asked(plan, corpus, settings, day)
        if plan.constraints.as_of is not None:
            mask = _both(allowed, corpus.in_force(plan.constraints.as_of))
        day = plan.constraints.as_of or settings.as_of or day
        named = provisions_named(corpus, text, language, day, allowed)
        # A question for a provision does not ask for the rest of its document.
        focus = () if named else documents_focused_on(corpus, text, language)
        plan = replace(
            plan,
            notes=(*plan.notes, *note_on(corpus, language)),
            document_types=types_in_prose(corpus, text, language),
            document_ids=documents_in_prose(corpus, text, language),
            named=named,
            focus=focus,
        )
    source = ViewSource(text, language, intent.intent, corpus, mask)
    views = tuple(views_of(source, settings, offered=offered))
    views = with_sub_questions(views, text, language, settings, helpers)
    drafted, draft_notes = (
        ((), ()) if corpus is None else hypothetical_views(text, language, corpus, mask, settings, helpers)
    )
    named_notes = (provision.note for provision in plan.named if provision.note)
    notes = (
        *named_notes, *_day_note(plan, settings), *plan.notes, *helpers.asking.notes, *draft_notes
    )  # fmt: skip
    plan = replace(plan, views=(*plan.views, *views, *drafted), notes=notes)
    return replace(plan, depth=depth_of(plan, settings))


def _on_day_asked(plan: QueryPlan, corpus: Corpus, settings: InvestigationSettings, today: date) -> QueryPlan:
    """Return the plan with the day whose law the question asks for as a constraint.

    The corpus must have law that was in force on that day and is not in force today. A day that the question
    or the settings choose takes precedence.
    """
    asked = day_asked(plan.question, plan.language, plan.suggestions, today)
    is_chosen = plan.constraints.as_of or settings.as_of or settings.include_superseded or settings.statuses
    if asked is None or is_chosen:
        return plan
    day = date.fromisoformat(asked.value)
    if not has_law_of(corpus, day, today):
        return plan
    return replace(plan, constraints=replace(plan.constraints, as_of=day))


def has_law_of(corpus: Corpus, day: date, today: date) -> bool:
    """Return whether a corpus has law that was in force on a day and is not in force today."""
    return bool((corpus.in_force(day) & ~corpus.in_force(today)).any())


def _both(allowed: Mask | None, mask: Mask) -> Mask:
    return mask if allowed is None else allowed & mask


def _day_note(plan: QueryPlan, settings: InvestigationSettings) -> Iterator[str]:
    """Yield notes on the day that a question names, and whether the case uses the law of that day."""
    chosen = plan.constraints.as_of or settings.as_of
    for found in plan.suggestions:
        if found.kind != "as_of":
            continue
        named = f"the question names “{found.words}”"
        if chosen is None:
            yield f"{named}: as_of:{found.value} looks at the law of that day"
        elif _is_read(plan, settings, found):
            yield f"{named}: the case looks at the law of {chosen}; as_of: and another day changes that"


def _is_read(plan: QueryPlan, settings: InvestigationSettings, found: Suggestion) -> bool:
    """Return whether the day of a case comes from the prose of its question and was not set explicitly."""
    is_chosen = settings.as_of is not None or read_signs(plan.question).constraints.as_of is not None
    return not is_chosen and found.value == str(plan.constraints.as_of)


def day_of_law(plan: QueryPlan, settings: InvestigationSettings, today: date) -> str:
    """Return a note on the date of an answer's law; "" if the question is about today.

    The note is for a question about another time than ``today``, or one whose words set the day.
    """
    stated = next((suggestion for suggestion in plan.suggestions if suggestion.kind == "as_of"), None)
    if stated is not None and _is_read(plan, settings, stated):
        return f"This is the law of {stated.value} (“{stated.words}”)."
    if plan.constraints.as_of is not None or settings.as_of is not None:
        return ""
    if stated is not None and (stated.value < today.isoformat() or stated.value[:4] > str(today.year)):
        return f"This is the law of today: for that of “{stated.words}” ask with as_of:{stated.value}."
    if asks_for_past(plan):
        return "This is the law of today: for that of the past ask with as_of: and a day."
    return ""


def with_settings(constraints: Constraints, settings: InvestigationSettings) -> Constraints:
    """Add the phrases that the settings require to constraints."""
    return replace(
        constraints,
        must_include=_union(constraints.must_include, settings.must_include),
        must_exclude=_union(constraints.must_exclude, settings.must_exclude),
    )


def active(plan: QueryPlan) -> QueryPlan:
    """Return the plan with only the views that are switched on."""
    return replace(plan, views=tuple(view for view in plan.views if view.enabled))


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
