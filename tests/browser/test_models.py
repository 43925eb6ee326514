"""Connecting a language model: a case with its help, what it cost, and no trace of the key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ask
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEY = "sk-a-very-secret-key-0123456789"


def scripted(asked: Asked) -> Scripted:
    """A model that can be connected, and that is of no use afterwards: the fallbacks take over."""
    if asked.task == "trial":
        return {"article": 12, "binding": "yes"}
    if asked.task == "probe":
        return {"first_word": asked.data["first"], "last_word": asked.data["last"]}
    return Fault(status=400, text="{}")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(scripted) as listening:
        yield listening


def fill(page: Page, server: ScriptedServer) -> None:
    page.click("#model-open")
    page.select_option("[data-model=provider]", "other")
    page.fill("[data-model=url]", server.url)
    page.fill("[data-model=name]", "scripted")
    page.fill("[data-model=key]", KEY)


def connect(page: Page, server: ScriptedServer) -> None:
    fill(page, server)
    page.click("[data-do=connect]")
    page.wait_for_selector("#model [data-model=now][data-whose=visitor]")


def traces(page: Page) -> list[str]:
    """Where the key can be found in the browser."""
    found: list[str] = page.evaluate(
        """(key) => {
            const fields = [...document.querySelectorAll("input, textarea")];
            const stores = [localStorage, sessionStorage];
            const places = {
                dom: document.documentElement.outerHTML,
                fields: fields.map((field) => field.value).join(),
                stores: stores.map((store) => JSON.stringify({ ...store })).join(),
                cookies: document.cookie,
                address: location.href,
                history: JSON.stringify(history.state),
            };
            return Object.keys(places).filter((name) => (places[name] || "").includes(key));
        }""",
        KEY,
    )
    return found


def test_a_model_is_connected_used_and_disconnected_and_the_key_is_nowhere(
    page: Page, server: ScriptedServer
) -> None:
    assert page.inner_text("#model-open") == "No model"
    assert not page.is_visible("#use-model")
    connect(page, server)
    assert "scripted answers" in page.inner_text("[data-model=result]")
    assert page.input_value("[data-model=key]") == ""
    assert traces(page) == []
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "model-open", "the focus goes back"
    assert page.inner_text("#model-open") == "scripted"
    assert page.is_checked("#use-model input"), "who brings a model wants it used"

    ask(page)
    assert page.locator("#ranked .card").count() > 0, "the case goes on without what failed"
    assert len(server.requests) > 1
    assert {asked.authorization for asked in server.requests} == {f"Bearer {KEY}"}
    assert KEY not in "".join(asked.system + asked.user for asked in server.requests)
    page.click(".story .step.cost")
    assert page.is_visible("#cost-table")
    assert "What the language model was asked" in page.inner_text("#cost-table")
    page.keyboard.press("Escape")
    assert traces(page) == []

    page.click("#model-open")
    page.click("[data-do=forget]")
    page.wait_for_selector("#model [data-model=now][data-whose=nobody]")
    assert "the key is forgotten" in page.inner_text("[data-model=result]")
    page.keyboard.press("Escape")
    assert page.inner_text("#model-open") == "No model"
    assert not page.is_visible("#use-model")
    asked = len(server.requests)
    ask(page)
    assert len(server.requests) == asked, "without a model nobody is asked"
    assert page.locator(".story .step.cost").count() == 0


def test_before_a_model_is_connected_it_is_tested_faults_are_told_calmly_and_models_are_listed(
    page: Page, server: ScriptedServer
) -> None:
    fill(page, server)
    page.click("[data-do=test]")
    page.wait_for_selector("#model [data-model=result][data-tone=good]")
    told = page.inner_text("[data-model=result]")
    assert "keeps to schemas" in told
    assert "as its context promises" in told
    assert page.inner_text("#model-open") == "No model", "a test connects nothing"
    page.keyboard.press("Escape")
    # Closing empties the field.
    page.wait_for_function("document.querySelector('[data-model=key]').value === ''")

    with ScriptedServer(lambda asked: Fault(status=401, text=f"bad key {KEY}")) as refusing:
        fill(page, refusing)
        page.click("[data-do=connect]")
        page.wait_for_selector("#model [data-model=result][data-tone=bad]")
        assert "401" in page.inner_text("[data-model=result]")
        page.fill("[data-model=url]", "ftp://example.com")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "document.querySelector('[data-model=result]').textContent.includes('https://')"
        )
    assert page.inner_text("#model-open") == "No model"
    assert KEY not in page.inner_text("[data-model=result]")

    page.fill("[data-model=url]", server.url)
    page.fill("[data-model=name]", "")
    page.click("[data-do=list]")
    page.wait_for_selector("#model-names option", state="attached")
    assert page.input_value("[data-model=name]") == "scripted", "the only one is chosen"
    page.click(".model-more summary >> text=Budget")
    page.fill("[data-model=budget-calls]", "7")
    page.keyboard.press("Escape")
    page.click("#more button.label-wrap")
    field = page.locator("#set-call_budget input, #set-call_budget textarea")
    assert field.input_value() == "7", "the budget is the one of the settings"
    field.fill("9")
    page.click("#model-open")
    page.wait_for_function("document.querySelector('[data-model=budget-calls]').value === '9'")
