"""Review from inside of a case in a real browser: one click to its first item, marks, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.model import Item, ItemKind, Verdict
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from tests.browser.conftest import ask
from tests.browser.reviewing import (
    HOSTILE,
    ITEM,
    begin,
    enter,
    item,
    last,
    passages,
    press,
    queue_of,
    verdicts,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

REVIEW = "[data-case-act=review]"


def test_from_a_case_to_its_first_item_and_back_with_marks(
    page: Page, reviews: ReviewStore, cases: CaseStore
) -> None:
    ask(page)
    page.wait_for_selector(REVIEW)
    shown = page.get_attribute(".case-bar", "data-case")
    page.click(REVIEW)
    # Whoever has no name yet says it, and is there.
    page.wait_for_selector(".banner >> text=Enter your name to start")
    assert reviews.queues(None, EVERYBODY) == []
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")
    page.wait_for_selector(ITEM)
    assert page.get_attribute(ITEM, "data-case") == shown
    first = press(page, "3")
    last(page, "not relevant")
    (queue,) = reviews.queues(None, EVERYBODY)
    told = next(one.item for one in reviews.items(queue.id).values() if one.item.key == first)
    reviews.judge(told, Verdict.RELEVANT, reviewer=f"Ben {HOSTILE}")
    page.click("[data-part=to-case]")
    card = f"#ranked .card[data-id='{told.passage_id}']"
    page.wait_for_selector(f"{card} .rev-mark >> text=Not relevant")
    assert "Ben" in page.inner_text(f"{card} .rev-mark")
    assert page.locator("#ranked .rev-mark").count() == 1
    assert page.get_attribute(".case-bar", "data-case") == shown
    # One click from here on, and the same queue; the way back leads to the case after a reload too.
    page.click(REVIEW)
    page.wait_for_selector(ITEM)
    before = item(page)
    page.reload()
    page.wait_for_selector(ITEM)
    assert item(page) == before
    assert len(reviews.queues(None, EVERYBODY)) == 1
    page.keyboard.press("u")
    page.wait_for_function("key => document.querySelector('.rev-item').dataset.item === key", arg=first)
    page.wait_for_selector(".rev-progress >> text=0 of")
    page.wait_for_selector("#ranked .card", state="attached")
    page.click("[data-part=to-case]")
    page.wait_for_selector(card)
    page.wait_for_function("() => !document.querySelector('#ranked .rev-mark')")
    assert page.evaluate("window.harmed") is None
    # At the end a new queue can be made, though nobody has been on the first screen since the page loaded.
    page.click(REVIEW)
    page.wait_for_selector(ITEM)
    while page.get_attribute(".rev", "data-show") == "queue":
        press(page, "1")
    page.wait_for_selector(".rev-figures h1 >> text=All done")
    page.wait_for_function("document.querySelector('[data-part=matter]').options.length > 0")


def test_sentences_are_judged_by_their_own_keys(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    said = Item(
        kept, ItemKind.SENTENCE, "sentence:0:p-1", "p-1", text=f"He may. {HOSTILE}",
        label="AC Article 1", source_text=f"(1) Nobody may. He  may. {HOSTILE}",
        source_label="AC Article 1", quote="He may.",
    )  # fmt: skip
    none = Item(kept, ItemKind.SENTENCE, "sentence:1:", "", text="Nothing says this.")
    queue = queue_of(reviews, cases, [QueuedItem(said), QueuedItem(none), *passages(kept, ["The end."])])
    enter(page)
    begin(page, queue)
    assert page.inner_text(".rev-sentence").startswith("He may. ")
    assert page.inner_text(".rev-rests mark").split() == ["He", "may."]
    assert page.is_hidden("[data-part=to-case]")
    press(page, "3")
    assert "not supported" in last(page, "you:")
    assert "It rests on no passage" in page.inner_text(ITEM)
    press(page, "s")
    press(page, "1")
    press(page, "2")
    page.wait_for_selector(".rev-figures h2 >> text=Sentences")
    found = {key: verdict for key, _, verdict in verdicts(reviews)}
    assert found == {"sentence:0:p-1": "unsupported", "sentence:1:": "wrong", "passage:1": "relevant"}
    assert page.evaluate("window.harmed") is None
