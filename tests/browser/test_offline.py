"""Every panel without a model, in a process of its own that is watched: nothing outside is reached for."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Watch, free_port
from tests.conftest import ROOT
from tests.safety.test_offline import CLAIMS, QUESTION, listening, surroundings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


STARTS = 120
LONG = 120_000


@dataclass(frozen=True)
class Served:
    """A page: its port, what its process tried to reach, and who knocked at OPENAI_BASE_URL."""

    port: int
    log: Path
    knocked: list[str]

    def reached(self) -> list[str]:
        """What the process tried to reach but itself: Gradio looks whether its own page is up."""
        own = f"('127.0.0.1', {self.port})"
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if own not in line and f"'127.0.0.1', {self.port}," not in line]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("watched")
    port = free_port()
    log = folder / "attempts.tsv"
    log.touch()
    with listening() as (url, knocked):
        process = subprocess.Popen(
            [
                sys.executable, "-m", "tests.safety.watching", str(log), "page",
                "--corpus", str(sample_folder), "--port", str(port),
            ],
            cwd=ROOT,
            env=surroundings(url, folder / "home"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait(port, process)
            yield Served(port, log, knocked)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS
    while time.monotonic() < until:
        assert process.poll() is None, "the page did not start"
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the page did not start in time")


@pytest.fixture(scope="module")
def opened(served: Served, browser: Browser) -> Iterator[tuple[Page, Watch]]:
    watch = Watch()
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("console", watch.on_console)
    page.on("pageerror", watch.on_error)
    page.on("request", watch.on_request)
    page.goto(f"http://127.0.0.1:{served.port}")
    page.wait_for_selector("#question textarea")
    page.wait_for_function("document.querySelector('#board iframe')?.srcdoc.length > 1000")
    yield page, watch
    context.close()


@pytest.fixture(autouse=True)
def nothing_outside(served: Served, opened: tuple[Page, Watch]) -> Iterator[None]:
    """After each panel: no attempt, no request to another host, nothing on the console, no banner."""
    yield
    page, watch = opened
    assert served.reached() == []
    assert served.knocked == []
    assert watch.hosts <= {"127.0.0.1"}
    assert watch.console == []
    assert page.locator(".banner.error:visible, .banner.bad:visible").count() == 0


def test_plan_case_and_answer(opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    page.fill("#question textarea", QUESTION)
    page.click("#plan-go")
    page.wait_for_selector("#plan .plan")
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]", timeout=LONG)
    assert page.locator("#ranked .card").count() > 3
    assert page.locator(".story .step.cost").count() == 0
    page.click("#passages-head [data-tab=answer]")
    page.wait_for_selector(".answer[data-method=brief]")
    assert page.locator(".answer .chip, .answer [data-n]").count() > 0


def test_check(opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    page.click(".views [data-view=check]")
    page.wait_for_function("document.querySelector('[data-chk=corpus]').options.length === 1")
    page.fill("[data-chk=text]", CLAIMS)
    page.click("[data-chk=go]")
    page.wait_for_selector(".chk-file", timeout=LONG)
    assert page.locator(".chk-claim").count() == 3
    assert not page.is_visible("[data-chk=model-row]")


def test_evaluate(opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    page.click(".views [data-view=evaluate]")
    page.wait_for_function("document.querySelector('[data-eva=corpus]').options.length === 1")
    page.locator("[data-eva=questions]").fill("3")
    page.click("[data-eva=go]")
    page.wait_for_selector("[data-eva=figures] table", timeout=LONG)
