"""Vectors of every kind survive a changing corpus: it is always what a fresh ingestion would give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import (
    MANIFEST_NAME,
    SPARSE_NAME,
    current_generation,
    read_manifest,
    seals_of,
)
from engine.corpus.embedded.lexical import SparseIndex
from engine.corpus.verifying import verify
from engine.errors import ModelError, SettingsError
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from tests.engine.language.embedders.tiny import language_model

TEXTS = {
    "dues": "# Dues\n\nDues are paid before the vessel is berthed.\n\nThe master pays the dues.\n",
    "pilots": "# Pilots\n\nEvery vessel must take a pilot.\n\nThe master may object to a pilot.\n",
    "berths": "# Berths\n\nA berth is withdrawn without notice.\n",
}


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"st:{language_model(tmp_path_factory.mktemp('models') / 'sparse')}"


def files(folder: Path, *names: str, **changed: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.md" for name in names]
    for path in paths:
        path.write_text(changed.get(path.stem, TEXTS[path.stem]), encoding="utf-8")
    return paths


def vectors(folder: Path) -> dict[str, list[float]]:
    corpus = open_corpus(folder)
    rows = SparseIndex(current_generation(folder).block(SPARSE_NAME)).vectors()
    return {
        passage.text: rows.weights[rows.pointers[row] : rows.pointers[row + 1]].tolist()
        for row, passage in enumerate(corpus.passages(np.arange(len(corpus), dtype=np.int32)))
    }


def close(one: Path, other: Path) -> None:
    first, second = vectors(one), vectors(other)
    assert list(first) == list(second)
    for text, weights in first.items():
        assert len(weights) > 0, text
        # A batch of other texts is computed with other roundings.
        np.testing.assert_allclose(weights, second[text], atol=0.02)


def test_adding_changing_and_removing(tmp_path: Path, sparse: str) -> None:
    corpus = tmp_path / "corpus"
    build_corpus(files(tmp_path / "a", "dues", "pilots"), corpus, embedding="none", sparse=sparse)
    new = "# Pilots\n\nEvery vessel must take a pilot.\n\nNobody objects.\n"
    add_to_corpus(files(tmp_path / "b", "pilots", "berths", pilots=new), corpus)
    fresh = tmp_path / "fresh"
    whole = files(tmp_path / "c", "dues", "pilots", "berths", pilots=new)
    build_corpus(whole, fresh, embedding="none", sparse=sparse)
    close(corpus, fresh)
    (document,) = [one.id for one in open_corpus(corpus).documents() if one.title == "Dues"]
    remove_from_corpus([document], corpus)
    left = tmp_path / "left"
    build_corpus(files(tmp_path / "d", "pilots", "berths", pilots=new), left, embedding="none", sparse=sparse)
    close(corpus, left)


def test_models_are_named_and_may_be_taken_away_again(tmp_path: Path, sparse: str) -> None:
    sources, corpus = files(tmp_path / "a", "dues"), tmp_path / "corpus"
    build_corpus(sources, corpus, embedding="none", sparse=sparse)
    assert open_corpus(corpus).info().sparse == sparse
    build_corpus(sources, corpus, embedding="none")
    manifest = read_manifest(corpus)
    assert manifest.sparse == "none"
    assert SPARSE_NAME not in manifest.files


def test_a_corpus_with_the_token_vectors_of_an_earlier_version_is_used_as_any_other(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build_corpus(files(tmp_path / "a", "dues", "pilots"), folder, embedding="none")
    before = current_generation(folder)
    for name in ("tokens.arrays", "tokens.int8"):
        (before.data / name).write_bytes(name.encode())
    earlier = {"late": "minilm", "files": seals_of(before.data, before)}
    manifest = before.manifest.model_copy(update=earlier).sealed()
    (folder / MANIFEST_NAME).write_text(manifest.to_json(), encoding="utf-8")
    assert verify(folder).problems == ()
    assert verify(folder).files == len(before.manifest.files) + 2
    corpus = open_corpus(folder)
    assert len(corpus.search_lexical(["pilot"], "en", 9)[0].rows) == 2
    add_to_corpus(files(tmp_path / "b", "berths"), folder)
    assert len(open_corpus(folder)) == len(corpus) + 1
    assert read_manifest(folder).late == "none"
    assert not [name for name in read_manifest(folder).files if name.startswith("tokens.")]
    assert verify(folder).problems == ()


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("splade", SettingsError, "unknown sparse model 'splade'"),
        ("st:/no/such/folder", ModelError, "sparse model 'folder' cannot be loaded"),
    ],
)
def test_a_model_that_cannot_be_had(tmp_path: Path, spec: str, error: type[Exception], said: str) -> None:
    sources = files(tmp_path / "a", "dues")
    with pytest.raises(error, match=said):
        build_corpus(sources, tmp_path / "corpus", embedding="none", sparse=spec)
    assert not (tmp_path / "corpus").exists()
