"""A user of the server, as verbs see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import gradio as gr

from engine.access.audit_log import record as write_log
from engine.access.users import Action, Person, may
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.investigation.ranking.additive import Experience
from engine.llm import LanguageModel
from engine.records.store.chain import fingerprint_of
from engine.records.store.store import CaseStore, matter_name
from engine.review.store import ReviewStore
from ui.cases.storage import KeptCases
from ui.models.connections import Connections
from ui.server.disconnects import waited_for
from ui.server.locality import visitor_of
from ui.server.routes import POLICY
from ui.shelf import Library

HTTP, MCP = "http", "mcp"
# Callers of the endpoints have no page: they share one quota of the operator's model.
CALLERS = "callers of the endpoint"
NOBODY = (
    "nobody is logged in here, so it belongs to nobody: cases are kept for people who log in, and for "
    "whoever sits at a server of this machine alone"
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

    @property
    def library(self) -> Library:
        """The corpora."""
        return self.services.library

    @property
    def visitor(self) -> str:
        """The name under which the caller waits in the queue."""
        return visitor_of(self.request)

    @property
    def application(self) -> str:
        """How the call came: http or mcp."""
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
            raise AccessError(f"cases: {NOBODY}")
        return found

    def corpus(self, name: str) -> Corpus:
        """Return an open corpus that the caller sees; the first one for an empty name. Raises as
        ``Library``."""
        return self.library.corpus(name or None, self.person.key)

    def store(self) -> CaseStore:
        """Return the store of cases. Raises as ``CaseStore``."""
        return self.services.kept.store()

    def reviews(self) -> ReviewStore:
        """Return the store of reviews. Raises as ``CaseStore``."""
        return self.services.kept.reviews()

    def require(self, action: Action, corpus: str, refusal: str) -> None:
        """Raise AccessError unless the caller may do this to a corpus; ``refusal`` has its name as {}."""
        entry = self.library.find(corpus or None, self.person.key)
        if not may(self.person.role, action, own=self.library.belongs(entry)):
            raise AccessError(refusal.format(repr(entry.name)))

    def log(self, action: str, corpus: str) -> None:
        """Write an action on a corpus to the audit log, if one is kept. Raises InputError."""
        self.log_case(action, self.library.find(corpus or None, self.person.key).logged_as)

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if one is kept."""
        write_log(self.person, action, case, "done")

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context in which ``cancel`` is called if the caller hangs up."""
        return waited_for(self.request, cancel)

    def report(self, line: str) -> None:
        """Do nothing: the caller reads the answer."""

    def model(self, *, wanted: bool) -> LanguageModel | None:
        """Return the operator's model if it is wanted. Raises InputError if the caller may not use it."""
        trusted = may(self.person.role, Action.USE_MODEL)
        return operators(self.services.connections, trusted=trusted) if wanted else None

    def learned_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights of the caller's matter; None for those of the corpus."""
        return self.services.kept.learned_in(self.person, matter, corpus)

    def keep(self, record: Mapping[str, Any], corpus: Corpus, matter: str = "") -> dict[str, Any]:
        """Keep a case for the caller: its id as ``case``, or None and why it is not kept."""
        if self.services.kept.owner_of(self.person) is None:
            return {"case": None, "not_kept": NOBODY}
        try:
            store = self.store()
            kept = store.keep(
                record,
                store.matter(matter_name(matter), self.owner),
                application=self.application,
                who=self.name,
                fingerprint=fingerprint_of(corpus),
            )
        except RedstringError as error:
            # A case that cannot be kept is still answered.
            return {"case": None, "not_kept": for_visitors(error)}
        return {"case": kept}


def operators(connections: Connections, *, trusted: bool) -> LanguageModel:
    """Return the operator's model. Raises InputError if there is none that this caller may use."""
    found = connections.operators(CALLERS, trusted)
    if found is None:
        raise InputError("model: this server offers no language model; ask without")
    return found
