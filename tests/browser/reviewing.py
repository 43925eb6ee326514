"""What tests of the Review view begin with: a kept case, items of it, and a page that judges them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.model import Item, ItemKind
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from tests.tables import table

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from engine.review.queues import Queue

LONG = "A manager shall keep the register of powers of attorney up to date. " * 60
ITEM = ".rev-item"
HOSTILE = '"><img src=x onerror=window.harmed=1><script>window.harmed=1</script>'
ARABIC = "لا يجوز للوكيل أن ينيب غيره إلا بإذن صريح من الموكل."


def verdicts(reviews: ReviewStore) -> list[tuple[str, str, str]]:
    """What stands: the item, who said it, the verdict."""
    return [
        (one.item.key, one.reviewer, one.verdict.value)
        for one in reviews.assessments(owner=EVERYBODY, is_current=True)
    ]


def passages(case: str, texts: Sequence[str]) -> list[QueuedItem]:
    """Passages of a case with some words, as a queue has them."""
    return [
        QueuedItem(
            Item(
                case, ItemKind.PASSAGE, f"passage:{number}", f"p-{number}", title="Agency Code",
                label=f"AC Article {number}", text=text, strategy="scan", language="en", document_type="code",
            )
        )
        for number, text in enumerate(texts, 1)
    ]  # fmt: skip


def queue_of(
    reviews: ReviewStore, cases: CaseStore, items: Sequence[QueuedItem], name: str = "Agency", **settings: Any
) -> Queue:
    return reviews.make_queue(cases.matter(), name, items, who="Ann", settings=settings)


# Types a name as its owner does; true once the view has heard of it.
NAMED = """name => {
  const field = document.querySelector("#review [data-part=name]");
  if (!field) return false;
  field.value = name;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return localStorage.getItem("redstring-reviewer") === name;
}"""


def enter(page: Page, name: str = "Ann") -> None:
    page.wait_for_function(NAMED, arg=name)
    page.click(".views [data-view=review]")
    page.wait_for_selector("#review :is(.rev-list, .empty)")


def begin(page: Page, queue: Queue | str) -> None:
    identity = queue if isinstance(queue, str) else queue.id
    page.click(f"[data-key='enter-{identity}']")
    page.wait_for_selector(ITEM)


def item(page: Page) -> str:
    return str(page.get_attribute(ITEM, "data-item"))


# Says which item is shown, and begins to wait for another, or for the end: in the page, where nothing has to
# be asked over and over.
ARMED: str = table(__file__, "ARMED")


def press(page: Page, key: str) -> str:
    """Press a key and wait for another item, or for the end; returns the item that was there."""
    before: str = page.evaluate(ARMED)
    page.keyboard.press(key)
    page.evaluate("window.moved")
    return before


def last(page: Page, words: str) -> str:
    """What was said last, once it says some words."""
    page.wait_for_selector(f".rev-last >> text={words}")
    return page.inner_text(".rev-last")
