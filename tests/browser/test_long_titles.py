"""Titles of documents that are long, or one word of 400 letters, stay within what shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from benchmarks.attacks.http.served import served
from engine.ingestion.build import build_corpus
from tests.browser.conftest import SCHEMES, Tabs, Watch, ask, in_theme, load, stray_loops_collected, watched
from tests.ui.corpus.conftest import ACT, REGULATION

if TYPE_CHECKING:
    from playwright.sync_api import Page

TITLES = {
    ACT: "Unbroken" + "x" * 392,
    REGULATION: "Regulation on the limits of the authority of managers and of those they grant it to, " * 5,
}
SIZES = ((1440, 900), (390, 844))
# What is wider than what it stands in, and whether the page or a part of it scrolls sideways because of that.
WIDER = """() => {
  const found = [];
  const parts = document.querySelectorAll(".card, .card *, .lib-view, .lib-view *:not(.doc-text), .book *");
  for (const one of parts) {
    const style = getComputedStyle(one);
    const is_shown = one.clientWidth && style.visibility !== "hidden" && style.display !== "inline";
    if (!is_shown || one.closest("svg, .lib-tabs")) continue;
    const clips = style.overflowX === "hidden" || style.overflowX === "clip";
    if (!clips && one.scrollWidth > one.clientWidth + 1) found.push(`${one.tagName}.${one.className}`);
  }
  if (document.scrollingElement.scrollWidth > innerWidth) found.push("page");
  return found;
}"""


@pytest.fixture(scope="module")
def long_titles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page over two laws with long titles."""
    from engine.operator_settings import OperatorSettings
    from ui.connections import Connections
    from ui.page import build_page
    from ui.shelf import open_library

    root = tmp_path_factory.mktemp("titles")
    for number, (text, title) in enumerate(TITLES.items()):
        head, _, rest = text.partition("title: ")
        law = f"{head}title: {title}\n{rest.partition(chr(10))[2]}"
        (root / f"{number}.md").write_text(law, encoding="utf-8")
    sources = [root / f"{number}.md" for number in range(len(TITLES))]
    build_corpus(sources, root / "corpus", name="Long titles", embedding="none")
    with stray_loops_collected():
        library = open_library([root / "corpus"], root / "home", OperatorSettings())
        page = build_page(library, connections=Connections(OperatorSettings()))
    with served(page, OperatorSettings(), root / "uploads") as local:
        yield local


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_long_title_stays_in_its_card(
    tabs: Tabs, long_titles: str, watch: Watch, width: int, height: int
) -> None:
    size = {"width": width, "height": height}
    with tabs.lent(long_titles, viewport=size) as page, watched(page, watch):
        load(page, long_titles)
        ask(page, "May a manager grant broader powers?")
        page.wait_for_selector(".card .cite b")
        for scheme in SCHEMES:
            in_theme(page, scheme)
            assert page.evaluate(WIDER) == []
        assert "Unbroken" in page.inner_text(".cards")
        page.evaluate("document.querySelectorAll('.card details').forEach((one) => one.open = true)")
        assert page.evaluate(WIDER) == []
        for note in page.frame_locator("#board iframe").locator(".note.name").all():
            assert note.evaluate("(one) => one.offsetWidth") <= 420
        in_corpus(page)


def in_corpus(page: Page) -> None:
    """The same of each tab of the corpus."""
    page.click(".views [data-view=corpus]")
    page.locator(".book").first.click()
    page.wait_for_selector(".lib-tabs [data-tab=statistics]")
    for tab in ("read", "names", "statistics", "grades"):
        page.click(f".lib-tabs [data-tab={tab}]")
        page.wait_for_selector(
            f".lib-tabs [data-tab={tab}][aria-selected=true], .lib-tabs [data-tab={tab}].on"
        )
        page.wait_for_function("document.querySelector('.lib-stage').textContent.includes('Unbroken')")
        assert page.evaluate(WIDER) == [], tab
