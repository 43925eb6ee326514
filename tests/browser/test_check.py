"""The Check view in a real browser: a text, its claims, what the sources say, what can be kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG = 90_000
TEXT = """# Memo 🧵

An objection must be lodged within 14 days of delivery of the decision.

- The agent shall inform the principal of the sub-delegation within thirty days.
- <img src=x onerror=window.harmed=1> A sub-agent may not sub-delegate further.

يقدم الاعتراض خلال 30 يوما من تبليغ القرار.
"""


def check(page: Page, text: str = TEXT) -> None:
    page.click(".views [data-view=check]")
    page.wait_for_function("document.querySelector('[data-chk=corpus]').options.length === 2")
    page.select_option("[data-chk=corpus]", "Republic of Meridia")
    page.fill("[data-chk=text]", text)
    page.fill("[data-chk=day]", "2024-06-01")
    page.click("[data-chk=go]")
    page.wait_for_selector(".chk-file", timeout=LONG)


def test_verdicts_quotes_and_files(page: Page, tmp_path: Path) -> None:
    page.click(".views [data-view=check]")
    page.wait_for_function("document.querySelector('[data-chk=corpus]').options.length === 2")
    page.click("[data-chk=go]")
    page.wait_for_selector("#check .banner")
    assert "no text" in page.inner_text("#check .banner")
    memo = tmp_path / "memo.md"
    memo.write_text("A sub-agent may not sub-delegate further.", encoding="utf-8")
    page.set_input_files("[data-chk=file]", memo)
    page.wait_for_function("document.querySelector('[data-chk=text]').value.includes('sub-delegate')")

    check(page)
    marks = page.locator(".chk-claim")
    assert marks.count() == 4
    first = marks.nth(0)
    assert "contradicted" in (first.get_attribute("class") or "")
    assert first.inner_text().startswith(
        "An objection must be lodged within 14 days of delivery of the decision."
    )
    assert "the source has “thirty days”, the claim has “14 days”" in page.inner_text("#chk-1")
    assert page.inner_text("#chk-1 mark.different") == "thirty days"
    assert "no longer in force" in page.inner_text("#chk-2")
    assert "2 of 4" in page.inner_text("[data-chk=axes]")
    page.click(".chk-filter.outdated")
    assert page.locator(".chk-item").count() == 1
    # A claim in the text shows what was found of it, whatever the filter was.
    marks.nth(0).press("Enter")
    assert page.locator(".chk-item").count() == 4
    assert "picked" in (page.get_attribute("#chk-1", "class") or "")
    assert page.evaluate("window.harmed") is None
    with page.expect_download() as kept:
        page.click("[data-chk=files] >> text=JSON")
    told = orjson.loads(Path(kept.value.path()).read_bytes())
    assert told["counts"]["contradicted"] == 1
    with page.expect_download() as written:
        page.click("[data-chk=files] >> text=Page")
    assert "<img" not in Path(written.value.path()).read_text(encoding="utf-8")
    # A citation leads to the reader.
    page.click("#chk-1 .chk-link >> nth=0")
    page.wait_for_selector("#library[data-here]")
    page.wait_for_function("document.querySelector('#library').innerText.includes('thirty days of delivery')")
    # A lowest grade is chosen by its letter.
    page.click(".views [data-view=check]")
    page.select_option("[data-chk=grade]", "A")
    page.fill("[data-chk=text]", "A sub-agent may not sub-delegate further.")
    page.click("[data-chk=go]")
    page.wait_for_selector("#chk-1 blockquote >> text=grade A")
