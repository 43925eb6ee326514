"""A verb: one action of a user or a program, declared once.

The command line, the HTTP endpoints, the MCP tools and the page's calls are made from verbs: a field of the
request is an option of the command, an argument of the tool and a field of the page's call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import orjson
from pydantic import BaseModel

from engine.errors import AccessError

if TYPE_CHECKING:
    from engine.access.users import Action, Person
    from engine.corpus.protocol import Corpus, CorpusInfo
    from engine.errors import RedstringError
    from engine.investigation import Case
    from engine.investigation.ranking.additive import Experience
    from engine.llm import LanguageModel
    from engine.records.store import Owner
    from engine.records.store.store import CaseStore
    from engine.review.store import ReviewStore
    from engine.settings import InvestigationSettings
    from engine.verbs.requests import Request

T = TypeVar("T")
# Characters of a slim answer of a tool: its values and, for clients that read no values, the same as text.
LONGEST_ANSWER = 39_500
AROUND_ANSWER = 200


class CorpusEntry(Protocol):
    """A corpus in a list; ``info`` is None if it cannot be asked, for the ``problem``."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def info(self) -> CorpusInfo | None:
        """What it holds."""

    @property
    def private(self) -> bool:
        """Whether only the caller sees it."""

    @property
    def problem(self) -> str:
        """Why it cannot be asked."""


class Caller(Protocol):
    """Who calls a verb, and what this caller can reach: a user of the server, or of the command line."""

    @property
    def person(self) -> Person:
        """The person, with their role."""

    @property
    def application(self) -> str:
        """How the call came: page, cli, http or mcp."""

    @property
    def name(self) -> str:
        """The name under which events of a case record this caller."""

    @property
    def reads_json(self) -> bool:
        """Whether the caller reads the values of a response, and not its lines."""

    @property
    def owner(self) -> Owner:
        """The owner of the caller's cases. Raises AccessError for a caller who cannot have any."""

    def corpus(self, name: str) -> Corpus:
        """Return an open corpus; the first one for an empty name. Raises InputError, CorpusError."""

    def store(self) -> CaseStore:
        """Return the store of cases. Raises as ``CaseStore``."""

    def reviews(self) -> ReviewStore:
        """Return the store of reviews. Raises as ``CaseStore``."""

    def corpora(self) -> Sequence[CorpusEntry]:
        """Return the corpora that the caller sees, the default first."""

    def find(self, name: str) -> CorpusEntry:
        """Return one of them; the first one for an empty name. Raises InputError for an unknown name."""

    def may(self, action: Action, corpus: str) -> bool:
        """Return whether the caller may do this to a corpus."""

    def log(self, action: str, corpus: str) -> None:
        """Write an action on a corpus to the audit log, if one is kept. Raises InputError."""

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if one is kept."""

    def settings(
        self, preset: str, values: Mapping[str, Any] | None, changes: Mapping[str, Any], *, assisted: bool
    ) -> InvestigationSettings:
        """Return the settings of a preset with ``changes``, then with values as this caller sends them.

        ``assisted``: a language model helps wherever it can, unless they say otherwise. Raises SettingsError.
        """

    def model(self, request: Any, *, cached: bool = True) -> LanguageModel | None:
        """Return the language model that a request asks for; ``cached``: its answers are reused.

        Raises SettingsError, InputError if the caller may not use it.
        """

    def weights_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights that the caller's matter learned; None for those of the corpus."""

    def weights_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """Return the weights that a case was ranked by, if its matter learned them."""

    def run_case(self, work: Callable[..., T], case: Case, **more: Any) -> T:
        """Return ``work(case, report, **more)``, run when a place is free; ``report`` shows progress.

        Raises CancelledError if the caller hangs up.
        """

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return a context in which ``cancel`` is called if the caller hangs up."""

    def report(self, line: str) -> None:
        """Show progress to a person at a terminal who does not read JSON."""

    def notice(self, line: str) -> None:
        """Show a line to a person at a terminal, next to the answer."""


@dataclass(frozen=True, slots=True)
class Response:
    """The answer of a verb.

    ``values`` are for programs: ``--json`` prints them, and tools send them with ``extra``. ``lines`` are for
    people. The command line writes ``data`` as it is, and raises ``problem`` after it has printed.
    """

    values: Any = None
    lines: Iterable[str] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    data: bytes | None = None
    problem: RedstringError | None = None

    def for_tools(self) -> dict[str, Any]:
        """Return the values with those that only tools send."""
        return {**self.values, **self.extra}


@dataclass(frozen=True, slots=True)
class Tool:
    """How a verb is offered over HTTP and MCP.

    ``title`` is for people, ``meaning`` for programs. ``response`` describes the slim answer, which ``slim``
    makes from the full one, and ``full`` makes that from the response of the verb.
    """

    name: str
    title: str
    meaning: str
    response: type[BaseModel]
    slim: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    full: Callable[[Response], Mapping[str, Any]] = Response.for_tools


@dataclass(frozen=True, slots=True)
class Verb:
    """An action, made by the decorator ``verb``.

    ``name`` is its command ("cases list"), empty for a tool alone. ``request`` are its arguments, in the
    order in which callers without names give them, and ``run`` does it; ``options`` and ``command`` are those
    of the command line if they differ. ``offer``: it is a tool, too.

    ``permission`` is needed for the corpus of the request, else the caller gets ``refusal``, with its name as
    {}. ``audit`` is the action that the audit log records: before the verb runs if it only reads or is
    queued, else once it is done. ``changes``: it changes something; ``repeats``: a second call changes
    nothing more. ``queued``: it waits for a place where cases run.
    """

    name: str
    request: type[Request]
    run: Callable[[Any, Any], Response]
    _: KW_ONLY
    offer: Tool | None = None
    options: type[Request] | None = None
    command: Callable[[Any, Any], Response] | None = None
    description: str = ""
    permission: Action | None = None
    refusal: str = ""
    audit: str | Callable[[Any], str] = ""
    changes: bool = False
    repeats: bool = True
    queued: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of the function's documentation."""
        return " ".join((self.run.__doc__ or "").split()).partition(". ")[0].rstrip(".")

    @property
    def tool(self) -> Tool:
        """How it is offered as a tool. Raises LookupError if it is not."""
        if self.offer is None:
            raise LookupError(f"{self.name} is no tool")
        return self.offer

    @property
    def has_detail(self) -> bool:
        """Whether a tool can be asked for the full answer, too."""
        return "detail" in self.request.model_fields

    def call(self, caller: Caller, request: Any) -> Response:
        """Run the verb for a caller. Raises AccessError if the caller may not, and what ``run`` raises."""
        if self.permission is not None:
            self._check_permission(caller, self.permission, request.corpus)
        action = self.audit if isinstance(self.audit, str) else self.audit(request)
        is_logged_first = self.queued or not self.changes
        if action and is_logged_first:
            caller.log(action, request.corpus)
        response = self.run(caller, request)
        if action and not is_logged_first:
            caller.log(action, request.corpus)
        return response

    def _check_permission(self, caller: Caller, permission: Action, corpus: str) -> None:
        if not caller.may(permission, corpus):
            raise AccessError(self.refusal.format(repr(caller.find(corpus).name)))

    def answer(self, caller: Caller, request: Any) -> dict[str, Any]:
        """Return the answer of the tool. Raises as ``call``, InputError if it cannot be shortened."""
        from engine.records.in_place import shorten_to_fit

        full = self.tool.full(self.call(caller, request))
        # Through JSON once, so that it is the same for every kind of caller.
        values: dict[str, Any] = orjson.loads(orjson.dumps(full))
        if self.has_detail and request.detail == "full":
            return {"detail": "full", **values}
        head = {"detail": "slim"} if self.has_detail else {}
        return shorten_to_fit({**head, **self.tool.slim(values)}, LONGEST_ANSWER, weight)


def verb(
    name: str, request: type[Request], *, tool: Tool | None = None, **more: Any
) -> Callable[[Callable[[Any, Any], Response]], Verb]:
    """Make a verb of a function of a caller and a request; ``more`` are fields of ``Verb``."""
    return lambda run: Verb(name, request, run, offer=tool, **more)


def weight(values: object) -> int:
    """Return the characters that an answer takes over MCP: as values, and as a text inside JSON."""
    from engine.records.in_place import characters

    text = as_text(values)
    return len(text) + characters(text) + AROUND_ANSWER


def as_text(values: object) -> str:
    """Return values as JSON."""
    return orjson.dumps(values).decode()
