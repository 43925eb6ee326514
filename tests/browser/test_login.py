"""Logging in, in a real browser: nothing before, everything after, and one's own for oneself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher

from engine.access.users import key_of, server_secret, visitors_folder
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from tests.browser.conftest import stray_loops_collected
from tests.ui.served import served
from ui.shelf import open_library

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Tabs

PASSWORD = "correct horse"
OWN = "The files of Rita"


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Iterator[str]:
    """The address of a page that asks who one is. Rita has a corpus of her own."""
    from ui.models.connections import Connections
    from ui.page import build_page

    home = tmp_path_factory.mktemp("home")
    settings = OperatorSettings(access="login", home=home)
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    users = {name: {"role": "reviewer", "password": cheap.hash(PASSWORD)} for name in ("rita", "vera")}
    settings.users_path.write_text(json.dumps({"version": 1, "users": users}), encoding="utf-8")
    settings.users_path.chmod(0o600)
    (home / "act.md").write_text("# Act\n\n#### Article 1\n\nA manager may grant.\n", encoding="utf-8")
    folder = visitors_folder(home, key_of("rita", "login", server_secret(home)))
    assert folder is not None
    folder.mkdir(parents=True)
    build_corpus([home / "act.md"], folder / "own", name=OWN, embedding="none")
    with stray_loops_collected():
        page = build_page(open_library([sample_folder], home, settings), connections=Connections(settings))
    with served(page, settings, home / "uploads") as local:
        yield local


@pytest.fixture
def visitor(request: pytest.FixtureRequest, tabs: Tabs, closed: str) -> Iterator[Page]:
    """A browser that nobody has used, at the page to log in."""
    with tabs.lent(closed, **getattr(request, "param", {})) as page:
        page.goto(closed)
        yield page


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def corpora(page: Page) -> list[str]:
    page.locator(".views [data-view=corpus]").click()
    page.wait_for_selector(".book")
    return page.locator(".book b").all_inner_texts()


@pytest.mark.journey
def test_whoever_logs_in_finds_what_is_theirs_and_leaves_nothing_behind(visitor: Page) -> None:
    assert visitor.locator("#question").count() == 0
    log_in(visitor, "rita", "not the password")
    assert "Wrong name or password" in visitor.get_by_role("alert").inner_text()
    log_in(visitor, "rita")
    visitor.wait_for_selector("#question textarea")
    assert visitor.locator("#account span").inner_text() == "rita"
    assert OWN in corpora(visitor)
    visitor.locator("#question textarea").wait_for(state="attached")
    visitor.get_by_role("button", name="Log out").click()
    visitor.get_by_label("Password").wait_for()
    # The same browser, with the same token in its store, is somebody else now.
    log_in(visitor, "vera")
    visitor.wait_for_selector("#question textarea")
    assert corpora(visitor) == ["Republic of Meridia"]
    assert visitor.locator("[data-lib=forget]").is_hidden()


@pytest.mark.parametrize(
    "visitor", [{"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}], indirect=True
)
def test_on_a_phone_the_page_to_log_in_fits_and_comes_again_when_the_session_has_ended(visitor: Page) -> None:
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert visitor.evaluate(wide)
    log_in(visitor, "vera")
    visitor.wait_for_selector("#question textarea")
    assert visitor.evaluate(wide)
    # The session ends elsewhere.
    visitor.context.clear_cookies()
    visitor.reload()
    visitor.get_by_label("Password").wait_for()
