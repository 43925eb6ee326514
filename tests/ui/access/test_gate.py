from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import pytest
from starlette.types import ASGIApp, Message, Scope

from engine.access.audit_log import audit_log, audit_path
from engine.access.users import Role, Users, key_of, server_secret
from engine.errors import InputError
from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.ui.access.conftest import PASSWORD, Browser, behind
from ui.server.address import Addressing
from ui.server.gate import COOKIE, AccessGate, entrance_of
from ui.server.login import LARGEST_FORM, NAME_TRIES, PasswordEntrance

PAGE = {"accept": "text/html"}


@pytest.fixture
def browser(gate: ASGIApp) -> Browser:
    return Browser(gate)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/config", "/config/", "//config", "/./config", "/login/..", "/LOGIN", "/gradio_api/mcp/", "/robots.txt",
     "/gradio_api/run/investigate", "/gradio_api/component_server", "/gradio_api/queue/join", "/theme.css",
     "/gradio_api/file=/etc/passwd", "/assets/index.js", "/gradio_api/heartbeat/x", "/%2e/", "/logout/x",
     "/login/config", "/login/huggingface", "/login/callback", "/gradio_api/startup-events/x", "/?logout"],
)  # fmt: skip
def test_an_unknown_user_gets_only_the_login_page(browser: Browser, method: str, path: str) -> None:
    answer = browser.ask(method, path)
    page = method in ("GET", "HEAD") and path in ("/?logout", "/login/..")
    assert answer.status_code == (200 if page else 401)
    assert "key" not in answer.text


def test_no_socket_but_http_goes_through(gate: ASGIApp) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    scope: Scope = {"type": "websocket", "path": "/", "headers": []}

    async def run() -> None:
        await gate(scope, receive, send)

    asyncio.run(run())
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_the_login_reaches_the_application(browser: Browser, settings: OperatorSettings) -> None:
    assert "Log in" in browser.ask("GET", "/", headers=PAGE).text
    answer = browser.log_in("  RITA ")
    assert (answer.status_code, answer.json()) == (200, {"success": True})
    assert settings.home is not None
    assert browser.ask("GET", "/config").json() == {
        "name": "rita", "role": "reviewer", "address": "203.0.113.7",
        "key": key_of("rita", "login", server_secret(settings.home)),
    }  # fmt: skip
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    assert answer.headers["cache-control"] == "no-store"


def test_a_browser_is_sent_to_the_page_and_over_https_the_cookie_stays_there(gate: ASGIApp) -> None:
    browser = Browser(gate, base="https://page.example")
    answer = browser.log_in("vera", headers=PAGE)
    assert (answer.status_code, answer.headers["location"]) == (303, "./")
    assert "Secure" in answer.headers["set-cookie"]
    wrong = Browser(gate).log_in("vera", "wrong password", headers=PAGE)
    assert wrong.status_code == 401
    assert 'role="alert"' in wrong.text
    assert "set-cookie" not in wrong.headers


def test_logging_out_ends_the_session_itself(gate: ASGIApp) -> None:
    browser = Browser(gate)
    browser.log_in("vera")
    kept = dict(browser.cookies)
    assert browser.ask("GET", "/logout").json()["name"] == "vera", "a link alone logs nobody out"
    answer = browser.ask("POST", "/logout")
    assert answer.status_code == 303
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert Browser(gate, cookies=kept).ask("GET", "/config").status_code == 401
    assert Browser(gate).ask("POST", "/logout").status_code == 303


def test_the_name_of_a_session_is_the_servers_choice(gate: ASGIApp) -> None:
    planted = {COOKIE: "a-name-that-somebody-else-has-put-here"}
    browser = Browser(gate, cookies=dict(planted))
    browser.log_in("vera")
    assert browser.cookies[COOKIE] != planted[COOKIE]
    assert Browser(gate, cookies=planted).ask("GET", "/config").status_code == 401


@pytest.mark.parametrize("cookie", ["", "x" * 5000, "\x7f", "a;b", "a=b", '"'])
def test_a_cookie_that_is_none(gate: ASGIApp, cookie: str) -> None:
    answer = Browser(gate).ask("GET", "/config", headers={"cookie": f"{COOKIE}={cookie}"})
    assert answer.status_code == 401


def test_a_session_ends_with_its_user_and_follows_the_role(
    browser: Browser, settings: OperatorSettings
) -> None:
    browser.log_in("vera")
    users = Users(settings.users_path)
    users.change_role("vera", Role.OPERATOR)
    assert browser.ask("GET", "/config").json()["role"] == "operator"
    users.remove("vera")
    assert browser.ask("GET", "/config").status_code == 401


def test_a_broken_users_file_closes_the_door_and_tells_nothing(
    browser: Browser, settings: OperatorSettings
) -> None:
    browser.log_in("vera")
    settings.users_path.write_bytes(b"{broken")
    for answer in (browser.ask("GET", "/config"), browser.log_in("anna")):
        assert answer.status_code == 503
        assert str(settings.users_path) not in answer.text


@pytest.mark.parametrize(
    ("content", "type", "status"),
    [
        (b"username=anna&password=" + PASSWORD.encode(), "text/plain", 415),
        (b'{"username":"anna","password":"correct horse"}', "application/json", 415),
        (b"x" * (LARGEST_FORM + 1), "application/x-www-form-urlencoded", 413),
        (b"username=anna&password=" + b"%ff" * 12, "application/x-www-form-urlencoded", 401),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b"", "application/x-www-form-urlencoded", 401),
        (b"username=anna", "application/x-www-form-urlencoded", 401),
        (b"username=anna&username=rita&password=correct+horse", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a%d=1" % number for number in range(50)), "application/x-www-form-urlencoded", 400),
        (b"username=anna%00&password=correct+horse", "application/x-www-form-urlencoded", 401),
    ],
)  # fmt: skip
def test_a_form_that_is_none(browser: Browser, content: bytes, type: str, status: int) -> None:
    answer = browser.ask("POST", "/login", content=content, headers={"content-type": type})
    assert answer.status_code == status
    assert COOKIE not in browser.cookies


def test_who_guesses_is_slowed_by_name_and_the_owner_is_not_kept_out(gate: ASGIApp) -> None:
    at_home = Browser(gate, address="198.51.100.1")
    assert at_home.log_in("anna").status_code == 200
    tries = [Browser(gate, address=f"203.0.113.{number}").log_in("anna", "guess") for number in range(8)]
    assert [answer.status_code for answer in tries] == [401] * NAME_TRIES + [429] * 3
    assert int(tries[-1].headers["retry-after"]) >= 30
    assert Browser(gate, address="203.0.113.99").log_in("anna").status_code == 429, "even with the password"
    assert at_home.log_in("anna").status_code == 200


def test_who_guesses_at_many_names_is_slowed_by_address(
    settings: OperatorSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.server.login.ADDRESS_TRIES", 2)
    gate = Addressing(AccessGate(behind, settings, PasswordEntrance(settings, lambda: 0.0)))
    # Of IPv6 somebody has 2^64 addresses to choose from.
    addresses = ("2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::", "2001:db8:0:1::3")
    names = ("anna", "rita", "vera", "nobody")
    asking = zip(addresses, names, strict=True)
    tries = [Browser(gate, address=one).log_in(name, "guess") for one, name in asking]
    assert [answer.status_code for answer in tries] == [401, 401, 429, 429]
    assert Browser(gate, address="2001:db8:0:2::1").log_in("vera").status_code == 200


def test_what_happens_at_the_door_is_written_down(gate: ASGIApp, settings: OperatorSettings) -> None:
    with audit_log(settings):
        browser = Browser(gate)
        browser.log_in("anna", "not the password")
        browser.log_in("a password in the wrong field", "")
        browser.log_in("anna")
        browser.ask("POST", "/logout")
    text = audit_path(settings).read_text(encoding="utf-8")
    lines = [orjson.loads(line) for line in text.splitlines()]
    assert [(line["who"], line["action"], line["outcome"]) for line in lines] == [
        ("anna", "log in failed", "refused"), ("(no user)", "log in failed", "refused"),
        ("anna", "log in", "done"), ("anna", "log out", "done"),
    ]  # fmt: skip
    secrets = ("not the password", "wrong field", PASSWORD, *browser.cookies.values(), browser.address)
    assert not any(secret in text for secret in secrets)


def test_without_users_the_server_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="python -m engine users add"):
        entrance_of(OperatorSettings(access="login", home=tmp_path))
    with pytest.raises(InputError, match="OAUTH_CLIENT_ID"):
        entrance_of(OperatorSettings(access="huggingface", home=tmp_path))


def test_passwords_over_a_bare_network_are_warned_of(
    settings: OperatorSettings, caplog: pytest.LogCaptureFixture
) -> None:
    entrance_of(settings)
    entrance_of(settings.changed(host=ANYWHERE, trusted_proxies=("10.0.0.1",)))
    assert "TLS" not in caplog.text
    entrance_of(settings.changed(host=ANYWHERE))
    assert "unless a proxy ends TLS" in caplog.text
