"""The Evaluate view in a real browser: figures, plots, what each part adds, two settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.evaluation.metrics import read_results

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.browser.conftest import Watch

DARK = {"color_scheme": "dark"}
LONG = 90_000


def enter(page: Page) -> None:
    page.click(".views [data-view=evaluate]")
    page.wait_for_function("document.querySelector('[data-eva=corpus]').options.length === 2")


def evaluate(page: Page, questions: int = 5) -> None:
    page.locator("[data-eva=questions]").fill(str(questions))
    page.click("[data-eva=go]")
    page.wait_for_selector("[data-eva=figures] table", timeout=LONG)
    page.wait_for_selector(".eva-plot .main-svg", timeout=LONG)


@pytest.mark.journey
@pytest.mark.parametrize("page", [DARK], indirect=True)
def test_figures_plots_and_parts(page: Page) -> None:
    enter(page)
    assert page.is_visible("[data-eva=waiting]")
    evaluate(page)
    # The plots follow the theme.
    line = "getComputedStyle(document.querySelector('.eva-plot .js-line')).stroke"
    assert page.evaluate(line) == "rgb(165, 165, 165)"
    page.click("#theme-toggle")
    page.wait_for_function(f"{line} === 'rgb(122, 122, 122)'")
    assert "5\nquestions" in page.inner_text("[data-eva=figures] .counts")
    rows = page.locator("[data-eva=figures] tbody tr")
    assert rows.count() == 7
    assert page.locator("[data-eva=plots] figure").count() == 3
    assert page.is_hidden("[data-eva=progress]")
    with page.expect_download() as kept:
        page.click("text=Download results")
    assert len(read_results(Path(kept.value.path()))[1]) == 5
    with page.expect_download() as drawn:
        page.click("[data-eva=plots] figure >> nth=0 >> .eva-file")
    assert drawn.value.suggested_filename == "recall_by_pool_size.svg"
    page.select_option("[name=preset]", "quick")
    page.click("[data-eva=ablate]")
    page.wait_for_selector("[data-eva=parts] .main-svg", timeout=LONG)
    assert "without citations" in page.inner_text("[data-eva=parts] table")
    # The figures before are still there.
    assert rows.count() == 7


def test_two_settings_side_by_side(page: Page, watch: Watch) -> None:
    enter(page)
    page.click("[data-eva-tab=pair]")
    _the_last_question_counts(page)
    chip = page.locator("[data-eva=chips] .chip").first
    chip.click()
    page.wait_for_function(
        "words => document.querySelector('[data-eva=sides] h2')?.innerText === words", arg=chip.inner_text()
    )
    page.wait_for_selector(".eva-side")
    assert page.locator(".eva-side").count() == 2
    first, second = page.locator(".eva-side").all()
    assert "GOLD FOUND" in first.inner_text().upper()
    assert second.locator("li").count() > 5
    # The threads of a side are those of its preset until they are changed.
    assert page.locator("[data-side=a] [type=checkbox]:checked").count() == 1
    page.select_option("[data-side=a] select", "balanced")
    assert page.locator("[data-side=a] [type=checkbox]:checked").count() > 1
    _rounds_that_are_none_are_asked_for(page, watch)


def _the_last_question_counts(page: Page) -> None:
    """Of two questions the last one counts, whichever is answered first."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "first question" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/component_server/*", hold)
    for question in ("The first question about a lease?", "The second question about a lease?"):
        page.fill("[data-eva=question]", question)
        page.locator("[data-eva=question]").press("Enter")
    page.wait_for_selector("[data-eva=sides] h2")
    with page.expect_response(lambda found: "first question" in (found.request.post_data or "")):
        held[0].continue_()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.inner_text("[data-eva=sides] h2") == "The second question about a lease?"
    # Nor does what went wrong with the first one stand above the answer to the second.
    assert page.inner_text("[data-eva=banner]") == ""


def _rounds_that_are_none_are_asked_for(page: Page, watch: Watch) -> None:
    presses: tuple[Callable[[], None], ...] = (
        lambda: page.click("[data-eva=compare]"),
        lambda: page.locator("[data-eva=question]").press("Enter"),
        lambda: page.locator("[data-eva=chips] .chip").first.click(),
    )
    watch.urls.clear()
    for typed in ("", "9", "-1", "1.5", "1e"):
        page.fill("[data-eva=question]", "What is a lease?")
        page.click("[data-side=b] [type=number]", click_count=3)
        page.keyboard.press("Delete")
        page.keyboard.type(typed)
        for press in presses:
            press()
            assert page.evaluate("document.activeElement.name") == "rounds-b", typed
            page.evaluate("document.activeElement.blur()")
        assert not [url for url in watch.urls if "component_server" in url], typed
        assert page.inner_text("[data-eva=compare]") == "Compare", typed
