"""What a tool is, who calls it, and what it is done with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import gradio as gr
import orjson
from pydantic import BeforeValidator, Field

from engine.access.audit_log import record as written
from engine.access.users import Action, Person, may
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.investigation.ranking.additive import Experience
from engine.llm import LanguageModel
from engine.records.in_place import characters, shorten_to_fit
from engine.records.store.chain import fingerprint_of
from engine.records.store.store import matter_name
from engine.records.summaries import Slim
from ui.asked import Request
from ui.cases.kept import KeptCases
from ui.connections import Connections
from ui.door.hanging_up import Waited, waited_for
from ui.door.routes import POLICY
from ui.locality import visitor_of
from ui.shelf import Library

# Who calls a tool, and what a tool is done with.

HTTP, MCP = "http", "mcp"
# Callers of the endpoints have no page: they share one quota of the operator's model.
CALLERS = "callers of the endpoint"
NOBODY = (
    "nobody is logged in here, so it belongs to nobody: cases are kept for people who log in, and for "
    "whoever sits at a server of this machine alone"
)


@dataclass(frozen=True, slots=True)
class Place:
    """What the tools are done with: the corpora, the models and the cases of this server."""

    library: Library
    connections: Connections
    kept: KeptCases


@dataclass(frozen=True, slots=True)
class Asking:
    """A call of a tool: by whom, and on which request."""

    place: Place
    person: Person
    request: gr.Request

    @property
    def library(self) -> Library:
        """The corpora."""
        return self.place.library

    @property
    def visitor(self) -> str:
        """Who waits in line."""
        return visitor_of(self.request)

    @property
    def waited(self) -> Waited:
        """Made of what cancels a case: a context in which that is called once the caller hangs up."""
        return partial(waited_for, self.request)

    @property
    def application(self) -> str:
        """By which way the call came: http or mcp."""
        asked = self.request.request
        policy = None if asked is None else asked.scope.get(POLICY)
        return MCP if policy is not None and policy.name == MCP else HTTP

    @property
    def who(self) -> str:
        """Under which name a kept case says who did something."""
        return self.person.name or self.application

    @property
    def owner(self) -> str:
        """Whose cases these are. Raises AccessError for somebody to whom none can belong."""
        found = self.place.kept.owner_of(self.person)
        if found is None:
            raise AccessError(f"cases: {NOBODY}")
        return found

    def corpus(self, name: str) -> Corpus:
        """A corpus that the caller sees, open; the first where none is named. Raises as ``Library``."""
        return self.library.corpus(name or None, self.person.key)

    def wrote(self, action: str, corpus: str) -> None:
        """Write down, where a log is kept, what was asked of which corpus. Raises InputError."""
        written(self.person, action, self.library.find(corpus or None, self.person.key).logged_as, "done")

    def model(self, *, wanted: bool) -> LanguageModel | None:
        """The operator's model where it is wanted. Raises InputError where the caller may not use it."""
        trusted = may(self.person.role, Action.USE_MODEL)
        return operators(self.place.connections, trusted=trusted) if wanted else None

    def learned_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """What the cases of the caller's matter are ranked by; None for what ranks the corpus."""
        return self.place.kept.learned_in(self.person, matter, corpus)

    def keep(self, record: Mapping[str, Any], corpus: Corpus, matter: str = "") -> dict[str, Any]:
        """Keep a case for the caller: its id as ``case``, or None and why it is not kept."""
        if self.place.kept.owner_of(self.person) is None:
            return {"case": None, "not_kept": NOBODY}
        try:
            store = self.place.kept.store()
            kept = store.keep(
                record,
                store.matter(matter_name(matter), self.owner),
                application=self.application,
                who=self.who,
                fingerprint=fingerprint_of(corpus),
            )
        except RedstringError as error:
            # What was found is not lost with the place where it should have been kept.
            return {"case": None, "not_kept": for_visitors(error)}
        return {"case": kept}


def operators(connections: Connections, *, trusted: bool) -> LanguageModel:
    """The operator's model. Raises InputError where there is none that this caller may use."""
    found = connections.operators(CALLERS, trusted)
    if found is None:
        raise InputError("model: this server offers no language model; ask without")
    return found


# What a tool is: one thing that a program can ask for, over HTTP and over MCP alike.

# Of an answer as MCP sends it: its values and, for clients that read no values, the same as a text.
LONGEST_ANSWER = 39_500
AROUND_ANSWER = 200
Detail = Annotated[
    Literal["slim", "full"],
    Field(description="slim: in short, under 40,000 characters; full: everything."),
]
Matter = Annotated[
    str, Field(max_length=200, description="Name of the matter that the case is kept in; empty for General.")
]


def _none_of_nothing(given: object) -> object:
    return None if given == "" else given


# Of an argument that may be left empty.
Blank = BeforeValidator(_none_of_nothing)


def as_they_are(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that are short already."""
    return dict(values)


@dataclass(frozen=True, slots=True)
class Tool:
    """``title`` is what a person reads, ``meaning`` what a program does. ``form`` are its arguments, in the
    order in which callers without names give them; ``does`` does it and gives plain values, all of them;
    ``gives`` is what they are in short, made by ``slim``.

    ``reads``: nothing is changed by it; ``repeats``: to ask twice changes no more than to ask once.
    ``lined``: it waits in line for a place where cases run.
    """

    name: str
    title: str
    meaning: str
    form: type[Request]
    does: Callable[[Asking, Any], Mapping[str, Any]]
    gives: type[Slim]
    slim: Callable[[Mapping[str, Any]], Mapping[str, Any]] = as_they_are
    reads: bool = True
    repeats: bool = True
    lined: bool = False

    @property
    def is_two(self) -> bool:
        """Whether it can be asked for everything, too."""
        return "detail" in self.form.model_fields

    def answer(self, asking: Asking, asked: Request) -> dict[str, Any]:
        """Do what is asked. Raises what the tool raises, InputError where the answer cannot be made short."""
        # Through JSON once, so that it is the same for every kind of caller.
        values: dict[str, Any] = orjson.loads(orjson.dumps(self.does(asking, asked)))
        if not self.is_two:
            return shorten_to_fit(values, LONGEST_ANSWER, weight)
        if getattr(asked, "detail", "") == "full":
            return {"detail": "full", **values}
        return shorten_to_fit({"detail": "slim", **self.slim(values)}, LONGEST_ANSWER, weight)


def weight(values: object) -> int:
    """Characters that an answer takes as MCP sends it: as values, and as a text inside of JSON."""
    text = as_text(values)
    return len(text) + characters(text) + AROUND_ANSWER


def as_text(values: object) -> str:
    """Values as JSON."""
    return orjson.dumps(values).decode()
