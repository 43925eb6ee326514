"""The first screen, the finding, addresses with Back and Forward, and the first question to a new corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import OWN, QUESTION, ask

if TYPE_CHECKING:
    from playwright.sync_api import Page

IN_VIEW = "name => document.body.dataset.view === name"


def test_a_finished_example_is_shown_and_can_be_worked_on(page: Page) -> None:
    assert "Ask a legal question" in page.inner_text(".intro h1")
    assert page.inner_text(".intro .chip >> nth=0").startswith(QUESTION)
    assert page.locator(".finding dl > div").count() >= 2
    assert page.locator("#ranked .card").count() == 20
    with page.expect_download() as memo:
        page.click("[data-case-act=memo]")
    assert memo.value.suggested_filename.endswith(".docx")
    wanted = page.locator("#ranked .card").nth(3)
    name = wanted.get_attribute("data-id")
    wanted.click()
    wanted.locator("[data-act=pin]").click()
    page.wait_for_function("id => document.querySelector('#ranked .card').dataset.id === id", arg=name)
    assert "case=" not in page.url
    page.click("[data-case-act=own]")
    page.wait_for_function("location.search.includes('case=')")
    page.wait_for_selector(".intro", state="hidden")


@pytest.mark.journey
def test_back_and_forward_keep_the_case_and_the_reading_position(page: Page) -> None:
    ask(page)
    page.wait_for_function("location.search.includes('case=')")
    case = page.url
    page.click(".finding .pinpoint >> nth=0")
    page.wait_for_selector("#ranked .card.on")
    page.click("#ranked .card.on [data-act=read]")
    page.wait_for_function("location.search.includes('document=')")
    reading = page.url
    page.go_back()
    page.wait_for_function(IN_VIEW, arg="investigate")
    assert page.url == case
    assert page.locator("#ranked .card").count() == 20
    page.go_forward()
    page.wait_for_function(IN_VIEW, arg="corpus")
    assert page.url == reading
    page.wait_for_selector("[data-lib=crumbs] >> text=Article")
    page.reload()
    page.wait_for_selector("[data-lib=crumbs] >> text=Article")
    page.wait_for_selector(".case-bar", state="attached")
    assert page.url == reading
    page.click("[data-lib=back]")
    page.wait_for_function(IN_VIEW, arg="investigate")
    assert page.locator("#ranked .card").count() == 20
    page.click("a.brand")
    page.wait_for_selector(".intro:visible")


def test_a_corpus_of_ones_own_is_asked_with_one_click(page: Page, own: None) -> None:
    page.click("[data-lib=ask]")
    page.wait_for_function("name => document.querySelector('#corpus input').value === name", arg=OWN)
    page.wait_for_function(IN_VIEW, arg="investigate")
    ask(page, "Who may grant an authority?")
    page.wait_for_selector(f'.finding[data-corpus="{OWN}"]', state="attached")
