"""The command ``audit``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.ingestion.build import build_corpus
from tests.tables import table

LAW: str = table(__file__, "LAW")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "harbour.md").write_text(LAW, encoding="utf-8")
    build_corpus([folder / "harbour.md"], folder / "corpus", name="harbour", embedding="none")
    return folder / "corpus"


def test_it_prints_and_writes(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memo = tmp_path / "memo.md"
    memo.write_text(
        "The master of a vessel must pay the harbour fee within 20 days of arrival.", encoding="utf-8"
    )
    page, report = tmp_path / "a.html", tmp_path / "a.md"
    asked = ["audit", str(memo), "--corpus", str(corpus), "--html", str(page), "--markdown", str(report)]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "CONTRADICTED" in told
    assert "the source has “ten days”, the claim has “20 days”" in told
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Contradicted" in report.read_text(encoding="utf-8")
    assert main([*asked[:4], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["contradicted"] == 1


def test_bad_input_is_told(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    for asked in (
        [str(tmp_path / "none.txt"), "--corpus", str(corpus)],
        [str(empty), "--corpus", str(corpus)],
        [str(empty), "--corpus", str(corpus), "--grade", "7"],
    ):
        assert main(["audit", *asked]) == 2
        assert capsys.readouterr().err.startswith("redstring: ")
