"""Vectors of every kind survive a changing corpus: it is always what a fresh ingestion would give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import SPARSE_NAME, published
from engine.corpus.embedded.manifest import read_manifest
from engine.corpus.embedded.sparse import SparseIndex
from engine.corpus.embedded.store import open_tokens
from engine.corpus.embedded.tokens import TokenIndex
from engine.errors import ModelError, SettingsError
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from tests.engine.language.embedders.tiny import language_model, token_model

TEXTS = {
    "dues": "# Dues\n\nDues are paid before the vessel is berthed.\n\nThe master pays the dues.\n",
    "pilots": "# Pilots\n\nEvery vessel must take a pilot.\n\nThe master may object to a pilot.\n",
    "berths": "# Berths\n\nA berth is withdrawn without notice.\n",
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("models")
    return {"sparse": f"st:{language_model(root / 'sparse')}", "late": f"st:{token_model(root / 'late')}"}


def files(folder: Path, *names: str, **changed: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.md" for name in names]
    for path in paths:
        path.write_text(changed.get(path.stem, TEXTS[path.stem]), encoding="utf-8")
    return paths


def tokens_of(folder: Path) -> TokenIndex:
    found = open_tokens(published(folder))
    assert found is not None
    return found


def vectors(folder: Path) -> dict[str, tuple[list[list[float]], list[float]]]:
    """The token vectors and the sparse row of each passage, by its text."""
    corpus = open_corpus(folder)
    every = np.arange(len(corpus))
    offsets, tokens = tokens_of(folder).take(every)
    rows = SparseIndex(published(folder).block(SPARSE_NAME)).all()
    return {
        passage.text: (
            tokens[offsets[row] : offsets[row + 1]].tolist(),
            rows.weights[rows.pointers[row] : rows.pointers[row + 1]].tolist(),
        )
        for row, passage in enumerate(corpus.passages(every.astype(np.int32)))
    }


def close(one: Path, other: Path) -> None:
    first, second = vectors(one), vectors(other)
    assert list(first) == list(second)
    for text, (tokens, weights) in first.items():
        assert len(tokens) > 0, text
        # A batch of other texts is computed with other roundings.
        np.testing.assert_allclose(tokens, second[text][0], atol=3)
        np.testing.assert_allclose(weights, second[text][1], atol=0.02)


def test_adding_changing_and_removing(tmp_path: Path, specs: dict[str, str]) -> None:
    corpus = tmp_path / "corpus"
    build_corpus(
        files(tmp_path / "a", "dues", "pilots"),
        corpus,
        embedding="none",
        sparse=specs["sparse"],
        late=specs["late"],
    )
    new = "# Pilots\n\nEvery vessel must take a pilot.\n\nNobody objects.\n"
    add_to_corpus(files(tmp_path / "b", "pilots", "berths", pilots=new), corpus)
    fresh = tmp_path / "fresh"
    whole = files(tmp_path / "c", "dues", "pilots", "berths", pilots=new)
    build_corpus(whole, fresh, embedding="none", sparse=specs["sparse"], late=specs["late"])
    close(corpus, fresh)
    (document,) = [one.id for one in open_corpus(corpus).documents() if one.title == "Dues"]
    remove_from_corpus([document], corpus)
    left = tmp_path / "left"
    build_corpus(
        files(tmp_path / "d", "pilots", "berths", pilots=new),
        left,
        embedding="none",
        sparse=specs["sparse"],
        late=specs["late"],
    )
    close(corpus, left)


def test_models_are_named_and_may_be_taken_away_again(tmp_path: Path, specs: dict[str, str]) -> None:
    sources, corpus = files(tmp_path / "a", "dues"), tmp_path / "corpus"
    build_corpus(sources, corpus, embedding="none", sparse=specs["sparse"], late=specs["late"])
    info = open_corpus(corpus).info()
    assert (info.sparse, info.late) == (specs["sparse"], specs["late"])
    build_corpus(sources, corpus, embedding="none")
    manifest = read_manifest(corpus)
    assert (manifest.sparse, manifest.late) == ("none", "none")
    assert not [name for name in manifest.files if name.startswith(("tokens.", "sparse."))]


def test_the_packaged_model_gives_both_in_one_pass(tmp_path: Path) -> None:
    sources = files(tmp_path / "a", "dues", "pilots")
    both, dense = tmp_path / "both", tmp_path / "dense"
    assert build_corpus(sources, both, late="minilm").late == "minilm"
    assert build_corpus(sources, dense).late == "none"
    rows = np.arange(len(open_corpus(both)), dtype=np.int32)
    np.testing.assert_array_equal(open_corpus(both).vectors(rows), open_corpus(dense).vectors(rows))
    build_corpus(sources, dense, late="minilm")
    queries = tokens_of(both).take(rows.astype(np.int64))
    again = tokens_of(dense).take(rows.astype(np.int64))
    np.testing.assert_array_equal(queries[0], again[0])
    np.testing.assert_allclose(queries[1], again[1], atol=3)


@pytest.mark.parametrize(
    ("option", "spec", "error", "said"),
    [
        ("sparse", "splade", SettingsError, "unknown sparse model 'splade'"),
        ("late", "colbert", SettingsError, "unknown late-interaction model 'colbert'"),
        ("sparse", "st:/no/such/folder", ModelError, "sparse model 'folder' cannot be loaded"),
        ("late", "st:/no/such/folder", ModelError, "late-interaction model 'folder' cannot be"),
    ],
)
def test_a_model_that_cannot_be_had(
    tmp_path: Path, option: str, spec: str, error: type[Exception], said: str
) -> None:
    sources = files(tmp_path / "a", "dues")
    sparse, late = (spec if option == name else "none" for name in ("sparse", "late"))
    with pytest.raises(error, match=said):
        build_corpus(sources, tmp_path / "corpus", embedding="none", sparse=sparse, late=late)
    assert not (tmp_path / "corpus").exists()
