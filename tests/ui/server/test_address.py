from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Scope

from engine.errors import InputError
from tests.tables import table
from ui.server.address import VISITOR, Addressing, Visitor, group, is_local_request, networks, parsed


@pytest.mark.parametrize(
    ("headers", "client", "local"),
    [
        ({"host": "127.0.0.1:7860"}, "127.0.0.1", True),
        ({"host": "localhost:7860", "origin": "http://localhost:7860"}, "::1", True),
        ({"host": "[::1]:7860"}, "::ffff:127.0.0.1", True),
        ({"host": "localhost:7860"}, "192.168.1.7", False),
        ({"host": "page.example"}, "127.0.0.1", False),
        ({"host": "127.0.0.1.page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "https://page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "null"}, "127.0.0.1", False),
        ({"host": "localhost", "x-forwarded-for": "1.2.3.4"}, "127.0.0.1", False),
        ({"host": "localhost", "forwarded": "for=1.2.3.4"}, "127.0.0.1", False),
        ({}, "127.0.0.1", False),
    ],
)
def test_who_is_at_the_machine_itself(headers: dict[str, str], client: str, local: bool) -> None:
    assert is_local_request(headers, client) is local


@pytest.mark.parametrize(
    ("text", "expected"),
    table(__file__, "test_an_address_is_counted_by_its_network"),
)
def test_an_address_is_counted_by_its_network(text: str, expected: str) -> None:
    assert group(parsed(text)) == expected


def settled(peer: str, headers: dict[str, str], *proxies: str) -> Scope:
    seen: list[Scope] = []

    async def app(scope: Scope, receive: object, send: object) -> None:
        seen.append(scope)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "client": (peer, 1), "headers": raw, "scheme": "http", "path": "/"}

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError

    asyncio.run(Addressing(app, networks(proxies))(scope, receive, send))
    return seen[0]


def test_headers_of_an_unknown_proxy_are_ignored_and_no_client_is_local_behind_it() -> None:
    said = {"host": "localhost", "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "evil.example",
            "x-forwarded-proto": "https", "x-gradio-server": "http://evil.example"}  # fmt: skip
    scope = settled("127.0.0.1", said)
    assert scope[VISITOR] == Visitor("127.0.0.1", local=False)
    assert scope["scheme"] == "http"
    assert scope["headers"] == [(b"host", b"localhost")]


def test_a_named_proxy_states_the_client_and_the_host() -> None:
    chain = "6.6.6.6, 9.9.9.9, 10.0.0.7"
    said = {"host": "10.0.0.9", "x-forwarded-for": chain, "x-forwarded-host": "law.example",
            "x-forwarded-proto": "https"}  # fmt: skip
    scope = settled("10.0.0.8", said, "10.0.0.0/8")
    assert scope[VISITOR] == Visitor("9.9.9.9", local=False)
    assert scope["client"] == ("9.9.9.9", 0)
    assert scope["scheme"] == "https"
    assert scope["headers"] == [(b"host", b"law.example")]


def test_a_chain_that_cannot_be_read_ends_at_the_proxy() -> None:
    scope = settled("10.0.0.8", {"host": "a", "x-forwarded-for": "1.2.3.4, x\x01y"}, "10.0.0.8")
    assert scope[VISITOR].address == "10.0.0.8"


@pytest.mark.parametrize("name", ["proxy.example", "10.0.0.0/99", "*", "1.2.3"])
def test_a_wrong_proxy_is_named(name: str) -> None:
    with pytest.raises(InputError, match="no address"):
        networks([name])
