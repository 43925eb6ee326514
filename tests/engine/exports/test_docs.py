"""What docs/exports.md shows is run: every command line, and the format that it adds."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from engine.errors import InputError
from engine.exports.cases import exports
from tests.conftest import ROOT
from tests.engine.command_line import CommandLine
from tests.engine.exports.cases import EMPTY, GAPS, ORDINARY
from tests.engine.exports.conftest import Cases
from tests.engine.harbour import QUESTION

PAGE = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")


def blocks(language: str) -> Iterator[str]:
    yield from re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


LINES = [line for block in blocks("sh") for line in block.splitlines()]


@pytest.fixture
def folder(cases: Cases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the files that the page names are."""
    (tmp_path / "case.json").write_bytes(orjson.dumps(dict(cases[ORDINARY].record)))
    (tmp_path / "questions.txt").write_text("What are dues?\n", encoding="utf-8")
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_line_does_what_it_shows(
    folder: Path, run: CommandLine, harbour_folder: Path, cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(LINES) >= 7
    done = run("investigate", QUESTION, "--corpus", harbour_folder, "--matter", "Harbour")
    case_id = done.err.rsplit("Kept as case ", 1)[1].split()[0]
    # The same case, after somebody has pinned and dismissed.
    (folder / "judged.json").write_bytes(orjson.dumps(dict(cases[GAPS].record)))
    for line in LINES:
        words = shlex.split(line, comments=True)
        with monkeypatch.context() as environment:
            while "=" in words[0]:
                name, _, value = words.pop(0).partition("=")
                # Where there is a collector on this machine, it is not for a test.
                environment.setenv(name, value.replace(":4318/", ":1/"))
            assert words[:3] == ["python", "-m", "engine"], line
            meant = {"DIR": str(harbour_folder), "CASE": "judged.json" if "qrels" in words else case_id}
            found = run(*(meant.get(word, word) for word in words[3:]))
        assert found.code == 0, (line, found.err)
        if "--out" in words:
            assert (folder / words[words.index("--out") + 1]).stat().st_size


def test_the_table_names_each_format() -> None:
    names = {name for row in re.findall(r"^\| (`.*?`) \|", PAGE, re.M) for name in re.findall(r"\w+", row)}
    assert names == exports().keys()


def test_the_format_that_it_adds_works(cases: Cases) -> None:
    [source] = blocks("python")
    module = ModuleType("titles")
    exec(compile(source, "docs/exports.md", "exec"), module.__dict__)
    assert module.EXPORT.write(cases[ORDINARY]).startswith(b"Harbour Act\n")
    with pytest.raises(InputError, match="nothing was found"):
        module.EXPORT.write(cases[EMPTY])
