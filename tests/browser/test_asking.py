"""What is asked at a click is what the page shows then, however soon it comes and whatever is under way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import ui.investigate.updates
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.investigation.record import Event
from tests.browser.conftest import HOSTILE, QUESTION
from tests.tables import table
from ui.investigate.sidebar import refreshed

if TYPE_CHECKING:
    from playwright.sync_api import Page

TERMS = ".step.more-behind b"
# Steps in tasks of their own, one right after the other: faster than anybody's fingers.
AT_ONCE: str = table(__file__, "AT_ONCE")
NUMBER = "#set-rounds input[type=number]"


def at_once(page: Page, *steps: tuple[str, object]) -> None:
    page.evaluate(AT_ONCE, [list(step) for step in steps])


def finished(page: Page, words: str) -> None:
    """Wait until a case that runs with these words has ended."""
    page.wait_for_function(
        "([selector, words]) => document.querySelector('.story[data-state=done]') && "
        "document.querySelector(selector).textContent === words",
        arg=[TERMS, words],
    )


def test_what_is_moved_right_before_the_click_is_what_runs(page: Page) -> None:
    page.fill("#question textarea", QUESTION)
    at_once(page, ("depth", "Detective"), ("click", "#go"))
    finished(page, "Detective")
    assert page.locator(NUMBER).input_value() == "4"
    at_once(page, ("depth", "Quick"), ("type", [NUMBER, "3"]), ("click", "#go"))
    finished(page, "Quick, changed: rounds 3")
    page.wait_for_selector("#depth-note span:visible >> text=/^Quick, changed$/")
    at_once(
        page,
        ("click", "#depth-note button"),
        ("type", ["#question textarea", "deadline"]),
        ("enter", "#question textarea"),
    )
    finished(page, "Quick")
    page.wait_for_selector("#depth-note span", state="hidden")
    page.click("#threads label:has(input[name=entities])")
    page.click("#threads label:has(input[name=citations])")
    at_once(page, ("click", ".chip"))
    finished(page, "Quick, changed: strategies entities")
    assert page.input_value("#question textarea") == QUESTION


def test_half_a_value_and_one_out_of_range_are_named_and_one_taken_back_is_none(page: Page) -> None:
    page.locator(NUMBER).fill("3")
    page.wait_for_selector("#depth-note span:visible")
    page.locator(NUMBER).fill("2")
    page.wait_for_selector("#depth-note span", state="hidden")
    for name in ("metadata", "entities", "metadata", "entities"):
        page.click(f"#threads label:has(input[name={name}])")
    assert page.locator("#depth-note span").is_hidden(), "the order of the ticks changes nothing"

    page.click("#go")
    page.wait_for_selector(".banner >> text=no question")
    page.fill("#question textarea", QUESTION)
    page.click("#set-as_of input")
    page.keyboard.type("0203")
    page.click("#go")
    page.wait_for_selector(".banner >> text=as_of: the value is incomplete")
    page.fill("#set-as_of input", "2024-05-06")
    at_once(page, ("type", [NUMBER, "9"]), ("click", "#go"))
    page.wait_for_selector(".banner >> text=rounds: Input should be less than or equal to 5")
    at_once(page, ("type", [NUMBER, ""]), ("click", "#go"))
    page.wait_for_selector(".banner >> text=rounds: nothing is given; give a number from 0 to 5")
    page.fill(NUMBER, "0")
    page.click("#more button.label-wrap")
    stop = "#set-stop_when textarea, #set-stop_when input"
    page.fill(stop, "plenty")
    page.click("#go")
    page.wait_for_selector(".banner >> text=stop_when: 'plenty' is not a condition")
    assert "Traceback" not in page.content()
    page.fill(stop, "")
    page.click("#go")
    finished(page, "Auto, changed: rounds 0, as of 2024-05-06")
    assert page.locator(".story").inner_text().count("Round ") == 0, "the scan alone"


def test_another_corpus_takes_its_filters_along_before_it_is_asked(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:

    def slow(corpus: Corpus) -> object:
        time.sleep(1)
        return refreshed(corpus)

    monkeypatch.setattr("ui.investigate.sidebar.refreshed", slow)
    page.click("#filters button.label-wrap")
    page.click("#set-types input")
    page.locator("[role=option]").first.click()
    page.keyboard.press("Escape")
    page.click("#corpus input")
    page.locator("[role=option]", has_text=HOSTILE).click()
    page.fill("#question textarea", "harmful clause")
    page.click("#go")
    finished(page, "Auto")
    assert "A harmful clause" in page.inner_text("#ranked")


class SlowCase(Case):
    """A case that takes its time between events."""

    def run(self) -> Iterator[Event]:
        for event in super().run():
            yield event
            time.sleep(0.1)


def test_the_last_click_is_the_one_that_counts(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui.investigate.updates, "Case", SlowCase)
    page.fill("#question textarea", QUESTION)
    at_once(page, ("depth", "Detective"), ("click", "#go"), ("depth", "Quick"), ("click", "#go"))
    finished(page, "Quick")
    page.wait_for_selector("#ranked .card")
    assert page.locator("#ranked .card").count() == 10
    at_once(page, ("depth", "Thorough"), ("click", "#go"))
    page.wait_for_selector(".story[data-state=running] .step[data-tip] >> text=Scan")
    # Cancelled and asked anew, without waiting for the end of the first.
    at_once(page, ("click", "#cancel"), ("depth", "Balanced"), ("enter", "#question textarea"))
    finished(page, "Balanced")
    assert "Cancelled" not in page.inner_text(".story")
    assert page.locator("#ranked .card").count() == 20
