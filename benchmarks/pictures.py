"""Pictures of plots: every page in a folder as a PNG beside it, drawn by a real browser.

    python -m benchmarks.pictures DIR [--width 760] [--height 420]

For documents that cannot hold a page, such as the README. Needs playwright and a chromium (``CHROMIUM``,
else the system's).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SHARPNESS = 2


def main() -> int:
    """Draw; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--width", type=int, default=760)
    parser.add_argument("--height", type=int, default=420)
    options = parser.parse_args()
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    pages = sorted(options.folder.glob("*.html"))
    if browser is None or not pages:
        wrong = "no chromium: set CHROMIUM to its path" if pages else f"no pages in {options.folder}"
        print(f"redstring: {wrong}", file=sys.stderr)
        return 2
    for path in draw(pages, browser, options.width, options.height):
        print(path)
    return 0


def draw(pages: list[Path], browser: str, width: int, height: int) -> list[Path]:
    """Draw pages of plotly, sizes in CSS pixels at twice the resolution. Returns the pictures' places."""
    drawn = []
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--headless"])
        context = opened.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=SHARPNESS
        )
        for path in pages:
            page = context.new_page()
            page.goto(path.resolve().as_uri())
            plot = page.wait_for_selector(".plot-container")
            assert plot is not None
            plot.screenshot(path=path.with_suffix(".png"))
            drawn.append(path.with_suffix(".png"))
            page.close()
        opened.close()
    return drawn


if __name__ == "__main__":
    sys.exit(main())
