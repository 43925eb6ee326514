"""Open a stored case by its address, the example case, and the actions of the line above a case."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

import gradio as gr
from pydantic import Field

from engine.access.audit_log import record as write_down
from engine.access.users import Person
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError, RedstringError, ResourceError, for_visitors
from engine.exports.cases import ExportableCase, export_of, load_shared
from engine.exports.cases import load_for_export as handed_over_case
from engine.investigation.factory import reopen_case
from engine.investigation.record import Investigation, SufficiencyJudged
from engine.records.conversion import investigation_of, investigation_to_json
from engine.records.store.chain import fingerprint_of
from engine.records.store.database import UnknownCaseError
from engine.settings import preset
from engine.verbs.verb import Key, Request, parse_request
from ui.cases.storage import VISITOR, Keeping, KeptCases
from ui.investigate.case_views import as_judged, may_judge
from ui.investigate.controls import Terms, shown
from ui.investigate.panels import PARTS, Stage, banner_html, on_failure
from ui.investigate.plan import CaseRequest
from ui.investigate.progress import Story
from ui.investigate.sidebar import START, Rail
from ui.investigate.updates import STILL_RUNNING, Updates, case_values, empty_values, listen, open_case
from ui.open_case import CaseView, OpenCase, Replay, bar_value
from ui.server.login import person_of
from ui.server.template import packed, unpacked
from ui.session import EXAMPLE_TOKEN, LINED, CaseSessions, case_of, new_token
from ui.shelf import Library

# The finished example of the first screen: the first example question of the first corpus, run
# daily.

LOG = logging.getLogger(__name__)
# The id under which the page requests files of the example.
EXAMPLE = "example"


@dataclass(frozen=True, slots=True)
class _Made:
    """The example of one state of the corpus on one day: what the page shows, and the case itself."""

    state: tuple[str, date]
    values: dict[str, Any]
    data: bytes
    corpus: Corpus


class ExampleCase:
    """The example case of a library; computed on first use. Thread-safe."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._made: _Made | None = None
        self._failed: tuple[str, date] | None = None
        self._lock = Lock()

    def values(self) -> dict[str, Any]:
        """Return what the page shows of the example, by the names of its parts; empty without one."""
        made = self._current()
        return {} if made is None else made.values

    def copy(self) -> OpenCase | None:
        """Return an open case of its own for a page that continues the example."""
        made = self._current()
        if made is None:
            return None
        opened: OpenCase = unpacked(made.data, lambda folder: made.corpus)
        return opened

    def exportable(self) -> ExportableCase | None:
        """Return the example for export; None without one."""
        opened = self.copy()
        if opened is None:
            return None
        record = investigation_to_json(opened.case.investigation())
        return ExportableCase(record, corpus=opened.corpus, today=date.today())

    def _current(self) -> _Made | None:
        name = self._library.names()[0]
        state = (self._library.find(name).state, date.today())
        with self._lock:
            if self._failed != state and (self._made is None or self._made.state != state):
                try:
                    self._made = self._compute(name, state)
                except RedstringError as error:
                    LOG.warning("the example case could not be made: %s", error)
                    self._made, self._failed = None, state
            return self._made

    def _compute(self, name: str, state: tuple[str, date]) -> _Made | None:
        examples = self._library.examples(name)
        corpus = self._library.corpus(name)
        if not examples or corpus.folder is None:
            self._failed = state
            return None
        opened = open_case(
            self._library, CaseRequest(question=examples[0].text, corpus=name, held=shown(preset(START)))
        )
        for _ in listen(opened, PARTS, opened.case.run):
            continue
        if opened.case.stop is None:
            self._failed = state
            return None
        opened.is_example = True
        opened.seconds, opened.story = 0.0, replace(opened.story, seconds=None)
        return _Made(state, case_values(opened, PARTS), packed(opened, corpus), corpus)


# A stored case, opened by its address: ``?case=ID``.

CHANGED = "the corpus has changed since this case was asked; `cases replay` shows the differences"
GONE = "the corpus {!r} of this case was removed, or is not open to you; the case can still be exported"
STILL_THERE = "the case is still being worked on; load the page again in a moment"
LONGEST_ID = 100
# Timeout for a case that another page of the person is running, and interval of checks, s.
WAITS, LOOKS = 60.0, 0.2


def wire_opening(
    rail: Rail,
    stage: Stage,
    token: gr.State,
    library: Library,
    sessions: CaseSessions,
    cases: KeptCases,
    example: ExampleCase,
) -> None:
    """Open a case when the page is loaded with its id, and when the reader goes back to it.

    Without an id the page shows the example."""
    settings = {name: control for name, control in rail.settings.items() if name != "strategies"}

    def open_again(request: gr.Request, case: str, visitor: str, wanted: gr.EventData) -> Iterator[Updates]:
        case = case_of(case, request, own=True) or new_token()
        case_id = str(getattr(wanted, "id", ""))[:LONGEST_ID]
        if not case_id:
            sessions.forget(case)
            values = {getattr(stage, name): value for name, value in example.values().items()}
            if sessions.find(case) is None:
                shown_first = {**empty_values(stage), **values}
                yield {token: EXAMPLE_TOKEN + case if values else case, **shown_first}
            else:
                # The user has asked a question since. Without any value Gradio would empty all controls.
                yield {token: case}
            return
        try:
            person = person_of(library.settings, request, visitor)
            _await_end(sessions.find_running(case_id), cases.owner_of(person))
            opened = opened_again(library, cases, person, case_id)
            write_down(person, "open case", case_id, "done")
        except RedstringError as error:
            yield {token: case, **empty_values(stage), stage.banner: banner_html(for_visitors(error))}
            return
        sessions.put(case, opened)
        chosen: Updates = {rail.question: opened.question, rail.corpus: opened.corpus_name}
        values = shown(opened.case.settings)
        chosen |= {control: values[name] for name, control in settings.items()}
        chosen |= {rail.settings["strategies"]: list(opened.strategies)}
        yield {token: case, **case_values(opened, stage), **chosen}

    opening = stage.bar.expand(
        open_again, [token, rail.visitor], [token, rail.question, rail.corpus, *rail.settings.values(),
                                            *stage.outputs()],
        js="(token) => [token, redstring.visitor()]",
        api_visibility="private", show_progress="hidden", trigger_mode="multiple", **LINED,
    )  # fmt: skip
    on_failure(opening, stage)


def _await_end(running: OpenCase | None, owner: str | None) -> None:
    """Wait for a case that its owner started on another page, or before a reload. Raises InputError after the
    timeout."""
    if running is None or running.keeping is None or running.keeping.owner != owner:
        return
    # A page waits for it again.
    running.view.departures += 1
    until = time.monotonic() + WAITS
    while running.busy.locked():
        if time.monotonic() > until:
            raise InputError(STILL_THERE)
        time.sleep(LOOKS)


def opened_again(library: Library, cases: KeptCases, person: Person, case_id: str) -> OpenCase:
    """Open a stored case of the person, or a shared one.

    Raises InputError for an unknown case or a missing corpus, ResourceError if it cannot be read.
    """
    keeping, record, fingerprint = _read(cases, person, case_id)
    try:
        shelved = library.find(record["corpus"], person.key)
        corpus = library.open(shelved)
    except InputError:
        raise InputError(GONE.format(record["corpus"])) from None
    found = investigation_of(record, corpus, Path(f"case {case_id}"))
    settings = found.settings
    named = set(settings.documents)
    titles = {one.id: one.title or one.id for one in corpus.documents() if one.id in named} if named else {}
    opened = OpenCase(
        reopen_case(found, corpus), corpus, found.question, settings.strategies, shelved.name,
        titles=titles, workers=library.workers, keeping=keeping, replay=Replay(),
        seconds=found.milliseconds / 1000,
    )  # fmt: skip
    changed = (CHANGED,) if fingerprint_of(corpus) != fingerprint else ()
    opened.story = story_of(found, opened.terms(), changed)
    if not keeping.to_read:
        opened.may_judge = may_judge(library, person, shelved.name)
        opened.reviewer = person.name
    as_judged(opened)
    return opened


def _read(cases: KeptCases, person: Person, case_id: str) -> tuple[Keeping, dict[str, Any], str]:
    """Return how a case is stored, its record, and the fingerprint of its corpus at that time."""
    store, owner = cases.store(), cases.owner_of(person)
    try:
        if owner is None:
            raise UnknownCaseError(case_id)
        summary, record = store.summary(case_id, owner), store.record(case_id, owner)
    except UnknownCaseError:
        if not cases.may_share:
            raise
        summary, record = store.shared(case_id)
        return Keeping(cases, "", VISITOR, case_id, events=1, to_read=True), record, summary.fingerprint
    # Unopened cases may be deleted after a time. A read-only store is no error.
    with suppress(ResourceError):
        store.looked_at(case_id, owner)
    matters = {one.id: one.name for one in store.matters(owner)}
    events = len(store.events(case_id, owner))
    matter = matters.get(summary.matter, "")
    keeping = Keeping(cases, owner, person.name or VISITOR, case_id, matter, events)
    return keeping, record, summary.fingerprint


def story_of(found: Investigation, terms: Terms, notes: tuple[str, ...] = ()) -> Story:
    """Return the progress line of a finished investigation."""
    judged = tuple(
        SufficiencyJudged(report.number, one.by, one.sufficient, one.missing, (), one.confidence, one.reasons)
        for report in found.rounds
        if (one := report.judged) is not None
    )
    return Story(
        terms=terms,
        plan=found.plan,
        reports=found.rounds,
        areas=found.areas,
        stop=found.stop,
        ranked=len(found.passages),
        seconds=found.milliseconds / 1000,
        notes=(*notes, *found.notes),
        judged=judged,
        evidence=found.evidence,
        transaction=found.transaction,
    )


# Actions of the line above a case: undo the last step, share, download.

UNDO, SHARE, UNSHARE = "undo", "share", "unshare"
NOT_KEPT = "this case is not kept: there is nothing to take back"
NOT_SHARED = "the operator of this server does not allow cases to be shared"


def wire_bar(
    stage: Stage, token: gr.State, library: Library, sessions: CaseSessions, cases: KeptCases
) -> None:
    """Wire the buttons of the line."""

    def act(request: gr.Request, case: str, visitor: str, chosen: gr.EventData) -> Iterator[Updates]:
        case = case_of(case, request)
        try:
            person = person_of(library.settings, request, visitor)
            action = getattr(chosen, "action", "")
            if action == UNDO:
                yield undone(stage, sessions, case, library, cases, person)
            elif action in (SHARE, UNSHARE):
                yield shared(stage, sessions, case, cases, person, shared=action == SHARE)
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    acted = stage.bar.select(
        act, [token, stage.banner], stage.outputs(), js="(token) => [token, redstring.visitor()]",
        api_visibility="private", show_progress="hidden", trigger_mode="once", **LINED,
    )  # fmt: skip
    on_failure(acted, stage)


def undone(
    stage: Stage, sessions: CaseSessions, token: str, library: Library, cases: KeptCases, person: Person
) -> Updates:
    """Undo the last step of the open case; returns what the page shows then. Raises InputError if there is
    none, AccessError for a case of another."""
    opened = sessions.get(token)
    if opened.keeping is None:
        raise InputError(NOT_KEPT)
    if not opened.acquire():
        raise InputError(STILL_RUNNING)
    try:
        opened.keeping.undo()
    finally:
        opened.busy.release()
    again = opened_again(library, cases, person, opened.keeping.case_id)
    view = opened.view
    again.view = CaseView(view.turn, visitor=view.visitor, nodes=view.nodes, rest_shown=view.rest_shown)
    sessions.put(token, again)
    return case_values(again, stage)


def shared(
    stage: Stage, sessions: CaseSessions, token: str, cases: KeptCases, person: Person, *, shared: bool
) -> Updates:
    """Start or stop sharing the open case by its link. Raises AccessError if that is not allowed,
    InputError."""
    opened = sessions.get(token)
    if opened.keeping is None:
        raise InputError(NOT_KEPT)
    opened.keeping.check()
    if shared and not cases.may_share:
        raise AccessError(NOT_SHARED)
    keeping = opened.keeping
    keeping.store.share(keeping.case_id, who=keeping.who, owner=keeping.owner, shared=shared)
    keeping.events += 1
    write_down(person, "share case" if shared else "stop sharing case", keeping.case_id, "done")
    return {stage.banner: "", stage.bar: bar_value(opened)}


class Wanted(Request):
    """A request for a file of a case: ``case`` is its id, ``format`` a name of the registry."""

    visitor: Key = Field(default="", repr=False)
    case: Key
    format: Key


def hand_over(library: Library, cases: KeptCases, example: ExampleCase) -> Callable[..., dict[str, Any]]:
    """Return the function that answers a request for a case as a file: its name, its type, and its bytes in
    base 64; or the error, in words."""

    def export_case(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        try:
            wanted = parse_request(Wanted, request)
            person = person_of(library.settings, asking, wanted.visitor)
            export = export_of(wanted.format)
            shown_first = example.exportable() if wanted.case == EXAMPLE else None
            data = export.write(shown_first or case_of_person(library, cases, person, wanted.case))
            write_down(person, f"export case as {export.name}", wanted.case, "done")
        except RedstringError as error:
            return {"error": for_visitors(error)}
        return {
            "name": f"case-{wanted.case[:8]}-{export.name}{export.suffix}",
            "type": export.media_type,
            "data": base64.b64encode(data).decode(),
        }

    return export_case


def case_of_person(library: Library, cases: KeptCases, person: Person, case_id: str) -> ExportableCase:
    """Return a case of the person, or a shared one. Raises InputError for an unknown one."""
    store, owner = cases.store(), cases.owner_of(person)

    def corpus_of(name: str) -> Corpus:
        return library.corpus(name, person.key)

    if owner is not None:
        with suppress(UnknownCaseError):
            return handed_over_case(store, case_id, owner, corpus_of, cases.reviews())
    if not cases.may_share:
        raise UnknownCaseError(case_id)
    return load_shared(store, case_id, corpus_of)
