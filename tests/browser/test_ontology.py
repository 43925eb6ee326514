"""Areas and rules in a real browser: edited, saved, undone, and applied beside a case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.browser.holding import held_back

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Watch

HARM = "<img src=x onerror=window.harmed=1>"
BROAD = "May a manager with an authority of 50,000 crowns sign a power of attorney for 200,000 crowns?"
ONTOLOGY = {
    "areas": [
        {"id": "limits", "names": {"en": f"Limits {HARM}"}, "keywords": {"en": ["limits", "register", HARM]}},
        {"id": "powers", "names": {"en": "Powers"}, "keywords": {"en": ["powers"]}},
    ],
    "transactions": {"grant": ["limits"]},
    "facts": [{"id": "held", "type": "number", "names": {"en": f"Held {HARM}"}}],
    "rules": [
        {"id": "few", "names": {"en": HARM}, "when": "held < 3", "then": HARM, "because": HARM,
         "cite": ["act/art-1/para-1", HARM]},
    ],
}  # fmt: skip


def areas(page: Page) -> None:
    page.click("[data-tab=areas]")
    page.wait_for_selector("[data-lib=areas-list] > li")


def names(page: Page) -> list[str]:
    fields = page.locator(".area-card .area-name:not(.other)")
    return [fields.nth(at).input_value() for at in range(fields.count())]


def settle(page: Page, words: str) -> None:
    page.wait_for_function(
        "words => document.querySelector('.banner-slot')?.innerText.includes(words)", arg=words
    )


@pytest.mark.usefixtures("own")
def test_areas_are_edited_saved_and_undone(page: Page, tmp_path: Path, watch: Watch) -> None:
    areas(page)
    assert "No areas yet" in page.inner_text("[data-lib=areas-list]")
    (tmp_path / "ontology.yaml").write_text(yaml.safe_dump(ONTOLOGY), encoding="utf-8")
    page.set_input_files("[data-lib=areas-file]", str(tmp_path / "ontology.yaml"))
    page.wait_for_selector(".area-card >> nth=1")
    assert names(page) == [f"Limits {HARM}", "Powers"]
    assert page.is_visible("[data-lib=areas-unsaved]")
    page.wait_for_selector(".key-chip.nowhere", timeout=5000)

    # A keyword is taken off, another added, one split off; the areas change places and are merged again.
    page.click(".area-card:first-child .key-chip:nth-child(3) .drop-word")
    page.fill('.area-card:first-child [data-words="en"] .add-word', "approval")
    page.press('.area-card:first-child [data-words="en"] .add-word', "Enter")
    page.click(".area-card:first-child .key-chip:has-text('approval') >> button >> nth=0")
    page.click("text=Split off 1 keyword")
    assert names(page) == [f"Limits {HARM}", "Approval", "Powers"]
    page.fill(".area-card:nth-child(2) .area-name:not(.other)", "Approvals")
    page.press(".area-card:nth-child(2) .area-name:not(.other)", "Tab")
    page.click(".area-card:nth-child(2) [data-move='-1']")
    assert names(page) == ["Approvals", f"Limits {HARM}", "Powers"]
    page.select_option(".area-card:nth-child(3) select[aria-label='Merge into']", "approval")
    assert names(page) == ["Approvals", f"Limits {HARM}"]
    page.click(".type-row .type-area:has-text('Approvals')")
    page.fill(".type-needs:has-text('Approvals') input", "4")
    page.press(".type-needs:has-text('Approvals') input", "Tab")
    page.click("[data-areas=save]")
    settle(page, "Saved")
    page.wait_for_function("document.querySelector('[data-lib=areas-unsaved]').hidden")
    assert names(page) == ["Approvals", f"Limits {HARM}"]
    assert page.inner_text(".area-rules b") == HARM
    assert "leads" not in page.inner_text(".area-rules")

    with page.expect_download() as told:
        page.click("[data-areas=download]")
    content = yaml.safe_load(Path(told.value.path()).read_text(encoding="utf-8"))
    assert content["areas"][0]["keywords"] == {"en": ["approval", "powers"]}
    assert content["transactions"] == {"grant": ["limits", "approval"]}
    assert content["least"] == {"grant": {"approval": 4}}

    page.click(".area-card:first-child .danger")
    assert names(page) == [f"Limits {HARM}"]
    page.click("[data-areas=undo]")
    assert names(page) == ["Approvals", f"Limits {HARM}"]
    page.click("[data-areas=undo]")
    settle(page, "in force again")
    page.wait_for_selector("text=No areas yet")
    assert page.evaluate("window.harmed") is None

    # What is edited right after saving is kept.
    page.set_input_files("[data-lib=areas-file]", str(tmp_path / "ontology.yaml"))
    page.wait_for_selector(".area-card >> nth=1")
    with held_back(page, "areas"):
        page.click("[data-areas=save]")
        settle(page, "Saved")
        page.click(".area-card:first-child .danger")
    assert names(page) == ["Powers"]
    assert page.is_visible("[data-lib=areas-unsaved]")
    assert not [line for line in watch.console if line.startswith("error")]


def test_a_tab_that_is_chosen_before_the_shelf_has_come_stays_and_areas_of_others_are_read_only(
    page: Page,
) -> None:
    with held_back(page, "shelf"):
        page.click(".views [data-view=corpus]")
        page.click("[data-tab=areas]")
    page.wait_for_function("redstring.lib.state.opening !== null")
    page.evaluate("() => redstring.lib.state.opening")
    page.wait_for_selector("[data-lib=areas-list] > li")
    assert page.get_attribute("[data-tab=areas]", "aria-selected") == "true"
    assert len(names(page)) == 12
    assert page.is_visible("[data-lib=areas-may]")
    for control in ("new", "undo", "load", "save"):
        assert not page.is_visible(f"[data-areas={control}]"), control
    assert page.locator("#library").locator(".drop-word, .add-word, .area-acts").count() == 0


def ask(page: Page, question: str) -> None:
    page.fill("#question textarea", question)
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]", timeout=60_000)
    page.wait_for_selector(".rules-box", state="attached")


def test_rules_stand_beside_the_coverage_of_a_case(page: Page, watch: Watch) -> None:
    ask(page, BROAD)
    page.click(".rules-box > summary")
    assert "4 to check" in page.inner_text(".rules-box > summary")
    # The question states two facts; neither is used before somebody says so.
    assert page.locator(".stated").count() == 2
    assert page.locator(".rule.holds").count() == 0
    page.click("[data-fact=authority] .stated")
    page.wait_for_function("document.querySelector('[data-fact=authority] input').value === '50000 crowns'")
    page.click("[data-fact=scope] .stated")
    page.select_option("[data-fact=special_resolution] select", "no")
    page.wait_for_selector(".rule.holds")
    held = page.locator(".rule.holds")
    assert "without effect" in held.inner_text()
    held.locator("summary").click()
    assert "A manager of a company may not confer on an agent broader powers" in held.inner_text()
    page.fill("[data-fact=scope] input", "lots")
    page.wait_for_selector("[data-fact=scope] .fact-problem:not(:empty)")
    assert page.locator(".rule.holds").count() == 0
    assert not [line for line in watch.console if line.startswith("error")]


def test_the_concepts_of_a_question_show_their_provisions(page: Page, watch: Watch) -> None:
    ask(page, BROAD)
    assert "named" in page.inner_text(".concepts-box > summary")
    assert not page.is_visible(".concept")
    page.click(".concepts-box > summary")
    concept = page.locator(".concept", has_text="Power of attorney").first
    assert "Article 8 of the Agency Code" in concept.inner_text()
    assert "to check: who granted the powers" in concept.inner_text()
    concept.click()
    page.wait_for_selector("#filter-note:not([hidden])")
    assert "Evidence for Power of attorney" in page.inner_text("#filter-note")
    concept.click()
    page.wait_for_selector("#filter-note", state="hidden")
    page.click(".concept-map summary")
    assert "Agency Code, Article 3(4) defines Power of attorney" in page.inner_text(".concept-map")
    assert not [line for line in watch.console if line.startswith("error")]
