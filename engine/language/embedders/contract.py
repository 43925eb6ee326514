# The names of the tests describe them.
# ruff: noqa: D102
"""The contract of the Embedder seam: every embedding model has to pass these tests.

A model's own test module inherits ``EmbedderContract`` and provides the fixture ``model``::

    class TestPackaged(EmbedderContract):
        @pytest.fixture(scope="class")
        @classmethod
        def model(cls):
            return PackagedEmbedder()
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from engine.language.embedders.base import Embedder, Kind

TEXTS = ("Dues are paid in advance.", "A pilot boards the vessel.", "Dues are paid in advance.", "x" * 2000)
# Models compute in half precision, and batches are padded: the same text may differ in the last digits.
TOLERANCE = 2e-2


class EmbedderContract:
    """The cases. ``model`` is the fixture that a subclass provides."""

    def test_it_has_a_spec_and_a_size(self, model: Embedder) -> None:
        assert model.spec != ""
        assert model.dimensions > 0
        assert model.calls >= 0
        assert model.languages is None or all(code == code.lower() for code in model.languages)

    def test_it_can_be_a_key(self, model: Embedder) -> None:
        assert {model: 1}[model] == 1

    def test_one_unit_row_for_each_text(self, model: Embedder) -> None:
        for kind in get_args(Kind):
            vectors = model.encode(TEXTS, kind)
            assert vectors.shape == (len(TEXTS), model.dimensions)
            assert vectors.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)

    def test_no_texts_give_no_rows(self, model: Embedder) -> None:
        vectors = model.encode([])
        assert vectors.shape == (0, model.dimensions)
        assert vectors.dtype == np.float32

    def test_the_same_call_gives_the_same_vectors(self, model: Embedder) -> None:
        assert model.encode(TEXTS[:3]).tolist() == model.encode(TEXTS[:3]).tolist()

    def test_a_text_has_its_vector_in_any_company(self, model: Embedder) -> None:
        together = model.encode(TEXTS)
        np.testing.assert_allclose(together[0], together[2], atol=TOLERANCE)
        np.testing.assert_allclose(together[1], model.encode(TEXTS[1:2])[0], atol=TOLERANCE)

    def test_like_is_nearer_than_unlike(self, model: Embedder) -> None:
        dues, pilot, again = model.encode(TEXTS[:3])
        assert float(dues @ again) > float(dues @ pilot)
