from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount, Route

from engine.operator_settings import OperatorSettings
from tests.ui.raw import API, Raw
from tests.ui.served import inside_a_loop
from ui.page import build_page
from ui.server.policies import Functions, functions_of, route_table
from ui.server.rates import DEPOSIT
from ui.server.routes import plain_path
from ui.shelf import Library
from ui.theme import launch_options

# Routes of Gradio that stay shut, and why. A new release that brings others fails the test below.
SHUT = {
    "/openapi.json": "the form of Gradio's routes; that of our endpoints is at /gradio_api/openapi.json",
    "/login": "Gradio's own: ours is answered before it (ui/access)",
    "/logout": "Gradio's own",
    "/monitoring": "figures of all visitors",
    "/monitoring/summary": "figures of all visitors",
    "/monitoring/{key}": "figures of all visitors",
    "/pwa_icon": "the page is no application to install",
    "/pwa_icon/{size}": "the page is no application to install",
    "/gradio_api/deep_link": "writes what a page holds to disk, for anybody who has the link",
    f"{API}/api/{{api_name}}": "goes round the queue",
    f"{API}/call/v2/{{api_name}}": "the same as /call, with names of arguments that it does not check",
    f"{API}/call/v2/{{api_name}}/{{event_id}}": "as above",
    f"{API}/custom_component/{{id}}/{{environment}}/{{type}}/{{file_name}}": "we have none",
    f"{API}/dev/reload": "for developers",
    f"{API}/file={{path_or_url:path}}": "files of the server, by their path",
    f"{API}/file/{{path:path}}": "files of the server",
    f"{API}/login_check": "Gradio's own",
    f"{API}/process_recording": "takes files to disk",
    f"{API}/proxy={{url_path:path}}": "fetches from elsewhere",
    f"{API}/queue/status": "figures of all visitors",
    f"{API}/runs": "the history of calls is switched off",
    f"{API}/stream/{{event_id}}": "we stream no media",
    f"{API}/stream/{{event_id}}/close": "we stream no media",
    f"{API}/stream/{{session_hash}}/{{run}}/{{component_id}}/playlist-file": "we stream no media",
    f"{API}/stream/{{session_hash}}/{{run}}/{{component_id}}/playlist.m3u8": "we stream no media",
    f"{API}/stream/{{session_hash}}/{{run}}/{{component_id}}/{{segment_id}}.{{ext}}": "we stream no media",
    f"{API}/startup-events": "the server starts them itself",
    f"{API}/token": "Gradio's own",
    f"{API}/undo-vibe-edit": "writes code",
    f"{API}/user": "Gradio's own",
    f"{API}/vibe-code": "writes code",
    f"{API}/vibe-edit": "writes code",
    f"{API}/vibe-starter-queries": "writes code",
    # A page in a browser tells Gradio nothing that is not told to the page.
    f"{API}/upload_progress": "our own route of uploads has no progress to tell; the browser knows",
}
# What stands for a part of a path in the table below, so that a route can be looked up as a request would be.
SAMPLES = {
    "{path:path}": "a.js", "{session_hash}": "abc", "{api_name}": "investigate",
    "{event_id}": "abc",
}  # fmt: skip


def all_routes(routes: list[BaseRoute], above: str = "") -> Iterator[tuple[str, str]]:
    """Path and method of each route, those of mounted applications included."""
    for route in routes:
        if isinstance(route, Route):
            for method in sorted(route.methods or ()):
                yield above + route.path, method
        elif isinstance(route, Mount):
            yield from all_routes(list(route.routes or ()), above + route.path)
        else:
            # A router that was included as a whole keeps its routes to itself.
            included = getattr(route, "original_router", None)
            assert included is not None, f"a kind of route that nobody has thought about: {route!r}"
            yield from all_routes(list(included.routes), above)


@pytest.fixture(scope="module")
def mounted(library: Library) -> tuple[FastAPI, object]:
    import gradio as gr

    page = inside_a_loop(lambda: build_page(library))
    app = inside_a_loop(
        lambda: gr.mount_gradio_app(FastAPI(openapi_url=None), page, path="/", **launch_options())
    )
    return app, route_table(functions_of(page), OperatorSettings())


def test_every_route_is_open_by_a_policy_or_shut_by_a_reason(mounted: tuple[FastAPI, object]) -> None:
    app, table = mounted
    undecided = []
    for path, method in all_routes(list(app.routes)):
        asked = path
        for part, sample in SAMPLES.items():
            asked = asked.replace(part, sample)
        policy = table.find(asked)  # type: ignore[attr-defined]
        shut = path.rstrip("/") in SHUT or path in SHUT
        if (policy is None or method not in policy.methods) and not shut:
            undecided.append(f"{method} {path}")
    # HEAD comes with every GET, and is let in where it costs nothing.
    assert [one for one in undecided if not one.startswith("HEAD ")] == []


def test_no_reason_is_left_of_a_route_that_is_gone(mounted: tuple[FastAPI, object]) -> None:
    known = {path.rstrip("/") for path, _ in all_routes(list(mounted[0].routes))}
    assert [path for path in SHUT if path not in known] == []


@pytest.mark.parametrize(
    "target",
    [
        f"{API}/proxy=http://127.0.0.1:9/",
        f"{API}/proxy=http://127.0.0.1:9/%00",
        f"{API}/file=/etc/passwd",
        f"{API}/file=../../../etc/passwd",
        f"{API}/file=http://127.0.0.1:9/",
        f"{API}/file/etc/passwd",
        f"{API}/monitoring",
        "/monitoring/summary",
        f"{API}/dev/reload",
        f"{API}/deep_link?session_hash=abc",
        f"{API}/queue/status",
        f"{API}/vibe-code",
        "/docs", "/redoc", "/openapi.json", "/.env", "/.git/config",
        "//gradio_api/info", "/gradio_api//info", "/./config", "/a/../config", "/%2e%2e/config",
        "/%2e/config", "/gradio_api%2finfo", "/gradio_api/%69nfo", "/config;a=1", "/config%00", "/config%0a",
        "/assets/..%2f..%2f..%2findex.html", "/assets/../../../../../../etc/passwd", "/assets/%252e%252e/a",
        "/static/....//....//etc/passwd", "/CONFIG", "/config\\", "/cönfig",
    ],
)  # fmt: skip
def test_what_is_not_open_is_not_there(raw: Raw, target: str) -> None:
    for method in ("GET", "POST", "HEAD"):
        assert raw.ask(method, target).status in (400, 404, 405)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO", "get", "POSTS"])
def test_a_route_is_asked_as_it_wants_to_be(raw: Raw, method: str) -> None:
    for target in ("/", "/config", f"{API}/component_server/", f"{API}/call/investigate"):
        assert raw.ask(method, target).status in (400, 405)


def test_a_method_cannot_be_overridden(raw: Raw) -> None:
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        assert raw.ask("GET", f"{API}/reset", [(name, "POST")]).status == 405


@pytest.mark.parametrize(
    "query", ["a=" + "x" * 5000, "&".join(f"a{n}={n}" for n in range(10_000)), "&" * 50, "a=%00"]
)
def test_a_query_is_short(raw: Raw, query: str) -> None:
    assert raw.ask("GET", f"/config?{query}").status in (400, 414, 431)


def test_uploads_are_shut_where_they_are_switched_off(library: Library) -> None:
    page = inside_a_loop(lambda: build_page(library))
    table = route_table(functions_of(page), OperatorSettings(uploads=False))
    assert table.find(f"{API}/upload") is None
    assert table.find(f"{API}/queue/join") is not None


FUNCTIONS = Functions(
    listeners=frozenset((1, 2)), direct=frozenset((1,)), cases=frozenset((2,)),
    endpoints=frozenset(("investigate",)), panels={"corpus": frozenset((9,))},
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "work"),
    [
        ("queue/join", {"fn_index": 2}, True),
        ("queue/join", {"fn_index": 2, "event_data": {"action": "follow"}}, True),
        ("queue/join", {"fn_index": 2, "event_data": {"action": "pin"}}, True),
        ("queue/join", {"fn_index": 1}, False),
        ("call/investigate", {"data": []}, True),
        ("mcp", {"method": "tools/call"}, True),
        ("mcp", {"method": "resources/read"}, True),
        ("mcp", {"method": "tools/list"}, False),
        ("case/abc_-1/json", None, True),
        ("component_server", {"data": {"do": "create"}}, True),
        ("component_server", {"data": {"do": "shelf"}}, False),
    ],
)
def test_what_makes_the_server_work_is_counted(path: str, body: dict[str, Any], work: bool) -> None:
    policy = route_table(FUNCTIONS, OperatorSettings()).find(f"{API}/{path}")
    assert policy is not None
    assert policy.case is not None
    assert policy.case(body) is work


@pytest.mark.parametrize("path", ["queue/join", "call/investigate", "mcp", "case/abc/json"])
def test_a_case_begins_with_a_deposit(path: str) -> None:
    policy = route_table(FUNCTIONS, OperatorSettings()).find(f"{API}/{path}")
    assert policy is not None
    assert policy.deposit == DEPOSIT > 1


@pytest.mark.parametrize("path", ["run/predict", "mcp", "component_server", "upload", "case/abc/json"])
def test_what_goes_round_the_queue_has_places_of_its_own(path: str) -> None:
    policy = route_table(FUNCTIONS, OperatorSettings()).find(f"{API}/{path}")
    assert policy is not None
    assert policy.at_once


@pytest.mark.parametrize(
    ("raw_path", "expected"),
    [
        (b"/a%20b", True), (b"/a+b", True), (b"/a/b.js", True), (b"/file=%2Fa", False), (b"/a%2e", False),
        (b"/\xc3\xb6", False), (b"/a/../b", False), (b"/a//b", False), (b"/.env", False), (b"/a;b=1", False),
    ],
)  # fmt: skip
def test_a_path_has_one_meaning(raw_path: bytes, expected: bool) -> None:
    from urllib.parse import unquote

    assert plain_path({"path": unquote(raw_path.decode("latin-1")), "raw_path": raw_path}) is expected
