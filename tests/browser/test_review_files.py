"""Verdicts as files in a real browser.

What is sent is looked for where the server keeps it that was started last in a process: no other one may run
beside, so this has a file of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore
from tests.browser.reviewing import ARABIC, HOSTILE, enter, passages, queue_of, verdicts

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_verdicts_go_out_as_a_file_and_come_in_as_one(
    page: Page, reviews: ReviewStore, cases: CaseStore, kept: str, tmp_path: Path
) -> None:
    queue = queue_of(reviews, cases, passages(kept, ["One.", "Two."]))
    enter(page)
    page.click(f"[data-act=figures][data-queue='{queue.id}']")
    page.wait_for_selector(".rev-figures .rev-files")
    page.set_viewport_size({"width": 390, "height": 844})
    sent = tmp_path / f"{HOSTILE[:12]}.csv".replace("/", "")
    rows = f"case_id,key,verdict,note\n{kept},passage:1,partly,=1+1\n{kept},passage:2,relevant,{ARABIC}\n"

    def bring(text: str, told: str) -> None:
        sent.write_text(text, encoding="utf-8")
        page.set_input_files(".rev-figures [data-key=in-file]", sent)
        page.click(".rev-figures [data-key=verdicts-in]")
        page.wait_for_selector(f"#review .banner >> text={told}")
        # What came of it is in sight, wherever the form was.
        assert page.locator("#review .banner").bounding_box()["y"] >= 0  # type: ignore[index]

    bring("", "Choose a file first")
    bring(rows + f"{kept},passage:1,<img src=x onerror=window.harmed=1>,\n", "line 4: unknown verdict")
    assert verdicts(reviews) == []
    bring(rows, "2 verdicts kept")
    bring(rows, "0 verdicts kept; 2 were here before")
    assert verdicts(reviews) == [("passage:1", "Ann", "partly"), ("passage:2", "Ann", "relevant")]
    with page.expect_download() as download:
        page.click(".rev-figures [data-key=verdicts-out]")
    table = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert (table.count("\n"), "'=1+1" in table, ARABIC in table) == (3, True, True)
    assert page.evaluate("window.harmed") is None
