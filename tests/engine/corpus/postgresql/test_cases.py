"""A case over a corpus on a server is the case over its folder."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.corpus import address_of, open_corpus
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.server import Server
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.records.conversion import investigation_to_json
from engine.settings import InvestigationSettings
from tests.conftest import SAMPLE

QUESTIONS = [
    json.loads(line)["text"] for line in (SAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
][::28]
# A case asks the server this often at most; see README, "Scaling out".
MOST_READS = 120


@pytest.fixture(scope="module")
def place(sample_folder: Path, database: str) -> str:
    place = f"{database}&corpus=sample"
    copy_to_server(sample_folder, address_of(place))
    return place


def told(corpus: Corpus, question: str) -> dict[str, Any]:
    case = Case(corpus, question, InvestigationSettings())
    for _ in case.run():
        pass
    found = investigation_to_json(case.investigation())
    return {key: _without_times(found[key]) for key in ("passages", "pool", "rounds", "evidence", "notes")}


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if key != "milliseconds"}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def test_both_stores_give_the_same_case(sample_folder: Path, place: str) -> None:
    embedded, served = open_corpus(sample_folder), open_corpus(place)
    for question in QUESTIONS:
        assert told(served, question) == told(embedded, question), question


def test_a_case_asks_in_sets(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = open_corpus(place)
    told(corpus, QUESTIONS[0])
    asked: Counter[str] = Counter()
    read = Server.read

    def counted(server: Server, statement: str, parameters: dict[str, Any]) -> Any:
        asked["reads"] += 1
        return read(server, statement, parameters)

    monkeypatch.setattr(Server, "read", counted)
    told(corpus, QUESTIONS[1])
    assert 0 < asked["reads"] <= MOST_READS


def test_the_command_line_takes_an_address(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--corpus", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"] > 500
    assert main(["investigate", QUESTIONS[0], "--corpus", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passages"]
    assert main(["ingest", "x", "--corpus", place]) == 2
    assert "use `copy` to load a corpus into a server" in capsys.readouterr().err
