"""The table of open routes, and the forms of the bodies that they accept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import gradio as gr
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from engine.operator_settings import OperatorSettings
from ui.server.rates import DEPOSIT
from ui.server.routes import API, FILE_KEYS, KILOBYTE, SESSION, WHOLE_PAGE, Table, opened, reading_routes
from ui.server.uploads import AROUND
from ui.session import WORKING_ON_CASES

# The forms of the bodies that the open routes take, one class each.

Session = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Event = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]*$")]
# The page has about eighty controls; the endpoints have fewer arguments.
MOST_INPUTS = 150


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, strict=True)


class Cancel(_Form):
    """A visitor wants no more of an event."""

    session_hash: Session
    fn_index: int = Field(ge=0)
    event_id: Event


class Reset(_Form):
    """What older clients send after a cancel."""

    event_id: Event


class Call(_Form):
    """A call of a named endpoint, arguments in order."""

    data: list[Any] = Field(max_length=MOST_INPUTS)
    session_hash: Session | None = None
    oauth_token: None = None


class Message(BaseModel):
    """A message of the Model Context Protocol (JSON-RPC 2.0)."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    jsonrpc: str = Field(pattern=r"^2\.0$")
    method: str | None = Field(default=None, max_length=100)
    params: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Functions:
    """The callable functions of a page.

    Listeners by number, those that run without the queue, and those that work on a case; names of endpoints;
    functions of panels with the ids of their components.
    """

    listeners: frozenset[int]
    direct: frozenset[int]
    cases: frozenset[int]
    endpoints: frozenset[str]
    panels: Mapping[str, frozenset[int]]


def _among(known: Collection[object]) -> AfterValidator:
    def check(value: Any) -> Any:
        if value not in known:
            raise ValueError("unknown")
        return value

    return AfterValidator(check)


def join_form(listeners: frozenset[int]) -> type[BaseModel]:
    """Return the form of an event of the page for some of its listeners."""
    return create_model(
        "Join",
        __base__=_Form,
        data=(Annotated[list[Any], Field(max_length=MOST_INPUTS)], ...),
        fn_index=(Annotated[int, _among(listeners)], ...),
        session_hash=(Session, ...),
        event_id=(Event | None, None),
        event_data=(Any, None),
        trigger_id=(int | None, None),
        simple_format=(Annotated[bool, _among((False,))], False),
        batched=(Annotated[bool | None, _among((False, None))], None),
        oauth_token=(None, None),
    )


def panel_form(panels: Mapping[str, frozenset[int]]) -> type[BaseModel]:
    """Return the form of a call of a panel's function."""
    known = frozenset(number for numbers in panels.values() for number in numbers)
    return create_model(
        "PanelCall",
        __base__=_Form,
        data=(dict[str, Any], ...),
        component_id=(Annotated[int, _among(known)], ...),
        fn_name=(Annotated[str, _among(panels)], ...),
        session_hash=(Session, ...),
    )


# The table of open routes of the page, made from its callable functions.

# The largest body and the longest text for a panel's function. Evaluations and audits send files in base64;
# corpora send a mapping of fields and an ontology.
PANELS = {
    "corpus": (1000 * KILOBYTE, 200_000),
    "model": (10 * KILOBYTE, 1000),
    "check": (6000 * KILOBYTE, 5_400_000),
    "cases": (100 * KILOBYTE, 21_000),
    "review": (100 * KILOBYTE, 21_000),
    "evaluation": (11_000 * KILOBYTE, 5_400_000),
}
# Calls of panels that cause substantial work on the server.
WORKING = frozenset({
    "create", "add", "remove", "apply", "extract", "areas-measure", "start", "read",
    "pair", "connect", "test", "list", "report-start", "compare", "comparison",
    "make-queue", "verdicts-in",
})  # fmt: skip
# The routes of the login, which come before all others; the gate reads their bodies.
ACCESS = (
    opened("/login/?", "log in", methods=("GET", "HEAD", "POST"), body="own", cost="look"),
    opened("/logout/?", "log out", methods=("POST",), body="own", cost="look"),
    opened("/login/(?:huggingface|callback)", "log in", methods=("GET",), cost="look"),
)
LONGEST_INPUT = 100_000
# Messages to the MCP server that cause substantial work.
TOOLS = frozenset({"tools/call", "resources/read", "resources/list"})
AT_ONCE = {"panel": 16, "direct": 16, "mcp": 4, "case file": 4, "upload": 8}


def functions_of(page: gr.Blocks) -> Functions:
    """Return the callable functions of a page."""
    public = {number: fn for number, fn in page.fns.items() if fn.api_visibility == "public"}
    panels: dict[str, set[int]] = {}
    for number, block in page.blocks.items():
        for function in getattr(block, "server_fns", ()):
            panels.setdefault(function.__name__, set()).add(number)
    return Functions(
        listeners=frozenset(page.fns),
        direct=frozenset(number for number, fn in page.fns.items() if not fn.queue and number not in public),
        cases=frozenset(number for number, fn in page.fns.items() if fn.concurrency_id in WORKING_ON_CASES),
        endpoints=frozenset(str(fn.api_name) for fn in public.values()),
        panels={name: frozenset(numbers) for name, numbers in panels.items()},
    )


def route_table(functions: Functions, settings: OperatorSettings) -> Table:
    """Return the policies of all open routes."""

    def joined(body: Any) -> bool:
        return body["fn_index"] in functions.cases

    names = "|".join(sorted(functions.endpoints))
    post: dict[str, Any] = {"methods": ("POST",), "body": "json", "cost": "look"}
    writing = (
        opened(rf"{API}/queue/join/?", "join", **post, bytes=500 * KILOBYTE, longest=LONGEST_INPUT,
               model=join_form(functions.listeners), case=joined, tokens=SESSION, deposit=DEPOSIT),
        opened(rf"{API}/run/(?:predict|\w{{1,60}})/?", "direct", **post, bytes=500 * KILOBYTE,
               longest=LONGEST_INPUT, model=join_form(functions.direct),
               at_once=AT_ONCE["direct"]),
        opened(rf"{API}/call/(?:{names})/\w{{1,64}}", "result", methods=("GET",), cost="look"),
        opened(rf"{API}/call/(?:{names})/?", "call", **post, bytes=500 * KILOBYTE, longest=LONGEST_INPUT,
               model=Call, case=lambda body: True, tokens=SESSION, deposit=DEPOSIT),
        opened(rf"{API}/mcp/?", "mcp", **post, bytes=500 * KILOBYTE, longest=LONGEST_INPUT, model=Message,
               case=_tool, at_once=AT_ONCE["mcp"], deposit=DEPOSIT),
        opened(rf"{API}/case/[\w-]{{1,100}}/[\w.-]{{1,80}}", "case file", methods=("GET",), cost="look",
               tokens=WHOLE_PAGE, case=lambda body: True, at_once=AT_ONCE["case file"], deposit=DEPOSIT),
        opened(rf"{API}/cancel/?", "cancel", **post, bytes=KILOBYTE, model=Cancel),
        opened(rf"{API}/reset/?", "reset", **post, bytes=KILOBYTE, model=Reset),
        opened(rf"{API}/component_server/?", "panel", **post, bytes=max(size for size, _ in PANELS.values()),
               longest=max(longest for _, longest in PANELS.values()), model=panel_form(functions.panels),
               # The model panel sends the URL of a language model; Gradio does not look for files in these
               # calls.
               file_keys=FILE_KEYS - {"url"},
               case=_panel_work, at_once=AT_ONCE["panel"]),
    )  # fmt: skip
    upload = opened(
        rf"{API}/upload/?", "upload", methods=("POST",), body="form", bytes=settings.file_bytes + AROUND,
        cost="look", tokens=WHOLE_PAGE, at_once=AT_ONCE["upload"],
    )  # fmt: skip
    closed = () if settings.access == "off" else ACCESS
    return Table((*reading_routes(), *closed, *writing, *([upload] if settings.uploads else [])))


def _panel_work(body: Any) -> bool:
    return _is_among(body["data"].get("do"), WORKING)


def _is_among(value: object, words: frozenset[str]) -> bool:
    """Return whether a visitor's value, of any type, is one of some words."""
    return isinstance(value, str) and value in words


def _tool(body: Any) -> bool:
    return _is_among(body.get("method"), TOOLS)
