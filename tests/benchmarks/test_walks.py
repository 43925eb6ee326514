from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.walks import main
from engine.ingestion.build import build_corpus
from tests.engine.harbour import write_harbour


def test_both_ways_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = write_harbour(tmp_path / "sources", ontology=False)
    build_corpus([sources], tmp_path / "corpus", embedding="none")
    assert main(["--corpus", str(tmp_path / "corpus"), "--walks", "3"]) == 0
    told = capsys.readouterr().out
    assert "ratio" in told
    assert float(told.split()[-1]) > 0.9
