"""Answers that come late, as over a slow line: what happens on the page before they are there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

# What panels of the page ask, and how long a test waits for it, s.
SERVER, HELD_SECONDS = "**/component_server/", 30.0


@contextmanager
def held_back(page: Page, asked: str) -> Iterator[None]:
    """What the page asks its server for is held back till the end; then it takes the answers in."""
    held: list[Route] = []
    released: list[bool] = []
    answered: list[Request] = []

    def is_meant(request: Request) -> bool:
        return f'"do":"{asked}"' in (request.post_data or "")

    def hold(route: Route) -> None:
        if is_meant(route.request) and not released:
            held.append(route)
        else:
            route.continue_()

    def wait(enough: Callable[[], bool]) -> None:
        until = time.monotonic() + HELD_SECONDS
        while not enough():
            assert time.monotonic() < until, f"{len(held)} held, {len(answered)} answered"
            page.wait_for_timeout(10)

    page.on("requestfinished", lambda request: answered.append(request) if is_meant(request) else None)
    page.route(SERVER, hold)
    yield
    wait(lambda: bool(held))
    released.append(True)
    for route in held:
        route.continue_()
    wait(lambda: len(answered) >= len(held))
    # The route stays: to take it away while a request is on its way can hold that one for good.
    # Drawn once more: the page has done with the answer what it does.
    page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
