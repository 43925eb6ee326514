"""On a phone: one pane at a time, and nothing is wider than the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import test_check, test_corpus, test_evaluate, test_ontology, test_validate
from tests.browser.conftest import OWN, SCHEMES, ask, give, in_theme
from tests.browser.reviewing import enter
from tests.browser.test_answer import to_answer
from tests.browser.test_investigate import ARABIC
from tests.browser.test_ontology import BROAD

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 844}}], indirect=True)


def fits(page: Page, what: str) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 390, what


@pytest.mark.journey
def test_the_panes_of_a_case_are_tabs_and_nothing_overflows(page: Page) -> None:
    fits(page, "the page before a case")
    ask(page, BROAD)
    fits(page, "a case")
    assert page.locator("#passages").is_visible()
    assert page.locator("#board-pane").is_hidden()
    assert page.locator("#switch button").count() == 4
    page.click("[popovertarget=terms-table]")
    box = page.locator("#terms-table").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 844
    page.keyboard.press("Escape")
    page.click("#switch [data-pane=board]")
    assert page.locator("#board-pane").is_visible()
    assert page.locator("#passages").is_hidden()
    page.click("#switch [data-pane=coverage]")
    page.wait_for_selector(".rules-box", state="attached")
    page.click(".rules-box > summary")
    assert page.is_visible(".facts-form")
    fits(page, "the rules")
    page.locator("#coverage .area").first.click()
    page.wait_for_selector("#passages:visible")
    assert page.locator("#depth").is_hidden()
    page.click("#fold")
    assert page.locator("#depth").is_visible()

    ask(page, ARABIC)
    assert page.locator("#depth").is_hidden(), "a case is told in sight, not below screens of settings"
    assert page.get_attribute("#fold", "aria-expanded") == "false"
    to_answer(page)
    assert page.locator("#answer").is_visible()
    assert page.locator("#ranked").is_hidden()
    for scheme in SCHEMES:
        in_theme(page, scheme)
        fits(page, f"the answer, {scheme}")
    say = page.locator(".say").first
    assert say.get_attribute("lang") == "ar"
    assert say.evaluate("one => getComputedStyle(one).direction") == "rtl"
    page.locator(".source").first.click()
    assert page.locator("#passages .card.on").is_visible()
    assert page.locator("#switch [aria-selected=true]").get_attribute("data-pane") == "passages"


def test_tree_and_text_take_turns_and_every_tab_of_a_corpus_fits(
    page: Page, home: Path, small_folder: Path
) -> None:
    test_corpus.enter(page)
    fits(page, "the shelf")
    tree, text = (page.locator(f"[data-view=read] .{pane}-pane") for pane in ("tree", "text"))
    assert text.is_hidden()
    page.locator(".line.doc").first.click()
    page.wait_for_selector(".prov:visible")
    assert tree.is_hidden()
    page.click("[data-back]")
    assert tree.is_visible()
    page.click("[data-tab=names]")
    page.locator("[data-lib=names] [data-name]").first.click()
    page.wait_for_selector("[data-lib=named] h2:visible")
    fits(page, "a name")
    page.click("[data-view=names] .back")
    page.wait_for_selector("[data-lib=names] [data-name]:visible")
    for tab in ("names", "resolve", "grades", "statistics", "report"):
        page.click(f"[data-tab={tab}]")
        fits(page, tab)
    test_ontology.areas(page)
    assert len(test_ontology.names(page)) == 12
    fits(page, "areas")

    give(page, home, small_folder, OWN)
    test_validate.check(page)
    accept = page.locator("[data-act=accepted]")
    for scheme in SCHEMES:
        in_theme(page, scheme)
        fits(page, f"links, {scheme}")
        accept.scroll_into_view_if_needed()
        box = accept.bounding_box()
        assert box is not None
        assert box["height"] >= 40
        assert box["x"] + box["width"] <= 390
    accept.click()
    test_validate.waits(page, 1)


def test_checking_and_evaluating_need_no_sideways_scroll(page: Page) -> None:
    test_check.check(page)
    for scheme in SCHEMES:
        in_theme(page, scheme)
        fits(page, f"check, {scheme}")
        page.locator(".chk-claim").nth(3).click()
        assert (
            page.evaluate("getComputedStyle(document.querySelector('#chk-4 .chk-said')).direction") == "rtl"
        )
    test_evaluate.enter(page)
    test_evaluate.evaluate(page)
    fits(page, "figures")
    page.click("[data-eva-tab=pair]")
    page.click("[data-eva=chips] .chip >> nth=0")
    page.wait_for_selector(".eva-side")
    fits(page, "two settings")


def test_views_of_kept_cases_and_their_reviews_fit(page: Page) -> None:
    ask(page)
    page.click(".case-bar summary")
    fits(page, "the files of a case")
    page.keyboard.press("Escape")
    page.click("#switch [data-pane=board]")
    for tab, shown in (("tree", ".tree-row[data-id]"), ("charts", ".pool-plot .main-svg")):
        page.click(f"[data-view-tab={tab}]")
        page.wait_for_selector(shown)
        fits(page, tab)
    page.click("#model-open")
    fits(page, "the dialog of the model")
    page.click("#model [data-do=close]")
    page.click(".views [data-view=cases]")
    page.locator(".cas-list .cas-open").first.click()
    page.wait_for_selector(".cas-card")
    fits(page, "a kept case")
    page.click(".cas-x")
    page.click("#cases [data-tab=records]")
    page.wait_for_selector(".cas-plot .main-svg")
    fits(page, "the figures of all cases")
    enter(page)
    fits(page, "the queues")
    page.click("[data-key=open-learned]")
    page.wait_for_selector(".rev-learned h1")
    fits(page, "what was learned")
