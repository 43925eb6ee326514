"""Take a picture of every view of a running page: ``python take.py URL FOLDER [VIEW ...]``.

Each view is taken at 1440x900 and 390x844, light and dark, in English, German and Arabic; ``--only PART``
takes the combinations that contain PART, such as ``wide-light-en``. Needs playwright and a Chromium
(``CHROMIUM`` names another than the system's).
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal

from playwright.sync_api import Error, Page, sync_playwright

QUESTION = "Can a manager with limited authority grant an agent broader powers than those in the register?"
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
LANGUAGES = ("en", "de", "ar")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def _pane(name: str) -> Callable[[Page], None]:
    """Show one pane of the case; on a phone the panes take turns."""

    def show(page: Page) -> None:
        switch = page.locator(f"#switch [data-pane={name}]")
        if switch.is_visible():
            switch.click()

    return show


def _tab(pane: str, selector: str, shown: str) -> Callable[[Page], None]:
    def show(page: Page) -> None:
        _pane(pane)(page)
        page.locator(selector).first.click()
        page.wait_for_selector(shown)

    return show


def _view(name: str, *clicks: str) -> Callable[[Page], None]:
    def show(page: Page) -> None:
        page.click(f".views [data-view={name}]")
        for selector in clicks:
            page.locator(selector).first.click()
            page.wait_for_timeout(500)

    return show


def _check(page: Page) -> None:
    page.click(".views [data-view=check]")
    page.fill("[data-chk=text]", "A manager may grant an agent any powers (Article 14 of the Agency Code).")
    page.click("[data-chk=go]")
    page.wait_for_selector(".chk-claim")


def _settings(page: Page) -> None:
    page.click("#fold")


VIEWS: dict[str, Callable[[Page], None]] = {
    "case": lambda page: None,
    "passages": _pane("passages"),
    "answer": _tab("passages", "#passages-head [data-tab=answer]", "#answer:visible"),
    "board": _pane("board"),
    "tree": _tab("board", "[data-view-tab=tree]", ".tree-row[data-id]"),
    "charts": _tab("board", "[data-view-tab=charts]", ".pool-plot .main-svg"),
    "coverage": _pane("coverage"),
    "settings": _settings,
    "model": lambda page: page.click("#model-open"),
    "check": _check,
    "cases": _view("cases", ".cas-list .cas-open"),
    "records": _view("cases", "#cases [data-tab=records]"),
    "review": _view("review"),
    "corpus": _view("corpus"),
    "reader": _view("corpus", ".line.doc"),
    "names": _view("corpus", "#library [data-tab=names]"),
    "areas": _view("corpus", "#library [data-tab=areas]"),
    "grades": _view("corpus", "#library [data-tab=grades]"),
    "statistics": _view("corpus", "#library [data-tab=statistics]"),
    "report": _view("corpus", "#library [data-tab=report]"),
    "evaluate": _view("evaluate"),
}


def _load(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector("#question textarea")
    page.wait_for_selector(".case-bar", state="attached")
    page.wait_for_function("document.querySelector('#board iframe')?.srcdoc.length > 1000")


def _take(page: Page, url: str, folder: Path, views: list[str]) -> None:
    """Take the first screen, then ask and take the others; each starts at the address of the case."""
    if "first" in views:
        _load(page, url)
        page.wait_for_timeout(1500)
        page.screenshot(path=folder / "first.png")
    _load(page, url)
    page.fill("#question textarea", QUESTION)
    page.click("#go")
    page.wait_for_function("location.search.includes('case=')")
    case = page.url
    for name in views:
        if name not in VIEWS:
            continue
        _load(page, case)
        try:
            VIEWS[name](page)
        except Error as error:  # a view that fails does not stop the others
            print(folder.name, name, str(error).splitlines()[0])
        page.wait_for_timeout(1200)
        page.screenshot(path=folder / f"{name}.png")


def _report(where: str, message: object) -> None:
    """Print a console message or an error of a page."""
    print(where, getattr(message, "text", message))


def main() -> None:
    """Take the pictures that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("views", nargs="*", default=["first", *VIEWS])
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    every = product(SIZES, SCHEMES, LANGUAGES)
    wanted = [one for one in every if given.only in "-".join(one)]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for size, scheme, language in wanted:
            width, height = SIZES[size]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            context.set_default_timeout(60_000)
            context.add_init_script(
                f"try {{ localStorage['redstring-language'] = '{language}'; }} catch {{}}"
            )
            page = context.new_page()
            where = f"{size}-{scheme}-{language}"
            page.on("console", partial(_report, where))
            page.on("pageerror", partial(_report, where))
            folder = given.folder / where
            folder.mkdir(parents=True, exist_ok=True)
            _take(page, given.url, folder, given.views)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
