"""A model that a visitor connected reads their corpus: cost first, then agreed to, then in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.corpus.extracted import load_readings
from engine.llm import client
from tests.engine.extraction.readers import honest, liar
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer
from tests.ui.corpus.conftest import STRANGER, VISITOR, Caller
from ui.corpus.access import CorpusDesk

SESSION = "n" * 40


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(honest) as server:
        yield server


def connect(desk: CorpusDesk, server: ScriptedServer) -> None:
    """One request at a time, so that a run lasts until its end or until it is cancelled."""
    model = client.connect(f"{server.spec}&concurrency=1")
    assert model is not None
    desk.connections.connect(SESSION, model)


def folder_of(desk: CorpusDesk) -> Path:
    return desk.books.find("Mine", VISITOR).folder


def ended(mine: Caller, run: str) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = mine.good("extract-poll", job=run)
        if found["state"] != "running":
            return found
        time.sleep(0.02)
    raise AssertionError("the run did not end")


def test_without_a_model_the_panel_says_so_and_nothing_can_be_begun(mine: Caller) -> None:
    found = mine.good("extraction", session=SESSION)
    assert not found["may"]
    assert "No language model is connected" in found["why"]
    assert "no language model is connected" in mine("extract-cost", session=SESSION)["error"]
    assert "no language model is connected" in mine("extract", session=SESSION)["error"]


def test_cost_first_then_read_then_check(mine: Caller, desk: CorpusDesk, server: ScriptedServer) -> None:
    connect(desk, server)
    found = mine.good("extraction", session=SESSION)
    assert found["may"]
    assert found["model"] == "scripted"
    assert [title for _, title in found["documents"]] == [
        "Agency Act <New>",
        "نظام الوكالة",
        "Agency Regulation",
    ]
    cost = mine.good("extract-cost", session=SESSION)
    assert cost["windows"] == 3
    assert "tokens in" in cost["html"]
    assert server.requests == []

    run = mine.good("extract", session=SESSION, reading={"agreed": cost["windows"]})["run"]
    done = ended(mine, run)
    assert (done["state"], done["done"], done["total"]) == ("done", 3, 3)
    assert len(server.requests) == 3
    assert "3 windows read" in done["html"]
    links = mine.good("links", wanted={"origin": "model"})
    assert all("scripted" in mine.good("link", said={"key": key})["html"] for key in links["keys"])
    again = mine.good("extract-cost", session=SESSION)
    assert again["windows"] == 0
    assert "nothing left to read" in again["html"]


def test_nothing_begins_that_was_not_agreed_to(
    mine: Caller, desk: CorpusDesk, server: ScriptedServer
) -> None:
    connect(desk, server)
    for agreed in (0, 2, 99):
        error = mine("extract", session=SESSION, reading={"agreed": agreed})["error"]
        assert "look at the cost again" in error
    assert server.requests == []


def test_a_run_can_be_cancelled_and_only_by_its_visitor(mine: Caller, desk: CorpusDesk) -> None:
    asked, go = threading.Event(), threading.Event()

    def answer(request: Asked) -> Scripted:
        asked.set()
        go.wait(20)
        return liar(request)

    with ScriptedServer(answer) as server:
        connect(desk, server)
        run = mine.good("extract", session=SESSION, reading={"agreed": 3})["run"]
        assert asked.wait(20)
        assert mine.good("extraction", session=SESSION)["run"] == run
        assert "reading" in mine("extract", session=SESSION, reading={"agreed": 3})["error"]
        assert "wait until that is done" in mine("delete")["error"]
        stranger = Caller(desk, STRANGER, "Small")
        assert "not known" in stranger("extract-stop", job=run)["error"]
        assert "not known" in stranger("extract-poll", job=run)["error"]
        mine.good("extract-stop", job=run)
        go.set()
        assert ended(mine, run)["state"] == "cancelled"
    assert mine.good("extraction", session=SESSION)["run"] == ""


def test_a_server_that_fails_ends_in_a_calm_line(mine: Caller, desk: CorpusDesk) -> None:
    with ScriptedServer(lambda asked: Fault(status=401, text="<b>no</b>")) as server:
        connect(desk, server)
        run = mine.good("extract", session=SESSION, reading={"agreed": 3})["run"]
        done = ended(mine, run)
    assert "Failed (" in done["html"]
    assert "<b>no</b>" not in done["html"]
    assert load_readings(folder_of(desk)) == []


def test_a_corpus_for_everybody_is_not_read_here(desk: CorpusDesk, server: ScriptedServer) -> None:
    connect(desk, server)
    visitor = Caller(desk, VISITOR, "Small")
    assert "corpus of your own" in visitor.good("extraction", session=SESSION)["why"]
    assert "cannot be changed" in visitor("extract", session=SESSION, reading={"agreed": 1})["error"]
