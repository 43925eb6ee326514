from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.access.users import Role
from engine.operator_settings import OperatorSettings
from tests.ui.access.conftest import Browser, behind
from tests.ui.access.provider import CLIENT, SECRET, Claims, Provider
from ui.server.gate import AccessGate, entrance_of
from ui.server.login import Account, HuggingFaceEntrance


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as listening:
        yield listening


def settings_of(provider: Provider, home: Path, **more: Any) -> OperatorSettings:
    return OperatorSettings(
        access="huggingface", home=home, oauth_client_id=CLIENT, oauth_client_secret=SECRET,  # type: ignore[arg-type]
        openid_provider_url=provider.url, **more,
    )  # fmt: skip


@pytest.fixture
def browser(provider: Provider, tmp_path: Path) -> Browser:
    settings = settings_of(provider, tmp_path, operators=("anna",))
    return Browser(AccessGate(behind, settings, entrance_of(settings)), base="https://space.example")


def come_in(browser: Browser, provider: Provider) -> Any:
    away = browser.ask("GET", "/login/huggingface")
    assert away.status_code == 302
    code, state = provider.consent(away.headers["location"])
    return browser.ask("GET", f"/login/callback?code={code}&state={state}", headers={"accept": "text/html"})


def test_an_account_comes_in_with_the_role_that_the_operator_gave(
    browser: Browser, provider: Provider
) -> None:
    assert 'href="login/huggingface"' in browser.ask("GET", "/").text
    assert browser.ask("GET", "/config").status_code == 401
    back = come_in(browser, provider)
    assert (back.status_code, back.headers["location"]) == (303, "../")
    assert "SameSite=none" in back.headers["set-cookie"]
    assert "Secure" in back.headers["set-cookie"]
    told = browser.ask("GET", "/config").json()
    assert (told["name"], told["role"]) == ("anna", "operator")
    form = provider.forms[0]
    assert form["redirect_uri"] == ["https://space.example/login/callback"]
    assert "code_verifier" in form
    assert browser.ask("POST", "/logout").headers["location"] == "./"
    assert browser.ask("GET", "/config").status_code == 401


def test_roles_come_from_the_lists(provider: Provider, tmp_path: Path) -> None:
    lists = {"operators": ("anna",), "reviewers": ("rita",)}
    open_to_all = HuggingFaceEntrance(settings_of(provider, tmp_path, **lists))
    found = [open_to_all.account(name) for name in ("anna", "rita", "vera")]
    assert found == [Account(role) for role in reversed(Role)]
    listed = HuggingFaceEntrance(settings_of(provider, tmp_path, **lists, members=("vera",)))
    found = [listed.account(name) for name in ("rita", "vera", "mallory")]
    assert found == [Account(Role.REVIEWER), Account(Role.VISITOR), None]


def test_an_account_that_is_not_listed_stays_outside(provider: Provider, tmp_path: Path) -> None:
    settings = settings_of(provider, tmp_path, members=("vera",))
    browser = Browser(AccessGate(behind, settings, entrance_of(settings)), base="https://space.example")
    back = come_in(browser, provider)
    assert back.status_code == 403
    assert "has no access" in back.text
    assert browser.ask("GET", "/config").status_code == 401


def test_the_callback_of_another_login_logs_no_user_in(browser: Browser, provider: Provider) -> None:
    code, state = provider.consent(browser.ask("GET", "/login/huggingface").headers["location"])
    victim = Browser(browser.app, base="https://space.example")
    assert victim.ask("GET", f"/login/callback?code={code}&state={state}").status_code == 401
    assert browser.ask("GET", f"/login/callback?code={code}&state={state}x").status_code == 401
    assert browser.ask("GET", f"/login/callback?code={code}&state={state}").status_code == 401, "used up"
    for query in (
        "",
        "?code=x",
        "?state=x",
        "?error=access_denied",
        "?code=&state=",
        "?code=x&code=y&state=z",
    ):
        assert browser.ask("GET", f"/login/callback{query}").status_code == 401


def without(name: str) -> Any:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


def other(**claims: Any) -> Any:
    return lambda known: known | claims


@pytest.mark.parametrize(
    "mend",
    [other(aud="another"), other(exp=1), other(nonce="another"), other(iss="https://evil.example"),
     other(preferred_username=""), without("preferred_username"), without("exp")],
)  # fmt: skip
def test_a_token_that_is_not_for_us_lets_nobody_in(browser: Browser, provider: Provider, mend: Any) -> None:
    provider.mend = mend
    assert come_in(browser, provider).status_code == 401


@pytest.mark.parametrize("name", [["anna"], {"anna": 1}, 7, "anna\n", "a" * 500, "../anna"])
def test_an_invalid_name_belongs_to_no_user(browser: Browser, provider: Provider, name: Any) -> None:
    def named(claims: Claims) -> Claims:
        return claims | {"preferred_username": name}

    provider.mend = named
    assert come_in(browser, provider).status_code == 401


def test_a_provider_that_does_not_work_is_told_calmly(browser: Browser, provider: Provider) -> None:
    provider.broken = True
    answer = browser.ask("GET", "/login/huggingface")
    assert answer.status_code == 502
    assert "Traceback" not in answer.text
    provider.broken = False
    code, state = provider.consent(browser.ask("GET", "/login/huggingface").headers["location"])
    provider.broken = True
    answer = browser.ask("GET", f"/login/callback?code={code}&state={state}")
    assert answer.status_code == 502
