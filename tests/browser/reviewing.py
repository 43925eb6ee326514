"""What tests of the Review view begin with: a kept case, items of it, and a page that judges them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.kept import QueuedItem
from engine.review.model import Item, ItemKind
from engine.review.store import ReviewStore

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from engine.review.kept import Queue

LONG = "A manager shall keep the register of powers of attorney up to date. " * 60
ITEM = ".rev-item"
HOSTILE = '"><img src=x onerror=window.harmed=1><script>window.harmed=1</script>'
ARABIC = "لا يجوز للوكيل أن ينيب غيره إلا بإذن صريح من الموكل."


def verdicts(reviews: ReviewStore) -> list[tuple[str, str, str]]:
    """What stands: the item, who said it, the verdict."""
    return [
        (one.item.key, one.reviewer, one.verdict.value)
        for one in reviews.assessments(owner=EVERYBODY, stands=True)
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
    """A queue of the machine's own matter."""
    return reviews.make_queue(cases.matter(), name, items, who="Ann", settings=settings)


def enter(page: Page, name: str = "Ann") -> None:
    """Open the view under a name."""
    page.evaluate("name => localStorage.setItem('redstring-reviewer', name)", name)
    page.reload()
    page.wait_for_selector(".views [data-view=review]")
    page.click(".views [data-view=review]")
    page.wait_for_selector("#review :is(.rev-list, .empty)")


def begin(page: Page, queue: Queue | str) -> None:
    """Begin to judge a queue of the list."""
    identity = queue if isinstance(queue, str) else queue.id
    page.click(f"[data-key='enter-{identity}']")
    page.wait_for_selector(ITEM)


def item(page: Page) -> str:
    """The item that is shown, by its key."""
    return str(page.get_attribute(ITEM, "data-item"))


def press(page: Page, key: str) -> str:
    """Press a key and wait for another item, or for the end; returns the item that was there."""
    before = item(page)
    page.keyboard.press(key)
    page.wait_for_function(
        "key => document.querySelector('.rev').dataset.show === 'figures' || "
        "(document.querySelector('.rev-item') && document.querySelector('.rev-item').dataset.item !== key)",
        arg=before,
    )
    return before


def last(page: Page, words: str) -> str:
    """What was said last, once it says some words."""
    page.wait_for_selector(f".rev-last >> text={words}")
    return page.inner_text(".rev-last")


# Counts, in the page, milliseconds from a key to the next item on the screen.
WATCH = """() => {
  window.took = [];
  let pressed = 0;
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  const shown = () => {
    const at = pressed;
    pressed = 0;
    if (at) requestAnimationFrame(() => window.took.push(performance.now() - at));
  };
  new MutationObserver((changes) => {
    if (document.querySelector(".rev-holder .rev-item")) shown();
  }).observe(document.querySelector(".rev-holder"), { childList: true });
}"""
