"""The page of a case as a browser opens it from a folder: nothing is fetched, nothing complains, all fits."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.corpus import open_corpus
from engine.exports.case_page import case_page
from engine.exports.cases import ExportableCase
from engine.investigation import Case
from engine.settings import preset
from tests.browser.conftest import QUESTION, SCHEMES, ColorScheme
from tests.engine.investigation.story import record_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def written(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = open_corpus(sample_folder)
    case = Case(
        corpus, f"{QUESTION} <img src=x onerror=window.harmed=1>", preset("quick"), day=date(2026, 6, 1)
    )
    list(case.run())
    record = record_of(case)
    page = tmp_path_factory.mktemp("case") / "case.html"
    page.write_text(case_page(ExportableCase(record, corpus=corpus)), encoding="utf-8")
    return page


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_it_opens_in_peace(
    browser: Browser, written: Path, width: int, height: int, scheme: ColorScheme
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(written.as_uri())
    assert said == []
    assert asked == [written.as_uri()]
    assert page.evaluate("window.harmed") is None
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ink, ground = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert (ground == "rgb(23, 23, 26)") is (scheme == "dark")
    assert ink != ground
    page.locator(".drawing a[href]").first.click()
    assert "#p-" in page.url
    page.close()
