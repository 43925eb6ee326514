from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from tests.tables import table
from tests.ui.raw import API, Raw
from ui.server.address import allowed, host_of
from ui.server.app import entry

QUESTION = "May a manager grant broader powers?"
OURS = allowed(OperatorSettings(hosts=("law.example", "LAW2.example:8443")))
SPACE = allowed(OperatorSettings(host="0.0.0.0", space_id="who/law", space_host="Who-Law.hf.space"))


@pytest.mark.parametrize(
    ("authority", "name"),
    table(__file__, "test_a_host_is_a_name_and_a_port_and_nothing_else"),
)
def test_a_host_is_a_name_and_a_port_and_nothing_else(authority: str, name: str | None) -> None:
    assert host_of(authority) == name


@pytest.mark.parametrize(
    ("authority", "expected"),
    table(__file__, "test_only_listed_names_are_answered_to"),
)
def test_only_listed_names_are_answered_to(authority: str, expected: bool) -> None:
    assert OURS.host(authority) is expected


def test_a_server_on_all_addresses_answers_to_addresses_and_not_to_names() -> None:
    assert SPACE.host("192.168.1.7:7860")
    assert SPACE.host("who-law.hf.space")
    assert not SPACE.host("other-law.hf.space")
    assert not SPACE.host("evil.example")
    assert SPACE.frames == ("https://huggingface.co", "https://who-law.hf.space")


def test_a_space_is_found_by_what_it_is_told() -> None:
    assert entry(OperatorSettings(host="0.0.0.0", space_id="who/law", space_host="who-law.hf.space")).proxies
    elsewhere = entry(OperatorSettings(host="0.0.0.0", space_host="who-law.hf.space"))
    assert not elsewhere.proxies
    assert not elsewhere.names.host("who-law.hf.space")


@pytest.mark.parametrize("name", ["https://law.example", "law example", "*", "a/b"])
def test_a_wrong_host_is_named(name: str) -> None:
    with pytest.raises(InputError, match="no name of a host"):
        allowed(OperatorSettings(hosts=(name,)))


@pytest.mark.parametrize(
    ("origin", "authority", "expected"),
    table(__file__, "test_a_page_may_ask_the_server_it_came_from"),
)
def test_a_page_may_ask_the_server_it_came_from(origin: str, authority: str, expected: bool) -> None:
    assert OURS.origin(origin, authority) is expected


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "*"])
@pytest.mark.parametrize(
    "target", ["/", "/config", f"{API}/call/investigate", f"{API}/mcp/", f"{API}/component_server/"]
)
def test_a_rebound_name_reads_nothing(raw: Raw, host: str, target: str) -> None:
    body = b'{"data": ["?"]}'
    for method in ("GET", "POST"):
        sent = [("Content-Type", "application/json")] if method == "POST" else []
        answer = raw.ask(method, target, sent, body if method == "POST" else b"", host=host)
        assert answer.status in (400, 421)
        assert b"data" not in answer.body


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["Host: localhost", "Host: evil.example"],
        ["Host: localhost", "HOST: localhost"],
        ["Host: evil.example", "X-Forwarded-Host: localhost\x00"],
        ["Host : localhost"],
        [" Host: localhost"],
        ["Host: localhost:7860@evil.example"],
        ["Host: localhost\tevil.example"],
    ],
)
def test_a_request_names_one_host(raw: Raw, hosts: list[str]) -> None:
    head = "\r\n".join(["GET /config HTTP/1.1", *hosts, "Connection: close"])
    assert raw.send(head.encode() + b"\r\n\r\n").status in (0, 400, 421)


def test_an_absolute_target_does_not_stand_in_for_the_host(raw: Raw) -> None:
    assert raw.ask("GET", f"http://{raw.authority}/config", host="evil.example").status in (400, 404, 421)
    assert raw.ask("GET", "http://evil.example/config").status in (400, 404)
    assert raw.ask("CONNECT", "evil.example:443").status in (400, 404, 405)


@pytest.mark.parametrize(
    "headers",
    [
        [("Origin", "https://evil.example")],
        [("ORIGIN", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "")],
        [("Origin", "http://localhost:3000")],
        [("Origin", "OURS"), ("Origin", "https://evil.example")],
        [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
        [("Sec-Fetch-Site", "invented")],
    ],
)
def test_a_page_of_another_site_changes_nothing(raw: Raw, headers: list[tuple[str, str]]) -> None:
    given = [(name, f"http://{raw.authority}" if value == "OURS" else value) for name, value in headers]
    for target in (f"{API}/component_server/", f"{API}/upload", f"{API}/mcp/", f"{API}/cancel"):
        assert raw.post(target, {}, given).status == 403


def test_a_page_that_is_named_may_ask_and_read_and_no_other(raw: Raw) -> None:
    preflight = [
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    ]
    asked = raw.ask("OPTIONS", f"{API}/reset", [("Origin", "https://portal.example"), *preflight])
    assert asked.headers["access-control-allow-origin"] == "https://portal.example"
    welcome = raw.post(f"{API}/call/corpora", {"data": []}, [("Origin", "https://portal.example")])
    assert welcome.status == 200
    assert welcome.headers["access-control-allow-origin"] == "https://portal.example"
    for origin in ("https://evil.example", f"http://{raw.authority}", "null"):
        answer = raw.ask("OPTIONS", f"{API}/reset", [("Origin", origin), *preflight])
        assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-credentials" not in answer.headers


def test_a_link_from_elsewhere_leads_to_the_page_and_nowhere_else(raw: Raw) -> None:
    followed = [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "document"),
    ]
    assert raw.ask("GET", "/?case=1", followed).status == 200
    assert raw.ask("GET", "/config", followed).status == 403
    assert raw.ask("GET", "/config", [("Sec-Fetch-Site", "same-origin")]).status == 200
    assert raw.ask("GET", "/config", [("Sec-Fetch-Site", "none")]).status == 200
