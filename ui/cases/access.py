"""Shared parts of the answers of the Cases view: the request, the owner, the words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from engine.access.users import Person
from engine.errors import InputError
from engine.model import StopReason
from engine.records.phrases import STOP_WORDS
from engine.records.replaying import DISMISS, FOLLOW, NEED, PIN, PLAN, REJECT, UNREJECT
from engine.records.store.chain import DESCRIBED, JUDGED, MOVED, OPENED, RAN, UNDONE, Event
from engine.records.store.database import Matter
from engine.records.store.store import CaseStore
from engine.verbs.verb import Key
from ui.calls import Access, Caller, Form
from ui.cases.storage import VISITOR, KeptCases
from ui.shelf import Library
from ui.templating import rendered

# Cases in words: times, outcomes, events.

EVIDENCE: Mapping[str, str] = {"found": "Found", "partial": "Partly", "none": "None"}
STATED: Mapping[str, str] = {"found": "found", "partial": "partly found", "none": "not found"}
APPLICATIONS: Mapping[str, str] = {
    "page": "on the page",
    "cli": "on the command line",
    "batch": "in a batch",
    "http": "over HTTP",
    "mcp": "by a program (MCP)",
    "python": "from Python",
}
# The store's word for sharing a case by its link.
_SHARED = "shared"
# Verdicts that are offered before a user has typed one.
USUAL_VERDICTS = ("useful", "incomplete", "off the point")
_STEPS: Mapping[str, str] = {
    PIN: "Pinned",
    DISMISS: "Dismissed",
    FOLLOW: "Followed a lead from",
    PLAN: "Edited the plan",
    REJECT: "Called a link wrong",
    UNREJECT: "Called a link right after all",
    NEED: "Marked an area as needed or not:",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NO_NAME = re.compile(r"[^\w.-]+")


def exact(moment: str) -> str:
    """Return a time of the store: "25 Nov 2026, 19:04 UTC"."""
    at = datetime.fromisoformat(moment).astimezone(UTC)
    return f"{day(at.date().isoformat())}, {at:%H:%M} UTC"


def day(written: str) -> str:
    """Return a day of the store: "25 Nov 2026"."""
    found = date.fromisoformat(written)
    return f"{found.day} {_MONTHS[found.month - 1]} {found.year}"


def percent(value: float | None) -> str:
    """Return a share of one as a percentage, or a dash for a missing value."""
    return "–" if value is None else f"{100 * value:.0f}%"


def figure(value: float | None, digits: int = 2) -> str:
    """Return a figure, or a dash for a missing value."""
    return "–" if value is None else f"{value:,.{digits}f}"


def took(milliseconds: float) -> str:
    """Return a duration: "0.2 s", "3 min 20 s"."""
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def ended(reason: str) -> str:
    """Return why a case ended."""
    try:
        return STOP_WORDS[StopReason(reason)]
    except (KeyError, ValueError):
        return reason.replace("_", " ")


def happened(event: Event, name: Callable[[str], str]) -> tuple[str, str]:
    """Return an event in words: its kind, and the words of people in it, empty for none. ``name`` turns the
    id of a passage into a citation."""
    data = event.data
    match event.kind:
        case kind if kind in _STEPS:
            return _STEPS[kind], _of_step(data, name)
        case kind if kind == OPENED:
            return "Asked of", str(data.get("corpus", ""))
        case kind if kind == RAN:
            return "Investigated to its end", ""
        case kind if kind == UNDONE:
            return f"Took back: {step_words(str(data.get('kind', ''))).lower()}", ""
        case kind if kind == DESCRIBED:
            return _described(data)
        case kind if kind == JUDGED:
            return _judged(data)
        case kind if kind == MOVED:
            return "Moved to another matter", f"{data.get('from', '')} → {data.get('to', '')}"
        case kind if kind == _SHARED:
            return ("Shared by link" if data.get("is_shared") else "Sharing ended"), ""
        case kind:
            return step_words(kind), ""


def step_words(kind: str) -> str:
    """Return a kind of event in words."""
    return _STEPS.get(kind, kind.replace("_", " ").capitalize())


def _of_step(data: Mapping[str, Any], name: Callable[[str], str]) -> str:
    """Return the passages of a step, and the reason given for it."""
    passages = [name(str(data[key])) for key in ("passage", "source", "target") if data.get(key)]
    said = [str(data[key]) for key in ("reason", "note") if data.get(key)]
    return ": ".join(part for part in (" → ".join(passages), *said) if part)


def _described(data: Mapping[str, Any]) -> tuple[str, str]:
    if "name" in data and "notes" in data:
        return "Named, and notes written", str(data["name"])
    if "name" in data:
        return ("Named", str(data["name"])) if data["name"] else ("Name taken away", "")
    return ("Notes changed" if data.get("notes") else "Notes taken away"), ""


def _judged(data: Mapping[str, Any]) -> tuple[str, str]:
    if data.get("verdict") is None and data.get("verdict_right") is None:
        return "Verdict taken back", ""
    right = data.get("verdict_right")
    of_it = "" if right is None else f"; the statement on its evidence was {'right' if right else 'wrong'}"
    return f"Verdict given{of_it}", str(data.get("verdict") or "")


def file_name(words: str, started: str, suffix: str) -> str:
    """Return the name of a file of a case: its day and the first words of its name, in any script."""
    short = _NO_NAME.sub("-", " ".join(words.split()))[:50].strip("-.")
    return "-".join(part for part in (started[:10], short) if part) + suffix


# Forms that several calls share.

LONGEST_VERDICT = 40


class CaseForm(Form):
    """A call about the case of an id."""

    id: Key


class MatterForm(Form):
    """A call about the matter of an id; empty for all."""

    matter: Key = ""


class CasesDesk:
    """The stored cases, and the library of their corpora."""

    def __init__(self, kept: KeptCases, library: Library) -> None:
        self.kept, self.library = kept, library

    def access(self, caller: Caller, form: Form) -> CaseAccess | None:
        """Return the cases of the caller, None for a browser without a key, which the store cannot
        identify."""
        owner = self.kept.owner_of(caller.person)
        return None if owner is None else CaseAccess(self, caller.person, owner)


@dataclass(frozen=True, slots=True)
class CaseAccess(Access):
    """The cases of the caller. ``owner`` names the owner of their matters in the store."""

    desk: CasesDesk
    person: Person
    owner: str

    @property
    def store(self) -> CaseStore:
        """Return the store. Raises as ``CaseStore``."""
        return self.desk.kept.store()

    @property
    def who(self) -> str:
        """Return the name of the caller in events."""
        return self.person.name or VISITOR

    def matter(self, matter_id: str) -> Matter | None:
        """Return the matter of an id, None for an empty id. Raises InputError for a matter of another."""
        if not matter_id:
            return None
        for one in self.store.matters(self.owner):
            if one.id == matter_id:
                return one
        raise InputError("there is no such matter")

    def subject(self, form: Any) -> str:
        """Return the id of the case, as the audit log names what was changed."""
        return str(getattr(form, "id", ""))


def shown(template: str, **values: Any) -> str:
    """Return a fragment of the view; its templates can use the functions for figures."""
    return rendered(
        f"cases/{template}.html", day=day, exact=exact, figure=figure, percent=percent, took=took, **values
    )


def no_key(slot: str) -> dict[str, Any]:
    """Return the answer for a browser without a key: why its cases are not stored."""
    return {"html": {slot: shown("nobody")}}
