"""One tiny model for all tests of reranking."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cross_encoder import write_cross_encoder


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("cross-encoder") / "tiny")
