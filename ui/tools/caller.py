"""A user of the server, as the verbs see one, and tools as named endpoints of the page."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import gradio as gr
from gradio.components.api_component import Api
from gradio.events import api

from engine.access.audit_log import record as write_log
from engine.access.users import Action, Person, may
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.investigation import Case
from engine.investigation.ranking.additive import Experience
from engine.llm import LanguageModel
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore
from engine.settings import InvestigationSettings
from engine.settings import preset as get_preset
from engine.verbs.verb import Verb, parse_request
from ui.cases.storage import KeptCases
from ui.investigate.controls import settings_from
from ui.investigate.costs import helpers
from ui.models.connections import Connections
from ui.server.address import visitor_of
from ui.server.answers import waited_for
from ui.server.login import person_of
from ui.server.routes import POLICY
from ui.session import CASES, LINED
from ui.shelf import Library, Shelved
from ui.tools.schemas import arguments_of

# A user of the server, as the verbs see one.

T = TypeVar("T")
HTTP, MCP = "http", "mcp"
# Callers of the endpoints have no page: they share one quota of the operator's model.
CALLERS = "callers of the endpoint"
NOT_LOGGED_IN = (
    "you are not logged in: cases are kept for people who log in, and for the user of a server for this "
    "machine alone"
)


@dataclass(frozen=True, slots=True)
class Services:
    """The corpora, the models and the cases of this server."""

    library: Library
    connections: Connections
    kept: KeptCases


@dataclass(frozen=True, slots=True)
class ServerCaller:
    """The sender of a request to the server."""

    services: Services
    person: Person
    request: gr.Request
    reads_json: bool = True

    @property
    def library(self) -> Library:
        """The library of corpora."""
        return self.services.library

    @property
    def visitor(self) -> str:
        """The name under which the caller waits in the queue."""
        return visitor_of(self.request)

    @property
    def application(self) -> str:
        """The protocol of the call: http or mcp."""
        sent = self.request.request
        policy = None if sent is None else sent.scope.get(POLICY)
        return MCP if policy is not None and policy.name == MCP else HTTP

    @property
    def name(self) -> str:
        """The name under which events of a case record this caller."""
        return self.person.name or self.application

    @property
    def owner(self) -> str:
        """The owner of the caller's cases. Raises AccessError for a caller who cannot have any."""
        found = self.services.kept.owner_of(self.person)
        if found is None:
            raise AccessError(f"cases: {NOT_LOGGED_IN}")
        return found

    def corpus(self, name: str) -> Corpus:
        """Return an open corpus that the caller sees; the first one for an empty name.

        Raises what ``Library`` raises.
        """
        return self.library.corpus(name or None, self.person.key)

    def store(self) -> CaseStore:
        """Return the store of cases. Raises what ``CaseStore`` raises."""
        return self.services.kept.store()

    def reviews(self) -> ReviewStore:
        """Return the store of reviews. Raises what ``CaseStore`` raises."""
        return self.services.kept.reviews()

    def corpora(self) -> list[Shelved]:
        """Return the corpora that the caller sees, the default first."""
        return self.library.shelf(self.person.key)

    def find(self, name: str) -> Shelved:
        """Return a corpus that the caller sees; the first one for an empty name.

        Raises InputError for an unknown name.
        """
        return self.library.find(name or None, self.person.key)

    def may(self, action: Action, corpus: str) -> bool:
        """Return whether the caller's role allows an action, or the caller owns the corpus."""
        return may(self.person.role, action, own=self.library.belongs(self.find(corpus)))

    def log(self, action: str, corpus: str) -> None:
        """Write an action on a corpus to the audit log, if there is one. Raises InputError."""
        self.log_case(action, self.find(corpus).logged_as)

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if there is one."""
        write_log(self.person, action, case, "done")

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context in which ``cancel`` is called if the caller disconnects."""
        return waited_for(self.request, cancel)

    def report(self, line: str) -> None:
        """Do nothing: the caller reads the answer."""

    def notice(self, line: str) -> None:
        """Do nothing: the caller reads the answer."""

    def settings(
        self, preset: str, values: Mapping[str, Any] | None, changes: Mapping[str, Any], *, assisted: bool
    ) -> InvestigationSettings:
        """Return the requested settings, checked like the page's controls.

        Raises SettingsError, InputError.
        """
        helped = {name: value for name, (value, _) in helpers().items()} if assisted else {}
        return settings_from(values or {}, get_preset(preset).changed(**helped).changed(**changes))

    def model(self, request: Any, *, cached: bool = True) -> LanguageModel | None:
        """Return the operator's model if it is requested. Raises InputError if the caller may not use it."""
        trusted = may(self.person.role, Action.USE_MODEL)
        return operators(self.services.connections, trusted=trusted) if request.model else None

    def weights_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights that the caller's matter learned; None to use those of the corpus."""
        return self.services.kept.learned_in(self.person, matter, corpus)

    def weights_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """Return the weights that a case was ranked by, if its matter learned them."""
        return self.services.kept.learned_of(matter_id, record)

    def run_case(self, work: Callable[..., T], case: Case, **more: Any) -> T:
        """Run ``work`` on the case in a worker, or in this process with a model; returns its result.

        Raises CancelledError if the caller disconnects.
        """
        alone = partial(_run_without_report, work, more)
        with self.waiting(case.cancel):
            return self.library.workers.run_function(self.visitor, alone, case, here=case.model is not None)


def _run_without_report(work: Callable[..., T], more: Mapping[str, Any], case: Case) -> T:
    return work(case, lambda line: None, **more)


def operators(connections: Connections, *, trusted: bool) -> LanguageModel:
    """Return the operator's model. Raises InputError if this caller cannot use one."""
    found = connections.operators(CALLERS, trusted)
    if found is None:
        raise InputError("model: this server offers no language model; ask without")
    return found


# Tools as named endpoints of the page, for callers over HTTP.

# The attribute of an endpoint's function that holds its verb.
TOOL = "redstring_tool"


def add_tools(page: gr.Blocks, services: Services, tools: Iterable[Verb]) -> None:
    """Add an endpoint for each tool to the page that is being built."""
    for verb in tools:
        turn = LINED if verb.queued else {"concurrency_id": CASES}
        made = api(endpoint_of(verb, services), api_name=verb.tool.name, queue=False, **turn)
        function = page.fns[made["id"]]
        # Type hints do not contain descriptions of arguments.
        function.inputs = [
            Api(shape.get("default"), {**shape, "additional_description": shape["description"]}, name)
            for name, shape in arguments_of(verb.request).items()
        ]


def endpoint_of(verb: Verb, services: Services) -> Any:
    """Return the function of a tool: arguments in order or by name, its answer as plain values.

    It raises gr.Error with the message of a RedstringError.
    """
    names = list(verb.request.model_fields)

    def endpoint(request: gr.Request, *given: Any, **named: Any) -> dict[str, Any]:
        try:
            sent = dict(zip(names, given, strict=False)) | named
            # None means that the caller leaves the default.
            asked = parse_request(
                verb.request, {name: value for name, value in sent.items() if value is not None}
            )
            person = person_of(services.library.settings, request)
            return verb.answer(ServerCaller(services, person, request), asked)
        except RedstringError as error:
            raise gr.Error(for_visitors(error), print_exception=False) from error

    endpoint.__name__ = endpoint.__qualname__ = verb.tool.name
    endpoint.__doc__ = verb.tool.meaning
    endpoint.__annotations__ = {"request": gr.Request, **dict.fromkeys(names, Any), "return": dict[str, Any]}
    endpoint.__signature__ = _signature(verb)  # type: ignore[attr-defined]
    setattr(endpoint, TOOL, verb)
    return endpoint


def _signature(verb: Verb) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [
        inspect.Parameter(
            name,
            kind,
            default=inspect.Parameter.empty
            if field.is_required()
            else field.get_default(call_default_factory=True),
            annotation=Any,
        )
        for name, field in verb.request.model_fields.items()
    ]
    request = inspect.Parameter("request", kind, annotation=gr.Request)
    return inspect.Signature([request, *own], return_annotation=dict[str, Any])
