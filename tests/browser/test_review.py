"""The Review view in a real browser: a queue by keys to its end, nothing lost, and no queue of another."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted.validations import Judgement, judged, load_validations
from engine.model import Relation
from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.items import hop_items
from engine.review.kept import QueuedItem
from engine.review.model import Verdict
from engine.review.store import ReviewStore
from tests.browser.conftest import QUESTION, ask
from tests.browser.holding import held_back
from tests.browser.reviewing import (
    ARABIC,
    HOSTILE,
    ITEM,
    LONG,
    WATCH,
    begin,
    enter,
    item,
    last,
    passages,
    press,
    queue_of,
    verdicts,
)
from tests.browser.test_judging import links

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.usefixtures("links_as_they_were")
TAB = "sessionStorage.getItem('redstring-review-tab')"
MANY, MEDIAN, TRIES = 500, 150.0, 3


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
    page.wait_for_selector("#review .banner.good >> text=Kept: version")
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
    assert (button.inner_text(), button.get_attribute("aria-busy")) == ("Make the queue", None)
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
    page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
    shown = page.inner_text(".rev-figures")
    assert "7 of 7 items" in shown
    assert "No two reviewers have judged an item in common" in shown
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
    page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
    assert len(verdicts(reviews)) == 5


def test_others_are_seen_after_ones_own_verdict_and_differences_are_settled(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str
) -> None:
    items = [QueuedItem(one.item, wanted=2) for one in passages(kept, [HOSTILE, ARABIC, "Three.", "Four."])]
    queue = queue_of(reviews, cases, items, name=HOSTILE)
    for one in items:
        reviews.judge(
            one.item,
            Verdict.IRRELEVANT,
            reviewer="<b>Ben</b>",
            queue=queue.id,
            reason="out of date",
            note=HOSTILE,
        )
    enter(page)
    begin(page, queue)
    assert "Ben" not in page.inner_text("#review")
    assert page.inner_text(".rev-text") == HOSTILE
    press(page, "1")
    assert f"<b>Ben</b>: not relevant, because out of date: {HOSTILE}" in last(page, "<b>Ben</b>")
    assert page.evaluate("getComputedStyle(document.querySelector('.rev-text')).direction") == "rtl"
    for _ in range(2):
        press(page, "3")
    press(page, "1")
    page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
    assert "Krippendorff's alpha" in page.inner_text(".rev-figures")
    assert page.locator(".rev-apart-list > li").count() == 2
    assert f"<b>Ben</b>: not relevant, because out of date: {HOSTILE}" in page.inner_text(
        ".rev-sayings >> nth=0"
    )
    page.focus("[data-key^=settle-2] >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelectorAll('.rev-apart-list > li').length === 1")
    assert "1 settled" in page.inner_text(".rev-figures")
    assert page.evaluate("document.activeElement.dataset.key.startsWith('settle')")
    assert page.evaluate("window.harmed") is None


def test_a_verdict_on_a_hop_acts_in_the_next_case_and_is_taken_back(
    page: Page,
    reviews: ReviewStore,
    cases: CaseStore,
    kept: str,
    record: dict[str, Any],
    shown_sample: Path,
) -> None:
    ask(page, QUESTION)
    before = links(page)
    hops = {
        orjson.dumps(link_of(one)).decode(): one for one in hop_items(record, kept, open_corpus(shown_sample))
    }
    told = {orjson.dumps(orjson.loads(link)).decode(): link for link in before}
    hop = next(hops[link] for link in told if link in hops)
    link = next(told[link] for link in told if hops.get(link) is hop)
    queue = queue_of(reviews, cases, [QueuedItem(hop), *passages(kept, ["Two."])])
    enter(page)
    begin(page, queue)
    assert page.locator(".rev-side").count() == 2
    assert page.inner_text(".rev-holder mark")
    press(page, "3")
    assert "(the next case leaves the link out)" in last(page, "wrong target")
    said = judged(load_validations(shown_sample)).values()
    assert {(one.judgement, one.reviewer) for one in said} == {(Judgement.REJECTED, "Ann")}
    page.click(".views [data-view=investigate]")
    ask(page, QUESTION)
    assert link not in links(page)
    page.click(".views [data-view=review]")
    page.keyboard.press("u")
    last(page, "Taken back")
    assert not judged(load_validations(shown_sample))
    assert press(page, "4") == hop.key
    last(page, "useless")
    assert not judged(load_validations(shown_sample)), "whether a hop is of use says nothing of its link"
    page.click(".views [data-view=investigate]")
    ask(page, QUESTION)
    assert links(page) == before


def link_of(hop: Any) -> list[str]:
    """The link of a hop, from the passage that says it."""
    ends = [hop.source_id, hop.passage_id]
    return [*(reversed(ends) if hop.backward else ends), Relation(hop.relation).value]


def test_five_hundred_items_by_keys_each_followed_at_once(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [f"Provision {number}. {LONG[: 40 + 37 * (number % 60)]}" for number in range(1, MANY + 1)]
    enter(page)
    for _ in range(TRIES):
        for queue in reviews.queues(None, EVERYBODY):
            reviews.delete_queue(queue.id, EVERYBODY)
        again = cases.keep(cases.record(kept), cases.matter(), application="page", who="Ann")
        queue = queue_of(reviews, cases, passages(again, texts))
        page.click(".views [data-view=cases]")
        page.click(".views [data-view=review]")
        begin(page, queue)
        page.evaluate(WATCH)
        for place in range(MANY):
            press(page, "123"[place % 3])
        page.wait_for_selector(".rev-figures h1 >> text=Nothing is left")
        took = sorted(page.evaluate("window.took"))
        median, late = statistics.median(took), took[int(0.95 * len(took))]
        with capsys.disabled():
            print(
                f"\nkey to next item, {len(took)} items: median {median:.0f} ms, 95% {late:.0f} ms, "
                f"longest {took[-1]:.0f} ms"
            )
        assert reviews.queue(queue.id).judged == MANY
        assert len(took) >= 0.98 * MANY
        if median < MEDIAN:
            return
        page.click("#review .rev-figures [data-act=leave]")
    pytest.fail(f"the next item takes {median:.0f} ms, {TRIES} times")
