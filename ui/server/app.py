"""The page behind its middleware: one ASGI application, served by uvicorn.

Gradio's own ``launch`` puts its CORS handling outside all middleware, serves on a thread that outlives a
termination signal, and sets no limit on connections. So the page is mounted into an application of ours.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import RedstringError
from engine.operator_settings import OperatorSettings
from engine.verbs.case_files import export_case
from ui.access.gate import behind_gate
from ui.access.owners import OwnerGate
from ui.investigate.board import frame_page
from ui.page import Page
from ui.server.address import Addressing, Allowed, HostGate, Network, OriginGate, allowed, bounded, networks
from ui.server.answers import Answers
from ui.server.bodies import BodyGate
from ui.server.disconnects import HangUps
from ui.server.headers import SecurityHeaders, inline_scripts, script_hash
from ui.server.logs import uvicorn_logging
from ui.server.policies import functions_of, route_table
from ui.server.rates import RateGate, WorkGate, meter, of_cases
from ui.server.routes import POLICY, VIS_NETWORK, LibraryRoute, RouteGate
from ui.server.uploads import UploadQuotas, UploadRoute, UploadStore
from ui.theme import first_script, launch_options, page_scripts
from ui.tools.files import CaseFiles
from ui.tools.server import ToolServer
from ui.workers.pool import Workers
from ui.workers.watching import Watch

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
