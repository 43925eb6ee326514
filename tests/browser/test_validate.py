"""Checking links in a real browser: by mouse and keys, corrected, undone; and a model that reads first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.holding import held_back

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAMPLE = "Republic of Meridia"


def check(page: Page) -> None:
    page.click("[data-tab=check]")
    page.wait_for_selector("[data-lib=link] .link, [data-lib=link] .empty")


def choose(page: Page, name: str, value: str) -> None:
    """Choose what is to be checked, and wait for the first that fits."""
    page.select_option(f"[data-wanted={name}]", value)
    page.wait_for_selector("[data-lib=link]:not([inert])")


def count(page: Page) -> str:
    return page.inner_text("[data-lib=link-count]")


def total(page: Page) -> int:
    return int(page.inner_text("[data-tab=check] small").replace(",", "") or 0)


def waits(page: Page, judged: int) -> None:
    page.wait_for_function(
        "judged => document.querySelector('[data-lib=link-count]').innerText.endsWith(`${judged} judged`)",
        arg=judged,
    )


@pytest.mark.usefixtures("own")
def test_links_are_judged_by_keys_and_a_verdict_is_undone(page: Page) -> None:
    check(page)
    assert page.locator(".link mark").count() == 1
    assert "Nothing has been judged yet" in page.inner_text("[data-lib=link-figures]")
    open_ = total(page)
    first = page.get_attribute(".link", "data-key")

    page.fill("[data-lib=link-note]", "ar")
    assert "0 judged" in count(page), "letters typed in a field are no verdict"
    page.keyboard.press("Tab")
    page.locator(".link-head").click()
    page.keyboard.press("a")
    waits(page, 1)
    assert total(page) == open_ - 1
    assert "100%" in page.inner_text("[data-lib=link-figures]")
    assert page.input_value("[data-lib=link-note]") == ""
    if open_ > 1:
        page.wait_for_function("key => document.querySelector('.link').dataset.key !== key", arg=first)
        page.keyboard.press("ArrowLeft")
        page.wait_for_function("key => document.querySelector('.link').dataset.key === key", arg=first)
    assert "Accepted" in page.inner_text(".link .said")
    assert "ar" in page.inner_text(".link .said q")
    page.keyboard.press("u")
    waits(page, 0)
    assert page.locator(".link .said").count() == 0
    page.click("[data-act=rejected]")
    waits(page, 1)
    assert "0%" in page.inner_text("[data-lib=link-figures]")


@pytest.mark.usefixtures("own")
def test_a_link_whose_place_another_takes_is_left_alone_and_that_one_is_corrected(page: Page) -> None:
    check(page)
    page.locator(".link-head").click()
    with held_back(page, "links"):
        page.select_option("[data-wanted=sort]", "subject_to")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("c")
        page.keyboard.press("a")
        assert page.locator(".correct:visible").count() == 0
    page.wait_for_selector("[data-lib=link]:not([inert]) .link[data-relation=subject_to]")
    assert "0 judged" in count(page)
    page.keyboard.press("c")
    page.wait_for_selector(".correct:visible")

    # In its words, its relation and its target.
    page.select_option(".correct [name=relation]", "extends")
    page.fill(".correct [name=target]", "agency limits")
    page.locator(".correct .candidate", has_text="Limits").first.click()
    page.evaluate(
        """() => {
            const text = document.querySelector(".from .passage");
            const node = [...text.childNodes].find((one) => one.nodeType === 3 && one.length > 12);
            const range = document.createRange();
            range.setStart(node, 0);
            range.setEnd(node, 12);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }"""
    )
    page.wait_for_function("document.querySelector('.correct').dataset.at === '0'")
    words = page.input_value(".correct [name=quote]")
    assert len(words) == 12
    page.click(".correct [type=submit]")
    waits(page, 1)
    choose(page, "state", "judged")
    page.wait_for_selector(".link .said.corrected")
    told = page.inner_text(".link .said")
    assert "extends" in told
    assert "Limits" in told
    assert words.strip() in told
