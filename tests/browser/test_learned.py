"""What was learned, in a real browser: learned, adopted, asked by it, gone back from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.corpus import open_corpus
from engine.investigation import Case
from engine.records.export import investigation_to_json
from engine.records.store.matter_weights import MatterWeights
from engine.records.store.store import CaseStore
from engine.review.items import passage_items
from engine.review.kept import QueuedItem
from engine.review.model import Verdict
from engine.review.store import ReviewStore
from engine.settings import preset
from tests.browser.conftest import QUESTION, ask
from tests.browser.reviewing import HOSTILE, enter

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.usefixtures("links_as_they_were")
ASKED = (
    QUESTION,
    "May a manager whose authority is limited confer wider powers on an agent?",
    "What may an agent be granted by a manager with limited powers?",
    "How far can a manager of limited authority delegate powers?",
    "Are powers valid that are broader than what the manager holds?",
    f"Which powers can a manager not confer on an agent? {HOSTILE}",
)


@pytest.fixture(scope="module")
def records(shown_sample: Path) -> list[dict[str, Any]]:
    """A case of each question, as the store takes it."""
    corpus, found = open_corpus(shown_sample), []
    for question in ASKED:
        case = Case(corpus, question, preset("balanced"))
        for _ in case.run():
            continue
        found.append(investigation_to_json(case.investigation()))
    return found


@pytest.fixture
def taught(cases: CaseStore, reviews: ReviewStore, records: list[dict[str, Any]], shown_sample: Path) -> str:
    """Six questions that ask much the same. Of the passages that all of them rank the lowest is said to be
    relevant, the eight best of each are not; returns that passage."""
    corpus, ranked = open_corpus(shown_sample), []
    for record in records:
        case_id = cases.keep(record, cases.matter(), application="page", who="Ann")
        items = passage_items(cases.record(case_id), case_id, corpus)
        ranked.append({item.passage_id: item for item in items if item.rank})
    of_all = set.intersection(*map(set, ranked))
    relevant = max(sorted(of_all), key=lambda one: sum(own[one].rank or 0 for own in ranked))
    for own in ranked:
        judged = [item for item in own.values() if (item.rank or 0) <= 8 or item.passage_id == relevant]
        queue = reviews.make_queue(cases.matter(), "Agency", [*map(QueuedItem, judged)], who="Ann")
        for item in judged:
            said = Verdict.RELEVANT if item.passage_id == relevant else Verdict.IRRELEVANT
            reviews.judge(item, said, reviewer="Ann", queue=queue.id)
    return relevant


@pytest.fixture
def weights(home: Path, cases: CaseStore) -> Iterator[MatterWeights]:
    """What is learned of the machine's own matter: nothing in the beginning, nor in the end."""
    with closing(MatterWeights(f"sqlite:///{home / 'cases.sqlite'}")) as found:
        yield found
        for corpus in found.corpora(cases.matter()):
            found.ship(cases.matter(), corpus, who="Ann")
            for one in [line.id for line in found.lines(cases.matter(), corpus) if line.id]:
                found.delete(cases.matter(), one)


def shown(page: Page) -> str:
    page.click("[data-key=open-learned]")
    page.wait_for_selector(".rev-learned h1")
    return page.inner_text(".rev-learned")


def test_learn_adopt_ask_again_and_go_back(
    page: Page, cases: CaseStore, taught: str, weights: MatterWeights
) -> None:
    enter(page)
    assert "6 of them with relevant passages and others" in shown(page)
    page.focus("[data-key=learn]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-key=adopt]", timeout=120_000)
    # Whoever has waited stands on what came of it.
    assert page.evaluate("document.activeElement.dataset.key") == "learned-result"
    text = page.inner_text(".rev-learned")
    assert "What it would change" in text
    assert "points" in text
    assert "Nothing of it was adopted yet." in text
    assert page.locator(".rev-gain").count() == 2
    assert page.locator(".rev-moves a[href^='?case=']").count() > 0
    assert page.evaluate("window.harmed") is None
    (corpus,) = weights.corpora(cases.matter())
    assert weights.adopted(cases.matter(), corpus) is None
    page.focus("[data-key=adopt]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rev-kept li:nth-child(2)[data-use]")
    assert page.evaluate("document.activeElement.dataset.key") == "go-back"
    adopted = weights.adopted(cases.matter(), corpus)
    assert adopted is not None
    page.click("[data-act=ask-in]")
    page.wait_for_selector("#in-matter >> text=Asked in the matter General")
    ask(page, QUESTION)
    page.wait_for_selector(".case-bar .kept >> text=Kept in General")
    kept = cases.record(page.get_attribute(".case-bar", "data-case") or "")
    assert kept["weights"] == adopted.id
    page.click("#in-matter button")
    page.wait_for_selector("#in-matter p", state="hidden")
    page.click(".views [data-view=review]")
    page.click("[data-key=go-back]")
    page.wait_for_selector(".rev-kept li:first-child[data-use]")
    assert "Gone back" in page.inner_text(".rev-learned")
    assert weights.adopted(cases.matter(), corpus) is None
    ask_again(page)
    kept = cases.record(page.get_attribute(".case-bar", "data-case") or "")
    assert "weights" not in kept


def ask_again(page: Page) -> None:
    page.click(".views [data-view=investigate]")
    before = page.get_attribute(".case-bar", "data-case")
    page.click("#go")
    page.wait_for_function(
        "id => { const bar = document.querySelector('.case-bar'); return bar && bar.dataset.case !== id && "
        "bar.textContent.includes('Kept in'); }",
        arg=before,
    )
