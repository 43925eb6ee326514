"""Grades in the browser: by kind, by document, and what they do to a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.usefixtures("own")
def test_a_kind_and_a_document_are_graded_and_given_back(page: Page) -> None:
    page.click("[data-tab=grades]")
    page.select_option("[data-grade-kind=act]", "none")
    page.wait_for_selector("text=1 document of 3 without a grade")
    page.fill("[data-lib=grade-name]", "A. Jurist <b>")
    page.select_option("[data-grade-kind=act]", "B")
    page.wait_for_selector(".grade-table >> text=A. Jurist <b>")
    page.click("[data-tab=read]")
    page.click(".line.doc >> text=Agency Act")
    page.wait_for_selector(".doc-grade >> text=the corpus's table")
    page.select_option(".doc-grade select", "E")
    page.wait_for_selector(".doc-grade >> text=by hand")
    page.click("[data-tab=grades]")
    page.wait_for_selector("text=Document, by hand")
    page.select_option(".grade-table [data-grade-document=act]", "table")
    page.wait_for_selector("text=Document, by hand", state="detached")
