"""The steps that people take in a case that is kept: one kind for each, and what its event says.

``CaseStore.step(case_id, step.kind, data=step.data(), ...)`` keeps one; ``step_of`` reads it back from the
event. What each kind has as its data:

======== ==================================================== ========================================
kind     data                                                 what it does
======== ==================================================== ========================================
pin      ``{"passage": id}``                                  the passage stands first
dismiss  ``{"passage": id, "reason": words}``                 the passage is out; the words may be empty
follow   ``{"passage": id, "strategies": [name, ...]}``       one more round, from this passage alone; a
                                                              document read whole is ``whole_document``
plan     ``{"plan": plan_to_json(plan)}``                     the case is run anew by a plan that was
                                                              edited: pins, dismissals and leads of before
                                                              are gone
reject   ``{"source": id, "target": id, "relation": name,     a link is wrong; the steps behind this one do
         "note": words}``                                     not see it
unreject ``{"source": id, "target": id, "relation": name}``   it was right after all
======== ==================================================== ========================================

Ids are at most 500 characters, reasons and notes at most 2,000. A verdict on the whole case is
``CaseStore.judge``, a step that was taken back ``CaseStore.undo``: neither changes how the case is gone
through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, field_validator

from engine.errors import InputError
from engine.model import QueryPlan, Relation
from engine.records.planned import plan_from_json, plan_to_json
from engine.records.store.chain import RAN, UNDONE, Event

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
