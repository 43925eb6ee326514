"""A wrong link is reported where it is met, with one key; the next case leaves it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted import current_verdicts, load_validations
from engine.extraction.judging import Ends, unjudge_link
from engine.model import Relation
from tests.browser.conftest import QUESTION, ask
from tests.conftest import SAMPLE_NAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINKS = "#passages .why button.judge"


def links(page: Page) -> set[str]:
    """The links that the trails on the page show, each as it would be reported."""
    told: list[str] = page.eval_on_selector_all(LINKS, "all => all.map(one => one.dataset.link)")
    return set(told)


def reported(page: Page) -> str:
    """Report the first link of a card by its key; as what it is reported."""
    card = page.locator("#ranked .card", has=page.locator("button[data-act=reject]")).first
    card.locator(".text").click()
    button = page.locator("#ranked .card.on button[data-act=reject]").first
    link = button.get_attribute("data-link")
    assert link is not None
    page.keyboard.press("x")
    page.wait_for_selector("#ranked .card.on .hop.wrong")
    return link


@pytest.mark.journey
def test_a_reported_link_is_gone_in_the_next_case_and_comes_back(page: Page, shown_sample: Path) -> None:
    ask(page, QUESTION)
    before = links(page)
    link = reported(page)
    try:
        ask(page, QUESTION)
        page.wait_for_selector("#ranked .card")
        assert link not in links(page)
    finally:
        source, target, relation = json.loads(link)
        unjudge_link(open_corpus(shown_sample), Ends(source, target, Relation(relation)))
    ask(page, QUESTION)
    assert links(page) == before


def test_a_report_is_taken_back_where_it_was_made(case: Page, shown_sample: Path) -> None:
    link = reported(case)
    assert [one.proposal.source_id for one in current_verdicts(load_validations(shown_sample)).values()] == [
        json.loads(link)[0]
    ]
    case.keyboard.press("x")
    case.wait_for_selector("#ranked .card.on .hop.wrong", state="detached")
    assert not current_verdicts(load_validations(shown_sample))


def test_the_key_types_a_letter_where_one_types(case: Page, shown_sample: Path) -> None:
    case.locator("#ranked .card", has=case.locator("button[data-act=reject]")).first.locator(".text").click()
    case.click("#question textarea")
    case.keyboard.press("x")
    assert case.input_value("#question textarea").replace("x", "", 1) == QUESTION.replace("x", "", 1)
    assert case.input_value("#question textarea") != QUESTION
    case.fill("#question textarea", QUESTION)
    assert not current_verdicts(load_validations(shown_sample))


def string_of(page: Page) -> tuple[int, list[str]]:
    """Click a string of the board that a text makes; its number and its link."""
    edge = page.evaluate(
        "(() => { const own = redstring.strings().filter((one) => one.first && one.link);"
        "return { id: own[0].id, link: own[0].link }; })()"
    )
    at = page.evaluate(
        "(id) => new Promise((done) => { document.addEventListener('redstring:where', (event) => "
        "done(event.detail.at), { once: true }); redstring.post({ type: 'where', string: id }); })",
        edge["id"],
    )
    box = page.locator("#board iframe").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
    page.wait_for_selector("#board .string-holder:not([hidden]) button.judge")
    return edge["id"], edge["link"]


def test_a_string_of_the_board_is_reported_and_taken_back(case: Page, shown_sample: Path) -> None:
    number, link = string_of(case)
    case.keyboard.press("x")
    case.wait_for_selector("#board .string.wrong")
    judged_ones = current_verdicts(load_validations(shown_sample)).values()
    assert {one.proposal.source_id for one in judged_ones} == {link[0]}
    # What was chosen is chosen still, so that the same key takes it back.
    assert case.evaluate("redstring.state.string") == number
    case.keyboard.press("x")
    case.wait_for_selector("#board .string.wrong", state="detached")
    assert not current_verdicts(load_validations(shown_sample))


def test_a_reference_rejected_where_it_is_read_is_struck_on_the_open_case(
    case: Page, shown_sample: Path
) -> None:
    judged_button = case.locator("#ranked .card button[data-act=reject]").first
    link = json.loads(judged_button.get_attribute("data-link") or "")
    chosen = case.evaluate("redstring.state.selected")
    case.evaluate("([corpus, id]) => redstring.readPassage(corpus, id)", [SAMPLE_NAME, link[0]])
    # The provision that makes the link, and no other document that was open before.
    at = case.locator(".prov.flash").get_attribute("data-at")
    for reference in case.locator(f".prov[data-at='{at}'] a.ref.resolved").all():
        # What the reference before showed is closed first.
        case.mouse.move(2, 2)
        case.wait_for_selector(".peek-card", state="hidden")
        reference.hover()
        case.wait_for_selector(".peek-card:not([hidden]) button.judge")
        shown = case.locator(".peek-card button.judge").first.get_attribute("data-link")
        if json.loads(shown or "") == link:
            break
    case.keyboard.press("x")
    case.wait_for_selector(".prov a.ref.rejected")
    case.wait_for_selector("#ranked .hop.wrong", state="attached")
    case.wait_for_function("redstring.strings().some((one) => one.wrong)", timeout=8000)
    assert case.evaluate("redstring.state.selected") == chosen
    case.keyboard.press("x")
    case.wait_for_selector("#ranked .hop.wrong", state="detached")
    case.wait_for_function("!redstring.strings().some((one) => one.wrong)", timeout=8000)
    assert not current_verdicts(load_validations(shown_sample))


def test_a_report_on_the_case_is_shown_and_saved(page: Page) -> None:
    ask(page, QUESTION)
    page.click("#report-ask")
    page.wait_for_selector(".report-window[open] >> text=Support score")
    with page.expect_download() as saved:
        page.click(".report-window [data-report=md]")
    assert saved.value.suggested_filename == "retrieval-audit.md"
    page.keyboard.press("Escape")
    page.wait_for_selector(".report-window[open]", state="detached")
