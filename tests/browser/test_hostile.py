"""A corpus that means harm is text and nothing else, in every view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import test_evaluate
from tests.browser.conftest import HOSTILE, ask
from tests.browser.test_answer import to_answer
from tests.browser.test_corpus import enter, text
from tests.browser.test_expansion import to_tree
from tests.browser.test_investigate import board

if TYPE_CHECKING:
    from playwright.sync_api import Page


def unharmed(page: Page, where: str) -> None:
    for frame in page.frames:
        assert frame.evaluate("window.harmed === undefined"), where


@pytest.mark.journey
def test_text_of_documents_does_nothing(page: Page) -> None:
    page.click("#corpus input")
    page.locator("[role=option]", has_text=HOSTILE).click()
    page.wait_for_function(
        "name => document.querySelector('.top .facts').textContent.includes(name)", arg=HOSTILE
    )
    ask(page, "harmful clause under the Hostile Act")
    page.wait_for_selector("#ranked .card")
    assert "<script>" in page.inner_text("#ranked .cards")
    page.locator("#ranked .card").first.click()
    board(page).wait_for_selector(".note.name")
    unharmed(page, "the board")
    to_tree(page)
    page.click("[data-view-tab=charts]")
    page.wait_for_selector(".pool-plot .main-svg")
    unharmed(page, "the tree and the charts")
    assert page.locator("#views img, #views script").count() == 0

    to_answer(page)
    page.locator(".source").first.hover()
    page.wait_for_selector("#quote-shown")
    unharmed(page, "the answer")
    assert page.locator("#answer img, #quote-shown img").count() == 0

    enter(page)
    page.locator(".book", has_text="Hostile").click()
    text(page, "A harmful clause")
    for tab in ("names", "resolve", "statistics", "report"):
        page.click(f"[data-tab={tab}]")
    page.wait_for_selector("[data-lib=report] .counts")
    unharmed(page, "the corpus")

    test_evaluate.enter(page)
    page.select_option("[data-eva=corpus]", "Hostile")
    page.click("[data-eva-tab=pair]")
    page.fill("[data-eva=question]", "harmful clause <img src=x onerror=window.harmed=1>")
    page.click("[data-eva=compare]")
    page.wait_for_selector(".eva-side li")
    unharmed(page, "two settings")
