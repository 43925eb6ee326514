"""A real page in a real browser: the engine, the sample corpus, and one corpus that means harm."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from benchmarks.attacks.http.served import served
from engine.ingestion.build import build_corpus
from ui.shelf import open_library

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

HOSTILE = "Hostile"
HOSTILE_TEXT = """---
id: hostile
title: "<img src=x onerror=window.harmed=1> Act"
language: en
status: "<b onclick=window.harmed=1>in force</b>"
---

# Hostile Act

#### Article 1 "><script>window.harmed=1</script>

(1) A harmful clause says <script>window.harmed=1</script> and "><img src=x onerror=window.harmed=1>.

(2) A harmful clause under Article 1(1) says {{constructor.constructor('window.harmed=1')()}}
and ${window.harmed=1}.
"""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    # Two cores for two browsers and two servers: no process and no threads for a card that is not there.
    "--in-process-gpu",
    "--num-raster-threads=1",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The browser to drive: ``CHROMIUM``, else the system's, the one without windows before the others."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def stray_loops_collected() -> Iterator[None]:
    """Gradio opens an event loop for each lock outside a loop and never closes it: collect them in peace."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        asyncio.set_event_loop(None)
        gc.collect()


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Iterator[str]:
    """The address of a page over both corpora. Lexical search alone: the model has its own tests."""
    from engine.operator_settings import OperatorSettings
    from ui.connections import Connections
    from ui.page import build_page

    folder = tmp_path_factory.mktemp("corpora")
    (folder / "hostile.md").write_text(HOSTILE_TEXT, encoding="utf-8")
    build_corpus([folder / "hostile.md"], folder / "bad", name=HOSTILE, embedding="none")
    with stray_loops_collected():
        library = open_library([sample_folder, folder / "bad"], folder / "home")
        page = build_page(library, connections=Connections(OperatorSettings()))
    with served(page, OperatorSettings(), folder / "uploads") as local:
        yield local


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One chromium for all tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no chromium: set CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Watch:
    """What a page said on its console, and whom it asked."""

    def __init__(self) -> None:
        self.console: list[str] = []
        self.hosts: set[str] = set()

    def on_console(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def on_error(self, error: object) -> None:
        self.console.append(f"error: {error}")

    def on_request(self, request: Request) -> None:
        if host := urlsplit(request.url).hostname:
            self.hosts.add(host)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Browser, address: str, watch: Watch) -> Iterator[Page]:
    """The page, loaded. Mark with ``parametrize("page", [{...}], indirect=True)`` for another context."""
    wanted = {
        "viewport": {"width": 1440, "height": 900},
        "color_scheme": "light",
        **getattr(request, "param", {}),
    }
    context = browser.new_context(**wanted)
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("console", watch.on_console)
    page.on("pageerror", watch.on_error)
    page.on("request", watch.on_request)
    page.goto(address)
    page.wait_for_selector("#question textarea")
    page.wait_for_function("document.querySelector('#board iframe')?.srcdoc.length > 1000")
    yield page
    context.close()
    assert watch.console == [], "the console must stay empty"
    assert watch.hosts <= {"127.0.0.1", "localhost"}, "nothing may be fetched from elsewhere"
