"""The Cases view: history, comparison, the side sheet of a case, and the frame."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal

import gradio as gr
import orjson
from pydantic import BeforeValidator, Field

from engine.errors import AccessError, InputError
from engine.language.word_diff import diff_words
from engine.records.comparing import compare, comparison_to_json
from engine.records.store.chain import Event, active_steps
from engine.records.store.database import CaseFilter, CaseSummary, Matter
from engine.records.store.store import GENERAL, LONGEST_NAME, LONGEST_NOTES
from engine.verbs.verb import CorpusName, Key
from ui.calls import Answer, Call, build_panel, by_name
from ui.cases import records
from ui.cases.access import (
    APPLICATIONS,
    EVIDENCE,
    LONGEST_VERDICT,
    STATED,
    USUAL_VERDICTS,
    CaseAccess,
    CaseForm,
    CasesDesk,
    MatterForm,
    ended,
    file_name,
    happened,
    no_key,
    shown,
)
from ui.cases.opening import NOT_SHARED, case_of_person
from ui.templating import rendered

# Two cases side by side: passages found, lost and moved, and the inputs that differ.

MOST_ROWS = 60
# Parts of the comparison with a section of their own on the page.
_LISTS = ("settings", "inexact", "came", "went", "moved", "other_words", "altered", "causes", "figures")
_SHOWN = frozenset({*_LISTS, "same", "pool", "links", "links_total", "rescored"})
_LONGEST_VALUE, _LONGEST_REST = 300, 2000


class PairForm(CaseForm):
    """Two cases to compare."""

    other: Key


def side_by_side(access: CaseAccess, form: PairForm) -> Answer:
    """Compare two cases, the older on the left."""
    pair, found = _compared(access, form)
    page = shown(
        "compare",
        pair=pair,
        evidence=EVIDENCE,
        ended=[ended(case.stop_reason) for case in pair],
        found=found,
        settings=_differing(found["settings"]),
        figures=_differing(found["figures"]),
        moved=sorted(found["moved"], key=lambda move: move["after"]),
        rest=list(_rest(found)),
        words=[diff_words(one["before"], one["after"], "und") for one in found["other_words"][:MOST_ROWS]],
        most=MOST_ROWS,
    )
    return {"html": {"compare": page}, "focus": "[data-key=compare]", "show": "compare"}


def comparison_file(access: CaseAccess, form: PairForm) -> Answer:
    """Return the same comparison as a JSON file."""
    pair, found = _compared(access, form)
    values = {"before": pair[0].id, "after": pair[1].id, **found}
    data = base64.b64encode(orjson.dumps(values, option=orjson.OPT_INDENT_2)).decode()
    return {"file": {"name": "comparison.json", "type": "application/json", "data": data}}


def _compared(access: CaseAccess, form: PairForm) -> tuple[list[CaseSummary], dict[str, Any]]:
    """Return both cases, the older first, and their differences. Raises InputError for one case alone."""
    if not form.other or form.id == form.other:
        raise InputError("choose two cases to compare")
    both = [access.store.summary(one, access.owner) for one in (form.id, form.other)]
    pair = sorted(both, key=lambda case: (case.started, case.id))
    records = [access.store.record(case.id, access.owner) for case in pair]
    compared = compare(*records, states=(pair[0].fingerprint, pair[1].fingerprint))
    found: dict[str, Any] = orjson.loads(orjson.dumps(comparison_to_json(compared)))
    return pair, found


def _differing(values: Any) -> list[tuple[str, str, str]]:
    return [(one["name"].replace("_", " "), _value(one["before"]), _value(one["after"])) for one in values]


def _value(value: Any) -> str:
    if value in (None, "", [], {}):
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE].rstrip() + " …"


def _rest(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the other parts of the comparison, by name."""
    for name, value in found.items():
        if name not in _SHOWN and value not in (None, "", [], {}):
            shown_value = orjson.dumps(value).decode() if isinstance(value, dict | list) else _value(value)
            yield name.replace("_", " "), shown_value[:_LONGEST_REST]


# The history: the caller's cases, the newest first, searched and filtered.

PAGE_SIZE = 50
LONGEST_SEARCH = 200
# An empty field of a form is sent as an empty text.
Day = Annotated[date | None, BeforeValidator(lambda sent: None if sent == "" else sent)]


class HistoryForm(MatterForm):
    """The filters of the list, and the page of it. ``choices``: the answer has the values to filter by."""

    words: str = Field(default="", max_length=LONGEST_SEARCH)
    corpus: CorpusName = ""
    evidence: Literal["", "found", "partial", "none"] = ""
    verdict: str = Field(default="", max_length=LONGEST_VERDICT)
    since: Day = None
    until: Day = None
    choices: bool = False
    page: int = Field(default=0, ge=0, le=100_000)


def history(access: CaseAccess, form: HistoryForm) -> Answer:
    """Return a page of the list, and the values to filter it by if they are requested."""
    store, matter = access.store, access.matter(form.matter)
    wanted = CaseFilter(
        words=form.words,
        corpus=form.corpus,
        evidence=form.evidence,
        verdict=form.verdict,
        since="" if form.since is None else form.since.isoformat(),
        until="" if form.until is None else form.until.isoformat(),
        limit=PAGE_SIZE,
        offset=PAGE_SIZE * form.page,
    )
    found = store.listed(wanted, matter, access.owner)
    matters = store.matters(access.owner)
    filtered = matter is not None or wanted != CaseFilter(limit=wanted.limit, offset=wanted.offset)
    page = shown(
        "list",
        cases=found.cases,
        total=found.total,
        page=form.page,
        first=wanted.offset,
        last=-(-found.total // PAGE_SIZE) - 1,
        filtered=filtered,
        matters={one.id: one.name for one in matters},
        evidence=EVIDENCE,
    )
    return {"html": {"list": page, **(_filters(access, form, matters) if form.choices else {})}}


def _filters(access: CaseAccess, form: HistoryForm, matters: list[Matter]) -> dict[str, str]:
    choices = access.store.figures(None, access.owner).choices()
    every = {
        "matters": ("All matters", [(one.id, one.name) for one in matters], form.matter),
        "corpora": ("All corpora", [(name, name) for name in choices.corpora], form.corpus),
        "verdicts": ("Any verdict", [(name, name) for name in choices.verdicts], form.verdict),
    }
    return {
        slot: shown("options", all=words, options=options, chosen=chosen)
        for slot, (words, options, chosen) in every.items()
    }


# The side sheet of a case: its name, its outcome, its history.

NEW = "new"


class DescriptionForm(CaseForm):
    """The name and the notes of a case; None leaves a value unchanged."""

    name: str | None = Field(default=None, max_length=LONGEST_NAME)
    notes: str | None = Field(default=None, max_length=LONGEST_NOTES)


class VerdictForm(CaseForm):
    """The outcome of a case, and whether the engine's statement on its evidence was right."""

    verdict: str = Field(default="", max_length=LONGEST_VERDICT)
    right: Literal["", "yes", "no"] = ""


class MoveForm(CaseForm):
    """The id of the matter that a case moves to; ``NEW`` for one that is made under a ``name``."""

    matter: Key = ""
    name: str | None = Field(default=None, max_length=LONGEST_NAME)


class ShareForm(CaseForm):
    """``shared``: everyone who has the link of the case may read it."""

    shared: bool = False


class ExportForm(CaseForm):
    """The name of a format of the exports registry."""

    format: Key


def sheet(access: CaseAccess, form: CaseForm) -> Answer:
    """Return the whole sheet."""
    from engine.exports.cases import exports

    store = access.store
    case = store.summary(form.id, access.owner)
    verdicts = access.store.figures(None, access.owner).choices().verdicts
    page = shown(
        "sheet",
        case=case,
        notes=store.notes(form.id, access.owner),
        ended=ended(case.stop_reason),
        application=APPLICATIONS.get(case.application, case.application),
        evidence=EVIDENCE.get(case.evidence, case.evidence),
        stated=STATED.get(case.evidence, case.evidence),
        verdicts=sorted({*USUAL_VERDICTS, *verdicts}),
        exports=list(exports().values()),
        matter=_matter(access, case.matter),
        share=shown("share", case=case) if access.desk.kept.may_share else "",
        events=_events(access, form.id),
    )
    return {"html": {"sheet": page}, "focus": "[data-key=sheet]"}


def _matter(access: CaseAccess, chosen: str) -> str:
    options = [(one.id, one.name) for one in access.store.matters(access.owner)]
    return shown("matter", options=options, chosen=chosen)


def _events(access: CaseAccess, case_id: str) -> str:
    events = access.store.events(case_id, access.owner)
    name = _citations(access, case_id, events)
    history = [(one, *happened(one, name)) for one in reversed(events)]
    steps = active_steps(events)
    last = happened(steps[-1], name) if len(steps) > 1 else None
    return shown("events", id=case_id, events=history, last=last)


def _citations(access: CaseAccess, case_id: str, events: Sequence[Event]) -> Callable[[str], str]:
    """Return a function from passage ids to short citations; an unknown id is returned as it is. The record
    is read only if a step names a passage."""
    named = any("passage" in event.data or "source" in event.data for event in events)
    passages = access.store.record(case_id, access.owner)["passages"] if named else ()
    known = {one["id"]: f"{one['title'] or one['document']}, {one['label']}" for one in passages}
    return lambda passage: known.get(passage, passage)


def describe(access: CaseAccess, form: DescriptionForm) -> Answer:
    """Store a name or notes; unchanged values make no event."""
    case, notes = access.store.summary(form.id, access.owner), access.store.notes(form.id, access.owner)
    name = None if form.name is None or form.name.strip() == case.name else " ".join(form.name.split())
    changed = None if form.notes is None or form.notes == notes else form.notes
    if name is None and changed is None:
        return {}
    access.store.describe(form.id, who=access.who, owner=access.owner, name=name, notes=changed)
    return {"html": {"events": _events(access, form.id), "saved": "Saved"}, "again": True}


def judge(access: CaseAccess, form: VerdictForm) -> Answer:
    """Store a verdict; an empty one withdraws the previous verdict."""
    verdict = " ".join(form.verdict.split()) or None
    right = {"yes": True, "no": False}.get(form.right)
    case = access.store.summary(form.id, access.owner)
    if (case.verdict, case.verdict_right) != (verdict, right):
        access.store.judge(form.id, verdict, who=access.who, owner=access.owner, right=right)
    return {"html": {"events": _events(access, form.id), "judged": "Saved"}, "again": True}


def move(access: CaseAccess, form: MoveForm) -> Answer:
    """Move a case to another matter; ``NEW`` without a name returns the form for one."""
    if form.matter == NEW and form.name is None:
        access.store.summary(form.id, access.owner)
        page = shown("new_matter", id=form.id, general=GENERAL)
        return {"html": {"matter": page}, "focus": "[data-key=new-matter]"}
    chosen = _chosen(access, form)
    access.store.move(form.id, chosen, who=access.who, owner=access.owner)
    slots = {"matter": _matter(access, chosen.id), "events": _events(access, form.id)}
    return {"html": slots, "again": True, "focus": "[data-key=matter]"}


def _chosen(access: CaseAccess, form: MoveForm) -> Matter:
    # Only the owner of a case may create a matter for it.
    access.store.summary(form.id, access.owner)
    chosen = (
        access.store.matter(form.name or "", access.owner)
        if form.matter == NEW
        else access.matter(form.matter)
    )
    if chosen is None:
        raise InputError("choose a matter, or give a new one a name")
    return chosen


def undo(access: CaseAccess, form: CaseForm) -> Answer:
    """Undo the last step."""
    access.store.undo(form.id, who=access.who, owner=access.owner)
    return {**sheet(access, form), "again": True}


def verify(access: CaseAccess, form: CaseForm) -> Answer:
    """Check the integrity of a case; returns the result with its last hash."""
    found = access.store.verify(form.id, access.owner)
    head = access.store.events(form.id, access.owner)[-1].hash
    return {"html": {"verified": shown("verified", found=found, head=head)}}


def delete(access: CaseAccess, form: CaseForm) -> Answer:
    """Delete a case with its events and reviews."""
    case = access.store.summary(form.id, access.owner)
    access.store.delete([form.id], access.owner)
    words = case.name or case.question
    short = words if len(words) <= 80 else words[:80].rstrip() + " …"
    return {"html": {"sheet": ""}, "again": True, "said": f"Deleted: {short}", "closed": form.id}


def share(access: CaseAccess, form: ShareForm) -> Answer:
    """Start or stop sharing a case by its link. Raises AccessError if the operator does not allow it."""
    if not access.desk.kept.may_share:
        raise AccessError(NOT_SHARED)
    access.store.share(form.id, who=access.who, owner=access.owner, shared=form.shared)
    page = shown("share", case=access.store.summary(form.id, access.owner))
    return {"html": {"share": page, "events": _events(access, form.id)}}


def export(access: CaseAccess, form: ExportForm) -> Answer:
    """Return a case as a file of a format."""
    from engine.exports.cases import export_of

    case, chosen = access.store.summary(form.id, access.owner), export_of(form.format)
    data = chosen.write(case_of_person(access.desk.library, access.desk.kept, access.person, form.id))
    name = file_name(case.name or case.question, case.started, chosen.suffix)
    return {"file": {"name": name, "type": chosen.media_type, "data": base64.b64encode(data).decode()}}


CALLS = by_name((
    Call("history", HistoryForm, history, keyless=lambda: no_key("list")),
    *records.CALLS,
    Call("sheet", CaseForm, sheet),
    # A description that changes nothing gets an empty answer, and is not logged.
    Call("describe", DescriptionForm, describe,
         audit=lambda _, found: "" if found == {} else "describe case"),
    Call("judge", VerdictForm, judge, audit="judge case"),
    Call("move", MoveForm, move, audit="move case"),
    Call("undo", CaseForm, undo, audit="take back step of case"),
    Call("verify", CaseForm, verify),
    Call("delete", CaseForm, delete, audit="delete case"),
    Call("share", ShareForm, share,
         audit=lambda form, _: "share case" if form.shared else "stop sharing case"),
    Call("export", ExportForm, export, audit=lambda form, _: f"export case as {form.format}"),
    Call("compare", PairForm, side_by_side),
    Call("comparison", PairForm, comparison_file),
))  # fmt: skip


def build_cases(desk: CasesDesk) -> gr.HTML:
    """Build the view."""
    frame, script = rendered("cases/frame.html"), "redstring.cases(element, server)"
    return build_panel("cases", desk, CALLS, desk.library.settings, frame, script)
