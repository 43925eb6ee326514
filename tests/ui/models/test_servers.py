from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import ui.calls
from engine.access.users import Person, Role
from engine.llm.connection import OPENAI_URL
from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer
from ui.models.connections import Connections, OperatorsModel
from ui.models.dialog import CALLS, MOST_AT_ONCE, ConnectingDesk, ServerForm, spec_of

KEY = "sk-a-very-secret-key-0123456789"


def well(asked: Asked) -> Scripted:
    if asked.task == "probe":
        return {"first_word": asked.data["first"], "last_word": asked.data["last"]}
    return {"article": 12, "binding": "yes"}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(well) as listening:
        yield listening


@pytest.fixture
def desk() -> ConnectingDesk:
    return ConnectingDesk(Connections(OperatorSettings()))


def request(do: str, url: str = "", **more: Any) -> dict[str, Any]:
    """What the dialog sends: to ``state`` and ``forget`` no server."""
    server = {"url": url, "model": "scripted", "key": KEY} if do in ("test", "connect", "list") else {}
    return {"do": do, "session": secrets.token_hex(24), "visitor": "v", **server, **more}


def answer(desk: ConnectingDesk, sent: object, *, local: bool) -> dict[str, Any]:
    """The answer to an operator at this machine, or to a visitor from elsewhere."""
    role = Role.OPERATOR if local else Role.VISITOR
    return ui.calls.answer(desk, CALLS, sent, lambda token: Person(token, role), is_local=local)


def test_at_first_there_is_no_model(desk: ConnectingDesk) -> None:
    for local in (True, False):
        told = answer(desk, request("state"), local=local)
        assert (told["whose"], told["visitors"], told["private"]) == ("nobody", True, local)


def test_a_server_that_answers_is_connected_and_its_key_is_never_shown(
    desk: ConnectingDesk, server: ScriptedServer
) -> None:
    session = secrets.token_hex(24)
    told = answer(desk, request("connect", server.url, session=session), local=True)
    assert "error" not in told
    assert told["lines"][0].startswith("scripted answers, in ")
    assert told["state"]["whose"] == "visitor"
    assert told["state"]["model"] == "scripted"
    assert [asked.authorization for asked in server.requests] == [f"Bearer {KEY}"]
    model = desk.connections.model(session)
    assert model is not None
    told_all = json.dumps([told, answer(desk, request("state", session=session), local=True)])
    assert "secret" not in told_all + repr(model) + model.spec
    assert answer(desk, request("forget", session=session), local=True)["state"]["whose"] == "nobody"
    assert desk.connections.model(session) is None


def test_a_test_connects_nothing(desk: ConnectingDesk, server: ScriptedServer) -> None:
    session = secrets.token_hex(24)
    told = answer(desk, request("test", server.url, session=session, context=2048), local=True)
    assert told["fine"] is True
    assert any("as its context promises" in line for line in told["lines"])
    assert len(server.requests) == 2
    assert desk.connections.model(session) is None


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault(status=401, text=f"bad key {KEY}"), "status 401"),
        (Fault(status=302, headers={"Location": "http://169.254.169.254/"}), "redirects"),
        (Fault(answer="no JSON at all"), "does not fit"),
        (Fault(text="<html>a page</html>"), "no completion"),
    ],
)
def test_a_server_that_fails_is_not_connected_and_the_key_not_repeated(
    desk: ConnectingDesk, fault: Fault, why: str
) -> None:
    session = secrets.token_hex(24)
    with ScriptedServer(lambda asked: fault) as server:
        told = answer(desk, request("connect", server.url, session=session), local=True)
    assert why in told["error"]
    assert KEY not in told["error"]
    assert desk.connections.model(session) is None


def test_the_key_of_the_operator_reaches_no_server_of_a_visitor(
    desk: ConnectingDesk, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "REDSTRING_LLM_KEY",
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    ):
        monkeypatch.setenv(name, f"{name}-of-the-operator")
    monkeypatch.setenv("REDSTRING_LLM", server.spec)
    for do in ("connect", "test", "list"):
        assert "error" not in answer(desk, request(do, server.url, key=""), local=True)
    assert len(server.requests) >= 3
    sent = "".join(f"{name}{value}" for asked in server.requests for name, value in asked.headers.items())
    assert "of-the-operator" not in sent
    assert {asked.authorization for asked in server.requests} == {""}


@pytest.mark.parametrize("do", ["connect", "test", "list"])
def test_from_elsewhere_no_private_server_is_reached(server: ScriptedServer, do: str) -> None:
    desk = ConnectingDesk(Connections(OperatorSettings(host=ANYWHERE)))
    port = server.url.split(":")[2]
    for url in (
        server.url,
        f"https://127.0.0.1:{port}",
        f"https://localhost:{port}",
        f"https://2130706433:{port}",
    ):
        told = answer(desk, request(do, url), local=False)
        assert "public server" in told["error"] or "https" in told["error"]
    assert server.requests == []


def test_an_operator_may_open_the_private_network_to_everybody(server: ScriptedServer) -> None:
    desk = ConnectingDesk(Connections(OperatorSettings(private_endpoints="on", host=ANYWHERE)))
    assert "error" not in answer(desk, request("connect", server.url), local=False)
    assert "public" in answer(desk, request("test", "http://169.254.169.254/v1"), local=False)["error"]


@pytest.mark.parametrize("do", ["connect", "test", "list"])
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500, text="the password is hunter2"),
        Fault(status=404, text='{"error": {"message": "the password is hunter2"}}'),
        Fault(text="the password is hunter2"),
        Fault(text='{"password": "hunter2"}'),
    ],
)
def test_what_a_server_of_the_private_network_says_is_not_read_out(do: str, fault: Fault) -> None:
    """A visitor who may name such a server may talk to a model there, and read nothing else."""
    desk = ConnectingDesk(Connections(OperatorSettings(private_endpoints="on", host=ANYWHERE)))
    with ScriptedServer(lambda asked: fault) as server:
        told = answer(desk, request(do, server.url), local=False)
    assert "hunter2" not in str(told)
    assert "error" in told or do == "list", "the scripted list of models is fine"


def test_where_visitors_may_not_bring_models_nothing_is_sent(server: ScriptedServer) -> None:
    desk = ConnectingDesk(Connections(OperatorSettings(visitor_models=False)))
    for do in ("connect", "test", "list"):
        assert "switched off" in answer(desk, request(do, server.url), local=True)["error"]
    assert server.requests == []
    assert answer(desk, request("state"), local=True)["visitors"] is False


def test_only_so_many_visitors_connect_at_once(desk: ConnectingDesk, server: ScriptedServer) -> None:
    with ExitStack() as stack:
        for _ in range(MOST_AT_ONCE):
            stack.enter_context(desk.place())
        assert "in a moment" in answer(desk, request("connect", server.url), local=True)["error"]
    assert "error" not in answer(desk, request("connect", server.url), local=True)


@pytest.mark.parametrize(
    "bad",
    [
        {"do": "spy"},
        {"do": "connect", "model": ""},
        {"do": "connect", "input": 1.0},
        {"do": "connect", "input": -1.0, "output": 1.0},
        {"do": "connect", "context": 3},
        {"do": "connect", "key": "with space"},
        {"do": "connect", "key": "schlüssel"},
        {"do": "connect", "key": KEY * 100},
        {"do": "connect", "model": "a b"},
        {"do": "connect", "model": "m@http://127.0.0.1:1/v1", "url": OPENAI_URL},
        {"do": "connect", "model": "m@http://127.0.0.1:1/v1?timeout=1", "url": OPENAI_URL},
        {"do": "connect", "model": "m?timeout=1000000&concurrency=1000000", "url": OPENAI_URL},
        {"do": "connect", "model": "m?", "url": OPENAI_URL},
        {"do": "connect", "model": "m\x00"},
        {"do": "list", "key": "with space"},
        {"do": "list", "key": "schlüssel"},
        {"do": "list", "key": "k\r\nHost: other"},
        {"do": "list", "key": "k\x00"},
        {"do": "connect", "currency": "EURO"},
        {"do": "connect", "unknown": KEY},
    ],
)
def test_bad_requests_are_calm_lines_without_the_key(desk: ConnectingDesk, bad: dict[str, Any]) -> None:
    told = answer(desk, {**request("connect", "http://localhost:1/v1"), **bad}, local=True)
    assert told["error"]
    assert "\n" not in told["error"]
    assert "secret" not in told["error"]
    assert "reached" not in told["error"], "nothing was tried"


def test_the_form_becomes_a_spec() -> None:
    ask = ServerForm(do="connect", model="m", input=0.15, output=0.6, context=4096, currency="EUR")
    wanted = "openai:m@http://localhost:1/v1?context=4096&input=0.15&output=0.6&currency=EUR"
    assert spec_of(ask, "http://localhost:1/v1") == wanted
    assert spec_of(ServerForm(do="connect", model="gpt"), "https://api.openai.com/v1") == "openai:gpt"


def test_the_model_of_the_server_is_shown_with_its_limit_and_without_its_key(server: ScriptedServer) -> None:
    operator = OperatorSettings(llm=server.spec, llm_shared=True, visitor_models=False)
    offer = OperatorsModel(operator, lambda spec: server.connect("sk-of-the-operator"))
    desk = ConnectingDesk(Connections(operator, offer))
    away = answer(desk, request("state"), local=False)
    assert (away["whose"], away["visitors"]) == ("operator", False)
    assert away["words"].startswith("The model of this server: scripted, shared")
    assert "127.0.0.1" not in json.dumps(away), "where it stands is for the operator to know"
    assert "within a daily limit" in away["words"]
    here = answer(desk, request("state"), local=True)
    assert "limit" not in here["words"]
    assert "127.0.0.1" in here["host"]
    assert "sk-of" not in json.dumps([away, here])
    assert server.requests == [], "telling which it is asks nobody"
