"""Saved results: what is written is read, and what is damaged is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import SourceError
from engine.evaluation.metrics import read_results, results_bytes, run_header
from tests.engine.evaluation.values import result
from tests.engine.investigation.story import SETTINGS


def test_what_is_written_is_read(bare: Corpus, tmp_path: Path) -> None:
    results = [result("q1", [1, None], rounds=[0, None]), result("q2", [3], said=None)]
    header = run_header(bare, SETTINGS)
    (tmp_path / "r.jsonl").write_bytes(results_bytes(header, results))
    assert read_results(tmp_path / "r.jsonl") == (header, results)
    assert header["settings"]["rounds"] == SETTINGS.rounds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: not a saved evaluation"),
        ("{}\n", "line 1: not a saved evaluation"),
        ("not json\n", "line 1: not a saved evaluation"),
        ('{"format": "redstring evaluation 1"}\n', "has no questions"),
        ('{"format": "redstring evaluation 1"}\n{"id": "q"}\n', "line 2: scan: Field required"),
        ('{"format": "redstring evaluation 1"}\n{"id": \n', "line 2: result: Invalid JSON"),
    ],
)
def test_what_is_damaged_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_results(tmp_path / "r.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"absent\.jsonl: cannot be read"):
        read_results(tmp_path / "absent.jsonl")
