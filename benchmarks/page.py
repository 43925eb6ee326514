"""Measure a running page in Chromium: ``python -m benchmarks.page URL [--times N]``; times in seconds.

Each run opens the page in a new browser context, asks a question and selects a card.
Printed are the minimum, median and maximum of each figure.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

QUESTION = "Can a manager with limited authority grant an agent broader powers? Case {}"
SHIFTS = """window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(one => {
    if (!one.hadRecentInput) window.shift += one.value;
})).observe({ type: "layout-shift", buffered: true });"""


def _since(start: float, page: Page, condition: str) -> float:
    page.wait_for_function(condition, polling=10)
    return time.perf_counter() - start


def run(browser: Browser, url: str, number: int) -> dict[str, float]:
    """Measure one visit; ``number`` makes its question new, so that no cache answers it."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or ""))
    page.add_init_script(SHIFTS)
    start = time.perf_counter()
    page.goto(url)
    found = {"example shown": _since(start, page, "!!document.querySelector('#ranked .card')")}
    found["layout shift before a question"] = page.evaluate("window.shift")
    page.evaluate(
        "document.querySelectorAll('.story, #ranked .card').forEach(one => { one.dataset.old = 1; })"
    )
    page.fill("#question textarea", QUESTION.format(number))
    start = time.perf_counter()
    page.click("#go")
    found["first event"] = _since(start, page, "!!document.querySelector('.story:not([data-old])')")
    found["first cards"] = _since(start, page, "!!document.querySelector('#ranked .card:not([data-old])')")
    ended = "!!document.querySelector('.story[data-state=done]:not([data-old])')"
    found["end of the case"] = _since(start, page, ended)
    start = time.perf_counter()
    page.locator("#ranked .card").nth(2).click()
    chosen = "document.querySelectorAll('#ranked .card')[2].classList.contains('on')"
    found["click to reaction"] = _since(start, page, chosen)
    found["other hosts"] = len(hosts - {"", urlsplit(url).hostname})
    page.context.close()
    return found


def main() -> None:
    """Measure a page several times and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        runs = [run(browser, given.url, number) for number in range(given.times)]
        browser.close()
    for name in runs[0]:
        values = [one[name] for one in runs]
        print(f"{name}: {min(values):.3f} / {statistics.median(values):.3f} / {max(values):.3f}")


if __name__ == "__main__":
    main()
