"""Whose cases are seen by whom: two people who log in, a stranger, and what an enemy would send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from engine.access.audit_log import audit_log, audit_path
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.records.store import EVERYBODY
from engine.records.store.database import CaseFilter
from engine.records.store.store import CaseStore
from tests.ui.access.conftest import PASSWORD, users_file
from tests.ui.raw import API, Raw, stranger
from tests.ui.served import inside_a_loop, served
from tests.ui.tools.conftest import by_mcp
from ui.models.connections import Connections
from ui.page import build_page
from ui.server.gate import COOKIE
from ui.shelf import open_library

__all__ = ["users_file"]
QUESTION = "May a manager grant broader powers?"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, users_file: Path) -> OperatorSettings:
    home = tmp_path_factory.mktemp("home")
    (home / "users.json").write_bytes(users_file.read_bytes())
    (home / "users.json").chmod(0o600)
    return OperatorSettings(access="login", home=home)


@pytest.fixture(scope="module")
def url(settings: OperatorSettings, corpus_folder: Path) -> Iterator[str]:
    library = open_library([corpus_folder], settings.home, settings)
    page = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    with served(page, settings, settings.home_folder / "uploads") as address:
        yield address


@pytest.fixture(scope="module")
def cookies(url: str) -> dict[str, str]:

    def cookie(name: str) -> str:
        answer = httpx.post(f"{url}login", data={"username": name, "password": PASSWORD})
        return f"{COOKIE}={answer.cookies[COOKIE]}"

    return {name: cookie(name) for name in ("anna", "rita", "vera")}


def call(url: str, cookie: str, name: str, more: dict[str, str] | None = None, **arguments: Any) -> Any:
    """What a tool says to somebody: its values, or its words where it refuses."""

    async def work(session: Any) -> Any:
        called = await session.call_tool(name, arguments)
        return called.content[0].text if called.isError else called.structuredContent

    return by_mcp(url, work, {"Cookie": cookie, **(more or {})})


def test_a_case_belongs_to_the_one_who_asked_and_to_nobody_else(url: str, cookies: dict[str, str]) -> None:
    vera, rita = cookies["vera"], cookies["rita"]
    case = call(url, vera, "investigate", question=QUESTION, preset="quick", matter="Port v. Board")
    own = call(url, vera, "cases")
    assert [one["id"] for one in own["cases"]] == [case["case"]]
    assert own["matters"] == ["Port v. Board"]
    assert own["cases"][0]["matter"] == "Port v. Board"
    assert [one["who"] for one in call(url, vera, "case", case=case["case"], part="events")["events"]] == [
        "vera",
        "vera",
    ]
    assert call(url, rita, "cases")["total"] == 0
    assert call(url, rita, "cases")["matters"] == []
    for name, arguments in (
        ("case", {}),
        ("case", {"part": "events"}),
        ("case", {"part": "verify"}),
        ("case", {"detail": "full"}),
        ("export", {"format": "json"}),
        ("follow", {"passage": case["passages"][0]["id"]}),
    ):
        assert "there is no case" in call(url, rita, name, case=case["case"], **arguments)
    assert "you have none of the name" in call(url, rita, "cases", matter="Port v. Board")
    found = httpx.get(f"{url}gradio_api/case/{case['case']}/json", headers={"Cookie": rita})
    assert found.status_code == 404
    assert QUESTION not in found.text
    step = call(url, vera, "follow", case=case["case"], passage=case["passages"][0]["id"])
    assert step["followed"] == case["passages"][0]["id"]


def test_who_reads_a_case_or_takes_it_along_by_program_is_written_down(
    url: str, cookies: dict[str, str], settings: OperatorSettings
) -> None:
    vera = cookies["vera"]
    case = call(url, vera, "investigate", question=QUESTION, preset="quick")["case"]
    taken = []
    with audit_log(settings):
        for part, detail in (("record", "full"), ("events", "slim"), ("verify", "slim")):
            call(url, vera, "case", case=case, part=part, detail=detail)
        for name in ("json", "qrels", "csv"):
            answers = (
                call(url, vera, "export", case=case, format=name),
                httpx.get(f"{url}gradio_api/case/{case}/{name}", headers={"Cookie": vera}),
            )
            # Formats that need verdicts have nothing to give.
            taken += [name] * (isinstance(answers[0], dict) + (answers[1].status_code == 200))
    lines = [orjson.loads(line) for line in audit_path(settings).read_bytes().splitlines()]
    said = [line["action"] for line in lines if line["object"] == case and line["who"] == "vera"]
    assert said == ["open case"] * 3 + [f"export case as {name}" for name in taken]
    assert len(taken) == 4


def test_headers_and_sessions_do_not_make_somebody_another(url: str, cookies: dict[str, str]) -> None:
    case = call(url, cookies["vera"], "investigate", question=QUESTION, preset="quick")["case"]
    key = cookies["vera"].partition("=")[2]
    claims = {
        "X-Gradio-User": "vera",
        "X-Forwarded-User": "vera",
        "Authorization": f"Bearer {key}",
        "X-Forwarded-For": "127.0.0.1",
        "Mcp-Session-Id": key,
    }
    for name, value in claims.items():
        assert "there is no case" in call(url, cookies["rita"], "case", {name: value}, case=case)
    both = f"{cookies['rita']}; {cookies['vera']}"
    with httpx.Client(base_url=url, headers={"Cookie": cookies["rita"]}) as rita:
        asked = {"data": [case], "session_hash": "ofvera"}
        assert rita.post("gradio_api/call/case", json=asked).status_code == 200
        assert rita.get(f"gradio_api/case/{case}/json?session_hash=ofvera").status_code == 404
    # Of two cookies of one name one counts: whose it is, that person's cases are seen, and no others.
    seen = call(url, both, "case", case=case)
    assert isinstance(seen, str) or seen["case"] == case


@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=", f"{COOKIE}=nothing", f"{COOKIE}={'x' * 43}"])
def test_a_stranger_gets_nothing_by_any_way(url: str, cookies: dict[str, str], cookie: str) -> None:
    case = call(url, cookies["vera"], "investigate", question=QUESTION, preset="quick")["case"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream", "Cookie": cookie}
    with httpx.Client(base_url=url, headers=accept) as nobody:
        assert nobody.post("gradio_api/mcp/", json=message).status_code == 401
        assert nobody.get(f"gradio_api/case/{case}/json").status_code == 401
        for name in ("cases", "case", "export", "corpora", "read"):
            assert nobody.post(f"gradio_api/call/{name}", json={"data": [case]}).status_code == 401


def test_a_page_of_another_site_fetches_no_case(url: str, cookies: dict[str, str]) -> None:
    case = call(url, cookies["vera"], "investigate", question=QUESTION, preset="quick")["case"]
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        both = {**headers, "Cookie": cookies["vera"], "Accept": "application/json, text/event-stream"}
        assert httpx.get(f"{url}gradio_api/case/{case}/json", headers=both).status_code == 403
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert httpx.post(f"{url}gradio_api/mcp/", headers=both, json=message).status_code == 403


def test_without_a_login_on_a_public_address_nothing_is_kept_or_listed(
    tmp_path: Path, corpus_folder: Path
) -> None:
    settings = OperatorSettings(
        home=tmp_path, host=ANYWHERE, trusted_proxies=("127.0.0.1",), cases_a_minute=600
    )
    library = open_library([corpus_folder], tmp_path, settings)
    page = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    with (
        closing(CaseStore(settings.cases_address)) as store,
        served(page, settings, tmp_path / "uploads") as address,
    ):
        case = call(address, "", "investigate", question=QUESTION, preset="quick")
        assert case["case"] is None
        assert "not logged in" in case["not_kept"]
        assert store.listed(CaseFilter(), owner=EVERYBODY).total == 0
        asked: dict[str, dict[str, Any]] = {
            "cases": {},
            "case": {"case": "x"},
            "export": {"case": "x", "format": "json"},
            "follow": {"case": "x", "passage": "act/art-3"},
        }
        for name, arguments in asked.items():
            assert "not logged in" in call(address, "", name, **arguments)
        raw = Raw(address)
        # What belongs to the command line is not that of somebody who only says to sit here.
        for header in (("X-Forwarded-For", "127.0.0.1"), ("Host", "localhost")):
            told = raw.ask("GET", f"{API}/case/x/json", [header], forwarded=stranger())
            assert told.status in (400, 404)
