"""The cases of a person are handed out and deleted; those that nobody looks at go by themselves."""

from __future__ import annotations

import time
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import create_engine, text

from engine.access.audit_log import audit_log
from engine.access.users import key_of, owner_of_key, server_secret, visitors_folder
from engine.cli.main import main
from engine.operator_settings import OperatorSettings
from engine.records.retention import find_owners, sweep_cases, sweep_periodically
from engine.records.store import EVERYBODY
from engine.records.store.chain import in_utc
from engine.records.store.store import CaseStore
from tests.engine.records.former import former_file


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(former_file(tmp_path).read_bytes())
    return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("REDSTRING_HOME", str(folder))
    monkeypatch.setenv("REDSTRING_AUDIT", "on")
    return folder


def owner(home: Path, name: str) -> str:
    found = owner_of_key(key_of(name, "login", server_secret(home)))
    assert found is not None
    return found


def filled(home: Path, record: dict[str, Any], days: float = 0) -> dict[str, str]:
    """A case each of Anna, Boris and the machine, last changed so many days ago."""
    store = CaseStore(f"sqlite:///{home / 'cases.sqlite'}")
    owners = {"anna": owner(home, "anna"), "boris": owner(home, "boris"), "machine": ""}
    found = {
        name: store.keep(record, store.matter(f"Of {name}", one), application="page", who=name)
        for name, one in owners.items()
    }
    store.close()
    then = in_utc(datetime.now(UTC) - timedelta(days=days))
    engine = create_engine(f"sqlite:///{home / 'cases.sqlite'}")
    with engine.begin() as connection:
        connection.execute(text("update cases set changed = :then"), {"then": then})
    engine.dispose()
    return found


def left(home: Path) -> set[str]:
    store = CaseStore(f"sqlite:///{home / 'cases.sqlite'}")
    found = set(store.ids(None, EVERYBODY))
    store.close()
    return found


def logged(home: Path) -> list[tuple[str, str, str]]:
    lines = (home / "audit" / "audit.jsonl").read_bytes().splitlines()
    return [(one["who"], one["action"], one["object"]) for one in map(orjson.loads, lines)]


def test_matters_belong_to_whom_the_folder_does(home: Path) -> None:
    key = key_of("anna", "login", server_secret(home))
    folder = visitors_folder(home, key)
    assert folder is not None
    assert folder.name == owner_of_key(key)
    assert owner_of_key(key) in find_owners(OperatorSettings(home=home), "anna")
    assert owner_of_key("x") is None


def test_a_person_takes_their_cases_and_is_forgotten(
    home: Path, record: dict[str, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cases, out = filled(home, record), tmp_path / "anna.zip"
    assert main(["forget", "--person", "anna", "--dry-run"]) == 0
    assert capsys.readouterr().out == f"would delete case {cases['anna']}\n"
    assert main(["forget", "--person", "anna", "--export", str(tmp_path / "anna.doc")]) == 2
    assert left(home) == set(cases.values())
    assert main(["forget", "--person", "anna", "--export", str(out)]) == 0
    assert zipfile.ZipFile(out).namelist() == [f"{cases['anna']}.json"]
    assert left(home) == {cases["boris"], cases["machine"]}
    assert logged(home) == [("(command line)", "delete case", cases["anna"])]
    assert b"Of anna" not in b"".join(path.read_bytes() for path in home.glob("cases.sqlite*"))
    capsys.readouterr()
    assert main(["forget", "--person", "anna"]) == 0
    assert capsys.readouterr().out == "there is nothing to delete\n"
    assert main(["forget", "--older-than", "1", "--export", str(out)]) == 2


def test_old_cases_of_visitors_are_forgotten(
    home: Path, record: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    cases = filled(home, record, days=40)
    assert main(["forget", "--older-than", "50"]) == 0
    assert main(["forget", "--older-than", "30", "--dry-run"]) == 0
    assert left(home) == set(cases.values())
    assert main(["forget", "--older-than", "30"]) == 0
    assert left(home) == {cases["machine"]}
    assert f"deleted case {cases['anna']}" in capsys.readouterr().out


def test_the_server_deletes_what_nobody_looked_at(home: Path, record: dict[str, Any]) -> None:
    cases = filled(home, record, days=40)
    kept = OperatorSettings(home=home, retention_days=30, case_retention_days=50)
    assert sweep_cases(kept) == 0
    settings = OperatorSettings(home=home, case_retention_days=30, audit="on")
    with audit_log(settings), sweep_periodically(settings, seconds=0.01):
        until = time.monotonic() + 30
        while len(left(home)) > 1 and time.monotonic() < until:
            time.sleep(0.01)
    assert left(home) == {cases["machine"]}
    assert {one[0] for one in logged(home)} == {"(retention)"}
    assert sweep_cases(OperatorSettings(home=home, own_case_retention_days=30)) == 1
    assert left(home) == set()


def test_where_no_case_was_kept_no_file_is_made(home: Path) -> None:
    assert sweep_cases(OperatorSettings(home=home, case_retention_days=1)) == 0
    assert not (home / "cases.sqlite").exists()
    assert main(["forget", "--person", "nobody"]) == 0
    assert not (home / "cases.sqlite").exists()


def test_a_database_that_is_none_stops_nothing_else(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    (home / "cases.sqlite").write_text("no database " * 100)
    with sweep_periodically(OperatorSettings(home=home, case_retention_days=1), seconds=0.01):
        until = time.monotonic() + 30
        while len(caplog.records) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    assert "not a database of cases" in caplog.text
