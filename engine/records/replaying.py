"""Replay of a saved case with its user's steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, field_validator

from engine.corpus.extracted import Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, SettingsError
from engine.extraction.judging import Ends, judge_link, unjudge_link, without_verdicts
from engine.investigation import Case, run_case
from engine.investigation.ranking.additive import Experience, list_weights
from engine.llm import LanguageModel
from engine.model import QueryPlan, Relation
from engine.records.plain import plan_from_json, plan_to_json
from engine.records.store.chain import RAN, UNDONE, Event
from engine.retrieval.retrievers.registry import all_retrievers
from engine.settings import InvestigationSettings, checked

# Steps of a user in a saved case. ``CaseStore.step(case_id, step.kind, data=step.data(), ...)`` stores one;
# ``step_of`` reads it from its event.
#
# ======== ==================================================== ========================================
# kind     data                                                 effect
# ======== ==================================================== ========================================
# pin      ``{"passage": id}``                                  puts the passage first
# dismiss  ``{"passage": id, "reason": words}``                 removes the passage; the reason may be empty
# follow   ``{"passage": id, "strategies": [name, ...]}``       runs one more round from this passage;
#                                                               ``whole_document`` reads its document
# plan     ``{"plan": plan_to_json(plan)}``                     runs the case again with an edited plan;
#                                                               earlier pins, dismissals and leads are lost
# reject   ``{"source": id, "target": id, "relation": name,     marks a link as wrong for the steps after it
#          "note": words}``
# unreject ``{"source": id, "target": id, "relation": name}``   withdraws the rejection
# need     ``{"area": id, "name": words, "needed": bool}``      marks an area of the coverage as needed or not
# ======== ==================================================== ========================================
#
# Ids have at most 500 characters, reasons and notes 2,000. A verdict on the case (``CaseStore.judge``) and an
# undo (``CaseStore.undo``) are not steps: neither changes how a case is replayed.

PIN, DISMISS, FOLLOW, PLAN, REJECT, UNREJECT = "pin", "dismiss", "follow", "plan", "reject", "unreject"
NEED = "need"
Id = Annotated[str, Field(min_length=1, max_length=500)]
Words = Annotated[str, Field(max_length=2000)]


class Step(BaseModel):
    """A step of a user; other fields of its event are ignored. Raises pydantic's ValidationError."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    kind: ClassVar[str]

    def data(self) -> dict[str, Any]:
        """Return the data of its event as plain values."""
        return self.model_dump(mode="json")


class Pin(Step):
    """Puts a passage first."""

    kind = PIN
    passage: Id


class Dismiss(Step):
    """Removes a passage, with a reason."""

    kind = DISMISS
    passage: Id
    reason: Words = ""


class Follow(Step):
    """Follows leads from a passage with some strategies."""

    kind = FOLLOW
    passage: Id
    strategies: tuple[Id, ...] = Field(min_length=1, max_length=50)


class EditPlan(Step):
    """Runs the case again with a plan that the user edited."""

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
    """Marks a link between two passages as wrong, with a note."""

    kind = REJECT
    source: Id
    target: Id
    relation: Relation
    note: Words = ""


class Unreject(Step):
    """Withdraws the rejection of a link."""

    kind = UNREJECT
    source: Id
    target: Id
    relation: Relation


class Need(Step):
    """Marks an area, or a part of the question, as needed or not."""

    kind = NEED
    area: Id
    name: Words = ""
    needed: bool = False


STEPS: dict[str, type[Step]] = {
    one.kind: one for one in (Pin, Dismiss, Follow, EditPlan, Reject, Unreject, Need)
}


def step_of(event: Event) -> Step | None:
    """Return the step of an event, None for an event without one (opened, ran, described, judged).

    Raises InputError if its data do not fit its kind.
    """
    kind = STEPS.get(event.kind)
    try:
        return None if kind is None else kind.model_validate(dict(event.data))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "data"
        raise InputError(f"event {event.number} ({event.kind}): {field}: {first['msg']}") from error


def standing(events: Iterable[Event]) -> list[Event]:
    """Return the events that were not undone."""
    every = list(events)
    back = {int(event.data["event"]) for event in every if event.kind == UNDONE}
    return [event for event in every if event.number not in back]


class Course(NamedTuple):
    """The history of a case since it last ran from the start.

    ``plan`` is the plan edited by the user, None if no step contains one; ``before`` are verdicts on links
    from before that run, ``steps`` those after it.
    """

    plan: QueryPlan | None
    before: tuple[Reject | Unreject, ...]
    steps: tuple[Step, ...]


def course_of(events: Iterable[Event]) -> Course:
    """Return the steps of a case that were not undone. Raises as ``step_of``."""
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
    """Return events for the pins and dismissals in a record, for use without its own events.

    Raises InputError for a record without a pool.
    """
    try:
        shown = [(PIN, one) for one in record["pool"]["pinned"]]
        shown += [(DISMISS, one) for one in record["pool"]["dismissed"]]
        started = str(record["started"])
    except (KeyError, TypeError) as error:
        raise InputError(f"this record contains no pool: {error}") from error
    return [Event(number, started, "", kind, {"passage": one}) for number, (kind, one) in enumerate(shown)]


# On the same corpus, engine and settings a replay is the same to the last digit. A plan edited by the user is
# taken from the record; other plans are made again, so that changes of planning show. Nothing is stored:
# links are rejected in memory.


def rerun(
    record: Mapping[str, Any],
    corpus: Corpus,
    *,
    events: Iterable[Event] = (),
    model: LanguageModel | None = None,
    learned: Experience | None = None,
) -> Case:
    """Run the case of a record again on a corpus, then the user's steps that were not undone.

    ``learned`` are the learned weights of its matter
    that it was ranked by. Steps on passages or links that this corpus lacks and unknown retrievers are
    skipped with a note. If links were judged, the case has a separate corpus over the same data. Raises
    InputError if the record or a step cannot be read, SettingsError.
    """
    try:
        settings, retriever_note = _drop_unknown_retrievers(checked(record["settings"]))
        plan = plan_from_json(record["plan"]) if record["plan"]["edited"] else None
        asked_on = _day(record)
        question, started = str(record["question"]), datetime.fromisoformat(record["started"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"this record cannot be replayed: {error}") from error
    course = course_of(events)
    judged = [_ends(one) for one in (*course.before, *course.steps) if isinstance(one, Reject | Unreject)]
    # In PostgreSQL rejected links are already excluded.
    own_corpus = without_verdicts(corpus, judged, started) if judged else None
    notes = [_repeat_verdict(step, own_corpus) for step in course.before]
    weights, weights_note = _weights(record, corpus, learned)
    case = run_case(
        own_corpus or corpus,
        question,
        settings,
        plan=course.plan or plan,
        day=asked_on,
        model=model,
        weights=weights,
    )
    notes += [retriever_note, weights_note, *(_repeat_step(step, case, own_corpus) for step in course.steps)]
    case.notes = (*case.notes, *filter(None, notes))
    if own_corpus is not None and corpus.journals is not None:
        # From here on the replay uses live verdicts.
        own_corpus.read_from(corpus.journals)
    return case


def _drop_unknown_retrievers(settings: InvestigationSettings) -> tuple[InvestigationSettings, str]:
    """Return the settings without unknown retrievers, and a note about those.

    If all are unknown the settings are unchanged, and the scan refuses them.
    """
    available = all_retrievers()
    unknown = [name for name in settings.retrievers if name not in available]
    remaining = tuple(name for name in settings.retrievers if name in available)
    if not unknown or not remaining:
        return settings, ""
    named = ", ".join(repr(name[:40]) for name in unknown)
    return settings.changed(retrievers=remaining), (
        f"this engine has no retriever {named}: the case was replayed without it"
    )


def _weights(
    record: Mapping[str, Any], corpus: Corpus, learned: Experience | None
) -> tuple[str | Experience, str]:
    """Return the learned weights of a case (empty for none), and a note if they are missing."""
    name = str(record.get("weights", ""))
    if not name or name in list_weights(corpus):
        return name, ""
    if learned is not None and learned.id == name:
        return learned, ""
    return "", (
        f"the learned weights {name[:40]!r} are stored neither with this corpus nor in the matter of the "
        "case: it was ranked without them"
    )


def _repeat_step(step: Step, case: Case, own_corpus: Corpus | None) -> str:
    """Repeat a step; return a note if that is impossible, else an empty text."""
    try:
        match step:
            case Pin():
                case.pin(step.passage)
            case Dismiss():
                case.dismiss(step.passage)
            case Need():
                case.set_unneeded(step.area, needed=step.needed)
            case Follow():
                for _ in case.follow(step.passage, step.strategies):
                    pass
            case Reject() | Unreject():
                return _repeat_verdict(step, own_corpus)
    except (InputError, SettingsError) as error:
        return _skip_note(step, error)
    return ""


def _repeat_verdict(step: Reject | Unreject, own_corpus: Corpus | None) -> str:
    """Repeat a verdict on a link; return a note if that is impossible, else an empty text."""
    try:
        if own_corpus is not None and isinstance(step, Reject):
            judge_link(own_corpus, _ends(step), Judgement.REJECTED, note=step.note)
        elif own_corpus is not None:
            unjudge_link(own_corpus, _ends(step))
    except InputError as error:
        return _skip_note(step, error)
    return ""


def _skip_note(step: Step, error: RedstringError) -> str:
    return f"the step “{step.kind}” was not repeated: {error}"


def _ends(step: Reject | Unreject) -> Ends:
    return Ends(step.source, step.target, step.relation)


def _day(record: Mapping[str, Any]) -> date:
    """Return the day as of which to replay a case.

    That is the day on which it was asked, or the one in its record if that was not set explicitly. A question
    with "today" means the day on which it was asked, in the time zone of the user.
    """
    recorded, requested = record["day"], record["plan"]["constraints"]["as_of"]
    if recorded not in (record["settings"].get("as_of"), requested):
        return date.fromisoformat(recorded)
    started = datetime.fromisoformat(record["started"]).date()
    if requested is not None and abs((date.fromisoformat(requested) - started).days) <= 1:
        return date.fromisoformat(requested)
    return started
