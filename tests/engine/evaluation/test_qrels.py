"""Judgements in three columns and in four."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.evaluation.questions import read_qrels, write_qrels

GOLD = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"c d": 1.0}}


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t2\nq2\tc d\t1\n",
        "q1\ta\t1\nq1\tb\t2\nq1\tz\t0\nq2\tc d\t1",
        "q1\t0\ta\t1\r\nq1\t0\tb\t2\r\nq2\t0\tc d\t1\r\n",
    ],
)
def test_both_forms(tmp_path: Path, text: str) -> None:
    (tmp_path / "q").write_bytes(text.encode())
    assert read_qrels(tmp_path / "q") == GOLD


def test_spaces_between_columns(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 a 1\nq1  Q0  b 0.5\n", encoding="utf-8")
    assert read_qrels(tmp_path / "q") == {"q1": {"a": 1.0, "b": 0.5}}


@pytest.mark.parametrize("text", ["q1 a\n", "q1 0 a one\n", "q1 0 a 1 more\n"])
def test_what_is_no_judgement_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "q").write_text("q0 0 a 1\n" + text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"q, line 2: not query-id"):
        read_qrels(tmp_path / "q")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    gold = {"q1": {"a": 1.0, "b": 2.5}}
    write_qrels(gold, tmp_path / "q")
    assert (tmp_path / "q").read_text(encoding="utf-8") == "q1 0 a 1\nq1 0 b 2.5\n"
    assert read_qrels(tmp_path / "q") == gold
