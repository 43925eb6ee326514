from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.growing import in_place_of_the_model
from engine.ingestion.build import build_corpus
from engine.ingestion.report import ProgressBar


def test_the_steps_fill_one_bar_in_turn(capfd: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as bar:
        for step, total in (("read", 2), ("read", 2), ("embed", 30), ("write", 1)):
            for done in range(total + 1):
                bar(step, done, total)
    shown = capfd.readouterr().err
    assert shown.count("\n") == 1, "one line, written over and over"
    assert re.findall(r"\r(\w+): +0%", shown) == ["read", "embed", "write"]
    assert "write: 100%" in shown.rsplit("\r", 1)[-1]


def test_what_is_never_told_shows_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with ProgressBar():
        pass
    assert capfd.readouterr().err == ""


def test_a_model_reads_all_documents_as_one_step(tmp_path: Path) -> None:
    for number in range(4):
        text = "\n\n".join(f"Berth {number} has rule {rule}." for rule in range(3))
        (tmp_path / f"{number}.md").write_text(f"# Act {number}\n\n{text}\n", encoding="utf-8")
    told: list[tuple[str, int, int]] = []
    with in_place_of_the_model():
        report = build_corpus(
            sorted(tmp_path.glob("*.md")), tmp_path / "corpus", progress=lambda *state: told.append(state)
        )
    steps = list(dict.fromkeys(step for step, _, _ in told))
    assert steps == ["read", "versions", "references", "entities", "embed", "write"]
    read = [(done, total) for step, done, total in told if step == "embed" and total > 1]
    assert read == sorted(read)
    assert read[0][1] == read[-1][0] == report.passages
