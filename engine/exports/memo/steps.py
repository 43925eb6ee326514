"""What happened to a case, by whom and when, and how its events are sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from engine.exports.memo.content import Step
from engine.records.steps import (
    STEPS,
    Dismiss,
    EditPlan,
    Follow,
    Pin,
    Reject,
    Unreject,
    standing,
    step_of,
)
from engine.records.store.chain import (
    BEGINNING,
    DESCRIBED,
    JUDGED,
    OPENED,
    RAN,
    UNDONE,
    Event,
    digest,
    sealed,
)
from engine.records.store.listing import CaseSummary
from engine.records.wording import Name
from engine.threads import title_of


def steps_of(events: Sequence[Event], name: Name) -> list[Step]:
    """Each event in words; one that was taken back says so."""
    valid = {event.number for event in standing(events)}
    return [
        Step(
            event.at[:19].replace("T", " "),
            event.who,
            _told(event, name) + ("" if event.number in valid else " (taken back later)"),
        )
        for event in events
    ]


def chain_told(events: Sequence[Event], case: CaseSummary, record: Mapping[str, Any]) -> list[str]:
    """What came of checking the seals of events, and the record against the last of them that names one."""
    before, wrong = BEGINNING, []
    for place, event in enumerate(events):
        if event.number != place or sealed(event, case.id, before).hash != event.hash:
            wrong.append(str(event.number))
        before = event.hash
    if wrong or len(events) != case.events:
        where = f"at event {', '.join(wrong)}" if wrong else "at its end"
        return [f"THE CHAIN OF EVENTS IS BROKEN {where}: the case is not as it was written."]
    told = [f"Each of the {len(events):,} events fits the one before it."]
    states = [event for event in events if event.state is not None]
    if states:
        own = digest(orjson.dumps(record, option=orjson.OPT_SORT_KEYS))
        told.append(
            f"The record is the one that event {states[-1].number} sealed."
            if own == states[-1].state
            else f"THE RECORD IS NOT THE ONE that event {states[-1].number} sealed."
        )
    return told


def _told(event: Event, name: Name) -> str:
    data = event.data
    match event.kind:
        case kind if kind == OPENED:
            return "asked the question"
        case kind if kind == RAN:
            return "the engine investigated"
        case kind if kind == UNDONE:
            return f"took back event {data.get('event')} ({data.get('kind', 'a step')})"
        case kind if kind == DESCRIBED:
            named = [f"named the case “{data['name']}”"] if data.get("name") else []
            noted = ["wrote notes"] if "notes" in data else []
            return " and ".join([*named, *noted]) or "described the case"
        case kind if kind == JUDGED:
            return _verdict(data)
        case kind if kind in STEPS:
            return _step(event, name)
        case _:
            values = ", ".join(f"{key} {value}" for key, value in data.items())
            return " ".join(part for part in (event.kind.replace("_", " "), values) if part)


def _step(event: Event, name: Name) -> str:
    match step_of(event):
        case Pin(passage=passage):
            return f"pinned {name(passage)}"
        case Dismiss(passage=passage, reason=reason):
            return f"dismissed {name(passage)}" + (f": {reason}" if reason else ", without a reason")
        case Follow(passage=passage, strategies=strategies):
            return f"followed {name(passage)} by {', '.join(map(title_of, strategies))}"
        case EditPlan():
            return "edited the plan and ran the case anew"
        case Reject(source=source, target=target, relation=relation, note=note):
            told = f"called the link “{relation.value}” from {name(source)} to {name(target)} wrong"
            return f"{told}: {note}" if note else told
        case Unreject(source=source, target=target, relation=relation):
            return f"called the link “{relation.value}” from {name(source)} to {name(target)} right after all"
        case _:
            return event.kind


def _verdict(data: Mapping[str, Any]) -> str:
    if data.get("verdict") is None:
        return "took the verdict back"
    told, right = f"verdict “{data['verdict']}”", data.get("verdict_right")
    return told if right is None else f"{told}; what the engine said was {'right' if right else 'wrong'}"
