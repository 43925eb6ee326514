"""Cases that are saved, proved, handed to another machine and taken in there; matters that are deleted."""

from __future__ import annotations

import zipfile
from pathlib import Path

import orjson
import pytest

from tests.engine.cli.test_cases import kept
from tests.engine.command_line import CommandLine
from tests.engine.harbour import QUESTION
from tests.engine.records.former import former_file


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Another machine, from when ``setenv`` is called."""
    monkeypatch.setenv("REDSTRING_AUDIT", "on")
    return monkeypatch


def test_a_saved_case_is_proved_and_a_changed_one_seen(
    run: CommandLine, harbour_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "case.json"
    assert run("investigate", QUESTION, "--corpus", harbour_folder, "--save", path).code == 0
    values = orjson.loads(path.read_bytes())
    assert (values["format"], values["case"]["application"]) == (2, "cli")
    assert len(values["case"]["fingerprint"]) == 64
    sound = run("cases", "verify", path)
    assert sound.out == f"As it was written; last hash {values['case']['head']}\n"
    path.write_bytes(path.read_bytes().replace(QUESTION.encode(), b"Another?"))
    run.refused("was changed: ", "cases", "verify", path)
    assert run("cases", "import", path, "--matter", "Harbour").code == 2
    assert run("cases", "list", "--json").json["total"] == 0


def test_a_matter_goes_to_another_machine(
    run: CommandLine, harbour_folder: Path, tmp_path: Path, elsewhere: pytest.MonkeyPatch
) -> None:
    first, second = kept(run, harbour_folder), kept(run, harbour_folder, "Wer nimmt einen Lotsen?")
    run("cases", "judge", first, "supported")
    bundle, lines = tmp_path / "harbour.zip", tmp_path / "harbour.jsonl"
    assert run("cases", "export", "--matter", "Harbour", "--out", bundle).out == f"2 cases in {bundle}\n"
    assert run("cases", "export", "--matter", "Harbour", "--out", lines, "--json").json == {"exported": 2}
    assert bundle.stat().st_mode & 0o077 == 0
    assert [orjson.loads(line)["case"]["id"] for line in lines.read_bytes().splitlines()] == [first, second]
    zipfile.ZipFile(bundle).extractall(tmp_path / "out")
    elsewhere.setenv("REDSTRING_HOME", str(tmp_path / "elsewhere"))
    files = sorted((tmp_path / "out").iterdir())
    taken = run("cases", "import", *files, "--matter", "Taken in")
    assert sorted(taken.out.split()) == sorted([*f"Kept as case {first} Kept as case {second}".split()])
    assert run("cases", "show", first, "--json").json["case"]["verdict"] == "supported"
    assert run("cases", "verify", first).code == 0
    run.refused("is stored already", "cases", "import", files[0], "--matter", "Taken in")
    tar = tmp_path / "x.tar"
    run.refused("FILE.zip or FILE.jsonl", "cases", "export", "--matter", "Taken in", "--out", tar)
    assert not tar.exists()


def test_a_former_file_is_kept(run: CommandLine, tmp_path: Path) -> None:
    path = former_file(tmp_path)
    run.refused("format 1 has no chain", "cases", "verify", path)
    (case_id,) = run("cases", "import", path, "--matter", "Old", "--json").json["imported"]
    assert run("cases", "verify", case_id).code == 0
    assert run("cases", "show", case_id, "--json").json["record"]["format"] == 1


def test_a_matter_is_deleted_and_the_log_says_by_whom(
    run: CommandLine, harbour_folder: Path, home: Path, elsewhere: pytest.MonkeyPatch
) -> None:
    first, second = kept(run, harbour_folder), kept(run, harbour_folder, "Who takes a pilot?")
    (matter,) = run("cases", "matters", "--json").json["matters"]
    assert (matter["name"], matter["cases"], matter["owner"]) == ("Harbour", 2, "")
    assert run("cases", "delete", first).out == "1 deleted\n"
    assert run("cases", "delete", "--matter", matter["id"]).out == "1 deleted\n"
    assert run("cases", "matters", "--json").json == {"matters": []}
    logged = [orjson.loads(line) for line in (home / "audit" / "audit.jsonl").read_bytes().splitlines()]
    assert [(line["who"], line["action"], line["object"]) for line in logged] == [
        ("(command line)", "delete case", first), ("(command line)", "delete case", second),
    ]  # fmt: skip


def test_a_verdict_is_taken_back(run: CommandLine, harbour_folder: Path) -> None:
    case_id = kept(run, harbour_folder)
    run("cases", "judge", case_id, "supported")
    run("cases", "judge", case_id, "refuted", "--wrong")
    assert run("cases", "undo", case_id, "--verdict").out == "Taken back: judged (event 3)\n"
    assert run("cases", "show", case_id, "--json").json["case"]["verdict"] == "supported"


def test_the_schema_is_printed(run: CommandLine) -> None:
    assert run("cases", "schema").json["title"] == "SavedCase"
