"""Verbs on kept cases: list, show, verify, judge, delete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from engine.errors import InputError
from engine.language.characters import shortened
from engine.records.store import EVERYBODY
from engine.records.summaries import Slim, slim_case
from engine.verbs.questions import MORE
from engine.verbs.verb import (
    Caller,
    CaseId,
    CorpusName,
    Day,
    Detail,
    Key,
    Request,
    Response,
    Tool,
    argument,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.records.store.database import CaseSummary, Matter
    from engine.records.store.store import CaseStore

MOST_LISTED = 50
LONGEST_MATTER = 200
# Characters of a question in a line.
_QUESTION = 72


class ListCases(Request):
    """Arguments of ``cases``."""

    words: str = Field(
        default="", max_length=500, description="Words that all occur in the question, the name or the notes."
    )
    corpus: CorpusName = option("", "Only cases of this corpus.", "NAME", flag="--of-corpus")
    evidence: Literal["", "found", "partial", "none"] = Field(
        default="", description="Only where the corpus bore the question so far: found, partial or none."
    )
    verdict: Key = option("", "Only with this verdict.", "V")
    since: Day = option(None, "Begun on this day (2026-01-31) or later.", "DAY")
    until: Day = option(None, "Begun on this day or before.", "DAY")
    matter: str = option("", "Only of this matter; empty for all.", "NAME", max_length=LONGEST_MATTER)
    limit: int = option(20, "At most so many.", "N", ge=1, le=MOST_LISTED)
    offset: int = option(0, "After so many.", "N", ge=0)


class ListCasesOptions(ListCases):
    """Options of ``cases list``: a terminal shows lists of any length."""

    limit: int = option(50, "At most so many.", "N", ge=1)


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


class CaseList(Slim):
    """Answer of ``cases``."""

    cases: list[SlimSummary] = Field(description="the newest first")
    total: int
    matters: list[str] = Field(description="names of all matters of the caller")


def _list_for_tools(response: Response) -> Mapping[str, Any]:
    # A matter may have been made since the list of them was read.
    matters = response.extra["matters"]
    cases = [
        {
            **{name: one[name] for name in SlimSummary.model_fields if name in one},
            "matter": matters.get(one["matter"], ""),
            "coverage": one["coverage_score"],
        }
        for one in response.values["cases"]
    ]
    return {"cases": cases, "total": response.values["total"], "matters": sorted(matters.values())}


@verb(
    "cases list",
    ListCases,
    tool=Tool(
        "cases",
        "List cases",
        "List the caller's kept cases, the newest first, with what was found and how sure that is.",
        CaseList,
        full=_list_for_tools,
    ),
    options=ListCasesOptions,
)
def list_cases(caller: Caller, request: ListCases) -> Response:
    """List cases, the newest first."""
    from engine.records.store.database import CaseFilter

    owner, store = caller.owner, caller.store()
    matters = store.matters(owner)
    found = store.listed(
        CaseFilter(
            words=request.words,
            corpus=request.corpus,
            evidence=request.evidence,
            verdict=request.verdict,
            since="" if request.since is None else request.since.isoformat(),
            until="" if request.until is None else request.until.isoformat(),
            limit=request.limit,
            offset=request.offset,
        ),
        find_matter(caller, request.matter) if request.matter else None,
        owner,
    )
    return Response(
        {"total": found.total, "cases": [asdict(one) for one in found.cases]},
        [*map(case_line, found.cases), f"{len(found.cases):,} of {found.total:,}"],
        extra={"matters": {one.id: one.name for one in matters}},
    )


def find_matter(caller: Caller, name: str) -> Matter:
    """Return a matter of the caller by its name; on the command line also any matter by its id.

    Raises InputError for an unknown one.
    """
    is_operator, matters = caller.owner is EVERYBODY, caller.store().matters(caller.owner)
    own = {one.name: one for one in matters if not (is_operator and one.owner)}
    found = own.get(name) or next((one for one in matters if is_operator and one.id == name), None)
    if found is not None:
        return found
    if is_operator:
        raise InputError(f"there is no matter {name!r}; known: {', '.join(own) or 'none'}")
    raise InputError(f"matter: you have none of the name {name!r}")


def optional_matter(caller: Caller, name: str | None) -> Matter | None:
    """Return the matter of a name, None for none. Raises as ``find_matter``."""
    return None if name is None else find_matter(caller, name)


def case_line(one: CaseSummary) -> str:
    """Return a case in a line."""
    short = shortened(one.name or one.question, _QUESTION)
    coverage = "" if one.coverage_score is None else f", coverage {one.coverage_score:.2f}"
    verdict = "" if one.verdict is None else f", {one.verdict}"
    return f"{one.id}  {one.started[:16]}  {one.corpus}: {short} ({one.evidence}{coverage}{verdict})"


# Figures of many cases.


class MatterOptions(Request):
    """Options of commands on the cases of one matter or all."""

    matter: str | None = option(None, "only of this matter (default: of all)", "NAME")


class LowCoverageOptions(MatterOptions):
    """Options of ``cases low-coverage``."""

    below: float = option(0.7, "coverage, 0 to 1 (default .7)", "S")


@verb("cases low-coverage", LowCoverageOptions)
def list_low_coverage(caller: Caller, request: LowCoverageOptions) -> Response:
    """List cases with little coverage, the least first."""
    matter = optional_matter(caller, request.matter)
    found = caller.store().low_coverage(request.below, matter, caller.owner)
    return Response({"cases": [asdict(one) for one in found]}, map(case_line, found))


@verb("cases by-verdict", MatterOptions)
def list_by_verdict(caller: Caller, request: MatterOptions) -> Response:
    """Show means of the figures of cases, by verdict."""
    found = caller.store().by_verdict(optional_matter(caller, request.matter), caller.owner)
    return Response({"verdicts": found}, _table(found))


@verb("cases over-time", MatterOptions)
def list_over_time(caller: Caller, request: MatterOptions) -> Response:
    """Show means of the figures of cases, by day."""
    found = caller.store().over_time(optional_matter(caller, request.matter), caller.owner)
    return Response({"days": found}, _table(found))


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        first, *rest = row.items()
        figures = ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in rest
            if value is not None
        )
        yield f"{first[1] or 'none'}: {figures}"


# One case.


class OneCase(Request):
    """Options of commands on one case."""

    id: str = argument(..., "id of the case", "ID")


class ShowCase(Request):
    """Arguments of ``case``."""

    case: CaseId
    part: Literal["record", "events", "verify"] = Field(
        default="record",
        description="record: what was found. events: what happened to it, when, and who did it. verify: "
        "whether it is as it was written.",
    )
    detail: Detail = "slim"


class SlimEvent(Slim):
    """An event of a case."""

    number: int
    at: str
    who: str
    kind: str
    data: dict[str, Any]
    state: str | None = Field(
        description="digest of the record that it left; null where it left it as it was"
    )
    hash: str = Field(description="seals it together with the one before")


class OneCaseAnswer(Slim):
    """Answer of ``case``, in short: one of record, events and sound."""

    case: str
    name: str
    notes: str
    record: dict[str, Any] | None = Field(default=None, description="what was found, as investigate has it")
    events: list[SlimEvent] | None = Field(default=None, description="everything that happened, in order")
    sound: bool | None = Field(default=None, description="whether it is as it was written")
    faults: list[str] | None = Field(default=None, description="what is not")
    hash: str | None = Field(default=None, description="the last hash of the case")
    more: str = Field(description="how to get more of it")


def _slim_part(values: Mapping[str, Any]) -> dict[str, Any]:
    short = {"record": slim_case(values["record"])} if "record" in values else {}
    return {**values, **short}


@verb(
    "",
    ShowCase,
    tool=Tool(
        "case",
        "Look at a case",
        "Look at one of the caller's kept cases: what was found, what happened to it, or whether it is as it "
        "was written.",
        OneCaseAnswer,
        _slim_part,
    ),
)
def show_part(caller: Caller, request: ShowCase) -> Response:
    """Show a case of the caller: its record, its events, or whether it is intact."""
    owner, store = caller.owner, caller.store()
    summary = store.summary(request.case, owner)
    caller.log_case("open case", request.case)
    values = {
        "case": request.case, "name": summary.name, "notes": store.notes(request.case, owner), "more": MORE
    }  # fmt: skip
    if request.part == "record":
        return Response({**values, "record": store.record(request.case, owner)})
    events = [one.values() for one in store.events(request.case, owner)]
    last = events[-1]["hash"]
    if request.part == "events":
        return Response({**values, "events": events, "hash": last})
    faults = store.verify(request.case, owner)
    return Response({**values, "sound": not faults, "faults": faults, "hash": last})


@verb("cases show", OneCase)
def show_case(caller: Caller, request: OneCase) -> Response:
    """Show a case: its question and its result."""
    from engine.records.comparing import find_chance_reasons

    store = caller.store()
    summary, record = store.summary(request.id, caller.owner), store.record(request.id, caller.owner)
    notes, inexact = store.notes(request.id, caller.owner), list(find_chance_reasons(record))
    values = asdict(summary)
    lines = [f"{name}: {value}" for name, value in values.items() if value not in (None, "")]
    lines += [f"notes: {notes}"] if notes else []
    lines += [f"a replay is not exact: {why}" for why in inexact]
    lines += [
        f"{passage['rank']:>3}. {passage['title'] or passage['document']}, {passage['label']}"
        for passage in record["passages"]
    ]
    return Response({"case": values, "notes": notes, "inexact": inexact, "record": record}, lines)


@verb("cases events", OneCase)
def list_events(caller: Caller, request: OneCase) -> Response:
    """List everything that happened to a case, and who did it."""
    found = caller.store().events(request.id, caller.owner)
    lines = [
        f"{one.number:>3} {one.at} {one.kind} by {one.who}"
        + "".join(f", {name} {value}" for name, value in one.data.items())
        for one in found
    ]
    return Response({"events": [one.values() for one in found]}, [*lines, f"last hash: {found[-1].hash}"])


class VerifyCases(Request):
    """Options of ``cases verify``."""

    id: str = argument("", "id of a case, or FILE (default: all cases)", "ID")


@verb("cases verify", VerifyCases)
def verify_cases(caller: Caller, request: VerifyCases) -> Response:
    """Check whether a case, the file of one, or every kept case is as it was written.

    Raises InputError if one is not.
    """
    from engine.records.case_file import find_changes, read_saved

    if not request.id:
        return _verify_all(caller.store())
    if Path(request.id).is_file():
        saved = read_saved(Path(request.id))
        found = find_changes(saved, request.id)
        head = "" if saved.case is None else saved.case.head
    else:
        store = caller.store()
        found = store.verify(request.id, caller.owner)
        head = "" if found else store.events(request.id, caller.owner)[-1].hash
    if found:
        raise InputError(f"case {request.id} was changed: {'; '.join(found)}")
    return Response({"sound": True, "hash": head}, [f"As it was written; last hash {head}"])


def _verify_all(store: CaseStore) -> Response:
    from engine.records.phrases import plural
    from engine.records.store.opening import RESTORE

    every = store.verify_all()
    wrong = {name: faults for name, faults in every.items() if faults}
    lines = [f"{name or 'the database'}: {'; '.join(faults)}" for name, faults in wrong.items()]
    cases, damaged = plural(len(every) - 1, "case"), len(wrong.keys() - {""})
    return Response(
        {"sound": not wrong, "cases": len(every) - 1, "wrong": wrong},
        lines or [f"{cases}, as written"],
        problem=InputError(f"{cases}, of which {damaged:,} are damaged: {RESTORE}") if wrong else None,
    )


class UndoOptions(OneCase):
    """Options of ``cases undo``."""

    verdict: bool = option(False, "take back the last verdict instead")


@verb("cases undo", UndoOptions, changes=True)
def undo_step(caller: Caller, request: UndoOptions) -> Response:
    """Take back the last step."""
    store = caller.store()
    take_back = store.unjudge if request.verdict else store.undo
    take_back(request.id, who=caller.name, owner=caller.owner)
    last = store.events(request.id, caller.owner)[-1]
    return Response(last.values(), [f"Taken back: {last.data['kind']} (event {last.data['event']})"])


class NameOptions(OneCase):
    """Options of ``cases name``."""

    name: str | None = option(None, "its name")
    notes: str | None = option(None, "notes on it")


@verb("cases name", NameOptions, changes=True)
def name_case(caller: Caller, request: NameOptions) -> Response:
    """Give a case a name, or notes."""
    if request.name is None and request.notes is None:
        raise InputError("give --name or --notes")
    store = caller.store()
    store.describe(request.id, who=caller.name, owner=caller.owner, name=request.name, notes=request.notes)
    return _summary(store.summary(request.id, caller.owner))


class JudgeOptions(OneCase):
    """Options of ``cases judge``."""

    verdict: str = argument(..., "in a word; an empty one takes it back", "VERDICT")
    right: bool = option(False, "the evidence status of the engine was right")
    wrong: bool = option(False, "it was wrong")


@verb("cases judge", JudgeOptions, changes=True)
def judge_case(caller: Caller, request: JudgeOptions) -> Response:
    """Record the outcome of a case."""
    if request.right and request.wrong:
        raise InputError("give --right or --wrong, not both")
    store, right = caller.store(), True if request.right else False if request.wrong else None
    store.judge(request.id, request.verdict or None, who=caller.name, owner=caller.owner, right=right)
    return _summary(store.summary(request.id, caller.owner))


def _summary(found: CaseSummary) -> Response:
    return Response(asdict(found), [case_line(found)])


class DeleteOptions(Request):
    """Options of ``cases delete``."""

    ids: list[str] = argument([], "ids of cases", "ID", many="*")
    matter: str | None = option(None, "a whole matter, by its name or its id", "NAME")


@verb("cases delete", DeleteOptions, changes=True)
def delete_cases(caller: Caller, request: DeleteOptions) -> Response:
    """Delete cases with all that belongs to them. Raises InputError for an unknown one; then none is
    deleted."""
    from engine.records.store.database import UnknownCaseError

    if bool(request.ids) == (request.matter is not None):
        raise InputError("name either ids of cases or --matter")
    store = caller.store()
    if request.matter is not None:
        deleted = store.delete_matter(find_matter(caller, request.matter))
    else:
        deleted = list(dict.fromkeys(request.ids))
        # A damaged case can be deleted, too: only its id is read.
        if missing := [one for one in deleted if one not in store.ids(None, caller.owner)]:
            raise UnknownCaseError(missing[0])
        store.delete(deleted, caller.owner)
    for one in deleted:
        caller.log_case("delete case", one)
    return Response({"deleted": len(deleted)}, [f"{len(deleted):,} deleted"])
