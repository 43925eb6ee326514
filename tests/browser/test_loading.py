"""What a browser need not ask twice, and in how many bytes it gets what it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from tests.browser.conftest import Tabs, ask, load
from ui.door.headers import FOR_EVER

if TYPE_CHECKING:
    from playwright.sync_api import Page


LOADED = "performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)"


def test_what_is_named_by_its_content_is_kept_and_nothing_else(case: Page, address: str) -> None:
    paths: list[str] = case.evaluate(LOADED)
    named = [path for path in paths if path.startswith("/assets/")]
    assert len(named) > 40
    for path in (*named[::10], "/static/js/iframeResizer.contentWindow.min.js", "/theme.css", "/"):
        found = httpx.get(f"{address}{path[1:]}")
        assert found.status_code == 200
        assert (found.headers.get("cache-control") == FOR_EVER) is (path in named), path
    # What is not there may be there tomorrow.
    gone = httpx.get(f"{address}assets/Index-AAAAAAAA.js")
    assert gone.status_code == 404
    assert gone.headers.get("cache-control") != FOR_EVER


def test_a_page_that_stands_asks_for_no_frames(tabs: Tabs, address: str) -> None:
    with tabs.lent(address, locale="en-GB") as page:
        page.add_init_script(
            "{ const frame = requestAnimationFrame; window.frames_asked = 0;"
            " window.requestAnimationFrame = (draw) => { frames_asked += 1; return frame(draw); }; }"
        )
        load(page, address)
        ask(page)
        page.wait_for_function(
            "() => { const before = window.asked_before; window.asked_before = frames_asked;"
            " return before === frames_asked; }",
            polling=300,
        )
