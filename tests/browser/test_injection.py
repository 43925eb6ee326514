"""The page over a corpus of attacks, with a model that obeys them: all stays text, nothing leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.ingestion.build import build_corpus
from engine.llm import suspicion
from tests.browser.conftest import give
from tests.browser.test_corpus import remove
from tests.browser.test_models import KEY, connect, traces
from tests.conftest import SAMPLE
from tests.engine.llm.server import Asked, Scripted, ScriptedServer
from tests.safety.attacking import AUDITED, QUESTIONS
from tests.safety.conftest import HEADINGS
from tests.safety.obeying import ORDERS, Obeying
from tests.safety.passages import injected

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG = 120_000
NAME = "Attacked"
# What the attacks would put on a page, and the page itself never does.
HARM = (
    "img[src='x'], [onerror], [onload], [onfocus], [ontoggle], [onclick*=harmed], object, embed, "
    "[src*='exfil.example'], [href*='exfil.example'], [action*='exfil.example'], [href^='javascript:'], "
    "[href^='data:text/html'], [style*='exfil.example']"
)


@pytest.fixture
def attacked(tmp_path: Path) -> Path:
    """A corpus with an attack of each kind, in each language by turns, and a code of law. All 200:
    ``tests.safety``."""
    attacks = {(one.kind, one.language): one for one in injected()}
    kinds, languages = (list(dict.fromkeys(names)) for names in zip(*attacks, strict=True))
    assert (len(kinds), len(languages)) == (20, 4)
    chosen = [attacks[kind, languages[at % len(languages)]] for at, kind in enumerate(kinds)]
    lines = [
        {
            "_id": one.id,
            "title": f"{HEADINGS[one.language]} ({one.id})",
            "text": one.text,
            "metadata": {"language": one.language},
        }
        for one in chosen
    ]
    path = tmp_path / "attacks.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    code = SAMPLE / "commercial-agency-code.md"
    build_corpus([path, code], tmp_path / "corpus", name=NAME, embedding="none")
    return tmp_path / "corpus"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The worst model that there can be, once it was tried. The detector is off: the page stands alone."""
    monkeypatch.setattr(suspicion, "_found", lambda text: iter(()))
    suspicion.addresses_machine.cache_clear()
    obeying = Obeying(ORDERS)

    def answer(asked: Asked) -> Scripted:
        if asked.task == "trial":
            return {"article": 12, "binding": "yes"}
        return obeying(asked)

    with ScriptedServer(answer) as listening:
        yield listening
    suspicion.addresses_machine.cache_clear()


def clean(page: Page) -> None:
    """Nothing ran, nothing was made of markup, and the key is nowhere in the browser."""
    assert page.evaluate("window.harmed === undefined")
    assert page.eval_on_selector_all(HARM, "all => all.map(one => one.outerHTML.slice(0, 200))") == []
    for frame in page.frames:
        assert frame.evaluate("window.harmed === undefined")
    assert traces(page) == []


def test_every_panel_under_attack(page: Page, home: Path, attacked: Path, server: ScriptedServer) -> None:
    """Plan, case, answer, check, links and areas, one after another; the console and the hosts that
    were asked are looked at when the page closes."""
    give(page, home, attacked, NAME)
    page.click("[data-tab=report]")
    page.wait_for_selector("[data-lib=report] .counts")
    clean(page)
    # The corpora on offer are those that were there when the page was loaded.
    page.reload()
    page.wait_for_selector("#question textarea")
    connect(page, server)
    page.keyboard.press("Escape")
    _investigate(page)
    _check(page)
    _corpus(page, server)
    assert {asked.authorization for asked in server.requests} == {f"Bearer {KEY}"}
    tasks = {asked.task for asked in server.requests}
    # What an attack can do is to fill the context, so that the brief has to do; the answer is then not asked.
    assert {"sub-questions", "reranking", "second reading", "extract"} <= tasks
    page.reload()
    page.wait_for_selector("#question textarea")
    clean(page)


def _investigate(page: Page) -> None:
    page.click(".views [data-view=investigate]")
    page.click("#corpus input")
    page.locator("[role=option]", has_text=NAME).click()
    page.fill("#question textarea", QUESTIONS["en"])
    page.click("#plan-go")
    page.wait_for_selector("#plan .plan", timeout=LONG)
    clean(page)
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]", timeout=LONG)
    page.wait_for_selector("#ranked .card")
    clean(page)
    page.locator("#ranked .card").first.click()
    page.click("#passages-head [data-tab=answer]")
    page.wait_for_selector(".answer[data-method=brief]", timeout=LONG)
    clean(page)
    page.click("[data-answer=write]")
    # An answer with fields that no schema has is refused: then the brief stays, and says why.
    page.wait_for_function(
        "() => document.querySelector('.answer[data-method=model]') ||"
        "/is a brief of the sources/.test(document.querySelector('.answer')?.textContent)",
        timeout=LONG,
    )
    clean(page)


def _check(page: Page) -> None:
    page.click(".views [data-view=check]")
    page.wait_for_function("document.querySelector('[data-chk=corpus]').options.length === 3")
    page.select_option("[data-chk=corpus]", NAME)
    page.fill("[data-chk=text]", f"{AUDITED['en']}\n\n{AUDITED['ar']}")
    page.check("[data-chk=model]")
    page.click("[data-chk=go]")
    page.wait_for_selector(".chk-file", timeout=LONG)
    for claim in page.locator(".chk-claim").all():
        claim.click()
    clean(page)


def _corpus(page: Page, server: ScriptedServer) -> None:
    page.click(".views [data-view=corpus]")
    page.locator(".book", has_text=NAME).click()
    page.wait_for_selector(".line.doc")
    clean(page)
    page.click("[data-tab=check]")
    page.wait_for_selector(".extract-form")
    page.click(".extract-form [type=submit]")
    page.wait_for_selector(".extract-form .primary", timeout=LONG)
    page.click(".extract-form .primary")
    page.wait_for_selector("[data-lib=link] .link", timeout=LONG)
    page.wait_for_selector("text=The model has read what was asked", timeout=LONG)
    clean(page)
    page.select_option("[data-wanted=origin]", "model")
    page.wait_for_selector("[data-lib=link] .link, [data-lib=link] .empty")
    clean(page)
    page.click("[data-tab=areas]")
    page.click("[data-areas=propose]")
    page.wait_for_selector(".change, .area-card", timeout=LONG)
    clean(page)
    remove(page)
