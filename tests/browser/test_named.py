"""What a question names, and what is not there: told first, with what to ask instead one click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.conftest import ask

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

PHONE: ViewportSize = {"width": 390, "height": 844}


def clicked(page: Page, chip: str) -> None:
    """Ask what a chip offers, and wait for the end of that case."""
    page.evaluate("document.querySelector('.story')?.setAttribute('data-before', '')")
    page.locator(".told-first .chip", has_text=chip).click()
    page.wait_for_selector(".story[data-state=done]:not([data-before])")


def no_overflow_on_the_phone(page: Page) -> None:
    """Look at the case as it stands on a phone, and come back."""
    wide = page.viewport_size
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.set_viewport_size(wide or PHONE)


def first_card(page: Page) -> str:
    return page.locator("#ranked .card").first.inner_text()


def test_a_provision_stands_first_and_one_that_is_missing_is_told(page: Page) -> None:
    ask(page, "What does Article 14 of the Agency Code say?")
    assert page.locator(".evidence").count() == 0
    assert "Article 14" in first_card(page)
    assert "The question names it" in first_card(page)

    ask(page, "What does Article 99 of the Agency Code say?")
    assert page.get_attribute(".evidence", "data-evidence") == "none"
    assert "pool holds est." not in page.inner_text(".story")
    assert page.locator("#coverage .covered").count() == 0
    assert "has no article 99" in page.inner_text(".told-first")
    assert page.locator(".told-first .chip").count() == 4
    no_overflow_on_the_phone(page)
    clicked(page, "Article 38")
    assert page.input_value("#question textarea").endswith("Article 38 say?")
    assert "Article 38" in first_card(page)
    assert page.locator(".evidence").count() == 0


def test_several_are_offered_and_a_day_is_not_taken(page: Page) -> None:
    ask(page, "What does Article 14 say?")
    assert page.locator(".told-first[data-status=several] .chip").count() == 3
    clicked(page, "Tax Procedure Act")
    assert "Tax Procedure Act" in first_card(page)

    ask(page, "Who could represent a company on 1 March 2015?")
    assert "this case looks at the law of" in page.inner_text(".told-first[data-status=day]")
    clicked(page, "1 Mar 2015")
    assert "as_of:2015-03-01" in page.input_value("#question textarea")
    assert "law of 1 Mar 2015" in page.inner_text(".story")
    assert page.locator(".told-first[data-status=day]").count() == 0

    ask(page, "What is the capital of Peru?")
    assert "without evidence: “Peru”" in page.inner_text(".evidence")
    no_overflow_on_the_phone(page)
