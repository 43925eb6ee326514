"""Verbs that ask a question: plan it, investigate it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator

from engine.errors import CancelledError, InputError
from engine.model import StopReason
from engine.records.summaries import Slim, SlimCase, slim_case
from engine.verbs.verb import (
    MOST_SETTINGS,
    Caller,
    Detail,
    Key,
    ModelOptions,
    OfCorpus,
    Question,
    Request,
    Response,
    SettingsOptions,
    SettingValues,
    Tool,
    argument,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation import Case

Json = dict[str, Any]
Report = Callable[[str], None]
Preset = Annotated[
    Key, Field(description="auto (as deep as the question asks), quick, balanced, thorough or detective.")
]
Model = Annotated[
    bool,
    Field(description="Whether this server's own language model helps, where it has one that may be used."),
]
ChangedSettings = Annotated[SettingValues, Field(max_length=MOST_SETTINGS)]
Matter = Annotated[
    str, Field(max_length=200, description="Name of the matter that the case is kept in; empty for General.")
]
SETTINGS = 'Any settings of the case by name, in place of the preset\'s: {"as_of": "2024-05-06"}.'
MODEL_COST = "Language model, at most"
MODEL_USE = "Language model, so far"
UNWANTED = "the caller has hung up"
MORE = (
    "read a passage in place by its id; follow further from one, export the case or get the rest of it by "
    "the id of the case; detail=full gives everything at once"
)
MORE_IF_NOT_KEPT = (
    "read a passage in place by its id; ask again with detail=full for everything at once: to be followed a "
    "case has to be kept"
)


class Ask(Request):
    """A question to a corpus."""

    question: Question
    corpus: OfCorpus = ""
    preset: Preset = "auto"

    @field_validator("question", mode="before")
    @classmethod
    def _strip(cls, value: object) -> object:
        return value.strip() if isinstance(value, str) else value


class AskOptions(SettingsOptions, ModelOptions):
    """A question to a corpus, on the command line."""

    question: str = argument(..., "the question", "QUESTION")
    corpus: str = corpus_option()

    def named(self) -> dict[str, Any]:
        """Return settings that are fields of their own: none."""
        return {}


class PlanQuestion(Ask):
    """Arguments of ``plan``."""

    settings: ChangedSettings | None = Field(default=None, description=SETTINGS)


class Investigate(Ask):
    """Arguments of ``investigate``: with the settings most often changed, None for the preset's."""

    strategies: Annotated[tuple[Key, ...], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Threads to follow; null for the preset's, as with the next three."
    )
    rounds: int | None = Field(default=None, description="Rounds of expansion after the scan, at most.")
    pool_size: int | None = Field(default=None, description="Passages that the research pool may hold.")
    top_k: int | None = Field(default=None, description="Passages in the final ranking.")
    model: Model = False
    settings: ChangedSettings | None = Field(default=None, description=SETTINGS)
    matter: Matter = ""
    detail: Detail = "slim"

    def named(self) -> dict[str, Any]:
        """Return the settings that are arguments. Raises InputError for one that is given twice."""
        named = self.model_dump(include={"strategies", "rounds", "pool_size", "top_k"}, exclude_none=True)
        for name in self.settings or {}:
            if name in named:
                raise InputError(f"{name}: it is an argument and among the settings; give it once")
        return named


class InvestigateOptions(AskOptions):
    """Options of ``investigate``."""

    save: Path | None = option(None, "save the case as JSON, sealed", "FILE")
    report: Path | None = option(None, "audit the case, what to do included: .md, .html or .json", "FILE")
    matter: str = option("", "keep the case in this matter; `cases` lists what is kept", "NAME")
    plan: Path | None = option(None, "use this plan (see the command plan), edited or not", "FILE")
    resume: Path | None = option(None, "carry on from a saved investigation", "FILE")
    order: str = option(
        "",
        "rank, document (as their documents read), or ends (the best first and last); default rank, with "
        "--context ends",
        "O",
    )
    context: int | None = option(
        None, "print the passages as a model shall read them, each with a key and its citation", "TOKENS"
    )


class PlanAnswer(Slim):
    """Answer of ``plan``."""

    corpus: str
    words: list[str] = Field(description="the plan for a person, line by line")
    plan: dict[str, Any] = Field(
        description="the plan: language, intent, depth, views (what is searched for), provisions that the "
        "question names, constraints that hold, suggestions that do not"
    )
    notes: list[str] = Field(description="what the constraints leave of the corpus")


class CaseAnswer(SlimCase):
    """Answer of ``investigate``, in short."""

    case: str | None = Field(
        default=None, description="id of the case where it is kept: follow, case and export take it"
    )
    not_kept: str | None = Field(default=None, description="why the case is not kept, where it is not")
    more: str = Field(description="how to get more of it")


@verb(
    "plan",
    PlanQuestion,
    tool=Tool(
        "plan",
        "Plan a question",
        "Say what a question is understood as before it is investigated: its language, what it asks for, the "
        "provisions it names and whether the corpus has them, the constraints in it, and what would be "
        "searched.",
        PlanAnswer,
        full=lambda response: response.extra,
    ),
    options=AskOptions,
    audit="plan",
    queued=True,
)
def plan_question(caller: Caller, request: PlanQuestion | AskOptions) -> Response:
    """Show how a question would be searched; edit it, then investigate."""
    from engine.investigation import make_case

    model = caller.model(request) if isinstance(request, AskOptions) else None
    settings = caller.settings(request.preset, request.settings, {}, assisted=False)
    case = make_case(caller.corpus(request.corpus), request.question, settings, model=model)
    made, costs = caller.run_case(make_plan, case)
    lines = [*made["words"], *(f"Note: {note}" for note in made["notes"]), *costs]
    return Response(made["plan"], lines, extra=made)


def make_plan(case: Case, report: Report) -> tuple[Json, list[str]]:
    """Return the plan of a case that has not run, and lines on the use of its model."""
    from engine.investigation.assistance import expected_cost
    from engine.investigation.filters import Filters
    from engine.records.conversion import usage_lines
    from engine.records.plain import plan_text, plan_to_json

    expected = None if case.model is None else expected_cost(case)
    plan = case.make_plan(offered=True)
    made = {
        "corpus": case.corpus.name,
        "words": list(plan_text(plan)),
        "plan": plan_to_json(plan),
        "notes": list(Filters(case.corpus, case.settings, case.day, plan).notes),
    }
    if expected is None or case.model is None:
        return made, []
    spec = case.model.spec
    return made, [*usage_lines(expected, spec, MODEL_COST), *usage_lines(case.usage, spec, MODEL_USE)]


def open_case(caller: Caller, request: Any, corpus: Corpus, **more: Any) -> Case:
    """Return the case of a question, not yet run. Raises InputError, SettingsError."""
    from engine.investigation import make_case

    model, weights = caller.model(request), caller.weights_in(getattr(request, "matter", ""), corpus)
    assisted = model is not None and isinstance(request, Investigate)
    settings = caller.settings(request.preset, request.settings, request.named(), assisted=assisted)
    return make_case(corpus, request.question, settings, model=model, weights=weights, **more)


def run_to_end(case: Case, report: Report) -> None:
    """Run a case to its end. Raises CancelledError if the caller has hung up."""
    from engine.records.text import event_line

    for event in case.run():
        line = event_line(event)
        if line is not None:
            report(line)
    if case.stop is not None and case.stop.reason is StopReason.PERSON:
        raise CancelledError(UNWANTED)


def run_to_record(case: Case, report: Report) -> Json:
    """Run a case to its end; returns its record."""
    from engine.records.conversion import investigation_to_json

    run_to_end(case, report)
    return investigation_to_json(case.investigation())


def keep_case(caller: Caller, record: Mapping[str, Any], corpus: Corpus, matter: str) -> Json:
    """Keep a case for the caller: its id as ``case``, or None and why it is not kept, and how to get more."""
    from engine.errors import AccessError, RedstringError, for_visitors
    from engine.records.store.chain import fingerprint_of
    from engine.records.store.store import matter_name

    try:
        owner, store = caller.owner, caller.store()
        kept = store.keep(
            record,
            store.matter(matter_name(matter), owner if isinstance(owner, str) else ""),
            application=caller.application,
            who=caller.name,
            fingerprint=fingerprint_of(corpus),
        )
    except AccessError as error:
        return {"case": None, "not_kept": str(error).removeprefix("cases: "), "more": MORE_IF_NOT_KEPT}
    except RedstringError as error:
        # A case that cannot be kept is still answered.
        return {"case": None, "not_kept": for_visitors(error), "more": MORE_IF_NOT_KEPT}
    return {"case": kept, "more": MORE}


def slim_kept(values: Mapping[str, Any], slim: Callable[[Mapping[str, Any]], Json] = slim_case) -> Json:
    """Return the record or the answer of a case in short, with its id and how to get more."""
    own = {name: values[name] for name in ("case", "not_kept", "more") if name in values}
    return {**own, **slim(values)}


def investigate_here(caller: Caller, request: InvestigateOptions) -> Response:
    """Investigate a question on the command line: save, report, keep and print it."""
    from engine.records.context import (
        Order,
        checked_tokens,
        context_text,
        context_to_json,
        model_context,
        order_of,
        ordered,
    )
    from engine.records.conversion import investigation_to_json, load_record, pool_of, usage_lines
    from engine.records.phrases import coverage_lines, short_citation
    from engine.records.plain import load_plan
    from engine.records.text import evidence_line, parts_lines, passages_text
    from engine.verbs.corpora import case_reporter

    tokens = None if request.context is None else checked_tokens(request.context)
    order = order_of(request.order or (Order.RANK if tokens is None else Order.ENDS))
    write_report = case_reporter(request.report)
    corpus, more = caller.corpus(request.corpus), {}
    if request.resume is not None:
        former = load_record(request.resume)
        size = caller.settings(request.preset, request.settings, {}, assisted=False).pool_size
        more = {"pool": pool_of(former, corpus, size, request.resume), "used": former.used()}
    plan = None if request.plan is None else load_plan(request.plan)
    case = open_case(caller, request, corpus, plan=plan, **more)
    caller.run_case(run_to_end, case)
    for line in usage_lines(case.usage, "" if case.model is None else case.model.spec):
        caller.report(line)
    found = case.investigation()
    _keep_and_save(caller, found, corpus, request)
    write_report(found, corpus)
    context = None if tokens is None else model_context(found, corpus, tokens, order)
    added = {} if context is None else {"context": context_to_json(context)}
    lines: list[str] = [f"Nothing in {corpus.name} answers this question."]
    if context is not None and case.ranking:
        lines = list(context_text(context))
    elif case.ranking:
        lines = [evidence_line(case.evidence), *parts_lines(case.evidence)]
        citations = {one.passage.id: short_citation(one.passage, one.document) for one in case.ranking}
        lines += coverage_lines(case.areas, lambda passage: citations.get(passage, passage))
        lines += passages_text(ordered(case.ranking, order), corpus, case.as_of)
    return Response(investigation_to_json(found) | added, lines)


@verb(
    "investigate",
    Investigate,
    tool=Tool(
        "investigate",
        "Investigate a question",
        "Investigate a question in a corpus of documents that cite each other: a broad scan, then rounds "
        "that follow citations, definitions, exceptions and neighbours. Gives the passages, best first, each "
        "with the trail by which it was found, whether the corpus supports an answer, what is covered, why "
        "it stopped.",
        CaseAnswer,
        slim_kept,
    ),
    options=InvestigateOptions,
    command=investigate_here,
    audit="investigate",
    changes=True,
    repeats=False,
    queued=True,
)
def investigate(caller: Caller, request: Investigate) -> Response:
    """Investigate a question."""
    corpus = caller.corpus(request.corpus)
    record = caller.run_case(run_to_record, open_case(caller, request, corpus))
    kept = keep_case(caller, record, corpus, request.matter)
    more = kept.pop("more")
    return Response({**kept, **record, "more": more})


def _keep_and_save(caller: Caller, found: Any, corpus: Corpus, request: InvestigateOptions) -> None:
    """Keep a case in a matter, save it to a file, or both, then as one case."""
    from engine.records.case_file import case_bytes
    from engine.records.conversion import investigation_to_json, save, write_whole
    from engine.records.store.chain import fingerprint_of

    if request.matter:
        store = caller.store()
        kept = store.keep(
            investigation_to_json(found),
            store.matter(request.matter),
            application=caller.application,
            who=caller.name,
            fingerprint=fingerprint_of(corpus),
        )
        if request.save is not None:
            write_whole(request.save, case_bytes(*store.handed(kept)))
        caller.notice(f"Kept as case {kept}")
    elif request.save is not None:
        own = {"application": caller.application, "who": caller.name}
        save(found, request.save, **own, fingerprint=fingerprint_of(corpus))
