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
