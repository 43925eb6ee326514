"""Calls and page loads belong to their owners: what others try in three set-ups, and what owners do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from gradio_client import Client

from engine.access.users import Role, Users
from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.ui.access.calls_of_others import ABSENT, TRIED, filled
from tests.ui.access.conftest import PASSWORD
from tests.ui.raw import API, Answer, stranger
from tests.ui.served import inside_a_loop, served
from ui.models.connections import Connections
from ui.page import build_page
from ui.server import gate
from ui.server.gate import BROWSER_COOKIE, UNKNOWN
from ui.server.gate import COOKIE as SESSION
from ui.shelf import open_library

SECRET = "zebra-5d20"
MINE, OTHERS = "m" * 43, "o" * 43
SETTINGS: dict[str, dict[str, Any]] = {
    "local default": {},
    "all addresses": {"host": ANYWHERE, "trusted_proxies": ("127.0.0.1",), "cases_a_minute": 100_000},
    "with login": {"access": "login", "cases_a_minute": 100_000},
}


def _text(answer: Answer) -> str:
    assert answer.status == 200
    return answer.body.decode()


@dataclass(frozen=True)
class Caller:
    """A visitor: an address and cookies. ``functions`` are numbers by the name of the endpoint."""

    url: str
    functions: dict[str, int]
    address: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def line(self) -> closing[HTTPConnection]:
        return closing(HTTPConnection(urlsplit(self.url).netloc, timeout=30))

    def ask(self, method: str, path: str, body: object = None, line: HTTPConnection | None = None) -> Answer:
        """One request, on a connection of its own if none is given; a stream is read to its end."""
        if line is None:
            with self.line() as line:
                return self.ask(method, path, body, line)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if self.address:
            headers["X-Forwarded-For"] = self.address
        if body is not None:
            headers["Content-Type"] = "application/json"
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def call(self, word: str = SECRET, **more: Any) -> str:
        """Make a call whose answer contains a word; returns its id."""
        body = {"data": [f"May a {word} act?"], **more}
        return str(self.ask("POST", f"{API}/call/plan", body).json["event_id"])

    def join(self, load: str, word: str = SECRET) -> str:
        body = {"data": [f"May a {word} act?"], "fn_index": self.functions["plan"], "session_hash": load}
        return str(self.ask("POST", f"{API}/queue/join", body).json["event_id"])

    def cancel(self, load: str, event: str) -> Answer:
        body = {"session_hash": load, "fn_index": self.functions["plan"], "event_id": event}
        return self.ask("POST", f"{API}/cancel", body)

    def fetch(self, event: str) -> Answer:
        return self.ask("GET", f"{API}/call/plan/{event}")

    def listen(self, load: str) -> str:
        return _text(self.ask("GET", f"{API}/queue/data?session_hash={load}"))


@dataclass(frozen=True)
class Place:
    """A served page, the owner of calls, and the others."""

    home: Path
    visitor: Caller
    owner: Caller
    others: dict[str, Caller]

    def caller(self, address: str = "", **cookies: str) -> Caller:
        """Another caller; ``browser`` and ``session`` are its cookies."""
        names = {"browser": BROWSER_COOKIE, "session": SESSION}
        given = {names[name]: value for name, value in cookies.items()}
        return replace(self.visitor, address=address, cookies=given)

    def log_in(self, name: str, **cookies: str) -> Caller:
        fields = {"username": name, "password": PASSWORD}
        answer = httpx.post(f"{self.visitor.url}login", data=fields)
        return self.caller(session=answer.cookies[SESSION], **cookies)

    @property
    def has_login(self) -> bool:
        return SESSION in self.owner.cookies


@pytest.fixture
def place(served_place: tuple[Place, OperatorSettings]) -> Place:
    """A place whose owner is new to the server, which answers an address only so often."""
    here, settings = served_place
    owner, others = _with_login(here) if settings.access == "login" else _without_login(here, settings)
    return replace(here, owner=owner, others=others)


@pytest.fixture(scope="module", params=list(SETTINGS))
def served_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, users_file: Path,
    corpus_folder: Path,
) -> Iterator[tuple[Place, OperatorSettings]]:  # fmt: skip
    home = tmp_path_factory.mktemp("home")
    (home / "users.json").write_bytes(users_file.read_bytes())
    (home / "users.json").chmod(0o600)
    settings = OperatorSettings(home=home, **SETTINGS[request.param])
    library = open_library([corpus_folder], home, settings)
    page = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    functions = {str(fn.api_name): number for number, fn in page.fns.items()}
    with served(page, settings, home / "uploads") as url:
        visitor = Caller(url, functions)
        yield Place(home, visitor, visitor, {}), settings


def _with_login(here: Place) -> tuple[Caller, dict[str, Caller]]:
    vera = here.log_in("vera").cookies[SESSION]
    others = {
        "another user": here.caller(session=vera),
        "another user of the browser": here.caller(session=vera, browser=MINE),
    }
    return here.log_in("anna", browser=MINE), others


def _without_login(here: Place, settings: OperatorSettings) -> tuple[Caller, dict[str, Caller]]:
    if settings.loopback:
        others = {"another browser": here.caller(browser=OTHERS), "no browser": here.caller()}
        return here.caller(browser=MINE), others
    address = stranger()
    others = {
        "another address": here.caller(stranger()),
        "another browser of the address": here.caller(address, browser=OTHERS),
        "a browser that calls itself the address": here.caller(stranger(), browser=f"address {address}"),
        "an address that is written before the proxy's": here.caller(f"{address}, {stranger()}"),
    }
    return here.caller(address), others


def test_what_others_try_gets_them_nothing(place: Place) -> None:
    """Each attack is answered as for a call that does not exist; then the owner still gets the answer."""
    ways: tuple[tuple[Callable[[], str], str], ...] = (
        (lambda: place.owner.join("joined"), "joined"),
        (lambda: place.owner.call(session_hash="called"), "called"),
        (place.owner.call, "none"),
    )
    for (who, other), (ask, load) in zip(place.others.items(), cycle(ways), strict=False):
        event = ask()
        for name in TRIED:
            tried = other.ask(*filled(name, event, load, other.functions["plan"]))
            absent = other.ask(*filled(name, ABSENT, "absent", other.functions["plan"]))
            assert SECRET.encode() not in tried.body, (who, name)
            assert (tried.status, tried.body) == (absent.status, absent.body), (who, name)
            assert tried.status in (400, 404, 405, 406, 422), (who, name)
        told = place.owner.fetch(event)
        assert (told.status, SECRET.encode() in told.body) == (200, True), who
        assert told.body.startswith(b"event: complete"), who
        assert place.owner.fetch(event).status == 404, "it is fetched once"


def test_under_the_same_names_others_have_page_loads_of_their_own(place: Place) -> None:
    """What they do there they do to their own; the owner's call is neither shown nor fetched by it."""
    ways: tuple[Callable[[Caller, str, str], str], ...] = (
        lambda other, event, load: other.call("dog", session_hash=load),
        lambda other, event, load: other.join(load, "dog"),
        lambda other, event, load: other.join(event, "dog"),
    )
    for number, way in enumerate(ways):
        for who, other in place.others.items():
            load = f"load{number}"
            event = place.owner.join(load)
            theirs = way(other, event, load)
            assert theirs != event
            told = other.listen(event if number == 2 else load)
            assert (theirs in told, event in told, SECRET in told) == (True, False, False), who
            told = place.owner.listen(load)
            assert (theirs in told, event in told, SECRET in told) == (False, True, True), who


def test_what_is_refused_says_what_to_do(place: Place) -> None:
    other = next(iter(place.others.values()))
    answer = other.fetch(place.owner.call())
    assert (answer.status, answer.json["detail"]) == (404, UNKNOWN)
    assert answer.headers["cache-control"] == "no-store"


def _on_one_connection(owner: Caller) -> str:
    with owner.line() as line:
        body = {"data": [f"May a {SECRET} act?"]}
        event = owner.ask("POST", f"{API}/call/plan", body, line).json["event_id"]
        return _text(owner.ask("GET", f"{API}/call/plan/{event}", None, line))


def _several_of_a_page_load(owner: Caller) -> str:
    events = [owner.join("several", f"{SECRET}{number}") for number in range(4)]
    told = owner.listen("several")
    assert all(event in told and f"{SECRET}{number}" in told for number, event in enumerate(events))
    return told


def _by_the_page_load_of_a_call(owner: Caller) -> str:
    owner.call(session_hash="of-a-call")
    return owner.listen("of-a-call")


OWN: tuple[Callable[[Caller], str], ...] = (
    lambda owner: _text(owner.fetch(owner.call())),
    lambda owner: _text(owner.fetch(owner.call(session_hash="a-call"))),
    lambda owner: _text(owner.fetch(owner.join("a-load"))),
    _on_one_connection, _several_of_a_page_load, _by_the_page_load_of_a_call,
)  # fmt: skip


def test_the_maker_of_a_call_gets_its_answer(place: Place) -> None:
    for number, ask in enumerate(OWN):
        text = ask(place.owner)
        assert SECRET in text, number
        assert "redstring-answer" not in text, number
    event = place.owner.join("cancelled")
    assert place.owner.cancel("cancelled", event).json == {"success": True}
    assert place.owner.ask("POST", f"{API}/reset", {"event_id": event}).json == {"success": True}
    assert place.owner.cancel("cancelled", "").json == {"success": True}


def test_an_error_is_fetched_as_before(place: Place) -> None:
    body = {"data": ["x" * 5000]}
    event = place.owner.ask("POST", f"{API}/call/plan", body).json["event_id"]
    text = _text(place.owner.fetch(event))
    assert text.startswith("event: error\ndata: ")
    assert "question" in text


def test_gradio_s_client_works_as_before(place: Place) -> None:
    auth = ("anna", PASSWORD) if place.has_login else None
    made: Any = Client(place.owner.url, auth=auth, verbose=False, analytics_enabled=False)
    with closing(made) as client:
        assert SECRET in json.dumps(client.predict(f"May a {SECRET} act?", api_name="/plan"))
        jobs = {f"{SECRET}{n}": client.submit(f"May a {SECRET}{n} act?", api_name="/plan") for n in range(3)}
        assert all(word in json.dumps(job.result(30)) for word, job in jobs.items())
        client.submit("May a manager grant broader powers?", api_name="/investigate").cancel()


def test_a_person_is_the_owner_in_every_session(place: Place) -> None:
    if not place.has_login:
        return
    event = place.owner.call()
    for path in (f"call/plan/{event}", "queue/data?session_hash=x"):
        assert place.caller(browser=MINE).ask("GET", f"{API}/{path}").status == 401
    again = place.log_in("anna")
    assert SECRET in _text(again.fetch(event))
    event = place.owner.call()
    assert again.ask("POST", "/logout").status == 303
    assert again.fetch(event).status == 401
    users, rita = Users(place.home / "users.json"), place.log_in("rita")
    event = rita.call()
    users.put("rita", Role.REVIEWER, PASSWORD)
    assert rita.fetch(event).status == 401
    users.remove("rita")
    assert rita.fetch(event).status == 401
    users.put("rita", Role.REVIEWER, PASSWORD)
    assert rita.fetch(event).status == 401
    assert SECRET in _text(place.log_in("rita").fetch(event))


def test_a_browser_is_known_by_a_cookie_that_scripts_cannot_read(place: Place) -> None:
    if place.has_login:
        assert "set-cookie" not in place.log_in("anna").ask("GET", "/").headers
        return
    fresh = place.caller(place.owner.address)
    answer = fresh.ask("GET", "/")
    cookie, *limits = answer.headers["set-cookie"].split("; ")
    assert limits == ["HttpOnly", "Path=/", "SameSite=lax"]
    assert "set-cookie" not in fresh.ask("GET", "/config").headers
    browser = place.caller(place.owner.address, browser=cookie.removeprefix(f"{BROWSER_COOKIE}="))
    assert "set-cookie" not in browser.ask("GET", "/").headers
    # In the middle it moves to another network.
    moved = place.caller(
        stranger() if place.owner.address else "", browser=cookie.removeprefix(f"{BROWSER_COOKIE}=")
    )
    assert SECRET in _text(moved.fetch(browser.call()))
    assert fresh.fetch(browser.call()).status == 404


def test_calls_that_are_remembered_are_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MOST_OWNERS", 3)
    events = [place.owner.call() for _ in range(4)]
    assert [place.owner.fetch(event).status for event in events] == [404, 200, 200, 200]
