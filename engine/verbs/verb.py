"""A verb: one action of a user or a program, declared once.

The command line, the HTTP endpoints, the MCP tools and the page's calls are made from verbs: a field of the
request is an option of the command, an argument of the tool and a field of the page's call.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from engine.errors import AccessError, InputError
from engine.model import Grade

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


# Requests of verbs, checked before anything runs: each field has its type, bound and description.

LONGEST_QUESTION = 4000
LONGEST_GRADE = 20
MOST_SETTINGS = 200
# Bytes of a file that is sent within a request.
FILE_BYTES = 4_000_000


def _parse_grade(given: object) -> object:
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    return given.strip().upper() if isinstance(given, str) and len(given) < LONGEST_GRADE else ""


def _empty_as_none(given: object) -> object:
    return None if given == "" else given


# Lowest grade of a source, in upper or lower case; None for any.
LowestGrade = Annotated[Grade | None, BeforeValidator(_parse_grade)]
CorpusName = Annotated[str, Field(max_length=200)]
# An action, a token of a browser, the number of a job: text that no person writes.
Key = Annotated[str, Field(max_length=80)]
# Of an argument that may be an empty text.
Blank = BeforeValidator(_empty_as_none)
Day = Annotated[date | None, Blank]
Detail = Annotated[
    Literal["slim", "full"],
    Field(description="slim: in short, under 40,000 characters; full: everything."),
]
# Settings by name, as a control or a program sends them.
_Text = Annotated[StrictStr, Field(max_length=10_000)]
_Names = Annotated[list[Annotated[StrictStr, Field(max_length=1000)]], Field(max_length=1000)]
_Value = StrictBool | StrictInt | StrictFloat | _Text | _Names | None
SettingValues = Mapping[Annotated[str, Field(max_length=60)], _Value]


class Request(BaseModel):
    """Arguments of a verb. Unknown fields are refused; errors do not repeat values."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line takes a field. Without one it is ``--field-name``.

    ``many``: "+" or "*" for several values behind the flag, "append" for a flag that may be repeated.
    ``is_settings``: one flag for each setting of an investigation. ``before_action``: it belongs to the
    group of the command ("ontology --corpus DIR check").
    """

    metavar: str = ""
    flag: str = ""
    positional: bool = False
    many: Literal["", "+", "*", "append"] = ""
    group: str = ""
    is_hidden: bool = False
    is_settings: bool = False
    before_action: bool = False

    def __call__(self, schema: dict[str, Any]) -> None:
        """Change nothing in the JSON schema: pydantic calls this as ``json_schema_extra``."""


def option(default: Any, description: str = "", metavar: str = "", **more: Any) -> Any:
    """Return a field of a request with its option on the command line; ``...`` as default: required.

    ``more`` are fields of ``Option`` and bounds of the value. The description may be that of its type.
    """
    own = {name: more.pop(name) for name in Option.__dataclass_fields__ if name in more}
    if description:
        more["description"] = description
    return Field(default, json_schema_extra=Option(metavar, **own), **more)


def argument(default: Any, description: str, metavar: str, **more: Any) -> Any:
    """Return a field of a request that the command line takes by its position."""
    return option(default, description, metavar, positional=True, **more)


# Fields that several verbs have.
Question = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_QUESTION,
        description="The question, up to 4,000 characters, in any language.",
    ),
]  # fmt: skip
OfCorpus = Annotated[CorpusName, Field(description="Name of a corpus; empty for the first.")]
CaseId = Annotated[
    str,
    Field(
        min_length=1, max_length=100, description="Id of a case, as investigate gives it and cases lists it."
    ),
]
CORPUS_PLACE = "folder of the corpus, or its address postgresql://HOST/DATABASE?corpus=NAME"


def corpus_option(default: Any = ..., more: str = "") -> Any:
    """Return the option ``--corpus``: a folder or an address; ``more`` follows in its description."""
    return option(default, CORPUS_PLACE + more, "DIR")


class ModelOptions(Request):
    """Options that name a language model."""

    llm: str | None = option(
        None,
        "language model: openai:MODEL@URL?context=8192&input=0.15&output=0.60, or none; default: "
        "REDSTRING_LLM, else none",
        "SPEC",
    )
    llm_key: str | None = option(
        None,
        "its key; - reads it from standard input. Others on this machine can see a command line: "
        "REDSTRING_LLM_KEY is safer",
        "KEY",
    )


class SettingsOptions(Request):
    """Options for the preset and every setting of an investigation."""

    preset: str = option("auto", "auto, quick, balanced, thorough or detective", "P")
    settings: Mapping[str, str] = option({}, is_settings=True)


class SentFile(Request):
    """A file as the browser sends it: its name, its bytes in base 64."""

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)

    def content(self) -> bytes:
        """Return its bytes. Raises InputError for invalid base 64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise InputError(f"{self.name}: did not arrive whole; send it again") from error


Sent = TypeVar("Sent", bound=BaseModel)


def parse_request(
    form: type[Sent], values: object, shown: Callable[[str], str] = lambda field: field
) -> Sent:
    """Return the request that the values make; ``shown`` gives the name of a field for errors.

    Raises InputError, which names the field, in one line.
    """
    try:
        return form.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
    # Names of unknown fields are the sender's own: short ones.
    where = first["loc"]
    # A field, and a part of it; of an entry of a list its own field, too.
    depth = 3 if len(where) > 1 and isinstance(where[1], int) else 2
    field = ".".join(str(part)[:40] for part in where[:depth])
    context = first.get("ctx", {})
    most = context.get("max_length", 0)
    reasons = {
        "extra_forbidden": "not known here",
        "string_too_long": f"longer than the {most:,} characters taken here",
        "too_long": f"more than the {most:,} taken here",
    }
    kind = first["type"]
    reason = "not a day: write it like 2026-01-31" if kind.startswith("date_") else first["msg"]
    raise InputError(f"{shown(field) or 'request'}: {reasons.get(kind, reason)}")
