"""The table of open routes of our page, from what it can be asked."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine.operator_settings import OperatorSettings
from ui.door.forms import Call, Cancel, Functions, Message, Reset, join_form, panel_form
from ui.door.metering import DEPOSIT
from ui.door.routes import API, FILE_KEYS, KILOBYTE, SESSION, WHOLE_PAGE, Table, opened, reading_routes
from ui.door.uploads import AROUND
from ui.session import WORKING_ON_CASES

# The largest body and the longest text that a panel's function takes. Evaluations and audits take files in
# base 64, corpora a mapping of fields and an ontology.
PANELS = {
    "corpus": (1000 * KILOBYTE, 200_000),
    "model": (10 * KILOBYTE, 1000),
    "check": (6000 * KILOBYTE, 5_400_000),
    "cases": (100 * KILOBYTE, 21_000),
    "review": (100 * KILOBYTE, 21_000),
    "evaluation": (11_000 * KILOBYTE, 5_400_000),
}
# What a panel may be asked that makes the server work.
WORKING = frozenset({
    "create", "add", "remove", "apply", "extract", "areas-propose", "areas-measure", "start", "read",
    "pair", "connect", "test", "list", "report-start", "compare", "comparison",
    "make-queue", "verdicts-in",
})  # fmt: skip
# Where somebody logs in, before everything else; the gate reads what they send.
ACCESS = (
    opened("/login/?", "log in", methods=("GET", "HEAD", "POST"), body="own", cost="look"),
    opened("/logout/?", "log out", methods=("POST",), body="own", cost="look"),
    opened("/login/(?:huggingface|callback)", "log in", methods=("GET",), cost="look"),
)
LONGEST_INPUT = 100_000
# Messages to the server of tools that make it work.
TOOLS = frozenset({"tools/call", "resources/read", "resources/list"})
AT_ONCE = {"panel": 16, "direct": 16, "mcp": 4, "case file": 4, "upload": 8}


def functions_of(page: gr.Blocks) -> Functions:
    """What of a page can be called."""
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
    """The policies of all open routes."""

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
               # The model panel sends the URL of a language model; Gradio looks for no files in these calls.
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
    """Whether what somebody sent, of whatever type, is one of some words."""
    return isinstance(value, str) and value in words


def _tool(body: Any) -> bool:
    return _is_among(body.get("method"), TOOLS)
