from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

import pytest

from engine.investigation import Case
from engine.investigation.record import Event
from tests.browser.conftest import QUESTION, ask

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

ARABIC = "هل يجوز للوكيل أن يوكل غيره؟"


def board(page: Page) -> Frame:
    handle = page.query_selector("#board iframe")
    assert handle is not None
    frame = handle.content_frame()
    assert frame is not None
    return frame


def notes(page: Page) -> list[str]:
    """The words that stand along the selected path."""
    found: list[str] = board(page).eval_on_selector_all(".note", "all => all.map(one => one.textContent)")
    return found


def place_of(page: Page, passage_id: str) -> dict[str, float]:
    """Where a passage's dot stands on the page, in px."""
    spot: dict[str, Any] = page.evaluate(
        """id => new Promise(done => {
            document.addEventListener("redstring:where", event => done(event.detail.at), { once: true });
            redstring.post({ type: "where", id });
        })""",
        passage_id,
    )
    box = page.locator("#board iframe").bounding_box()
    assert box is not None
    return {"x": box["x"] + spot["x"], "y": box["y"] + spot["y"]}


@pytest.mark.journey
def test_a_question_is_shown_round_by_round_and_ends_with_cards(page: Page) -> None:
    page.evaluate(
        """() => {
            window.seen = [];
            const told = () => {
                const line = document.querySelector(".story");
                if (line) seen.push([performance.now() - asked, line.innerText]);
            };
            const all = { subtree: true, childList: true, characterData: true };
            new MutationObserver(told).observe(document.querySelector("#story"), all);
            const now = () => { window.asked = performance.now(); };
            document.querySelector("#go").addEventListener("click", now, true);
        }"""
    )
    ask(page)
    seen: list[tuple[float, str]] = page.evaluate("seen")
    steps = [text.replace("\n", " ") for _, text in seen]
    # The example stands there until the first event.
    rounds = list(dropwhile(bool, (text.count("Round") for text in steps)))
    assert rounds == sorted(rounds), "the story only grows"
    assert any("Scan" in text and "Finished" not in text for text in steps), "the scan is told before the end"
    assert "Finished" in steps[-1]
    assert page.locator("#ranked .card").count() == 20
    assert page.locator("#ranked .card.on").count() == 1
    assert page.locator("#ranked mark").count() > 10
    print(f"\nfirst event after {seen[0][0]:.0f} ms, ranked after {seen[-1][0]:.0f} ms")
    assert seen[0][0] < 3000


@pytest.mark.journey
def test_a_case_is_steered_by_pin_dismiss_and_follow(page: Page) -> None:
    ask(page)
    cards = page.locator("#ranked .card")
    wanted, unwanted = cards.nth(5).get_attribute("data-id"), cards.nth(0).get_attribute("data-id")
    cards.nth(5).click()
    cards.nth(5).locator("[data-act=pin]").click()
    page.wait_for_function("id => document.querySelector('#ranked .card').dataset.id === id", arg=wanted)
    page.locator(f'#ranked .card[data-id="{unwanted}"]').click()
    page.locator("#ranked .card.on [data-act=dismiss]:not([data-reason])").click()
    page.wait_for_function(
        "id => ![...document.querySelectorAll('#ranked .card')].some(card => card.dataset.id === id)",
        arg=unwanted,
    )
    before = page.locator(".story .step").count()
    cards.nth(1).click()
    page.locator("#ranked .card.on [data-act=follow]").click()
    page.wait_for_function("count => document.querySelectorAll('.story .step').length > count", arg=before)
    page.wait_for_selector(".story[data-state=done]")
    assert cards.count() > 0, "it is the same case that goes on"


def test_a_document_is_read_whole_from_a_card(page: Page) -> None:
    ask(page)
    card = page.locator("#ranked .card").nth(0)
    card.click()
    source = card.get_attribute("data-id")
    card.locator("[data-act=whole]").click()
    page.wait_for_selector(".legend >> text=read whole")
    page.wait_for_selector(".story[data-state=done]")
    section = page.locator("#rest .read-whole")
    section.wait_for()
    assert section.get_attribute("data-from") == source
    assert " of " in section.locator("h3").inner_text()
    page.wait_for_function(
        """() => {
            const list = document.querySelector("#passages .list").getBoundingClientRect();
            const head = document.querySelector("#rest .read-whole h3").getBoundingClientRect();
            return head.top >= list.top - 1 && head.bottom <= list.bottom;
        }"""
    )
    assert section.locator(".card").count() > 10
    assert section.locator(".card .why", has_text="Read whole: ").count() > 0
    section.locator(".elsewhere button").first.click()
    page.wait_for_selector("#ranked .card.on")


def test_a_click_on_a_card_lights_its_trail_and_a_click_on_a_dot_finds_its_card(case: Page) -> None:
    cards = case.locator("#ranked .card")
    cards.nth(2).click()
    name = board(case).locator(".note.name")
    name.wait_for()
    first = name.inner_text()
    cards.nth(4).click()
    case.wait_for_function("card => card.classList.contains('on')", arg=cards.nth(4).element_handle())
    assert name.inner_text() != first

    wanted = cards.nth(3).get_attribute("data-id")
    assert wanted is not None
    spot = place_of(case, wanted)
    case.mouse.click(spot["x"], spot["y"])
    case.wait_for_function("id => document.querySelector('.card.on')?.dataset.id === id", arg=wanted)
    case.keyboard.press("Escape")


def test_the_quoted_words_stand_along_the_trail(case: Page) -> None:
    quoting: str | None = case.evaluate(
        """() => {
            const cards = [...document.querySelectorAll("#ranked .card")];
            const first = card => [...card.querySelectorAll(".why q")].some(q => !q.closest("details"));
            return cards.find(first)?.dataset.id;
        }"""
    )
    assert quoting is not None, "no ranked passage of this question has a quoted trail"
    case.locator(f'#ranked .card[data-id="{quoting}"]').click()
    board(case).wait_for_selector(".note.name")
    assert any(text.startswith("“") for text in notes(case)), notes(case)


def test_a_dot_without_a_card_is_shown_beside_the_board(case: Page) -> None:
    unranked: str = case.evaluate(
        """() => {
            const cards = [...document.querySelectorAll("#ranked .card")];
            const ranked = new Set(cards.flatMap(card => card.dataset.members.split("\\n")));
            return redstring.nodes().find(id => !ranked.has(id));
        }"""
    )
    case.evaluate("id => redstring.select(id, { scroll: true })", unranked)
    peek = case.locator("#peek .card.on")
    peek.wait_for()
    assert peek.get_attribute("data-id") == unranked
    assert "Search on from here" in peek.inner_text()


class SlowCase(Case):
    """A case that takes its time between events, so that there is something to cancel."""

    def run(self) -> Iterator[Event]:
        for event in super().run():
            yield event
            time.sleep(0.3)


class BrokenCase(Case):
    """A case with a fault that nobody foresaw."""

    def run(self) -> Iterator[Event]:
        yield next(super().run())
        raise ZeroDivisionError("a secret of the engine")


def test_after_a_fault_of_the_engine_a_case_can_be_cancelled_and_keeps_what_it_found(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.investigation.factory.Case", BrokenCase)
    page.fill("#question textarea", QUESTION)
    page.click("#go")
    page.wait_for_selector(".banner")
    assert "tell the operator the time" in page.inner_text(".banner")
    assert "a secret of the engine" not in page.content()
    page.wait_for_selector("#go:visible")

    monkeypatch.setattr("engine.investigation.factory.Case", SlowCase)
    # One that was asked before is answered at once, and leaves nothing to cancel.
    page.fill("#question textarea", f"{QUESTION} And who else?")
    page.click("#go")
    page.wait_for_selector(".story[data-state=running] .step[data-tip] >> text=Scan")
    assert page.locator("#go").is_hidden()
    page.click("#cancel")
    page.wait_for_selector(".story[data-state=done]")
    assert "Cancelled" in page.inner_text(".story")
    assert page.locator("#ranked .card").count() > 0
    assert page.locator("#go").is_visible()


def test_the_rest_of_the_pool_comes_on_demand(case: Page) -> None:
    assert case.locator("#rest .card").count() == 0
    case.locator("#rest .more-pool").click()
    case.wait_for_selector("#rest .card")
    assert case.locator("#rest .card").count() == 40


def test_the_board_shows_more_on_demand(page: Page) -> None:
    ask(page)
    page.wait_for_selector("[data-board=more]:visible")
    page.click("[data-board=more]")
    page.wait_for_function("/^(\\d+) of \\1$/.test(document.querySelector('[data-board=count]').textContent)")


def test_one_question_after_another_each_gets_its_own_answer(page: Page) -> None:
    ask(page, "zzyzx qwxyz")
    page.wait_for_selector("#ranked .empty")
    assert "zzyzx" in page.inner_text("#ranked .empty"), "that nothing was found is a friendly word"

    ask(page, "How high is the fee for fishing licences in lakes?")
    page.click("#passages-head [data-tab=answer]")
    page.wait_for_selector(".absent")
    assert "does not contain an answer" in page.inner_text(".absent")
    assert "fishing" in page.inner_text(".absent")
    page.click("#passages-head [data-tab=passages]")

    ask(page, ARABIC)
    cards = page.locator("#ranked .card")
    assert cards.first.get_attribute("dir") == "rtl"
    assert page.evaluate("getComputedStyle(document.querySelector('#question textarea')).direction") == "rtl"
    assert cards.locator("mark").count() > 0
