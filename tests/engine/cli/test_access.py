from __future__ import annotations

import io
from pathlib import Path

import orjson
import pytest

from engine.access.users import Users, key_of, server_secret, visitors_folder
from engine.cli.main import main

PASSWORD = "correct horse"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path))
    monkeypatch.setenv("REDSTRING_AUDIT", "on")
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_users_come_and_go(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, PASSWORD + "\n")
    assert main(["users", "add", "Anna", "--role", "reviewer", "--password", "-"]) == 0
    assert Users(home / "users.json").authenticate("anna", PASSWORD)
    assert main(["users", "role", "anna", "operator"]) == 0
    assert main(["users", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "anna\toperator"
    assert main(["users", "remove", "anna"]) == 0
    assert main(["users", "remove", "anna"]) == 2
    assert capsys.readouterr().err == f"redstring: {home / 'users.json'}: there is no user 'anna'\n"
    logged = (home / "audit" / "audit.jsonl").read_bytes()
    lines = [orjson.loads(line) for line in logged.splitlines()]
    assert [(line["action"], line["object"]) for line in lines] == [
        ("user added", "anna as reviewer"), ("role changed", "anna as operator"), ("user removed", "anna"),
    ]  # fmt: skip
    assert PASSWORD.encode() not in logged


@pytest.mark.parametrize("password", ["", "short", "\n"])
def test_a_password_that_is_none_adds_nobody(
    home: Path, password: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, password)
    assert main(["users", "add", "anna", "--password", "-"]) == 2
    assert main(["users", "add", "anna"]) == 2
    assert "no terminal" in capsys.readouterr().err
    assert not (home / "users.json").exists()


def test_a_person_is_forgotten_after_a_look(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = visitors_folder(home, key_of("anna", "huggingface", server_secret(home)))
    assert folder is not None
    (folder / "corpus").mkdir(parents=True)
    shared = home / "corpora" / "shared"
    shared.mkdir(parents=True)
    (shared / "validations.jsonl").write_bytes(b'{"reviewer":"anna"}\n')
    assert main(["forget", "--person", "Anna", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert f"would delete {folder / 'corpus'}" in told
    assert "1 verdicts bear the name" in told
    assert (folder / "corpus").exists()
    assert main(["forget", "--person", "anna"]) == 0
    assert not folder.exists()
    assert b"anna" not in (shared / "validations.jsonl").read_bytes()
    capsys.readouterr()
    assert main(["forget", "--person", "anna"]) == 0
    assert capsys.readouterr().out == "there is nothing to delete\n"


def test_what_is_asked_wrongly_deletes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", "--corpus", "nothing"]) == 2
    assert main(["forget", "--older-than", "-1"]) == 2
    assert main(["forget", "--older-than", "1", "--also-in", str(home)]) == 2
    assert all(line.startswith("redstring: ") for line in capsys.readouterr().err.splitlines())
    assert main(["forget"]) == 2
