"""The board's frame shows what the page shows, whichever of them is there first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import ask
from tests.browser.test_investigate import board, place_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.browser.conftest import Tabs

PANELS = {"light": "#fff", "dark": "#202024"}
PANEL = "getComputedStyle(document.documentElement).getPropertyValue('--panel').trim()"


@contextmanager
def opened(tabs: Tabs, address: str, scheme: str, *, handle: Any = None) -> Iterator[Page]:
    """A page in a theme; ``handle`` takes the request for the drawing library."""
    with tabs.lent(address, color_scheme=scheme) as page:
        if handle is not None:
            page.route("**/vis-network*", handle)
        page.goto(address)
        page.wait_for_selector("#question textarea")
        yield page


def in_theme(page: Page, scheme: str) -> None:
    """Wait until page and frame have the colours of a theme."""
    page.wait_for_function(f"document.body.classList.contains('dark') === {str(scheme == 'dark').lower()}")
    # Polled by the clock: a frame that is not drawn has no animation frames.
    board(page).wait_for_function(f"{PANEL} === '{PANELS[scheme]}'", polling=50)


def test_a_frame_that_comes_late_or_loads_again_gets_everything(tabs: Tabs, address: str) -> None:
    held: list[Route] = []
    with opened(tabs, address, "light", handle=lambda route: held.append(route)) as page:
        ask(page)
        page.locator("#ranked .card").nth(2).click()
        page.fill("[data-board=search]", "register")
        page.click("#theme-toggle")
        assert board(page).url == "about:blank", "the frame is still to come"
        (late,) = held
        late.continue_()
        in_theme(page, "dark")
        named = board(page).wait_for_selector(".note.name")
        assert named is not None
        assert board(page).locator(".head").count() >= 2, "the rounds stand above the board"
        # One that loads again is told everything again.
        page.unroute("**/vis-network*")
        page.evaluate("document.querySelector('#board iframe').srcdoc += ' '")
        page.wait_for_function("document.querySelector('#board iframe').srcdoc.endsWith(' ')")
        board(page).wait_for_selector(".note.name")
        in_theme(page, "dark")
        page.click("#theme-toggle")
        in_theme(page, "light")


@pytest.mark.parametrize("page", [{"color_scheme": "dark"}], indirect=True)
def test_a_theme_is_followed_toggled_and_remembered_and_the_frame_has_its_colours(page: Page) -> None:
    in_theme(page, "dark")
    page.evaluate("document.body.classList.remove('dark')")
    in_theme(page, "dark")
    page.click("#theme-toggle")
    in_theme(page, "light")
    # The system's theme changes; whoever chose one on the page keeps it.
    page.emulate_media(color_scheme="light")
    page.emulate_media(color_scheme="dark")
    in_theme(page, "light")
    page.add_style_tag(content=":root { --panel: #012345 !important }")
    board(page).wait_for_function(f"{PANEL} === '#012345'", polling=50)
    page.reload()
    page.wait_for_selector("#question textarea")
    page.wait_for_function("!document.body.classList.contains('dark')")


def test_a_board_that_cannot_be_loaded_says_so(tabs: Tabs, address: str) -> None:
    with opened(tabs, address, "light", handle=lambda route: route.abort()) as page:
        page.wait_for_selector("[data-board=count] >> text=The board could not be loaded")


DISPUTES = "Which court decides disputes over the Corvane contract, and under which law?"


def test_a_query_for_a_gap_is_chosen_by_click_and_by_keys_and_tells_what_it_found(page: Page) -> None:
    page.locator("#depth label", has_text="Thorough").click()
    ask(page, DISPUTES)
    page.wait_for_selector(".legend [data-shape=diamond] >> text=query for a gap")
    queries: list[str] = page.evaluate("redstring.nodes('query')")
    peek = page.locator("#peek .card.query.on")
    for query in queries:
        spot = place_of(page, query)
        page.mouse.click(spot["x"], spot["y"])
        page.wait_for_function("id => document.querySelector('#peek .card.on')?.dataset.id === id", arg=query)
        if peek.locator(".found small").count():
            break
    assert peek.locator(".cite b").inner_text().startswith("Query for the area ")
    assert peek.locator(".text").inner_text()
    assert re.search(r"\d+ passages? found, \d+ of them new$", peek.locator(".told").inner_text())
    if peek.locator(".found small").count():
        new = peek.locator(".found li", has=page.locator("small")).first.locator("button")
        name, brought = new.inner_text(), new.get_attribute("data-select")
        new.click()
        card = page.locator("#passages .card.on")
        page.wait_for_function("!document.querySelector('#peek .card.query')")
        assert brought in (card.get_attribute("data-members") or "").split("\n")
        assert "ound by a query for the area " in card.inner_text()
        assert name in board(page).locator(".note.name").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('#passages .card.on')")
