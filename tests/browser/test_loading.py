"""What a browser need not ask twice, and in how many bytes it gets what it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from ui.server.headers import FOR_EVER

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
