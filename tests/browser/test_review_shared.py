"""The Review view in a real browser: several tabs, several people, screens of all sizes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.corpus import open_corpus
from engine.records.store.store import CaseStore
from engine.review.items import hop_items
from engine.review.kept import QueuedItem
from engine.review.model import Verdict
from engine.review.store import ReviewStore
from tests.browser.conftest import SCHEMES, in_theme, load, tab_of
from tests.browser.reviewing import (
    ARABIC,
    HOSTILE,
    ITEM,
    LONG,
    begin,
    enter,
    item,
    last,
    passages,
    press,
    queue_of,
    verdicts,
)
from tests.browser.test_kept import asked, ended, public

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

__all__ = ["public"]
pytestmark = pytest.mark.usefixtures("links_as_they_were")
PHONE = {"viewport": {"width": 390, "height": 844}}


def test_a_tab_after_one_that_is_gone_has_its_item_and_one_beside_it_another(
    somebody: BrowserContext, address: str, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    queue = queue_of(reviews, cases, passages(kept, [f"Words {number}." for number in range(1, 8)]))
    first = tab_of(somebody)
    load(first, address)
    enter(first)
    begin(first, queue)
    press(first, "1")
    assert item(first) == "passage:2"
    last(first, "you: relevant")
    beside = tab_of(somebody)
    load(beside, address)
    enter(beside)
    begin(beside, queue)
    assert item(beside) not in ("passage:2", "passage:3")
    first.close(run_before_unload=False)
    after = tab_of(somebody)
    load(after, address)
    enter(after)
    begin(after, queue)
    assert item(after) == "passage:2"


def test_two_browsers_share_a_queue_and_what_one_leaves_goes_to_the_other(
    page: Page,
    somebody: BrowserContext,
    address: str,
    reviews: ReviewStore,
    cases: CaseStore,
    kept: str,
    home: Path,
) -> None:
    queue = queue_of(reviews, cases, passages(kept, [f"Words {number}." for number in range(1, 6)]))
    tab = tab_of(somebody)
    load(tab, address)
    enter(tab, "Ben")
    begin(tab, queue)
    enter(page, "Ann")
    begin(page, queue)
    # Ben has one before him and one that comes next.
    assert (item(tab), item(page)) == ("passage:1", "passage:3")
    tab.close()
    for _ in range(2):
        press(page, "1")
    page.keyboard.press("1")
    page.wait_for_selector(".rev-elsewhere >> text=The last 2 items are before somebody else")
    assert len(verdicts(reviews)) == 3
    # Nobody hears from Ben, and his time is over.
    end_leases(home)
    page.wait_for_selector(f"{ITEM}[data-item='passage:1']")
    press(page, "2")
    press(page, "2")
    page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
    assert {who for _, who, _ in verdicts(reviews)} == {"Ann"}


def end_leases(home: Path) -> None:
    """Let the time of all who have an item before them run out."""
    with closing(sqlite3.connect(home / "cases.sqlite")) as database, database:
        database.execute("UPDATE leases SET until = '2000-01-01T00:00:00.000+00:00'")


def test_a_queue_of_another_visitor_is_refused(
    somebody: BrowserContext, another: BrowserContext, public: str
) -> None:
    page = asked(somebody, public)
    ended(page)
    own = made(page, "Ann")
    tab = asked(another, public)
    ended(tab)
    other = made(tab, "Ann")
    assert tab.locator(".rev-row").count() == 1
    # At once: what the server tells meanwhile would put the button right.
    tab.evaluate(
        "([own, other]) => { const one = document.querySelector(`[data-key='enter-${own}']`);"
        " one.dataset.queue = other; one.click(); }",
        [other, own],
    )
    tab.wait_for_selector("#review .banner >> text=there is no queue")
    assert tab.locator(ITEM).count() == 0
    assert tab.is_visible(".rev-row")


def made(page: Page, name: str) -> str:
    """Make a queue of the cases of whoever looks at the page; its id."""
    enter(page, name)
    page.click("#review [type=submit] >> text=Make the queue")
    page.wait_for_selector(".rev-row")
    return str(page.get_attribute(".rev-row [data-act=enter]", "data-queue"))


def test_what_somebody_else_judged_meanwhile_is_told_and_the_next_comes(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    items = passages(kept, ["One.", "Two.", "Three."])
    queue = queue_of(reviews, cases, items)
    enter(page)
    begin(page, queue)
    reviews.judge(items[0].item, Verdict.RELEVANT, reviewer="Ben", queue=queue.id)
    assert press(page, "3") == "passage:1"
    assert last(page, "Somebody else") == "Somebody else has judged this meanwhile: take the next."
    assert item(page) == "passage:2"
    assert verdicts(reviews) == [("passage:1", "Ben", "relevant")]


@pytest.mark.parametrize("page", [{}, PHONE], indirect=True)
def test_nothing_is_wider_than_the_screen_and_the_keys_are_in_reach(
    page: Page,
    reviews: ReviewStore,
    cases: CaseStore,
    kept: str,
    record: dict[str, Any],
    shown_sample: Path,
) -> None:
    size = page.viewport_size
    assert size is not None

    def fits(what: str) -> None:
        for scheme in SCHEMES:
            in_theme(page, scheme)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width == size["width"], f"{what}, {scheme}"

    def in_reach(kind: str) -> None:
        for button in page.locator(f".rev-verdicts[data-of={kind}] button").all():
            box = button.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= size["height"]
            assert box["y"] > size["height"] * 0.6
            assert box["height"] >= 44

    hops = [QueuedItem(one, wanted=2) for one in hop_items(record, kept, open_corpus(shown_sample))[:2]]
    reviews.write_criteria(cases.matter(), LONG, who="Ann")
    queue = queue_of(
        reviews, cases, [*passages(kept, [LONG * 3, HOSTILE, ARABIC, "x" * 3000]), *hops], "L" * 200
    )
    reviews.judge(hops[0].item, Verdict.USELESS, reviewer="Ben", queue=queue.id, note="x" * 1500)
    enter(page)
    fits("queues")
    begin(page, queue)
    for _ in range(4):
        fits(item(page))
        in_reach("passage")
        page.keyboard.press("r")
        fits("reasons")
        page.keyboard.press("Escape")
        press(page, "2")
    fits("a hop")
    in_reach("hop")
    assert page.evaluate("document.querySelector('[data-part=text]').scrollWidth <= innerWidth")
    press(page, "1")
    last(page, "Ben")
    fits("what another says")
    page.keyboard.press("1")
    page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
    page.wait_for_selector(".rev-apart-list")
    fits("figures")
