"""Learned sparse models, with a tiny one of the real class."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError, SettingsError
from engine.language.embedders import SparseEmbedder, SparseVectors, sparse_embedder
from engine.language.embedders.transformer import MOST_TERMS, SparseTransformer
from tests.engine.language.embedders.tiny import MARKS, WORDS, language_model

TEXTS = ("The master pays dues.", "", "A pilot boards without words.", "The master pays dues.")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SparseTransformer:
    folder = language_model(tmp_path_factory.mktemp("sparse") / "model")
    return SparseTransformer(f"st:{folder}", str(folder), languages=frozenset({"en"}))


def rows(vectors: SparseVectors) -> list[dict[int, float]]:
    bounds = vectors.pointers.tolist()
    return [
        dict(zip(vectors.terms[start:stop].tolist(), vectors.weights[start:stop].tolist(), strict=True))
        for start, stop in pairwise(bounds)
    ]


def test_a_row_for_each_text_over_the_vocabulary(model: SparseTransformer) -> None:
    assert model.dimensions == len(MARKS) + len(WORDS)
    found = model.encode(TEXTS)
    assert found.pointers.shape == (len(TEXTS) + 1,)
    assert (found.weights > 0).all()
    assert ((found.terms >= 0) & (found.terms < model.dimensions)).all()
    for row in rows(found):
        assert list(row) == sorted(row)
        assert 0 < len(row) <= MOST_TERMS


def test_questions_are_read_too_and_nothing_gives_nothing(model: SparseTransformer) -> None:
    assert len(rows(model.encode(["Who pays dues?"], "query"))) == 1
    empty = model.encode([])
    assert (empty.pointers.tolist(), len(empty.terms), len(empty.weights)) == ([0], 0, 0)
    assert empty.weights.dtype == np.float32


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"sparse model .* cannot be loaded"):
        SparseTransformer("st:x", str(tmp_path)).encode(["dues"])


def test_specs() -> None:
    assert sparse_embedder("none") is None
    model: SparseEmbedder | None = sparse_embedder("st:somebody/splade?languages=en,de")
    assert model is not None
    assert (model.spec, model.languages) == ("st:somebody/splade?languages=en,de", frozenset({"en", "de"}))
    assert sparse_embedder("st:somebody/splade?languages=en,de") is model
    for spec in ("splade", "st:", "openai:x", "st:x?prefix=q"):
        with pytest.raises(SettingsError, match="sparse model"):
            sparse_embedder(spec)
