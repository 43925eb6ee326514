"""The formats of cases: found by themselves, named once, written for a real case."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from engine.cli.main import main
from engine.errors import InputError
from engine.exports.cases import export_of, exports


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown format 'pfd'; known: .*json"):
        export_of("pfd")


def test_a_saved_case_is_handed_over_on_the_command_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "case.json"
    saved.write_bytes(orjson.dumps({"format": 1, "pool": {}, "question": "Who?"}))
    assert main(["export", str(saved), "--as", "json", "--out", str(tmp_path / "out.json")]) == 0
    assert orjson.loads((tmp_path / "out.json").read_bytes())["question"] == "Who?"
    assert main(["export", str(saved), "--as", "none-such"]) == 2
    assert "unknown format" in capfd.readouterr().err


def test_without_a_format_they_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--json"]) == 0
    listed = orjson.loads(capfd.readouterr().out)["formats"]
    assert [one["name"] for one in listed] == list(exports())
