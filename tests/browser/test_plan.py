"""The plan of a question: shown, edited, used, and dropped when the question changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ask

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION = "What is the difference between a manager and an agent in terms of authority since 2019?"


def plan(page: Page, question: str = QUESTION) -> None:
    page.fill("#question textarea", question)
    page.click("#plan-go")
    page.wait_for_selector("#plan .plan")


@pytest.mark.journey
def test_a_plan_is_shown_edited_and_used_and_what_it_requires_holds(page: Page) -> None:
    plan(page)
    told = page.inner_text("#plan .told")
    assert "comparative" in told
    assert "difference between" in told
    kinds = page.locator("#plan .kind").all_inner_texts()
    assert kinds[0] == "literal"
    assert kinds.count("side") == 2
    year = page.locator("#plan .constraint[data-kind=year_from]")
    assert year.get_attribute("aria-pressed") == "false", "prose is never required by itself"
    page.locator("#plan .plan-views li").nth(1).locator("input[type=checkbox]").uncheck()
    page.click("#plan .add")
    page.keyboard.type("general commercial representative")
    assert page.is_visible("#plan .mark")
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]")
    tip = page.locator(".story .step[data-tip]").first.get_attribute("data-tip") or ""
    assert "own: general commercial representative" in tip
    assert tip.count("side: ") == 1
    assert page.locator("#plan .plan").get_attribute("open") is None, "the board has the room again"

    # What the next question constraints holds for all that is found.
    plan(page, "Which powers does an agent hold? +register")
    chip = page.locator("#plan .constraint[data-value=register]")
    assert chip.get_attribute("aria-pressed") == "true"
    assert "passages remain" in page.inner_text("#plan .plan-notes")
    ask(page, "Which powers does an agent hold? +register")
    held = [
        f"{card.locator('.text').inner_text()} {card.locator('.cite').inner_text()}".lower()
        for card in page.locator("#ranked .card").all()
    ]
    assert held
    assert sum("register" in words for words in held) >= len(held) / 2, "others hold it in a heading"


def test_another_question_drops_an_edited_plan_and_says_so(page: Page) -> None:
    plan(page)
    page.click("#plan .add")
    page.keyboard.type("agency")
    page.fill("#question textarea", "Who keeps the commercial register?")
    page.wait_for_selector("#plan .dropped")
    assert "dropped" in page.inner_text("#plan .dropped")
    assert page.locator("#plan .plan").count() == 0
    ask(page, "Who keeps the commercial register?")
    assert page.locator("#ranked .card").count() > 0
    plan(page)
    assert page.locator("#plan .plan").count() == 1
