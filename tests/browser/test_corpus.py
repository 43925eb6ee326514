"""The Corpus view in a real browser: documents sent, read, resolved, and nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import FILES

if TYPE_CHECKING:
    from playwright.sync_api import Page

SAMPLE_CODE = "Commercial Agency and Powers of Attorney Code"
LONG = 60_000
SECRET = "open-sesame"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return sorted(tmp_path.iterdir())


def enter(page: Page) -> None:
    page.click(".views [data-view=corpus]")
    page.wait_for_selector(".line.doc")


def send(page: Page, paths: list[Path]) -> None:
    page.set_input_files("[data-input=files]", [str(path) for path in paths])
    page.click("[data-lib=go]")
    page.wait_for_selector(".banner-slot .banner", timeout=LONG)


def remove(page: Page) -> None:
    """Delete the corpus that is open, so that the next test finds the shelf as it was."""
    page.click("[data-tab=report]")
    # The second press counts for five seconds only, so both come at once.
    page.locator("[data-delete]").evaluate("button => { button.click(); button.click(); }")
    page.wait_for_selector("text=is deleted")


def text(page: Page, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('[data-lib=text]').innerText.includes(words)", arg=words
    )


@pytest.mark.journey
def test_a_corpus_is_made_by_upload_and_can_be_asked_at_once(page: Page, files: list[Path]) -> None:
    bad = files[0].parent / "notes.xyz"
    bad.write_bytes(b"\x00\x01\x02 nothing")
    enter(page)
    page.click("[data-lib=new]")
    page.fill("[name=name]", "Uploaded")
    page.set_input_files("[data-input=files]", [str(path) for path in (*files, bad)])
    page.click("details.more-fields summary")
    page.fill("[name=passwords]", SECRET)
    page.click("[data-lib=go]")
    page.wait_for_selector(".banner.good", timeout=LONG)
    assert "“Uploaded” is ready" in page.inner_text(".banner-slot")
    assert SECRET not in page.content()
    assert page.input_value("[name=passwords]") == ""
    report = page.inner_text("[data-lib=report]")
    assert "notes.xyz" in report
    assert "not read" in report
    page.click("[data-sort='0']")
    assert page.get_attribute("[data-sort='0']", "aria-sort") == "ascending"
    assert "act.md" in (page.text_content("[data-lib=log]") or "")
    page.click(".views [data-view=investigate]")
    page.click("#corpus input")
    page.locator("[role=option]", has_text="Uploaded").click()
    page.fill("#question textarea", "limits of the authority of a manager")
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]")
    card = page.locator("#ranked .card", has_text="entered in the register").first
    card.click()
    card.locator("[data-act=read]").click()
    page.wait_for_selector("#library[data-here]")
    text(page, "The limits of the authority of a manager")
    remove(page)


def test_the_tree_is_walked_a_reference_is_followed_and_statistics_lead_into_the_text(page: Page) -> None:
    enter(page)
    first = page.locator(".line.doc").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".tree ul .line")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.section") == "0"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.classList.contains('doc')")
    page.keyboard.press("ArrowLeft")
    assert first.get_attribute("aria-expanded") == "false"

    code = page.locator(".line.doc", has_text=SAMPLE_CODE)
    code.click()
    page.wait_for_selector(".tree ul .line:visible")
    text(page, "Article 1")
    page.wait_for_function("document.querySelectorAll('.prov').length >= 40")
    before = page.locator("[data-lib=doc] h2").inner_text()
    page.fill("[data-lib=search]", "register act article 31")
    page.locator(".line.found", has_text="Article 31").first.click()
    page.wait_for_function(
        "before => document.querySelector('[data-lib=doc] h2').innerText !== before", arg=before
    )
    by = page.locator(".prov .by").first
    by.click()
    citing = page.locator(".citing .go").first
    citing.wait_for()
    # The links of the text that is left must not be taken for those of the next.
    page.evaluate("document.querySelector('.prov').id = 'left'")
    citing.click()
    page.wait_for_selector("#left", state="detached")
    link = page.locator("a.ref.resolved[data-relation]").first
    link.wait_for()
    link.hover()
    page.wait_for_selector("[data-lib=peek]:visible .target")
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-lib=peek]", state="hidden")
    page.evaluate("document.querySelector('.prov').id = 'left'")
    link.click()
    page.wait_for_selector("#left", state="detached")
    page.wait_for_selector(".flash")

    page.click("[data-tab=statistics]")
    page.wait_for_selector(".plot svg .bars", timeout=LONG)
    page.evaluate("document.querySelector('.prov').id = 'left'")
    page.locator(".most").first.click()
    page.wait_for_selector("#left", state="detached")
    page.wait_for_selector("[data-view=read]:visible .flash")


@pytest.mark.usefixtures("own")
def test_a_name_leads_to_where_it_stands(page: Page) -> None:
    page.click("[data-tab=names]")
    page.fill("[data-lib=name-words]", "agency act")
    page.locator("[data-lib=names] [data-name]", has_text="Agency Act").first.click()
    page.wait_for_selector("[data-lib=named] mark >> text=Agency Act")
    page.locator("[data-lib=named] .go", has_text="Agency Regulation").first.click()
    page.wait_for_selector("[data-view=read]:visible [data-lib=doc] h2 >> text=Agency Regulation")


@pytest.mark.usefixtures("own")
def test_a_decision_is_kept_through_another_ingestion(page: Page, tmp_path: Path) -> None:
    page.click("[data-tab=resolve]")
    page.fill("[data-suggest]", "regulation")
    page.locator(".suggested .candidate", has_text="Agency Regulation").first.click()
    page.wait_for_selector(".case.done .verdict >> text=Agency Regulation")

    more = tmp_path / "more.md"
    more.write_text(
        "---\nid: more\ntitle: More\nlanguage: en\n---\n\n# More\n\n#### Article 1\n\nNew.\n", "utf-8"
    )
    page.click("[data-tab=add]")
    send(page, [more])
    page.click("[data-tab=read]")
    page.wait_for_selector(".line.doc >> text=More")
    page.click("[data-tab=resolve]")
    page.select_option("[data-lib=status]", "decided")
    page.wait_for_selector(".case.done >> text=Agency Regulation")
    page.click("[data-tab=read]")
    page.locator(".line.doc", has_text="Agency Act").first.click()
    link = page.locator("a.ref", has_text="Article 77")
    link.click()
    page.wait_for_function("document.querySelector('[data-lib=doc] h2').innerText === 'Agency Regulation'")
    remove(page)
