"""The dialog of the language model: its frame, checks of requests, tests of servers."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import gradio as gr
from gradio.components import Component
from pydantic import BaseModel, Field, ValidationError

from engine.errors import InputError, ModelError
from engine.llm import Budget, Data, Meter, Prompt
from engine.llm.client import ChatModel, Probe, connect, probe
from engine.llm.connection import OPENAI_URL, Secret, checked_key, read_spec
from engine.llm.cost import currency_of, default_cache
from engine.llm.exchange import Rung
from engine.network import (
    UNREACHABLE,
    Network,
    Received,
    background_loop,
    checked_url,
    fetch,
    guarded_transport,
    in_words,
    open_client,
)
from engine.operator_settings import OperatorSettings
from ui.calls import Access, Answer, Call, Caller, Form, build_panel, by_name
from ui.investigate.costs import used_words
from ui.models.connections import Connections
from ui.templating import rendered

# Tests of a server, with their results as sentences.

LIST_SECONDS = 15.0
LONGEST_LIST = 2_000_000
MOST_LISTED = 500
# One request, and a second one if the first answer needs a repair or the server needs another dialect.
TRIAL = Budget(calls=6, tokens=20_000, seconds=60.0)
_SCHEMAS = {
    Rung.SCHEMA: "It keeps to schemas, so that answers need no repair.",
    Rung.OBJECT: "Supports JSON but not schemas; answers are checked and repaired.",
    Rung.TEXT: "It knows no schemas: answers are checked, and repaired where needed. Expect more failures.",
}


class Seen(BaseModel):
    """What the model is asked in a trial."""

    article: int
    binding: Literal["yes", "no"]


_PROMPT = Prompt(
    "trial",
    "Read the text. Give the number of its article, and say whether the article binds anybody.",
    (Data("text", "Article 12. A manager shall keep a register of all powers that were granted."),),
    longest=200,
)


def tried(model: ChatModel) -> list[str]:
    """Send a small request and describe the result, most important first. Raises ModelError, BudgetError."""
    meter = Meter(TRIAL)
    reply = model.ask(_PROMPT, Seen, meter)
    spent = meter.spent
    right = reply.value == Seen(article=12, binding="yes")
    read = model.model_spec
    seconds = spent.milliseconds / 1000 / max(1, spent.calls)
    return [
        f"{read.model} answers, in {seconds:.1f} s." if right else f"{read.model} answers, but not well.",
        *([] if right else ["It misread a sentence of a dozen words; a larger model would do better."]),
        _SCHEMAS[model.dialect.rung],
        *(f"{warning[:1].upper()}{warning[1:]}." for warning in reply.warnings),
        f"Its context is taken to be {read.context:,} tokens.",
        f"This test: {used_words(spent, currency_of(model.spec))}.",
    ]


def probe_words(found: Probe) -> list[str]:
    """Return the results of a test as lines, most important first."""
    assert found.rung is not None, "the server answered"
    read = read_spec(found.spec)
    context = f"It read a prompt of {found.context_tokens or 0:,} tokens whole, as its context promises."
    return [
        f"{read.model} answers, in {found.seconds:.1f} s for a short one.",
        _SCHEMAS[found.rung],
        context if found.fine else f"{found.problem[:1].upper()}{found.problem[1:]}.",
        *(f"{warning[:1].upper()}{warning[1:]}." for warning in found.warnings),
        f"This test: {used_words(found.usage, currency_of(found.spec))}.",
    ]


def listed(url: str, key: str, network: Network | None) -> list[str]:
    """Return the names of the models that a server offers (``GET URL/models``), sorted.

    Raises SettingsError for an invalid key, ModelError if the server cannot be reached, refuses, or sends an
    invalid answer.
    """
    future = asyncio.run_coroutine_threadsafe(_offered(url, checked_key(key), network), background_loop())
    try:
        received = future.result(LIST_SECONDS + 1)
    except TimeoutError:
        future.cancel()
        raise ModelError(f"the server gave no list of its models within {LIST_SECONDS:g} s") from None
    if received.status == UNREACHABLE:
        raise ModelError(f"the server cannot be reached: {received.body}")
    if received.status in (401, 403):
        raise ModelError("the server does not accept the key")
    if received.status != 200:
        reason = in_words(received.status) or f"status {received.status}"
        reason = reason if received.status >= 100 else received.body
        raise ModelError(f"the server gives no list of its models ({reason}); write the name yourself")
    try:
        found = _Models.model_validate_json(received.body)
    except ValidationError:
        raise ModelError("the server's list of models cannot be read; write the name yourself") from None
    return sorted({entry.id for entry in found.data if entry.id})[:MOST_LISTED]


class _Entry(BaseModel):
    id: str = ""


class _Models(BaseModel):
    data: Sequence[_Entry] = ()


async def _offered(url: str, key: Secret, network: Network | None) -> Received:
    async with open_client(network) as client:
        return await fetch(
            client, "GET", f"{url}/models", key=key.reveal(), seconds=LIST_SECONDS, longest=LONGEST_LIST
        )


# The calls of the dialog.
#
# A visitor's request contains a key. It is stored only in the model that is made: no answer, error, log or
# file repeats it.

# Limit of visitors' concurrent requests to outside servers: each blocks a thread of the page.
MOST_AT_ONCE = 4
# Timeouts, s: a visitor waits for these requests, and each blocks a thread of the page. A server without a
# GPU needs a minute to read the long prompt of a test.
JOIN_SECONDS, TEST_SECONDS = 30, 90
log = logging.getLogger(__name__)


class ServerForm(Form):
    """A language model on a server, and its key. Prices are for a million tokens."""

    url: str = Field(default="", max_length=500, repr=False)
    model: str = Field(default="", max_length=200)
    key: str = Field(default="", max_length=500, repr=False)
    input: float | None = Field(default=None, ge=0, le=1e6)
    cached: float | None = Field(default=None, ge=0, le=1e6)
    output: float | None = Field(default=None, ge=0, le=1e6)
    currency: str = Field(default="", max_length=3)
    context: int | None = Field(default=None, ge=256, le=100_000_000)


class ConnectingDesk:
    """The connections, and the number of servers that are being tested."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._places = threading.BoundedSemaphore(MOST_AT_ONCE)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold one of the slots for requests to outside servers. Raises InputError if none is free."""
        if not self._places.acquire(blocking=False):
            raise InputError("other visitors are connecting just now; try again in a moment")
        try:
            yield
        finally:
            self._places.release()

    def access(self, caller: Caller, form: Form) -> ConnectingAccess:
        """Return the caller's access to connections."""
        self.connections.seen(caller.session, trusted=caller.is_trusted)
        return ConnectingAccess(self, caller.session, caller.is_trusted and caller.is_local)


@dataclass(frozen=True, slots=True)
class ConnectingAccess(Access):
    """The connection of a session. ``is_local``: the caller is on this machine and may use its network."""

    desk: ConnectingDesk
    session: str
    is_local: bool

    @property
    def connections(self) -> Connections:
        """The connections of all sessions."""
        return self.desk.connections

    @property
    def settings(self) -> OperatorSettings:
        """The settings of the operator."""
        return self.desk.connections.settings


def state(access: ConnectingAccess, form: Form) -> Answer:
    """Describe the model of a page, and the rights of its visitor."""
    settings = access.settings
    described = access.connections.describe(access.session)
    answer: Answer = {
        "whose": described.whose,
        "model": "",
        "host": "",
        "visitors": settings.visitor_models,
        "private": settings.allows_private(access.is_local),
    }
    if described.whose == "nobody":
        more = (
            "Everything works without one." if settings.visitor_models else "This server works without one."
        )
        return answer | {"words": f"No model is connected. {more}"}
    read = read_spec(described.spec)
    whose = "" if described.whose == "visitor" else "The model of this server: "
    limited = described.whose == "operator" and not access.connections.is_trusted(access.session)
    shared = ", shared by all visitors within a daily limit" if limited else ""
    # Only operators see the address of the operator's server.
    host = "" if limited else read.host
    words = f"{whose}{read.model}{f' at {host}' if host else ''}{shared}"
    return answer | {"model": read.model, "host": host, "words": words}


def test(access: ConnectingAccess, form: ServerForm) -> Answer:
    """Test a server without connecting it, including the length of its context."""
    with access.desk.place():
        found = probe(_opened(access, form, TEST_SECONDS))
    if found.rung is None:
        raise ModelError(found.problem)
    return {"lines": probe_words(found), "fine": found.fine}


def join(access: ConnectingAccess, form: ServerForm) -> Answer:
    """Try a server, and connect it to the page if it answers."""
    with access.desk.place():
        lines = tried(_opened(access, form, JOIN_SECONDS))
    access.connections.connect(access.session, _opened(access, form))
    log.info("a visitor connected a language model of their own")
    return {"lines": lines, "state": state(access, form)}


def forget(access: ConnectingAccess, form: Form) -> Answer:
    """Disconnect the visitor's model."""
    access.connections.forget(access.session)
    return {"state": state(access, form)}


def names(access: ConnectingAccess, form: ServerForm) -> Answer:
    """List the models of a server."""
    with access.desk.place():
        found = listed(_url(access, form), form.key, _network(access))
    words = f"{len(found)} models: choose one from the list." if found else "The server names no models."
    return {"models": found, "words": words}


def spec_of(form: ServerForm, url: str, seconds: float | None = None) -> str:
    """Return the fields of the dialog as a spec. Raises InputError for a missing field."""
    name = form.model.strip()
    if not name:
        raise InputError("the model has no name: write one, or list the models of the server")
    if (form.input is None) != (form.output is None):
        raise InputError("prices: give both that of tokens in and that of tokens out")
    options: dict[str, object] = {
        "context": form.context,
        "input": form.input,
        "output": form.output,
        "cached": form.cached if form.input is not None else None,
        "currency": form.currency.strip() or None if form.input is not None else None,
        "timeout": seconds,
    }
    query = "&".join(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
                     for key, value in options.items() if value is not None)  # fmt: skip
    place = "" if url == OPENAI_URL else f"@{url}"
    spec = f"openai:{name}{place}{'?' + query if query else ''}"
    read = read_spec(spec)
    # An address or an option in the name would bypass the checks.
    if (read.model, read.url) != (name, url):
        raise InputError("the name of the model has invalid characters")
    return spec


def _url(access: ConnectingAccess, form: ServerForm) -> str:
    settings = access.settings
    if not settings.visitor_models:
        raise InputError("models of visitors are switched off on this server")
    return checked_url(form.url, private=settings.allows_private(access.is_local))


def _network(access: ConnectingAccess) -> Network | None:
    """Return the network for the visitor's server; None, which means no restrictions, for the local user."""
    settings = access.settings
    if settings.private_endpoints == "auto" and settings.allows_private(access.is_local):
        return None
    private = settings.allows_private(access.is_local)
    return lambda: guarded_transport(private=private)


def _opened(access: ConnectingAccess, form: ServerForm, seconds: float | None = None) -> ChatModel:
    spec = spec_of(form, _url(access, form), seconds)
    # Only the visitor's own key is used: the one in the environment must not be sent to a visitor's server.
    # Only answers for the local user are cached on disk.
    settings = access.settings
    cache = default_cache() if settings.loopback and access.is_local else None
    model = connect(spec, form.key, environment_key=False, network=_network(access), cache=cache)
    assert model is not None, "the dialog never names 'none'"
    return model


CALLS = by_name((
    Call("state", Form, state),
    Call("test", ServerForm, test),
    Call("connect", ServerForm, join),
    Call("forget", Form, forget),
    Call("list", ServerForm, names),
))  # fmt: skip


# The dialog of the language model: its frame.

# Servers with a supported protocol, and their default addresses. Those on the visitor's own machine are
# offered only if the page is served from that machine.
PRESETS = (
    ("openai", "OpenAI", OPENAI_URL, False),
    ("ollama", "Ollama", "http://localhost:11434/v1", True),
    ("vllm", "vLLM", "http://localhost:8000/v1", True),
    ("llamacpp", "llama.cpp", "http://localhost:8080/v1", True),
    ("other", "Another server", "", False),
)

# The settings for a case's budget of its language model.
BUDGET = ("call_budget", "token_budget", "time_budget", "money_budget")


def build_models(desk: ConnectingDesk) -> gr.HTML:
    """Build the dialog; it is closed until the user opens it."""
    script = "redstring.model(element, server, () => trigger('budget'))"
    return build_panel("model", desk, CALLS, desk.connections.settings, frame_html(), script)


def wire_budget(panel: gr.HTML, settings: Mapping[str, Component]) -> None:
    """Copy the budget from the dialog to the settings, in the browser."""
    panel.budget(
        None, None, [settings[name] for name in BUDGET], api_visibility="private", show_progress="hidden",
        js=f"() => redstring.budget({json.dumps(BUDGET)})",
    )  # fmt: skip


def frame_html() -> str:
    """Return the frame that the script fills."""
    return rendered("model.html", presets=PRESETS)
