from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import QUESTION, ask
from tests.browser.test_models import connect, scripted
from tests.engine.answers.models import filled, said, truthful
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

RULE = "A manager of a company may not confer on an agent broader powers"


def to_answer(page: Page) -> None:
    page.locator("[data-tab=answer]:visible, #switch [data-pane=answer]:visible").first.click()
    page.wait_for_selector(".answer-head")


def highlighted(page: Page) -> str:
    """The words that are marked in a card for a citation."""
    said: str = page.evaluate(
        "() => [...(CSS.highlights.get('cited') || [])].map(range => range.toString()).join('|')"
    )
    return said


@pytest.mark.journey
def test_the_brief_is_there_when_the_case_ends(case: Page) -> None:
    to_answer(case)
    texts = case.locator(".say .words").all_inner_texts()
    assert any(text.startswith(RULE) for text in texts)
    assert case.locator(".say").count() == case.locator(".say.full").count() > 2
    assert "makes an exception" in case.locator(".conflicts").inner_text()
    assert case.locator("#ranked").is_hidden()


def test_a_chip_shows_its_quote_and_leads_to_the_passage_and_the_board(case: Page) -> None:
    to_answer(case)
    chip = case.locator(".say", has_text=RULE).locator(".source").first
    chip.hover()
    quote = case.locator("#quote-shown")
    assert quote.locator("mark").inner_text().startswith(RULE)
    box, view = quote.bounding_box(), case.viewport_size
    assert box is not None
    assert view is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= view["width"]
    chip.click()
    card = case.locator("#passages .card.on")
    assert card.is_visible()
    assert "commercial-agency-code/art-14/para-2" in str(card.get_attribute("data-members"))
    assert highlighted(case).startswith(RULE)
    assert case.locator("#quote-shown").count() == 0
    # Back to the answer, and away with what was marked on the next question.
    case.locator("#passages-head [data-tab=answer]").click()
    assert case.locator("#answer").is_visible()


def test_the_keyboard_reaches_the_quotes(case: Page) -> None:
    to_answer(case)
    case.locator("#passages-head [data-tab=answer]").focus()
    for _ in range(12):
        case.keyboard.press("Tab")
        if case.locator("#quote-shown").count():
            break
    assert case.locator("#quote-shown").is_visible()
    case.keyboard.press("Escape")
    assert case.locator("#quote-shown").count() == 0


def test_the_answer_can_be_copied(case: Page) -> None:
    case.context.grant_permissions(["clipboard-read", "clipboard-write"])
    to_answer(case)
    case.click("[data-copy=markdown]")
    case.wait_for_selector("text=Copied")
    copied: str = case.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"# {QUESTION}")
    assert re.search(r"\[\^1\]: Commercial Agency", copied)


def test_writing_can_be_stopped_and_every_sentence_of_a_model_is_held_to_its_quotes(page: Page) -> None:
    slow = True

    def script(asked: Asked) -> Scripted:
        if asked.task == "answer" and slow:
            return Fault(seconds=60)
        if asked.task == "answer":
            true = truthful(asked)["sentences"]
            return filled(*true, said("<b onclick=window.harmed=1>Pigs</b> fly.", (1, "they fly high")))
        return filled() if asked.task == "answer again" else scripted(asked)

    with ScriptedServer(script) as server:
        connect(page, server)
        page.keyboard.press("Escape")
        ask(page)
        to_answer(page)
        page.click("[data-answer=write]")
        page.click("[data-answer=stop]")
        page.wait_for_selector(".answer[data-method=brief]")
        slow = False
        page.click("[data-answer=write]")
        page.wait_for_selector(".answer[data-method=model]")
        assert page.locator(".say.full").count() == 2
        assert page.locator(".say.none .words").inner_text() == "Pigs fly."
        assert "no support" in page.locator(".say.none .doubt").inner_text()
        assert page.evaluate("window.harmed") is None
