"""A small real corpus, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from ui.shelf import Library, open_library

ACT = """---
id: act
title: Agency Act
type: act
number: "4"
year: 2012
language: en
status: in force
aliases: ["AA"]
---

# Agency Act

#### Article 1 Powers

(1) A manager may grant an agent powers within the limits of Article 2(1).

(2) A grant of broader powers is void, subject to Article 3.

#### Article 2 Limits

(1) The limits of the authority of a manager are those entered in the register.

#### Article 3 Approval

The principal may approve a grant under Article 1(2) by special resolution.
"""
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
