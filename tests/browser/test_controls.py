"""Whoever moves a control gets what the control says: each is moved, and the case says with what it ran."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.settings import Preset
from tests.browser.conftest import QUESTION
from ui.investigate.controls import NAMES, Knob, knobs

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Reads every control as a person does, and the table of the case; keeps what was shown at a click.
READER = (Path(__file__).parent / "controls.js").read_text(encoding="utf-8")
TYPED = {"date": "2024-05-06", "lines": "manager\npower of attorney, general"}


@pytest.fixture
def reader(page: Page) -> Page:
    """The page with all its settings open, reading them at each click on Investigate."""
    page.evaluate(READER)
    for accordion in ("#filters", "#more"):
        page.click(f"{accordion} button.label-wrap")
    page.wait_for_selector("#set-time_budget")
    return page


def control(page: Page, knob: Knob) -> Locator:
    return page.locator("#threads" if knob.name == "strategies" else f"#set-{knob.name}")


def typed(knob: Knob, *, number: bool) -> str:
    """Another value than the one a field starts with, as its user types it."""
    if number:
        low, high = knob.low or 0.0, knob.high or 0.0
        step = 1 if knob.kind == "integer" else 0.01
        return f"{knob.default + step if knob.default + step <= high else max(low, knob.default - step):g}"
    if knob.name == "hypothetical_language":
        return "de"
    if knob.name == "stop_when":
        return "coverage >= 0.99\nefficiency < 0.01"
    return TYPED.get(knob.kind, "2010" if knob.unit == "year" else "0.5" if knob.high == 1 else "7")


def move(page: Page, offered: list[Knob]) -> None:
    """Give controls another value than the one they start with, as their user does."""
    fields = []
    for knob in offered:
        found = control(page, knob)
        kinds: list[str] = found.locator("input, textarea").evaluate_all(
            "all => all.map(one => one.getAttribute('role') || one.type)"
        )
        if knob.kind == "boolean":
            found.locator("input").click()
        elif knob.kind == NAMES and knob.choices:
            found.locator("label:has(input)").last.click()
        elif knob.kind == "choice":
            found.locator("label:not(.selected)").last.click()
        elif "combobox" in kinds:
            found.locator("input[role=combobox]").click()
            page.locator("[role=option]").last.click()
            page.keyboard.press("Escape")
        elif "date" in kinds:
            found.locator("input").fill(typed(knob, number=False))
        else:
            fields.append((knob.name, typed(knob, number="number" in kinds)))
    page.evaluate("fields => controls.type(fields)", fields)


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
    depths = [preset for preset in Preset if preset is not Preset.BALANCED]
    # What the case ran with is told whether it found anything or not.
    reader.fill("#question textarea", "zzyzx qwxyz")
    for preset in (*depths, Preset.BALANCED):
        reader.locator("#depth label", has_text=preset.value.capitalize()).click()
        investigate(reader)
        words = reader.inner_text(".step.more-behind b")
        assert words == preset.value.capitalize()
    reader.fill("#question textarea", QUESTION)
    before = reader.evaluate("controls.all()")
    for group in dict.fromkeys(knob.group for knob in knobs()):
        offered = [knob for knob in knobs() if knob.group == group and knob.name in before]
        move(reader, offered)
        after = reader.evaluate("controls.all()")
        assert {name for name in after if after[name] != before[name]} >= {knob.name for knob in offered}
        before = after
    investigate(reader)
