"""The Cases view in a real browser: found, named, judged, taken back, compared, deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from engine.corpus import open_corpus
from engine.records.store.store import CaseStore
from engine.settings import preset
from tests.browser.conftest import QUESTION
from tests.browser.test_investigate import ARABIC
from tests.engine.investigation.story import finished, record_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = '"><img src=x onerror=window.harmed=1> What is a power of attorney?'
LONG_NAME = "Vollmachtsüberschreitungsfolgenabschätzungsangelegenheit " * 3
ROWS = ".cas-list .cas-row"
Keep = Callable[..., str]


@pytest.fixture(scope="module")
def records(shown_sample: Path) -> dict[str, Any]:
    """Records of one question at two depths, as a file has them."""
    corpus = open_corpus(shown_sample)
    return {
        depth: record_of(finished(corpus, QUESTION, preset(depth), None)) for depth in ("quick", "balanced")
    }


@pytest.fixture
def store(cases: CaseStore) -> CaseStore:
    return cases


@pytest.fixture
def keep(store: CaseStore, records: dict[str, Any]) -> Keep:
    """Keep a case of whoever sits at the machine, or of another owner."""

    def one(
        question: str = QUESTION, *, depth: str = "quick", day: int = 1, owner: str = "", **named: Any
    ) -> str:
        record = {**records[depth], "question": question, "started": f"2026-01-{day:02}T10:00:00+00:00"}
        matter = store.matter(named.pop("matter", "General"), owner)
        return store.keep(record, matter, application="page", who="Ann", **named)

    return one


def enter(page: Page) -> None:
    page.click(".views [data-view=cases]")
    page.wait_for_selector("#cases :is(.cas-list, .empty)")


def opened(page: Page, case: str) -> None:
    page.click(f"[data-key='open-{case}']")
    page.wait_for_selector(f".cas-card[data-id='{case}']")


def banner(page: Page) -> str:
    page.wait_for_selector("#cases .banner")
    return page.inner_text("#cases .banner span")


def test_the_list_is_searched_and_filtered_and_opens_in_a_tab_of_its_own(page: Page, keep: Keep) -> None:
    enter(page)
    assert "No cases yet" in page.inner_text("#cases .empty")
    page.click("#cases [data-act=investigate]")
    assert page.evaluate("document.activeElement.closest('#question') !== null")

    first, arabic = keep(day=3), keep(ARABIC, day=2, matter="قضايا")
    hostile = keep(HOSTILE, day=1, name=LONG_NAME)
    enter(page)
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 3")
    hrefs = page.locator(f"{ROWS} .cas-title").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert hrefs == [f"?case={one}" for one in (first, arabic, hostile)]
    assert page.evaluate("getComputedStyle(document.querySelectorAll('.cas-title')[1]).direction") == "rtl"
    assert "ago" in page.inner_text(f"{ROWS} .cas-when >> nth=0")
    assert page.evaluate("window.harmed") is None

    page.fill("#cases [name=words]", "attorney")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 1")
    assert page.evaluate("document.activeElement.name") == "words", "whoever types goes on typing"
    page.fill("#cases [name=words]", "nothing like it")
    page.click("#cases .empty >> text=Clear filters")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 3")
    page.select_option("#cases [name=matter]", label="قضايا")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 1")
    assert page.locator(ROWS).get_attribute("data-id") == arabic
    page.click("#cases .cas-filters >> text=Clear filters")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 3")
    page.fill("#cases [name=since]", "2026-01-03")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === 1")
    # The address names the view and nothing of all that.
    assert page.url.endswith("/?view=cases")


def test_a_case_is_named_noted_judged_moved_and_handed_over(
    page: Page, store: CaseStore, keep: Keep, tmp_path: Path
) -> None:
    case = keep()
    enter(page)
    opened(page, case)
    assert page.evaluate("document.activeElement.dataset.key") == "sheet"
    page.fill(".cas-card [name=name]", "<b>Broader powers</b>")
    page.press(".cas-card [name=name]", "Tab")
    page.wait_for_selector(f"{ROWS} .cas-title >> text=<b>Broader powers</b>")
    # Whoever goes on writing loses nothing to the answer.
    assert page.evaluate("document.activeElement.name") == "notes"
    page.keyboard.type("Ask Ben.")
    page.press(".cas-card [name=notes]", "Tab")
    page.wait_for_selector(".cas-events >> text=Notes changed")
    page.fill(".cas-card [name=verdict]", "useful")
    page.check(".cas-card [name=right][value=yes]", force=True)
    page.click(".cas-card >> text=Save the verdict")
    page.wait_for_selector(f"{ROWS} .cas-verdict >> text=useful", state="attached")
    page.select_option(".cas-card [name=matter]", "new")
    page.wait_for_function("document.activeElement.dataset.key === 'new-matter'")
    page.keyboard.type("Register")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{ROWS} .cas-sub >> text=Register")
    summary = store.summary(case)
    assert (summary.name, summary.verdict, summary.verdict_right) == ("<b>Broader powers</b>", "useful", True)
    assert store.notes(case) == "Ask Ben."
    kinds = [event.kind for event in store.events(case)]
    assert kinds == ["opened", "ran", "described", "described", "judged", "moved"]
    with page.expect_download() as kept:
        page.click(".cas-files >> text=Record (JSON)")
    assert kept.value.suggested_filename == "2026-01-01-b-Broader-powers-b.json"
    assert orjson.loads(Path(kept.value.path()).read_bytes())["question"] == QUESTION
    page.click(".cas-card [data-do=verify]")
    page.wait_for_selector(f".cas-verified >> text={store.events(case)[-1].hash}")
    page.focus(".cas-card [name=name]")
    page.keyboard.press("Escape")
    assert page.locator(".cas-card").count() == 0
    assert page.evaluate("document.activeElement.dataset.key") == f"open-{case}"


@pytest.mark.journey
def test_two_cases_are_compared_side_by_side(page: Page, keep: Keep) -> None:
    quick, balanced, third = keep(day=1), keep(day=2, depth="balanced"), keep(day=3)
    enter(page)
    for case in (third, quick, balanced):
        page.check(f"[data-key='pick-{case}']")
    # Of three the last two count.
    assert not page.is_checked(f"[data-key='pick-{third}']")
    page.click("[data-act=compare]")
    page.wait_for_selector(".cas-two")
    assert page.evaluate("document.activeElement.dataset.key") == "compare"
    sides = page.locator(".cas-side")
    links = sides.locator("h2 a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert links == [f"?case={quick}", f"?case={balanced}"]
    assert "What they were given that differs" in page.inner_text(".cas-compare")
    with page.expect_download() as kept:
        page.click(".cas-compare >> text=As JSON")
    values = orjson.loads(Path(kept.value.path()).read_bytes())
    assert (values["before"], values["after"]) == (quick, balanced)
    assert f"Only here: {len(values['came'])}" in sides.nth(1).inner_text()
    page.click(".cas-compare [data-act=back]")
    assert page.is_visible(ROWS)
    assert page.is_checked(f"[data-key='pick-{quick}']")
