"""A corpus of one's own in a real browser: asked at once, and by meaning as soon as its vectors are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.attacks.http.served import served
from engine.operator_settings import OperatorSettings
from tests.browser.conftest import Tabs, Watch, load, stray_loops_collected, watched
from ui.shelf import open_library

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG = 150_000
# No word of it that counts is in the article that answers it.
QUESTION = "money owed by tenants"
ANSWER = "The lessee shall pay the rent in advance"
LEASE = f"""---
id: lease
title: Premises Act
language: en
---

# Premises Act

#### Article 1

{ANSWER} on the first day of each month.

#### Article 2

Dogs are kept on a lead in the yard.
"""


def statute(number: int) -> str:
    articles = "\n\n".join(
        f"#### Article {n}\n\nVessel {number} obeys rule {n} of the port." for n in range(40)
    )
    return f"---\nid: law-{number}\ntitle: Law {number}\nlanguage: en\n---\n\n# Law {number}\n\n{articles}\n"


@pytest.fixture
def alone(tmp_path: Path, shown_sample: Path, tabs: Tabs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a server on which new corpora get vectors unasked."""
    from ui.connections import Connections
    from ui.page import build_page

    # On a busy machine nobody waits for minutes.
    monkeypatch.setattr("ui.jobs.process.BEHIND", 1)
    settings = OperatorSettings(embeddings=("minilm",))
    with stray_loops_collected():
        library = open_library([shown_sample], tmp_path / "home", settings)
        page = build_page(library, connections=Connections(settings))
    watch = Watch()
    with (
        served(page, settings, tmp_path / "uploads") as local,
        tabs.lent(local, locale="en-GB") as tab,
        watched(tab, watch),
    ):
        load(tab, local)
        yield tab


def ask(page: Page) -> str:
    """The titles and texts of what is found, in the corpus of one's own."""
    page.click(".views [data-view=investigate]")
    page.evaluate("document.querySelector('.story')?.setAttribute('data-before', '')")
    page.fill("#question textarea", QUESTION)
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]:not([data-before])", timeout=LONG)
    return page.inner_text("#ranked")


def told(page: Page) -> str:
    return page.inner_text("[data-lib=vectors]")


def test_a_new_corpus_is_asked_at_once_and_then_by_meaning(alone: Page, tmp_path: Path) -> None:
    page = alone
    files = [tmp_path / "lease.md", *(tmp_path / f"law{number}.md" for number in range(12))]
    files[0].write_text(LEASE, encoding="utf-8")
    for number, path in enumerate(files[1:]):
        path.write_text(statute(number), encoding="utf-8")
    page.click(".views [data-view=corpus]")
    page.click("[data-lib=new]")
    page.fill("[name=name]", "Leases")
    page.set_input_files("[data-input=files]", [str(path) for path in files])
    assert "meaning" not in page.inner_text(".add-form"), "there is nothing to choose"
    page.click("[data-lib=go]")
    page.wait_for_selector(".banner.good", timeout=LONG)
    page.wait_for_selector("[data-lib=vectors][data-state=going]")
    page.click("[data-lib=vectors-act]")
    page.wait_for_selector("[data-lib=vectors][data-state=resting]")
    assert "what was made is kept" in told(page)

    # By words alone nothing says "tenants" or "owed".
    page.click(".views [data-view=investigate]")
    page.click("#corpus input")
    page.locator("[role=option]", has_text="Leases").click()
    assert ANSWER not in ask(page)

    page.click(".views [data-view=corpus]")
    page.click("[data-tab=read]")
    page.locator(".line.doc", has_text="Law 5").click()
    page.wait_for_function("document.querySelector('[data-lib=doc] h2')?.innerText === 'Law 5'")
    page.click("[data-lib=vectors-act]")
    page.wait_for_selector("[data-lib=vectors][data-state=going]")
    page.wait_for_selector("[data-lib=vectors] .bar:visible", timeout=LONG)
    page.wait_for_selector("[data-lib=vectors][data-state=done]", timeout=LONG)
    assert told(page) == "Searched by meaning, too (MiniLM)."
    page.wait_for_selector("text=Leases is searched by meaning now, too.")
    assert page.inner_text("[data-lib=doc] h2") == "Law 5", "whoever reads reads on"
    assert ANSWER in ask(page)
