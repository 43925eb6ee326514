"""A small real corpus, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from tests.tables import table
from ui.shelf import Library, open_library

ACT: str = table(__file__, "ACT")
EXAMPLES = '[{"title": "Powers", "text": "May a manager grant broader powers?", "language": "en"}]'


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gradio's queue uses pandas in ways that pandas 3 calls outdated."""
    ignored = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'", "ignore:The copy keyword")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(ignored)


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = tmp_path_factory.mktemp("sources")
    (sources / "act.md").write_text(ACT, encoding="utf-8")
    (sources / "examples.json").write_text(EXAMPLES, encoding="utf-8")
    folder = tmp_path_factory.mktemp("corpora") / "act"
    build_corpus([sources], folder, name="Small", embedding="none")
    return folder


@pytest.fixture(scope="session")
def library(corpus_folder: Path) -> Library:
    return open_library([corpus_folder])
