"""The sample corpus without vectors, investigated."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.investigation.record import Investigation
from engine.settings import preset

MERIDIA = Path(__file__).parents[3] / "sample_data" / "meridia"
DAY = date(2026, 6, 1)
Investigate = Callable[..., Investigation]


@pytest.fixture(scope="session")
def meridia_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers") / "meridia"
    build_corpus([MERIDIA], folder, name="meridia", embedding="none")
    return folder


@pytest.fixture(scope="session")
def meridia(meridia_folder: Path) -> Corpus:
    return open_corpus(meridia_folder)


def investigated(corpus: Corpus, question: str, **changes: Any) -> Investigation:
    """An investigation run to its end on one day."""
    case = Case(corpus, question, preset("quick").changed(**changes), day=DAY)
    for _ in case.run():
        continue
    return case.investigation()


@pytest.fixture(scope="session")
def delegation(meridia: Corpus) -> Investigation:
    return investigated(
        meridia,
        "Can a manager with limited authority grant an agent broader powers than those in the register?",
    )
