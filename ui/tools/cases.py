"""The tools ``cases`` and ``case``: what the caller has investigated, and one of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.access.audit_log import record as written
from engine.records.store.store import CaseStore
from engine.records.summaries import Slim, slim_case
from engine.verbs.requests import Blank, Detail, Request
from ui.tools.caller import ServerCaller
from ui.tools.following import CaseId
from ui.tools.questions import MORE
from ui.tools.tool import tool_verb

MOST_LISTED = 50
LONGEST_MATTER = 200
Day = Annotated[date | None, Blank]


class One(Request):
    """What ``case`` takes."""

    case: CaseId
    part: Literal["record", "events", "verify"] = Field(
        default="record",
        description="record: what was found. events: what happened to it, when, and who did it. verify: "
        "whether it is as it was written.",
    )
    detail: Detail = "slim"


class SlimEvent(Slim):
    """Something that happened to a case."""

    number: int
    at: str
    who: str
    kind: str
    data: dict[str, Any]
    state: str | None = Field(
        description="digest of the record that it left; null where it left it as it was"
    )
    hash: str = Field(description="seals it together with the one before")


class OfOne(Slim):
    """What ``case`` gives in short: one of record, events and sound."""

    case: str
    name: str
    notes: str
    record: dict[str, Any] | None = Field(default=None, description="what was found, as investigate has it")
    events: list[SlimEvent] | None = Field(default=None, description="everything that happened, in order")
    sound: bool | None = Field(default=None, description="whether it is as it was written")
    faults: list[str] | None = Field(default=None, description="what is not")
    hash: str | None = Field(default=None, description="the last hash of the case")
    more: str = Field(description="how to get more of it")


def _case(asking: ServerCaller, asked: One) -> dict[str, Any]:
    owner, store = asking.owner, asking.services.kept.store()
    summary = store.summary(asked.case, owner)
    written(asking.person, "open case", asked.case, "done")
    told = {"case": asked.case, "name": summary.name, "notes": store.notes(asked.case, owner), "more": MORE}
    return told | _part(store, asked, owner)


def _part(store: CaseStore, asked: One, owner: str) -> dict[str, Any]:
    if asked.part == "record":
        return {"record": store.record(asked.case, owner)}
    events = [one.values() for one in store.events(asked.case, owner)]
    last = events[-1]["hash"]
    if asked.part == "events":
        return {"events": events, "hash": last}
    faults = store.verify(asked.case, owner)
    return {"sound": not faults, "faults": faults, "hash": last}


def _slim(values: Mapping[str, Any]) -> dict[str, Any]:
    short = {"record": slim_case(values["record"])} if "record" in values else {}
    return {**values, **short}


CASE = tool_verb(
    "case",
    "Look at a case",
    "Look at one of the caller's kept cases: what was found, what happened to it, or whether it is as it was "
    "written.",
    One,
    _case,
    OfOne,
    _slim,
)
