"""The Review view in a real browser: a queue by keys to its end, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore
from tests.browser.conftest import QUESTION, load, tab_of
from tests.browser.holding import held_back
from tests.browser.reviewing import ITEM, begin, enter, item, last, passages, press, queue_of, verdicts

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.usefixtures("links_as_they_were")
TAB = "sessionStorage.getItem('redstring-review-tab')"


@pytest.mark.journey
def test_a_queue_is_made_and_judged_to_its_end_by_keys_alone(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    page.click(".views [data-view=review]")
    page.wait_for_selector("#review .empty")
    page.focus("[data-part=name]")
    page.keyboard.type("Ann")
    page.fill("#review [name=criteria]", "It says who may grant powers.")
    page.press("[data-key=save-criteria]", "Enter")
    page.wait_for_selector("#review .banner.good >> text=Saved as version")
    for name, count in {"best": 3, "border": 0, "alone": 1, "disagreed": 0, "random": 1, "hops": 2}.items():
        page.fill(f"#review [name={name}]", str(count))
    button = page.locator(".rev-form [type=submit]")
    with held_back(page, "make-queue"):
        page.press("#review [name=hops]", "Enter")
        # Whoever waits sees so, and a second press makes no second queue.
        page.wait_for_selector(".rev-form [type=submit][aria-busy=true] >> text=Making the queue…")
        page.press("#review [name=hops]", "Enter")
        button.click()
    page.wait_for_selector(".rev-row")
    assert page.locator(".rev-row").count() == 1
    assert (button.inner_text(), button.get_attribute("aria-busy")) == ("Create queue", None)
    # Whoever made a queue stands on its button.
    page.wait_for_function("document.activeElement.textContent.startsWith('Review')")
    assert "0 of 7 judged · 7 left for you" in page.inner_text(".rev-far")
    page.keyboard.press("Enter")
    page.wait_for_selector(ITEM)
    assert page.inner_text(".rev-question") == QUESTION
    assert page.inner_text(".rev-shown p") == "It says who may grant powers."
    criteria = reviews.criteria(cases.matter())
    assert criteria is not None
    assert f"version {criteria.version}" in page.inner_text(".rev-shown")
    assert page.evaluate("document.activeElement.dataset.part") == "text"

    first = press(page, "1")
    assert "you: relevant" in last(page, "you:")
    page.wait_for_selector(".rev-progress >> text=1 of 7")
    page.keyboard.press("r")
    assert page.evaluate("document.activeElement.textContent") == "another subject"
    page.keyboard.press("Space")
    page.focus("[data-part=note]")
    page.keyboard.type("It is 3 of them, rarely.")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.part") == "text"
    second = press(page, "3")
    assert "because another subject: It is 3 of them" in last(page, "because")
    assert page.locator(".rev-chip[aria-pressed=true]").count() == 0
    for key in ("2", "1", "1", "4", "1"):
        press(page, key)
    page.wait_for_selector(".rev-figures h1 >> text=All done")
    shown = page.inner_text(".rev-figures")
    assert "7 of 7 items" in shown
    assert "Agreement needs at least two reviewers" in shown
    assert "Nowhere." in shown
    found = {key: verdict for key, _, verdict in verdicts(reviews)}
    assert len(found) == 7
    assert (found[first], found[second]) == ("relevant", "not relevant")
    held = {one.item.key: one for one in reviews.assessments(owner=EVERYBODY)}
    assert (held[second].reason, held[second].note) == ("another subject", "It is 3 of them, rarely.")
    assert held[first].criteria == criteria.version
    assert 0 < (held[first].seconds or 0) < 600
    page.click("#review .rev-figures [data-act=leave]")
    page.wait_for_selector(".rev-far >> text=nothing left for you")


def test_later_undo_and_reload_lose_nothing(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    queue = queue_of(reviews, cases, passages(kept, [f"Words {number}." for number in range(1, 6)]))
    enter(page)
    begin(page, queue)
    assert press(page, "s") == "passage:1"
    assert press(page, "2") == "passage:2"
    assert "you: partly" in last(page, "you: partly")
    page.keyboard.press("u")
    page.wait_for_selector(f"{ITEM}[data-item='passage:2']")
    assert "Taken back" in last(page, "Taken back")
    assert verdicts(reviews) == []
    # An item that an answer brought which the page has not heard: it is in none of the slots that are known.
    turn = reviews.turn(queue.id, "Ann", f"{page.evaluate(TAB)}.f")
    assert turn is not None
    # Loaded anew, it goes on by itself where it was.
    page.reload()
    page.wait_for_selector(f"{ITEM}[data-item='passage:2']")
    press(page, "1")
    assert item(page) == "passage:3"
    last(page, "you: relevant")
    seen = [press(page, "1") for _ in range(3)]
    page.keyboard.press("l")
    last(page, "later")
    # The last one that is left comes again, however often it is put off.
    assert item(page) not in seen
    press(page, "3")
    page.wait_for_selector(".rev-figures h1 >> text=All done")
    assert len(verdicts(reviews)) == 5


def test_a_tab_takes_the_item_of_a_closed_tab_and_no_item_of_an_open_one(
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
