from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.ontology import load_ontologies, ontology_in_force, save_ontology, undo_ontology
from engine.errors import CorpusError, SourceError
from engine.ingestion.build import add_to_corpus, build_corpus
from tests.engine.harbour import write_harbour

MINE = {"areas": [{"id": "mine", "keywords": {"en": ["pilot"]}}]}
YOURS = {"areas": [{"id": "yours"}]}


def ids(folder: Path) -> list[str]:
    ontology = open_corpus(folder).ontology
    return [] if ontology is None else [area.id for area in ontology.areas]


@pytest.fixture
def folder(tmp_path: Path, harbour_folder: Path) -> Path:
    write_harbour(tmp_path / "sources", ontology=True)
    return Path(shutil.copytree(harbour_folder, tmp_path / "corpus"))


def test_each_undo_goes_one_state_back(folder: Path) -> None:
    before = ids(folder)
    save_ontology(folder, MINE)
    save_ontology(folder, YOURS)
    undo_ontology(folder)
    assert ids(folder) == ["mine"]
    undo_ontology(folder)
    assert ids(folder) == before
    with pytest.raises(CorpusError, match="nothing to undo"):
        undo_ontology(folder)
    save_ontology(folder, YOURS)
    undo_ontology(folder)
    assert ids(folder) == before
    assert len(load_ontologies(folder)) == 6


def test_a_later_ingestion_keeps_them_and_says_so(folder: Path, tmp_path: Path) -> None:
    save_ontology(folder, MINE)
    report = build_corpus([tmp_path / "sources"], folder, embedding="none")
    assert ids(folder) == ["mine"]
    assert any("stay in force" in problem.reason for problem in report.problems)
    (tmp_path / "new.md").write_text("# New Act\n\n## Article 1\n\nBoats are small.\n", encoding="utf-8")
    report = add_to_corpus([tmp_path / "new.md"], folder)
    assert ids(folder) == ["mine"]
    # Nothing was read that could have taken its place.
    assert not any("stay in force" in problem.reason for problem in report.problems)


def test_what_is_no_ontology_is_not_saved(folder: Path) -> None:
    with pytest.raises(SourceError):
        save_ontology(folder, {"areas": []})
    assert load_ontologies(folder) == []
    assert ontology_in_force(folder) is None


def test_a_damaged_line_is_named(folder: Path) -> None:
    (folder / ONTOLOGY_NAME).write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"ontology\.jsonl:1"):
        open_corpus(folder)
