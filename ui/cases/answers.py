"""The requests of the Cases view, and its frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import gradio as gr

from engine.access.audit_log import record
from engine.access.users import Person
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.verbs.requests import parse_request
from ui.access.entrance import by_token
from ui.cases.desk import Answer, Ask, CasesDesk, Own
from ui.cases.history import history, kept_for_nobody
from ui.cases.records import records
from ui.cases.sheet import delete, describe, export, judge, move, share, sheet, undo, verify
from ui.cases.side_by_side import comparison_file, side_by_side
from ui.panels import build_panel
from ui.templating import rendered

# One door for all requests of the Cases view: checked, answered, and every error a calm line.

# What changes a case or hands it out, as the audit log calls it.
LOGGED: Mapping[str, str] = {
    "describe": "describe case",
    "judge": "judge case",
    "move": "move case",
    "undo": "take back step of case",
    "share": "share case",
    "export": "export case",
    "delete": "delete case",
}


def answer(desk: CasesDesk, request: object, who: Callable[[str], Person] = by_token) -> Answer:
    """The answer to a request: HTML by the slots of the page that it belongs in, or ``error``, one line that
    says what was wrong. ``who`` tells who sent it, given the token of their browser."""
    try:
        ask = parse_request(Ask, request)
        person = who(ask.visitor)
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        owner = desk.kept.owner_of(person)
        # None is how the store calls everybody: who has no key has no cases, and is asked for none.
        if owner is None:
            return _without_key(ask)
        told = _answered(handler, Own(desk, person, owner), ask)
        if ask.do in LOGGED and told:
            record(person, _action(ask), ask.id, "done")
        return told
    except RedstringError as error:
        return {"error": for_visitors(error)}


def _answered(handler: Callable[[Own, Ask], Answer], own: Own, ask: Ask) -> Answer:
    try:
        return handler(own, ask)
    except (AccessError, InputError):
        if ask.do in LOGGED:
            record(own.person, LOGGED[ask.do], ask.id, "refused")
        raise


def _action(ask: Ask) -> str:
    """What was done, in the words of the audit log."""
    if ask.do == "share" and not ask.shared:
        return "stop sharing case"
    return f"export case as {ask.format}" if ask.do == "export" else LOGGED[ask.do]


def _without_key(ask: Ask) -> Answer:
    if ask.do in ("history", "records"):
        return kept_for_nobody()
    raise InputError("cases are kept for whoever can be known again; this browser has no key")


HANDLERS: Mapping[str, Callable[[Own, Ask], Answer]] = {
    "history": history,
    "records": records,
    "sheet": sheet,
    "describe": describe,
    "judge": judge,
    "move": move,
    "undo": undo,
    "verify": verify,
    "delete": delete,
    "share": share,
    "export": export,
    "compare": side_by_side,
    "comparison": comparison_file,
}


# The Cases view: its frame, and the one door to the server that its script knocks at.


def build_cases(desk: CasesDesk) -> gr.HTML:
    """Build the view."""
    frame, script = rendered("cases/frame.html"), "redstring.cases(element, server)"
    return build_panel("cases", partial(answer, desk), desk.library.settings, frame, script)
