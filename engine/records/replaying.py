"""Replay of a kept case, with the steps that its user took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, field_validator

from engine.corpus.extracted.readings import Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, SettingsError
from engine.extraction.judging import Ends, judge_link, unjudge_link, without_verdicts
from engine.investigation import Case, run_case
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import known_weights
from engine.investigation.record import Investigation
from engine.llm import LanguageModel
from engine.model import QueryPlan, Relation
from engine.records.plain import plan_from_json, plan_to_json
from engine.records.store.chain import RAN, UNDONE, Event
from engine.retrieval.retrievers.registry import known_retrievers
from engine.settings import InvestigationSettings, checked

# The steps that people take in a case that is kept: one kind for each, and what its event says.
#
# ``CaseStore.step(case_id, step.kind, data=step.data(), ...)`` keeps one; ``step_of`` reads it
# back from the event. What each kind has as its data:
#
# ======== ==================================================== ========================================
# kind     data                                                 what it does
# ======== ==================================================== ========================================
# pin      ``{"passage": id}``                                  the passage stands first
# dismiss  ``{"passage": id, "reason": words}``                 the passage is out; the words may be empty
# follow   ``{"passage": id, "strategies": [name, ...]}``       one more round, from this passage alone; a
#                                                               document read whole is ``whole_document``
# plan     ``{"plan": plan_to_json(plan)}``                     the case is run anew by a plan that was
#                                                               edited: pins, dismissals and leads of before
#                                                               are gone
# reject   ``{"source": id, "target": id, "relation": name,     a link is wrong; the steps behind this one do
#          "note": words}``                                     not see it
# unreject ``{"source": id, "target": id, "relation": name}``   it was right after all
# ======== ==================================================== ========================================
#
# Ids are at most 500 characters, reasons and notes at most 2,000. A verdict on the whole case is
# ``CaseStore.judge``, a step that was taken back ``CaseStore.undo``: neither changes how the case
# is gone through.

PIN, DISMISS, FOLLOW, PLAN, REJECT, UNREJECT = "pin", "dismiss", "follow", "plan", "reject", "unreject"
Id = Annotated[str, Field(min_length=1, max_length=500)]
Words = Annotated[str, Field(max_length=2000)]


class Step(BaseModel):
    """What a person did in a case; what its event says besides is passed over. Raises pydantic's
    ValidationError for what is no step."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    kind: ClassVar[str]

    def data(self) -> dict[str, Any]:
        """What its event says, as plain values."""
        return self.model_dump(mode="json")


class Pin(Step):
    """A passage is to stand first."""

    kind = PIN
    passage: Id


class Dismiss(Step):
    """A passage is out, and why."""

    kind = DISMISS
    passage: Id
    reason: Words = ""


class Follow(Step):
    """A lead is followed from a passage, by some strategies."""

    kind = FOLLOW
    passage: Id
    strategies: tuple[Id, ...] = Field(min_length=1, max_length=50)


class EditPlan(Step):
    """The case is run anew by a plan that a person has edited."""

    kind = PLAN
    plan: QueryPlan

    @field_validator("plan", mode="before")
    @classmethod
    def _read(cls, given: Any) -> QueryPlan:
        try:
            plan = given if isinstance(given, QueryPlan) else plan_from_json(given)
            return replace(plan, edited=True)
        except InputError as error:
            raise ValueError(str(error)) from error

    @field_serializer("plan")
    def _plain(self, plan: QueryPlan) -> dict[str, Any]:
        return plan_to_json(plan)


class Reject(Step):
    """A link between two passages is wrong, and why."""

    kind = REJECT
    source: Id
    target: Id
    relation: Relation
    note: Words = ""


class Unreject(Step):
    """A link that was rejected is right after all."""

    kind = UNREJECT
    source: Id
    target: Id
    relation: Relation


STEPS: dict[str, type[Step]] = {one.kind: one for one in (Pin, Dismiss, Follow, EditPlan, Reject, Unreject)}


def step_of(event: Event) -> Step | None:
    """The step of an event, None where it is none (the case was opened, ran, was named or judged).

    Raises InputError for a step whose data are not what its kind has.
    """
    kind = STEPS.get(event.kind)
    try:
        return None if kind is None else kind.model_validate(dict(event.data))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "data"
        raise InputError(f"event {event.number} ({event.kind}): {field}: {first['msg']}") from error


def standing(events: Iterable[Event]) -> list[Event]:
    """The events that nobody has taken back."""
    every = list(events)
    back = {int(event.data["event"]) for event in every if event.kind == UNDONE}
    return [event for event in every if event.number not in back]


class Course(NamedTuple):
    """How a case came to be what it is. ``plan`` is the one that a person edited, None where none was kept as
    a step; ``before`` are verdicts on links that were given before the case last ran from its beginning,
    ``steps`` what was done since."""

    plan: QueryPlan | None
    before: tuple[Reject | Unreject, ...]
    steps: tuple[Step, ...]


def course_of(events: Iterable[Event]) -> Course:
    """The steps of a case that nobody has taken back. Raises as ``step_of``."""
    course = Course(None, (), ())
    for event in standing(events):
        step = step_of(event)
        if event.kind in (RAN, PLAN):
            judged = (one for one in course.steps if isinstance(one, Reject | Unreject))
            plan = step.plan if isinstance(step, EditPlan) else course.plan
            course = Course(plan, (*course.before, *judged), ())
        elif step is not None:
            course = course._replace(steps=(*course.steps, step))
    return course


def steps_shown(record: Mapping[str, Any]) -> list[Event]:
    """Events for what a record shows that people did, where its own are not at hand: pins and dismissals.
    Raises InputError for a record that shows no pool."""
    try:
        shown = [(PIN, one) for one in record["pool"]["pinned"]]
        shown += [(DISMISS, one) for one in record["pool"]["dismissed"]]
        started = str(record["started"])
    except (KeyError, TypeError) as error:
        raise InputError(f"this record shows no pool: {error}") from error
    return [Event(number, started, "", kind, {"passage": one}) for number, (kind, one) in enumerate(shown)]


# A case that was kept, gone through once more.
#
# On the same corpus, engine and settings it comes out the same to the last digit. What a person
# has changed of the plan is taken from the record; a plan that the engine made is made anew, so
# that a change of it is seen. Nothing is written: a link that was rejected on the way is rejected
# in memory.


def replayed(
    record: Mapping[str, Any],
    corpus: Corpus,
    *,
    events: Iterable[Event] = (),
    settings: InvestigationSettings | None = None,
    day: date | None = None,
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Investigation:
    """The investigation of ``gone_through``. Raises as that does."""
    case = gone_through(
        record, corpus, events=events, settings=settings, day=day, model=model, learned=learned
    )
    return case.investigation()


def gone_through(
    record: Mapping[str, Any],
    corpus: Corpus,
    *,
    events: Iterable[Event] = (),
    settings: InvestigationSettings | None = None,
    day: date | None = None,
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Case:
    """The case of a record on a corpus, asked again with its settings, or others, on the day on which it was
    asked, or another; then the steps that people took, those that they took back left out.

    ``learned`` is what it was ranked by, where that was learned of its matter. A step that this corpus does
    not allow, because the passage or the link is gone, is left out, as is a retriever that this engine does
    not have, and a note of the case says so. Where links were judged on the way, the case has a corpus of its
    own, of the same data. Raises InputError where the record or a step cannot be read, SettingsError.
    """
    try:
        settings, gone = _searching(settings or checked(record["settings"]))
        plan = plan_from_json(record["plan"]) if record["plan"]["edited"] else None
        asked_on = day or _day(record)
        question, started = str(record["question"]), datetime.fromisoformat(record["started"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this record cannot be replayed: {error}") from error
    course = course_of(events)
    judged = [_ends(one) for one in (*course.before, *course.steps) if isinstance(one, Reject | Unreject)]
    # On a server verdicts stand in its tables: what was rejected is none there from the beginning.
    supposed = without_verdicts(corpus, judged, started) if judged else None
    left_out = [_judged(step, supposed) for step in course.before]
    weights, lost = _weights(record, corpus, learned)
    case = run_case(
        supposed or corpus,
        question,
        settings,
        plan=course.plan or plan,
        day=asked_on,
        model=model,
        weights=weights,
    )
    left_out += [gone, lost, *(_taken(step, case, supposed) for step in course.steps)]
    case.notes = (*case.notes, *filter(None, left_out))
    if supposed is not None and corpus.journals is not None:
        # Whoever goes on with the case hears from now on what people say.
        supposed.read_from(corpus.journals)
    return case


def _searching(settings: InvestigationSettings) -> tuple[InvestigationSettings, str]:
    """The settings without the retrievers that this engine does not have; and which they are. Settings that
    name no other stay as they are: the scan refuses them."""
    known = known_retrievers()
    gone = [name for name in settings.retrievers if name not in known]
    kept = tuple(name for name in settings.retrievers if name in known)
    if not gone or not kept:
        return settings, ""
    named = ", ".join(repr(name[:40]) for name in gone)
    return settings.changed(retrievers=kept), (
        f"this engine has no retriever {named}: the case was gone through without it"
    )


def _weights(
    record: Mapping[str, Any], corpus: Corpus, learned: Experience | None
) -> tuple[str | Experience, str]:
    """The learned weights that a case was ranked by, empty for none; and why they cannot be had."""
    wanted = str(record.get("weights", ""))
    if not wanted or wanted in known_weights(corpus):
        return wanted, ""
    if learned is not None and learned.id == wanted:
        return learned, ""
    return "", (
        f"the learned weights {wanted[:40]!r} are kept neither beside this corpus nor in the matter of the "
        "case: it was ranked without them"
    )


def _taken(step: Step, case: Case, supposed: Corpus | None) -> str:
    """Take a step; returns why it cannot be taken, nothing where it was."""
    try:
        match step:
            case Pin():
                case.pin(step.passage)
            case Dismiss():
                case.dismiss(step.passage)
            case Follow():
                for _ in case.follow(step.passage, step.strategies):
                    pass
            case Reject() | Unreject():
                return _judged(step, supposed)
    except (InputError, SettingsError) as error:
        return _left_out(step, error)
    return ""


def _judged(step: Reject | Unreject, supposed: Corpus | None) -> str:
    """Say again of a link what was said of it; returns why it cannot be said, nothing where it was."""
    try:
        if supposed is not None and isinstance(step, Reject):
            judge_link(supposed, _ends(step), Judgement.REJECTED, note=step.note)
        elif supposed is not None:
            unjudge_link(supposed, _ends(step))
    except InputError as error:
        return _left_out(step, error)
    return ""


def _left_out(step: Step, error: RedstringError) -> str:
    return f"the step “{step.kind}” was not taken again: {error}"


def _ends(step: Reject | Unreject) -> Ends:
    return Ends(step.source, step.target, step.relation)


def _day(record: Mapping[str, Any]) -> date:
    """The day on which a case was asked: the one that it looked at, where that was not somebody's wish. A
    question that says "today" wishes for the day on which it was asked, wherever that was."""
    looked_at, wished = record["day"], record["plan"]["constraints"]["as_of"]
    if looked_at not in (record["settings"].get("as_of"), wished):
        return date.fromisoformat(looked_at)
    started = datetime.fromisoformat(record["started"]).date()
    if wished is not None and abs((date.fromisoformat(wished) - started).days) <= 1:
        return date.fromisoformat(wished)
    return started
