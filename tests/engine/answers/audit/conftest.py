"""The sample corpus, by words alone: what the audit finds without any model."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.answers.audit import Auditor
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus

SOURCES = Path(__file__).parents[4] / "sample_data" / "meridia"
DAY = date(2024, 6, 1)


@pytest.fixture(scope="session")
def meridia(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("audit") / "meridia"
    build_corpus([SOURCES], folder, name="meridia", embedding="none")
    return open_corpus(folder)


@pytest.fixture(scope="session")
def auditor(meridia: Corpus) -> Auditor:
    return Auditor(meridia, day=DAY)
