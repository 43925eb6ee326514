"""The request of the page, and the plan of a question, used as the user has edited it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import gradio as gr
import orjson
from pydantic import Field, StrictInt

from engine.errors import InputError, RedstringError, SettingsError, for_visitors
from engine.investigation import Case, make_case
from engine.investigation.filters import Filters
from engine.llm import LanguageModel
from engine.model import Constraints, QueryPlan
from engine.records.conversion import usage_lines
from engine.records.plain import intent_words, plan_from_json, plan_to_json
from engine.records.store.store import LONGEST_NAME
from engine.settings import HYPOTHETICAL, SUB_QUESTIONS, InvestigationSettings
from engine.verbs.verb import (
    LONGEST_QUESTION,
    MOST_SETTINGS,
    CorpusName,
    Key,
    Request,
    SettingValues,
    parse_request,
)
from ui.investigate.controls import settings_from
from ui.investigate.expansion_rows import Tab
from ui.investigate.panels import Stage, banner_html, on_failure
from ui.investigate.sidebar import Rail, at_click
from ui.models.connections import Connections
from ui.server.login import person_of
from ui.session import CASES, LAST_TURN
from ui.shelf import Library
from ui.templating import rendered

# The request of the page at a click: the question, the corpus and the values of all controls.

LONGEST = 100_000
LONGEST_EDIT = 80_000


class CaseRequest(Request):
    """One request of the page. ``session`` and ``visitor`` are the page's secret keys; ``turn`` is the number
    of the request.

    ``edited`` is the plan as the user has changed it (see ``plan.js``); ``matter`` is the name of the matter
    in which the case is stored; ``unfinished`` are controls with an incomplete value. ``view`` is the current
    tab of the board.
    """

    session: Key = Field(default="", repr=False)
    visitor: Key = Field(default="", repr=False)
    question: str = Field(default="", max_length=LONGEST_QUESTION)
    corpus: CorpusName | None = None
    turn: StrictInt = Field(default=0, ge=0, le=LAST_TURN)
    edited: str = Field(default="", max_length=LONGEST_EDIT)
    view: Tab = "board"
    matter: str = Field(default="", max_length=LONGEST_NAME)
    held: SettingValues = Field(default={}, max_length=MOST_SETTINGS)
    unfinished: Sequence[Annotated[str, Field(max_length=60)]] = Field(default=(), max_length=200)

    def settings(self) -> InvestigationSettings:
        """Return the settings that the controls show. Raises SettingsError for an invalid value."""
        if self.unfinished:
            raise SettingsError(
                f"{self.unfinished[0]}: the value is incomplete; complete it, or clear the field"
            )
        return settings_from(self.held)


def case_request(text: str) -> CaseRequest:
    """Parse the request. Raises InputError, in one line, if it is too long or invalid."""
    if len(text) > LONGEST:
        raise InputError("what was asked is too long: shorten the question, the plan or the settings")
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("what was asked cannot be read: load the page again") from error
    return parse_request(CaseRequest, values)


# The plan of a question: shown before the scan, and used as the user has edited it.

# The settings that determine a plan.
DECIDING = frozenset({"query_strategy", "must_include", "must_exclude", "depth", "as_of"})
# The settings by which a language model drafts passages.
DRAFTING = frozenset({"hypothetical_passages", "hypothetical_temperature", "hypothetical_language"})
# Tasks of a language model that change a plan; its tasks in the rounds do not.
PLAN_TASKS = frozenset({SUB_QUESTIONS, HYPOTHETICAL})
# Maximum of documents named by a question that are offered as constraints.
MOST_OFFERED = 4
_CHIPS = {
    "must_include": "with “{}”",
    "must_exclude": "without “{}”",
    "documents": "only {}",
    "types": "only of type {}",
    "languages": "only in {}",
    "year_from": "from {}",
    "year_to": "until {}",
    "as_of": "in force on {}",
}
# Shown while a language model writes.
WAITING = '<p class="dropped" role="status">The language model is reading the question …</p>'
# Longer texts, in characters, get a taller box: a hypothetical passage is a paragraph.
ONE_LINE, MOST_LINES = 90, 6
# Two plans may be equal; the number lets the page notice a new one.
_made = itertools.count()


def plan_html(
    plan: QueryPlan, corpus_name: str, settings: InvestigationSettings, notes: Sequence[str] = ()
) -> str:
    """Return a plan as a panel."""
    return rendered(
        "investigate/plan.html",
        plan=plan,
        plan_json=plan_to_json(plan),
        settings=deciding(settings),
        corpus=corpus_name,
        made=next(_made),
        facts=(intent_words(plan), plan.language, plan.strategy),
        on=sum(view.enabled for view in plan.views),
        chips=list(_chips(plan)),
        notes=(*plan.notes, *notes),
        one_line=ONE_LINE,
        most_lines=MOST_LINES,
    )


# A switch: the kind and value of its constraint, whether it is on, its words, its tooltip.
Chip = tuple[str, str, bool, str, str]


def _chips(plan: QueryPlan) -> Iterator[Chip]:
    """Yield a switch for each constraint, and one that is off for each that the question may mean."""
    shown = set()
    for kind, value in _required(plan.constraints):
        shown.add((kind, value))
        yield _chip(kind, value, True, "Required of every passage; click to drop it")
    for found in plan.suggestions:
        if (found.kind, found.value) not in shown:
            tip = f"The question says “{found.words}”; click to require it"
            yield _chip(found.kind, found.value, False, tip)
    for kind, values in (("documents", plan.document_ids[:MOST_OFFERED]), ("types", plan.document_types)):
        for value in values:
            if (kind, value) not in shown:
                yield _chip(kind, value, False, "The question names it; click to search nothing else")


def _chip(kind: str, value: str, on: bool, tip: str) -> Chip:
    return kind, value, on, _CHIPS.get(kind, kind + " {}").format(value), tip


def _required(constraints: Constraints) -> Iterator[tuple[str, str]]:
    for kind in _CHIPS:
        value = getattr(constraints, kind)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        yield from ((kind, str(one)) for one in values)


def edited_plan(
    text: str, question: str, corpus_name: str, settings: InvestigationSettings
) -> QueryPlan | None:
    """Return the plan that the user has edited on the page; None without one.

    Raises InputError for an invalid plan, or one of another question, another corpus or other settings.
    """
    if not text:
        return None
    try:
        held = orjson.loads(text)
        corpus, values, made_with = held["corpus"], held["plan"], held["settings"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError("the edited plan cannot be read: make a new plan") from error
    if corpus != corpus_name:
        raise InputError("the plan was made for another corpus: make a new plan")
    plan = plan_from_json(values, "the edited plan")
    if plan.question.strip() != question.strip():
        raise InputError("the question has changed since the plan was made: make a new plan")
    if made_with != deciding(settings):
        raise InputError("settings of the query plan have changed since it was made: make a new plan")
    return plan


def deciding(settings: InvestigationSettings) -> dict[str, Any]:
    """Return the settings that determine a plan, as JSON; of the language model's tasks only those for
    plans."""
    tasks = sorted(PLAN_TASKS.intersection(settings.model_tasks))
    names = DECIDING | DRAFTING if HYPOTHETICAL in tasks else DECIDING
    values = settings.model_dump(mode="json", include=set(names))
    return {**values, "model_tasks": tasks}


def planned(case: Case, corpus_name: str) -> str:
    """Return the panel of a case's plan, with the effect of its constraints, and the language model's
    usage."""
    plan = case.make_plan(offered=True)
    spec = "" if case.model is None else case.model.spec
    spent = list(usage_lines(case.usage, spec))[:1]
    notes = (*Filters(case.corpus, case.settings, case.day, plan).notes, *spent)
    return plan_html(plan, corpus_name, case.settings, notes)


def asks_model(settings: InvestigationSettings) -> bool:
    """Return whether making a plan uses a language model."""
    return not PLAN_TASKS.isdisjoint(settings.model_tasks)


def wire_plan(rail: Rail, stage: Stage, library: Library, connections: Connections) -> None:
    """Wire the button that shows the plan; choosing another corpus removes it. If the settings require it,
    the page's language model is used, and the panel shows a waiting message."""

    def show(request: gr.Request, given: str) -> Iterator[dict[Any, Any]]:
        try:
            asked = case_request(given)
            person = person_of(library.settings, request, asked.visitor)
            case = planning(asked, person.key, connections.model_for(asked.session, person))
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}
            return
        if case.model is not None and asks_model(case.settings):
            yield {stage.banner: "", stage.plan: WAITING}
        try:
            yield {stage.banner: "", stage.plan: planned(case, asked.corpus or "")}
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error)), stage.plan: ""}

    def planning(asked: CaseRequest, visitor: str, model: LanguageModel | None) -> Case:
        if not asked.question.strip():
            raise InputError("there is no question: write one, or choose an example")
        corpus, settings = library.corpus(asked.corpus or "", visitor), asked.settings()
        return make_case(corpus, asked.question.strip(), settings, model=model)

    made = at_click(rail, rail.plan.click).then(
        show, rail.asked, [stage.banner, stage.plan],
        api_visibility="private", show_progress="hidden", trigger_mode="always_last", concurrency_id=CASES,
    )  # fmt: skip
    on_failure(made, stage)
    rail.corpus.input(None, None, stage.plan, js="() => ''", api_visibility="private", show_progress="hidden")
