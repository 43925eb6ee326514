from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from engine.cli.main import main
from tests.engine.answers.models import filled, said
from tests.engine.llm.server import Asked, ScriptedServer

QUESTION = "When may the harbour master withdraw a berth?"
RULE = "The harbour master may withdraw a berth where the vessel endangers others."


def test_a_brief_without_a_model(harbour_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["answer", QUESTION, "--corpus", str(harbour_folder)]) == 0
    told = capsys.readouterr().out
    assert "withdraw a berth" in told
    assert "[1] Harbour" in told


def test_json_is_one_object_and_markdown_a_file(
    harbour_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answer.md"
    assert main(["answer", QUESTION, "--corpus", str(harbour_folder), "--json", "--markdown", str(file)]) == 0
    told = orjson.loads(capsys.readouterr().out)
    assert told["method"] == "brief"
    assert file.read_text(encoding="utf-8").startswith(f"# {QUESTION}")


def test_a_file_that_cannot_be_written(harbour_folder: Path, tmp_path: Path) -> None:
    where = tmp_path / "none" / "answer.md"
    assert main(["answer", QUESTION, "--corpus", str(harbour_folder), "--markdown", str(where)]) == 2


def test_a_model_writes_and_is_held_to_its_quotes(
    harbour_folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path))

    def script(asked: Asked) -> object:
        key = next(
            int(name.split()[1])
            for name, text in asked.data.items()
            if name.startswith("passage") and RULE in text
        )
        true = said("A berth may be withdrawn where the vessel endangers others.", (key, RULE))
        return filled(true, said("It costs 90 crowns.", (key, "it costs 90 crowns")))

    with ScriptedServer(script) as server:  # type: ignore[arg-type]
        command = ["answer", QUESTION, "--corpus", str(harbour_folder), "--llm", server.spec, "--leave-out"]
        assert main([*command, "--json"]) == 0
    told = orjson.loads(capsys.readouterr().out)
    assert told["method"] == "model"
    assert [one["support"] for one in told["sentences"]] == ["supported"]
    assert told["usage"]["answer"]["calls"] == 1
