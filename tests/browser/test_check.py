"""The Check view in a real browser: a text, its claims, what the sources say, what can be kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from engine.corpus.confirmations import load_confirmations, standing_confirmations
from tests.browser.conftest import load

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


@pytest.mark.journey
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
    assert "the source says “thirty days”, the claim says “14 days”" in page.inner_text("#chk-1")
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


def test_a_verdict_is_confirmed_and_survives_loading_again(
    page: Page, address: str, shown_sample: Path
) -> None:
    text = (
        "An objection must be lodged within 14 days of delivery of the decision, see Article 99 of the TPR."
    )
    check(page, text)
    page.fill("[data-chk=name]", "A. Jurist <img src=x onerror=window.harmed=1>")
    page.click("#chk-1 >> text=Overrule")
    page.select_option(".chk-overrule select", "related")
    page.fill(".chk-overrule input", "<script>window.harmed=1</script>")
    page.click(".chk-overrule >> text=Overrule")
    page.wait_for_selector("#chk-1 .overruled")
    assert "By people" in page.inner_text("[data-chk=axes]")
    # The counts are those of the verdicts as they stand, on the page and in what it saves.
    assert "1 of 1 (1 by a person)" in page.inner_text("[data-chk=axes]")
    page.click(".chk-filter >> text=Related: read it 1 (1 by a person)")
    assert "(by a person; the check: " in page.inner_text("#chk-1 .chk-badge")
    page.click("#chk-1 .chk-review >> text=undo")
    page.wait_for_selector("#chk-1 .overruled", state="detached")
    assert "by a person" not in page.inner_text("[data-chk=filters]")
    page.click("#chk-1 >> text=Overrule")
    page.select_option(".chk-overrule select", "related")
    page.click(".chk-overrule >> text=Overrule")
    page.wait_for_selector("#chk-1 .overruled")
    assert page.evaluate("window.harmed") is None
    load(page, address)
    check(page, text)
    page.wait_for_selector("#chk-1 .overruled >> text=A. Jurist <img")
    with page.expect_download() as kept:
        page.click("[data-chk=files] >> text=Log")
    log = Path(kept.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as written:
        page.click("[data-chk=files] >> text=Markdown")
    assert "related: read it (1 by a person)" in Path(written.value.path()).read_text(encoding="utf-8")
    assert "SHA-256 " in log
    assert "Overruled by A. Jurist" in log
    page.click("#chk-1 .chk-review >> text=undo")
    page.wait_for_selector("#chk-1 .overruled", state="detached")
    assert not standing_confirmations(load_confirmations(shown_sample))
