"""The page behind its middleware: one ASGI application, with its health and metrics."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import psutil
import uvicorn
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import RedstringError
from engine.operator_settings import OperatorSettings
from engine.verbs.case_files import export_case
from ui.investigate.board import frame_page
from ui.page import Page
from ui.server.address import (
    VISITOR,
    Addressing,
    Allowed,
    HostGate,
    Network,
    OriginGate,
    Visitor,
    allowed,
    bounded,
    networks,
)
from ui.server.answers import Answers, HangUps
from ui.server.gate import OwnerGate, behind_gate
from ui.server.headers import SecurityHeaders, inline_scripts, script_hash
from ui.server.logs import uvicorn_logging
from ui.server.policies import functions_of, route_table
from ui.server.pool import FairQueue, Workers
from ui.server.rates import RateGate, WorkGate, meter, of_cases
from ui.server.routes import HEALTH, METRICS, POLICY, VIS_NETWORK, BodyGate, LibraryRoute, RouteGate, refuse
from ui.server.uploads import UploadQuotas, UploadRoute, UploadStore
from ui.theme import first_script, launch_options, page_scripts
from ui.tools.server import CaseFiles, ToolServer

# Health and metrics of the server for monitoring: that it answers, and its load. No content of
# users.
#
# ``/health`` is open to everyone, also without a login. ``/metrics``, in the text format of
# Prometheus, is open to this machine only; others get 404.

_TEXT = "text/plain; version=0.0.4; charset=utf-8"
# Fields of ``Use``.
_OF_CACHES = (
    ("held", "gauge", "Answers that are kept, of all processes."),
    ("places", "gauge", "Answers that may be kept."),
    ("hits", "counter", "How often an answer was there; those of workers that ended do not count."),
    ("misses", "counter", "How often it was not."),
)
_FRESH = {"cache-control": "no-store"}


class Watch:
    """Answers both routes, and passes everything else on."""

    def __init__(self, app: ASGIApp, workers: Workers) -> None:
        self.app, self._workers = app, workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on."""
        name = scope[POLICY].name if scope["type"] == "http" else ""
        if name == HEALTH:
            health = {"status": "ok", "ready": self._workers.ready}
            return await JSONResponse(health, headers=_FRESH)(scope, receive, send)
        if name != METRICS:
            return await self.app(scope, receive, send)
        visitor: Visitor = scope[VISITOR]
        if not visitor.local:
            return await refuse(scope, receive, send, 404, "not found")
        return await Response(metrics(self._workers), 200, _FRESH, _TEXT)(scope, receive, send)


def metrics(workers: Workers) -> str:
    """Return the metrics in the text format of Prometheus."""
    lines: list[str] = []
    for name, kind, meaning, values in _metrics(workers):
        lines += [f"# HELP redstring_{name} {meaning}", f"# TYPE redstring_{name} {kind}"]
        lines += [f"redstring_{name}{label} {value:g}" for label, value in values.items()]
    return "\n".join(lines) + "\n"


def _metrics(workers: Workers) -> Iterator[tuple[str, str, str, Mapping[str, float]]]:
    lines: dict[str, FairQueue[Any]] = {'{place="worker"}': workers.there, '{place="page"}': workers.here}
    pids = workers.pids
    yield "workers_wanted", "gauge", "Processes that are to work on cases.", {"": workers.wanted}
    yield "workers", "gauge", "Processes that work on cases now.", {"": len(pids)}
    yield "workers_lost_total", "counter", "Workers that ended by themselves.", {"": workers.lost}
    running = {place: line.taken for place, line in lines.items()}
    yield "cases_running", "gauge", "Cases that have a place.", running
    waiting = {place: len(line) for place, line in lines.items()}
    yield "cases_waiting", "gauge", "Cases in line.", waiting
    served = {place: line.served for place, line in lines.items()}
    yield "cases_total", "counter", "Cases that were given a place.", served
    refused = {place: line.refused for place, line in lines.items()}
    yield "cases_refused_total", "counter", "Cases for which the line was too long.", refused
    yield "case_seconds_total", "counter", "Seconds for which places were held.", {"": workers.seconds}
    caches = {f'{{cache="{use.name}"}}': use for use in workers.uses}
    for name, kind, meaning in _OF_CACHES:
        values = {label: float(getattr(use, name)) for label, use in caches.items()}
        yield f"cache_{name}{'_total' if kind == 'counter' else ''}", kind, meaning, values
    resident = {'{process="page"}': psutil.Process().memory_info().rss}
    for number, pid in enumerate(pids):
        try:
            resident[f'{{process="worker{number}"}}'] = psutil.Process(pid).memory_info().rss
        except psutil.NoSuchProcess:
            continue
    yield "memory_bytes", "gauge", "Resident memory; workers share much of theirs.", resident


# The page behind its middleware: one ASGI application, served by uvicorn.
#
# Gradio's own ``launch`` puts its CORS handling outside all middleware, serves on a thread that
# outlives a termination signal, and sets no limit on connections. So the page is mounted into an
# application of ours.

# Limit of connections of all visitors. An open page uses two or three.
MOST_CONNECTIONS = 500
LARGEST_HEADERS, BACKLOG = 16_384, 2048
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "fc00::/7",
)
ENDS_SECONDS, SWEEP_SECONDS = 3, 15.0


@dataclass(frozen=True, slots=True)
class Entry:
    """The hosts and proxies that the server accepts, from the settings and the environment."""

    names: Allowed
    proxies: tuple[Network, ...]


def entry(settings: OperatorSettings) -> Entry:
    """Return the accepted hosts and the proxies. Raises InputError for an invalid entry."""
    # In a Space only its proxy can reach the server, from the private network of the cluster.
    named = (*settings.trusted_proxies, *(PRIVATE_NETWORKS if settings.space else ()))
    return Entry(allowed(settings), networks(named))


def guarded(
    page: gr.Blocks, settings: OperatorSettings, door: Entry, uploads: Path, workers: Workers | None = None
) -> ASGIApp:
    """Build the whole application: all middleware, then the page.

    ``uploads`` is the folder for uploaded files. ``workers`` are those that ``/metrics`` reports on.

    Raises InputError if the settings have no method of login.
    """
    quotas = UploadQuotas(
        settings.upload_bytes, settings.unused_upload_bytes, 60.0 * settings.unused_upload_minutes
    )
    store = UploadStore(uploads, quotas)
    tools = ToolServer(page)
    answers = Answers()
    if isinstance(page, Page):
        page.answers = answers
    outer = FastAPI(lifespan=_living(store, answers, tools), docs_url=None, redoc_url=None, openapi_url=None)
    # If an application handles CORS itself, Gradio does not. Listed origins may read answers.
    outer.add_middleware(
        CORSMiddleware, allow_origins=sorted(door.names.origins), allow_methods=["GET", "POST"],
        allow_headers=["content-type"],
    )  # fmt: skip
    app: ASGIApp = gr.mount_gradio_app(outer, page, path="/", **launch_options(settings))
    # Only ``launch`` sets this. Without it Gradio does not check that a file to open was uploaded.
    page.has_launched = True
    own: dict[str, ASGIApp] = {
        "upload": UploadRoute(store, settings.file_bytes),
        "library": LibraryRoute(),
        "mcp": tools,
        "case file": CaseFiles(partial(tools.function, export_case.tool.name)),
    }
    local = settings.loopback
    work = WorkGate(_Routed(app, own), of_cases(settings.cases_a_minute), trusts_local=local)
    closed = behind_gate(BodyGate(OwnerGate(HangUps(work), answers)), settings)
    rates = RateGate(Watch(closed, workers or Workers()), trusts_local=local)
    meter(page, work.spend, rates.spend_looks)
    inner: ASGIApp = OriginGate(RouteGate(rates, route_table(functions_of(page), settings), app), door.names)
    inner = Addressing(HostGate(inner, door.names), door.proxies)
    return SecurityHeaders(inner, _hashes(), door.names.frames, first_script())


class Server(uvicorn.Server):
    """uvicorn's server with a callback for when it accepts requests."""

    def __init__(self, config: uvicorn.Config, when_open: Callable[[], object]) -> None:
        super().__init__(config)
        self._when_open = when_open

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, then call the callback."""
        await super().startup(sockets)
        if self.started:
            self._when_open()


def server(
    app: ASGIApp, proxies: Iterable[Network] = (), when_open: Callable[[], object] = bool
) -> uvicorn.Server:
    """Make the server of an application, with its limits; it calls ``when_open`` once it accepts requests."""
    config = uvicorn.Config(
        app, http=bounded(proxies), ws="none", lifespan="on", access_log=False,
        log_config=dict(uvicorn_logging()), proxy_headers=False, server_header=False,
        limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=15, timeout_graceful_shutdown=ENDS_SECONDS,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
    )  # fmt: skip
    return Server(config, when_open)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address. Raises ServingError if that fails."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ServingError(
            f"{host}:{port}: {error.strerror}; choose another with --host and --port"
        ) from error


class ServingError(RedstringError):
    """The page cannot be served."""


class _Routed:
    """Sends some requests to routes of our own (``own``, by policy name) and all others to the page."""

    def __init__(self, page: ASGIApp, own: Mapping[str, ASGIApp]) -> None:
        self._page, self._own = page, own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._own.get(scope[POLICY].name) if scope["type"] == "http" else None
        await (route or self._page)(scope, receive, send)


def _living(
    store: UploadStore, answers: Answers, tools: ToolServer
) -> Callable[[FastAPI], AbstractAsyncContextManager[Mapping[str, Any]]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Mapping[str, object]]:
        task = asyncio.create_task(_sweep(store, answers))
        try:
            async with tools.running():
                yield {}
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return lifespan


async def _sweep(store: UploadStore, answers: Answers) -> None:
    """Drop expired files and answers at intervals."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        answers.sweep()
        await asyncio.to_thread(store.sweep)


def _hashes() -> list[str]:
    """Return the hashes of the scripts in the head of Gradio's page and in the frame of the board."""
    board = [*inline_scripts(frame_page()), VIS_NETWORK.read_text(encoding="utf-8")]
    return [script_hash(text) for text in (*page_scripts(), *board)]
