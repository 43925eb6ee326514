"""The page's private calls: how one is declared, and the dispatcher that answers all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeVar

import gradio as gr
from pydantic import BaseModel, ConfigDict, Field

from engine.access.audit_log import record
from engine.access.users import Action, Person, may
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.operator_settings import OperatorSettings
from engine.verbs.verb import Key, Request, parse_request
from ui.server.address import is_local
from ui.server.jobs import Owner
from ui.server.login import by_token, person_of

Answer = dict[str, Any]
NO_KEY = "cases and reviews are stored for visitors who can be recognised; this browser has no key"


class Form(Request):
    """The fields of every call: its name, and the browser's secret tokens of the visitor and the session."""

    do: Key
    visitor: Key = Field(default="", repr=False)
    session: Key = Field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a call.

    ``session`` is the page whose language model is used; ``is_local``: the request comes from this machine.
    """

    person: Person
    session: str = ""
    is_local: bool = False

    @property
    def key(self) -> str:
        """The secret token that the caller's corpora and jobs belong to; empty without one."""
        return self.person.key

    @property
    def owner(self) -> Owner:
        """The owner of jobs that the caller starts."""
        return Owner(self.person.key, self.person.address)

    @property
    def is_trusted(self) -> bool:
        """Whether the caller may use the operator's language model without the limits of visitors."""
        return may(self.person.role, Action.USE_MODEL)


class Access:
    """What one caller may read and change in a view."""

    def check(self, needs: Action) -> None:
        """Raise AccessError if the caller may not do what a call needs."""

    def subject(self, form: Any) -> str:
        """The object of a call in the audit log."""
        return ""


AccessT = TypeVar("AccessT", bound=Access)
AccessOut = TypeVar("AccessOut", bound=Access, covariant=True)
FormT = TypeVar("FormT", bound=Form)


@dataclass(frozen=True, slots=True)
class Call(Generic[AccessT, FormT]):
    """A private call of the page.

    ``audit`` is its name in the audit log, empty for a call that is not logged; a function gets the form and
    the answer (None for a failed call). ``needs`` is the required permission. ``keyless`` makes the answer
    for a browser without a token; without it such a browser gets an error.
    """

    name: str
    form: type[FormT]
    function: Callable[[AccessT, FormT], Answer]
    audit: str | Callable[[FormT, Answer | None], str] = ""
    needs: Action | None = None
    keyless: Callable[[], Answer] | None = None

    def action(self, form: FormT, found: Answer | None) -> str:
        """Return the name of the call in the audit log."""
        return self.audit if isinstance(self.audit, str) else self.audit(form, found)


class Desk(Protocol[AccessOut]):
    """The state that the calls of a view share."""

    def access(self, caller: Caller, form: Any) -> AccessOut | None:
        """Return the caller's permissions; None if they require a token and the browser has none."""


class ChangedError(InputError):
    """The corpus is no longer in the state that the page shows."""


def by_name(calls: Iterable[Call[AccessT, Any]]) -> dict[str, Call[AccessT, Any]]:
    """Return calls by their names."""
    return {call.name: call for call in calls}


class _Named(BaseModel):
    """The name of a call; other fields are ignored."""

    model_config = ConfigDict(hide_input_in_errors=True)

    do: Key


def answer(
    desk: Desk[AccessT],
    calls: Mapping[str, Call[AccessT, Any]],
    request: object,
    who: Callable[[str], Person] = by_token,
    *,
    is_local: bool = False,
) -> Answer:
    """Answer a call. An error is one line under ``error``; ``changed`` is set if the corpus has changed.

    ``who`` returns the caller for the token of the browser.
    """
    try:
        name = parse_request(_Named, request).do
        call = calls.get(name)
        if call is None:
            raise InputError(f"unknown request {name!r}")
        form = parse_request(call.form, request)
        caller = Caller(who(form.visitor), form.session, is_local)
        access = desk.access(caller, form)
        if access is not None:
            return _run(call, access, form, caller.person)
        if call.keyless is None:
            raise InputError(NO_KEY)
        return call.keyless()
    except RedstringError as error:
        found: Answer = {"error": for_visitors(error)}
        return found | {"changed": True} if isinstance(error, ChangedError) else found


def _run(call: Call[AccessT, Any], access: AccessT, form: Form, person: Person) -> Answer:
    """Run a call, and write it to the audit log if required."""
    subject = access.subject(form) if call.audit else ""

    def log(found: Answer | None, outcome: Literal["done", "refused", "failed"]) -> None:
        action = call.action(form, found)
        if action:
            record(person, action, subject, outcome)

    try:
        if call.needs is not None:
            access.check(call.needs)
        found = call.function(access, form)
    except RedstringError as error:
        log(None, "refused" if isinstance(error, AccessError | InputError) else "failed")
        raise
    log(found, "done")
    return found


def build_panel(
    name: str,
    desk: Desk[AccessT],
    calls: Mapping[str, Call[AccessT, Any]],
    settings: OperatorSettings,
    frame: str,
    script: str,
    element: str = "",
) -> gr.HTML:
    """Build a view that a script of the page fills; its function ``name`` on the server answers the calls.

    ``element`` is its id in the page, by default ``name``.
    """

    def call(request: dict[str, Any], sent: gr.Request) -> Answer:
        return answer(desk, calls, request, partial(person_of, settings, sent), is_local=is_local(sent))

    call.__name__ = name
    return gr.HTML(
        "",
        html_template=frame,
        elem_id=element or name,
        apply_default_css=False,
        js_on_load=script,
        server_functions=[call],
    )
