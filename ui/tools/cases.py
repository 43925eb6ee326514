"""The tools ``cases`` and ``case``: what the caller has investigated, and one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.access.audit_log import record as written
from engine.errors import InputError
from engine.records.store.database import CaseFilter, CaseSummary, Matter
from engine.records.store.store import CaseStore
from engine.records.summaries import Slim, slim_case
from ui.asked import CorpusName, Key, Request
from ui.tools.following import CaseId
from ui.tools.questions import MORE
from ui.tools.tool import Asking, Blank, Detail, Tool

MOST_LISTED = 50
LONGEST_MATTER = 200
Day = Annotated[date | None, Blank]


class Cases(Request):
    """What ``cases`` takes."""

    words: str = Field(
        default="", max_length=500, description="Words that all stand in the question, the name or the notes."
    )
    corpus: CorpusName = Field(default="", description="Only cases of this corpus.")
    evidence: Literal["", "found", "partial", "none"] = Field(
        default="", description="Only where the corpus bore the question so far: found, partial or none."
    )
    verdict: Key = Field(default="", description="Only with this verdict.")
    since: Day = Field(default=None, description="Begun on this day (2026-01-31) or later.")
    until: Day = Field(default=None, description="Begun on this day or before.")
    matter: str = Field(
        default="", max_length=LONGEST_MATTER, description="Only of this matter; empty for all."
    )
    limit: int = Field(default=20, ge=1, le=MOST_LISTED, description="At most so many.")
    offset: int = Field(default=0, ge=0, description="After so many.")


class SlimSummary(Slim):
    """A case in a list."""

    id: str = Field(description="case, follow and export take it")
    matter: str = Field(description="name of the matter that it belongs to")
    name: str
    question: str
    corpus: str
    started: str = Field(description="UTC, ISO 8601")
    evidence: str = Field(description="found, partial or none")
    coverage: float | None = Field(
        description="share of what it needs that is covered; null where not measured"
    )
    passages: int
    rounds: int
    stop_reason: str
    verdict: str | None
    application: str = Field(description="by what it was asked: page, cli, http, mcp ...")
    events: int = Field(description="how much has happened to it")


class OfCases(Slim):
    """What ``cases`` gives."""

    cases: list[SlimSummary] = Field(description="the newest first")
    total: int
    matters: list[str] = Field(description="names of all matters of the caller")


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


def summaries(asking: Asking, asked: Cases) -> dict[str, Any]:
    """The cases of whoever asks. Raises AccessError where none can be theirs."""
    owner, store = asking.owner, asking.place.kept.store()
    matters = store.matters(owner)
    wanted = CaseFilter(
        words=asked.words,
        corpus=asked.corpus,
        evidence=asked.evidence,
        verdict=asked.verdict,
        since="" if asked.since is None else asked.since.isoformat(),
        until="" if asked.until is None else asked.until.isoformat(),
        limit=asked.limit,
        offset=asked.offset,
    )
    found = store.listed(wanted, _matter(matters, asked.matter), owner)
    names = {one.id: one.name for one in matters}
    return {
        "cases": [_summary(one, names) for one in found.cases],
        "total": found.total,
        "matters": sorted(names.values()),
    }


def _matter(matters: list[Matter], name: str) -> Matter | None:
    if not name:
        return None
    found = next((one for one in matters if one.name == name), None)
    if found is None:
        raise InputError(f"matter: you have none of the name {name!r}")
    return found


def _summary(one: CaseSummary, matters: Mapping[str, str]) -> dict[str, Any]:
    values = asdict(one)
    told = {name: values[name] for name in SlimSummary.model_fields if name in values}
    # A matter may have been made since the list of them was read.
    return {**told, "matter": matters.get(one.matter, ""), "coverage": one.coverage_score}


def _case(asking: Asking, asked: One) -> dict[str, Any]:
    owner, store = asking.owner, asking.place.kept.store()
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


CASES = Tool(
    "cases",
    "List cases",
    "List the caller's kept cases, the newest first, with what was found and how sure that is.",
    Cases,
    summaries,
    OfCases,
)
CASE = Tool(
    "case",
    "Look at a case",
    "Look at one of the caller's kept cases: what was found, what happened to it, or whether it is as it was "
    "written.",
    One,
    _case,
    OfOne,
    _slim,
)
