"""Unit rows, and which languages a model reads."""

from __future__ import annotations

import numpy as np
import pytest

from engine.language.embedders.base import reads, unit
from engine.language.embedders.transformer import PackagedEmbedder, TransformerEmbedder


def test_rows_are_scaled_and_zero_rows_stay() -> None:
    assert unit(np.array([[3, 4], [0, 0]], np.float32)).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0.0, 0.0],
    ]


@pytest.mark.parametrize(("language", "read"), [("en", True), ("de", False), ("und", True)])
def test_a_model_reads_its_languages_and_what_nobody_determined(language: str, read: bool) -> None:
    assert reads(PackagedEmbedder(), language) is read


def test_a_model_without_a_list_reads_everything() -> None:
    assert reads(TransformerEmbedder("st:m", "m"), "ar")
