"""The examples run as their readers run them, and print what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PRINTED = {
    "first_case.py": ("ScanFinished", "CAC Article 14(2)", "- A manager of a company may not confer"),
    "own_corpus.py": ("2 documents", "'resolved': 4", "Ferries Regulation Article 2"),
    "check_memo.py": ("1. SUPPORTED", "2. CONTRADICTED", "Wrong citation: Article 99"),
    "compare_and_export.py": ("new at rank", "because: follow", "case.md: "),
    "evaluate_settings.py": ("balanced 4 questions", "recall@10"),
}


def test_every_example_is_run() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(PRINTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_promises(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REDSTRING_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for words in PRINTED[name]:
        assert words in done.stdout
