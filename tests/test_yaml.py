"""The project's YAML files are valid, and their lines are short."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import bounded

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path for folder in ("engine", "benchmarks", "sample_data") for path in (ROOT / folder).rglob("*.y*ml")
)
LONGEST = 120


def test_a_line_is_short_and_the_file_is_yaml(subtests: pytest.Subtests) -> None:
    assert len(FILES) > 40
    for path in FILES:
        with subtests.test(file=str(path.relative_to(ROOT))):
            text = path.read_text(encoding="utf-8")
            assert [number for number, line in enumerate(text.splitlines(), 1) if len(line) >= LONGEST] == []
            assert bounded.load_yaml(text) is not None
