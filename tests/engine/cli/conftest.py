"""What commands keep is kept in a folder of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REDSTRING_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a home is held that has what tests begin with."""
    return tmp_path_factory.mktemp("held")
