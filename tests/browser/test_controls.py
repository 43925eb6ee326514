"""Whoever moves a control gets what the control says: each is moved, and the case says with what it ran."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.settings import Preset
from tests.browser.conftest import QUESTION
from ui.controls import NAMES, Knob, knobs

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'", "ignore:The copy keyword"),
]

# Reads every control as a person does, and the table of the case; keeps what was shown at a click.
READER = (Path(__file__).parent / "controls.js").read_text(encoding="utf-8")
TYPED = {"date": "2024-05-06", "lines": "manager\npower of attorney, general"}


@pytest.fixture
def reader(page: Page) -> Page:
    """The page with all its settings open, reading them at each click on Investigate."""
    page.evaluate(READER)
    for accordion in ("#filters", "#more"):
        page.click(f"{accordion} button.label-wrap")
    page.wait_for_selector("#set-model_seconds")
    page.fill("#question textarea", QUESTION)
    return page


def control(page: Page, knob: Knob) -> Locator:
    return page.locator("#threads" if knob.name == "strategies" else f"#set-{knob.name}")


def move(page: Page, knob: Knob) -> None:
    """Give a control another value than the one it starts with, as its user does."""
    found = control(page, knob)
    if knob.kind == "boolean":
        found.locator("input").click()
    elif knob.kind == NAMES and knob.choices:
        found.locator("label:has(input)").last.click()
    elif knob.kind == "choice":
        found.locator("label:not(.selected)").last.click()
    elif found.locator("input[role=combobox]").count():
        found.locator("input[role=combobox]").click()
        page.locator("[role=option]").last.click()
        page.keyboard.press("Escape")
    elif found.locator("input[type=number]").count():
        low, high = knob.low or 0.0, knob.high or 0.0
        step = 1 if knob.kind == "integer" else 0.01
        moved = knob.default + step if knob.default + step <= high else max(low, knob.default - step)
        found.locator("input[type=number]").fill(f"{moved:g}")
    else:
        typed = TYPED.get(knob.kind, "2010" if knob.unit == "year" else "0.5" if knob.high == 1 else "7")
        found.locator("input, textarea").fill(typed)


def investigate(page: Page) -> None:
    """Ask, and hold what the case says against what was shown at the click."""
    page.evaluate("window.controls.forget()")
    page.click("#go")
    page.wait_for_function("window.controls.done()")
    assert page.locator(".banner").count() == 0, page.inner_text("#banner")
    shown: dict[str, str] = page.evaluate("window.controls.shown")
    said: dict[str, str] = page.evaluate("window.controls.said()")
    assert said.keys() == {knob.name for knob in knobs()}
    assert {name: said[name] for name in shown} == shown


def test_every_control_and_every_depth_is_what_the_case_ran_with(reader: Page) -> None:
    # Which filters there are is up to the corpus; everything else has its control.
    there = reader.evaluate("controls.all()")
    assert {knob.group for knob in knobs() if knob.name not in there} <= {"filters"}
    for preset in (*Preset, Preset.BALANCED):
        reader.locator("#depth label", has_text=preset.value.capitalize()).click()
        investigate(reader)
        words = reader.inner_text(".step.more-behind b")
        assert words == preset.value.capitalize()
    for group in dict.fromkeys(knob.group for knob in knobs()):
        offered = [knob for knob in knobs() if knob.group == group and control(reader, knob).is_visible()]
        before = reader.evaluate("controls.all()")
        for knob in offered:
            move(reader, knob)
        after = reader.evaluate("controls.all()")
        assert {name for name in after if after[name] != before[name]} >= {knob.name for knob in offered}
    investigate(reader)
