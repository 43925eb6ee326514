from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.contract import CorpusContract
from engine.corpus.embedded.generation import MANIFEST_NAME
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.errors import CorpusError
from engine.model import Document, Passage


class TestEmbeddedCorpus(CorpusContract):
    @pytest.fixture(scope="class")
    @classmethod
    def corpus(cls, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
        folder = tmp_path_factory.mktemp("store") / "harbour"
        write_corpus(folder, toy_contents(further=True))
        return open_corpus(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "corpus", toy_contents())
    return tmp_path / "corpus"


def one_passage(text: str = "a word") -> Contents:
    return Contents(
        "one", (Document("d", "D"),), (), (Passage("p", "d", None, 0, text),), [text.split()], [[]]
    )


def data_file(folder: Path, name: str) -> Path:
    return next(folder.glob(f"data-*/{name}"))


def test_a_corpus_without_vectors_entities_or_references(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", one_passage())
    corpus = open_corpus(tmp_path / "c")
    row = np.zeros(1, np.int32)
    assert corpus.embedding == "none"
    assert corpus.vectors(row).shape == (1, 0)
    assert corpus.search_dense(np.ones((2, 4), np.float32), 3, -1.0)[1].rows.tolist() == []
    assert corpus.siblings(row, 3).rows.tolist() == []
    assert corpus.by_entity(row, 3).rows.tolist() == []
    assert corpus.in_force(date(2020, 1, 1)).tolist() == [True]
    assert corpus.similarity_floor == 0.0


def test_a_corpus_without_a_single_term(tmp_path: Path) -> None:
    contents = one_passage("…")
    write_corpus(tmp_path / "c", Contents("one", contents.documents, (), contents.passages, [[]], [[]]))
    assert open_corpus(tmp_path / "c").search_lexical(["anything"], "en", 3)[0].rows.tolist() == []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / MANIFEST_NAME).unlink(), "no corpus at"),
        (lambda folder: (folder / MANIFEST_NAME).write_text("{"), "not readable"),
        (lambda folder: (folder / MANIFEST_NAME).write_text("[]"), "has format None"),
        (lambda folder: data_file(folder, "cited.arrays").write_bytes(b"x"), "has 1 bytes"),
        (lambda folder: data_file(folder, "blocks/contents.block").unlink(), "is missing"),
        (lambda folder: data_file(folder, "state.arrays").unlink(), "is missing"),
    ],
)
def test_a_damaged_corpus_is_named(folder: Path, damage: object, message: str) -> None:
    damage(folder)  # type: ignore[operator]
    with pytest.raises(CorpusError, match=message):
        open_corpus(folder)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", 99, "has format 99"),
        ("passages", 7, "checksum"),
        ("name", None, "name"),
        ("unknown", 1, "unknown"),
    ],
)
def test_a_changed_manifest_is_refused(folder: Path, field: str, value: object, message: str) -> None:
    content = json.loads((folder / MANIFEST_NAME).read_text())
    content[field] = value
    (folder / MANIFEST_NAME).write_text(json.dumps(content))
    with pytest.raises(CorpusError, match=message):
        open_corpus(folder)
