"""Cases have an address: reload, back, another tab, another browser, another person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.browser.conftest import QUESTION, ask, load, stray_loops_collected, tab_of
from tests.ui.served import served
from ui.page import build_page
from ui.shelf import open_library

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

OTHER = "Who may withdraw a power of attorney?"
ASKED = "words => document.querySelector('#question textarea').value === words"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, shown_sample: Path) -> Iterator[str]:
    """A page that anybody may reach: each browser is somebody else."""
    settings = OperatorSettings(host=ANYWHERE, share_cases=True, embeddings=("none",), cases_a_minute=600)
    folder = tmp_path_factory.mktemp("public")
    with stray_loops_collected():
        page = build_page(open_library([shown_sample], folder / "home", settings))
    with served(page, settings, folder / "uploads") as address:
        yield address


def ended(page: Page) -> str:
    """The address of the case, once it is kept."""
    page.wait_for_selector(".story[data-state=done]")
    page.wait_for_selector(".case-bar .do")
    return page.url


def cards(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all("#ranked .card", "all => all.map((card) => card.dataset.id)")
    return found


def asked(context: BrowserContext, address: str) -> Page:
    page = tab_of(context)
    load(page, address)
    ask(page)
    return page


@pytest.mark.journey
def test_a_case_is_there_after_a_reload_in_a_second_tab_and_on_the_way_back(
    somebody: BrowserContext, public: str
) -> None:
    page = asked(somebody, public)
    first, found = ended(page), cards(page)
    assert "?case=" in first
    page.click("#ranked .card >> nth=2")
    page.click("#ranked .card >> nth=2 >> [data-act=pin]")
    page.wait_for_selector("[data-case-act=undo]")
    pinned = cards(page)
    assert pinned != found
    page.reload()
    assert ended(page) == first
    assert cards(page) == pinned
    assert page.input_value("#question textarea") == QUESTION
    page.click("[data-case-act=undo]")
    page.wait_for_selector("[data-case-act=undo]", state="detached")
    assert cards(page) == found
    ask(page, OTHER)
    page.wait_for_function("before => location.href !== before", arg=first)
    second = ended(page)
    assert page.title().startswith(OTHER)
    tab = tab_of(somebody)
    tab.goto(first)
    assert ended(tab) == first
    assert cards(tab) == found
    page.go_back()
    page.wait_for_function(
        "words => document.querySelector('#question textarea').value === words", arg=QUESTION
    )
    assert cards(page) == found
    page.go_forward()
    page.wait_for_function(ASKED, arg=OTHER)
    assert page.url == second
    # Nothing but ids and the reader's own secret names is kept in the browser.
    held = orjson.loads(page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})"))
    assert all(QUESTION not in value and len(value) < 200 for value in held.values())


def test_the_last_cases_stand_in_the_rail_and_open_on_this_page(
    somebody: BrowserContext, public: str
) -> None:
    page = asked(somebody, public)
    first, found = ended(page), cards(page)
    ask(page, OTHER)
    page.wait_for_function("before => location.href !== before", arg=first)
    second = ended(page)
    page.wait_for_function("document.querySelectorAll('#recent a').length === 2")
    listed = page.locator("#recent a").all_inner_texts()
    assert listed == [OTHER, QUESTION], "the newest first"
    assert page.get_attribute("#recent a >> nth=0", "aria-current") == "page"
    page.click("#recent a >> nth=1")
    page.wait_for_function(ASKED, arg=QUESTION)
    assert page.url == first
    assert cards(page) == found
    page.go_back()
    page.wait_for_function(ASKED, arg=OTHER)
    assert page.url == second


def test_what_two_tabs_do_to_one_case_is_never_mixed(somebody: BrowserContext, public: str) -> None:
    page = asked(somebody, public)
    address = ended(page)
    other = tab_of(somebody)
    other.goto(address)
    ended(other)
    for tab in (page, other):
        tab.click("#ranked .card >> nth=1")
        tab.click("#ranked .card >> nth=1 >> [data-act=dismiss]")
    other.wait_for_selector("#banner .banner")
    assert "changed elsewhere in the meantime" in other.inner_text("#banner")
    other.reload()
    ended(other)
    assert cards(other) == cards(page)
