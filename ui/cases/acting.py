"""What the line over a case does: take back the last step, share the case, hand it over as a file."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import gradio as gr
from pydantic import Field

from engine.access.audit_log import record as write_down
from engine.access.users import Person
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.exports.kept_cases import handed_over as handed_over_case
from engine.exports.kept_cases import handed_to_read
from engine.exports.registry import HandedOver, export_of
from engine.records.store.database import UnknownCaseError
from ui.access.asking import person_of
from ui.asked import Key, Request, checked
from ui.cases.bar import bar_value
from ui.cases.kept import KeptCases
from ui.cases.opening import opened_again
from ui.investigate import STILL_RUNNING, Updates, case_values
from ui.session import LINED, Desk, case_of
from ui.shelf import Library
from ui.stage import Stage, banner_html, on_failure

UNDO, SHARE, UNSHARE = "undo", "share", "unshare"
NOT_KEPT = "this case is not kept: there is nothing to take back"
NOT_SHARED = "the operator of this server does not allow cases to be shared"


def wire_bar(stage: Stage, token: gr.State, library: Library, desk: Desk, cases: KeptCases) -> None:
    """One listener for the buttons of the line."""

    def act(request: gr.Request, case: str, visitor: str, chosen: gr.EventData) -> Iterator[Updates]:
        case = case_of(case, request)
        try:
            person = person_of(library.settings, request, visitor)
            action = getattr(chosen, "action", "")
            if action == UNDO:
                yield undone(stage, desk, case, library, cases, person)
            elif action in (SHARE, UNSHARE):
                yield shared(stage, desk, case, cases, person, shared=action == SHARE)
        except RedstringError as error:
            yield {stage.banner: banner_html(for_visitors(error))}

    acted = stage.bar.select(
        act, [token, stage.banner], stage.outputs(), js="(token) => [token, redstring.visitor()]",
        api_visibility="private", show_progress="hidden", trigger_mode="once", **LINED,
    )  # fmt: skip
    on_failure(acted, stage)


def undone(
    stage: Stage, desk: Desk, token: str, library: Library, cases: KeptCases, person: Person
) -> Updates:
    """Take back the last step of the open case; returns what the page shows then. Raises InputError where
    there is none, AccessError where the case is somebody else's."""
    opened = desk.get(token)
    if opened.keeping is None:
        raise InputError(NOT_KEPT)
    if not opened.take():
        raise InputError(STILL_RUNNING)
    try:
        opened.keeping.undo()
    finally:
        opened.busy.release()
    again = opened_again(library, cases, person, opened.keeping.case_id)
    again.turn, again.nodes, again.rest_shown = opened.turn, opened.nodes, opened.rest_shown
    again.visitor = opened.visitor
    desk.put(token, again)
    return case_values(again, stage)


def shared(
    stage: Stage, desk: Desk, token: str, cases: KeptCases, person: Person, *, shared: bool
) -> Updates:
    """Let whoever has the link of the open case read it, or no longer. Raises AccessError where that is not
    allowed, InputError."""
    opened = desk.get(token)
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
    """A file of a case that the page wants: ``case`` is its id, ``format`` a name of the registry."""

    visitor: Key = Field(default="", repr=False)
    case: Key
    format: Key


def hand_over(library: Library, cases: KeptCases) -> Callable[..., dict[str, Any]]:
    """What answers a page that wants a case as a file: its name, its kind, and its bytes in base 64; or the
    error, in words."""

    def handed_over(request: dict[str, Any], asking: gr.Request) -> dict[str, Any]:
        try:
            wanted = checked(Wanted, request)
            person = person_of(library.settings, asking, wanted.visitor)
            export = export_of(wanted.format)
            data = export.write(case_of_person(library, cases, person, wanted.case))
            write_down(person, f"export case as {export.name}", wanted.case, "done")
        except RedstringError as error:
            return {"error": for_visitors(error)}
        return {
            "name": f"case-{wanted.case[:8]}-{export.name}{export.suffix}",
            "type": export.media_type,
            "data": base64.b64encode(data).decode(),
        }

    return handed_over


def case_of_person(library: Library, cases: KeptCases, person: Person, case_id: str) -> HandedOver:
    """A case of whoever asks, or one that is shared. Raises InputError for one that is not there."""
    store, owner = cases.store(), cases.owner_of(person)

    def corpus_of(name: str) -> Corpus:
        return library.corpus(name, person.key)

    if owner is not None:
        with suppress(UnknownCaseError):
            return handed_over_case(store, case_id, owner, corpus_of, cases.reviews())
    if not cases.may_share:
        raise UnknownCaseError(case_id)
    return handed_to_read(store, case_id, corpus_of)
