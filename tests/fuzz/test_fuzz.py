"""Damaged files never crash, hang or fill the machine: each is read or named with a problem.

``REDSTRING_FUZZ=10000 pytest tests/fuzz`` reads that many.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fuzz.runner import fuzz
from tests.fuzz.seeds import DATA, made_seeds, raw_seeds

COUNT = int(os.environ.get("REDSTRING_FUZZ", "100"))


def test_damaged_files_of_every_format(tmp_path: Path) -> None:
    outcome = fuzz(made_seeds(tmp_path), COUNT // 2)
    assert outcome.failures == []
    assert outcome.counts.total() == COUNT // 2


@pytest.mark.corpora
def test_damaged_real_files(tmp_path: Path) -> None:
    seeds = raw_seeds(tmp_path)
    if not seeds:
        pytest.skip(f"no files in {DATA / 'raw'}")
    outcome = fuzz(seeds, COUNT - COUNT // 2, first=100_000)
    print(dict(outcome.counts), "slowest", outcome.slowest)
    assert outcome.failures == []
