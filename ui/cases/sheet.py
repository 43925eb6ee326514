"""The side sheet of a case: what it is called, what came of it, what happened to it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

from engine.errors import AccessError, InputError
from engine.records.store.chain import Event, active_steps
from engine.records.store.database import Matter
from engine.records.store.store import GENERAL
from ui.cases.desk import (
    APPLICATIONS,
    EVIDENCE,
    NEW,
    STATED,
    USUAL_VERDICTS,
    Answer,
    Ask,
    Own,
    ended,
    file_name,
    happened,
    shown,
)
from ui.cases.opening import NOT_SHARED, case_of_person


def sheet(own: Own, ask: Ask) -> Answer:
    """The whole sheet."""
    from engine.exports.registry import exports

    store = own.store
    case = store.summary(ask.id, own.owner)
    verdicts = own.store.figures(None, own.owner).choices().verdicts
    page = shown(
        "sheet",
        case=case,
        notes=store.notes(ask.id, own.owner),
        ended=ended(case.stop_reason),
        application=APPLICATIONS.get(case.application, case.application),
        evidence=EVIDENCE.get(case.evidence, case.evidence),
        stated=STATED.get(case.evidence, case.evidence),
        verdicts=sorted({*USUAL_VERDICTS, *verdicts}),
        exports=list(exports().values()),
        matter=_matter(own, case.matter),
        share=shown("share", case=case) if own.desk.kept.may_share else "",
        events=_events(own, ask.id),
    )
    return {"html": {"sheet": page}, "focus": "[data-key=sheet]"}


def _matter(own: Own, chosen: str) -> str:
    options = [(one.id, one.name) for one in own.store.matters(own.owner)]
    return shown("matter", options=options, chosen=chosen)


def _events(own: Own, case_id: str) -> str:
    events = own.store.events(case_id, own.owner)
    name = _citations(own, case_id, events)
    told = [(one, *happened(one, name)) for one in reversed(events)]
    steps = active_steps(events)
    last = happened(steps[-1], name) if len(steps) > 1 else None
    return shown("events", id=case_id, events=told, last=last)


def _citations(own: Own, case_id: str, events: Sequence[Event]) -> Callable[[str], str]:
    """Short citations of passages by their ids, as far as the record has them: it is read where a step names
    one."""
    named = any("passage" in event.data or "source" in event.data for event in events)
    passages = own.store.record(case_id, own.owner)["passages"] if named else ()
    known = {one["id"]: f"{one['title'] or one['document']}, {one['label']}" for one in passages}
    return lambda passage: known.get(passage, passage)


def describe(own: Own, ask: Ask) -> Answer:
    """Keep a name, or notes; what is as it was makes no event."""
    case, notes = own.store.summary(ask.id, own.owner), own.store.notes(ask.id, own.owner)
    name = None if ask.name is None or ask.name.strip() == case.name else " ".join(ask.name.split())
    changed = None if ask.notes is None or ask.notes == notes else ask.notes
    if name is None and changed is None:
        return {}
    own.store.describe(ask.id, who=own.who, owner=own.owner, name=name, notes=changed)
    return {"html": {"events": _events(own, ask.id), "saved": "Saved"}, "again": True}


def judge(own: Own, ask: Ask) -> Answer:
    """Keep a verdict; with neither words nor a choice the one before is taken back."""
    verdict = " ".join(ask.verdict.split()) or None
    right = {"yes": True, "no": False}.get(ask.right)
    case = own.store.summary(ask.id, own.owner)
    if (case.verdict, case.verdict_right) != (verdict, right):
        own.store.judge(ask.id, verdict, who=own.who, owner=own.owner, right=right)
    return {"html": {"events": _events(own, ask.id), "judged": "Saved"}, "again": True}


def move(own: Own, ask: Ask) -> Answer:
    """Put a case into another matter; ``NEW`` without a name asks for one."""
    if ask.matter == NEW and ask.name is None:
        own.store.summary(ask.id, own.owner)
        page = shown("new_matter", id=ask.id, general=GENERAL)
        return {"html": {"matter": page}, "focus": "[data-key=new-matter]"}
    chosen = _chosen(own, ask)
    own.store.move(ask.id, chosen, who=own.who, owner=own.owner)
    slots = {"matter": _matter(own, chosen.id), "events": _events(own, ask.id)}
    return {"html": slots, "again": True, "focus": "[data-key=matter]"}


def _chosen(own: Own, ask: Ask) -> Matter:
    # Nobody makes a matter for a case that is not theirs.
    own.store.summary(ask.id, own.owner)
    chosen = own.store.matter(ask.name or "", own.owner) if ask.matter == NEW else own.matter(ask.matter)
    if chosen is None:
        raise InputError("choose a matter, or give a new one a name")
    return chosen


def undo(own: Own, ask: Ask) -> Answer:
    """Take back the last step."""
    own.store.undo(ask.id, who=own.who, owner=own.owner)
    return {**sheet(own, ask), "again": True}


def verify(own: Own, ask: Ask) -> Answer:
    """Whether a case is as it was written, and the hash that proves it."""
    found = own.store.verify(ask.id, own.owner)
    head = own.store.events(ask.id, own.owner)[-1].hash
    return {"html": {"verified": shown("verified", found=found, head=head)}}


def delete(own: Own, ask: Ask) -> Answer:
    """Delete a case with all that belongs to it."""
    case = own.store.summary(ask.id, own.owner)
    own.store.delete([ask.id], own.owner)
    words = case.name or case.question
    short = words if len(words) <= 80 else words[:80].rstrip() + " …"
    return {"html": {"sheet": ""}, "again": True, "said": f"Deleted: {short}", "closed": ask.id}


def share(own: Own, ask: Ask) -> Answer:
    """Let whoever has the link of a case read it, or no longer. Raises AccessError where nobody may."""
    if not own.desk.kept.may_share:
        raise AccessError(NOT_SHARED)
    own.store.share(ask.id, who=own.who, owner=own.owner, shared=ask.shared)
    page = shown("share", case=own.store.summary(ask.id, own.owner))
    return {"html": {"share": page, "events": _events(own, ask.id)}}


def export(own: Own, ask: Ask) -> Answer:
    """A case as a file of a format."""
    from engine.exports.registry import export_of

    case, chosen = own.store.summary(ask.id, own.owner), export_of(ask.format)
    data = chosen.write(case_of_person(own.desk.library, own.desk.kept, own.person, ask.id))
    name = file_name(case.name or case.question, case.started, chosen.suffix)
    return {"file": {"name": name, "type": chosen.media_type, "data": base64.b64encode(data).decode()}}
