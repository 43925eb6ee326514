"""Unit rows, and which languages a model reads."""

from __future__ import annotations

import numpy as np
import pytest

from engine.language.embedders.base import MOST_OF_IT, reads, reads_most_of, share_read, unit
from engine.language.embedders.transformer import PackagedEmbedder, TransformerEmbedder


def test_rows_are_scaled_and_zero_rows_stay() -> None:
    assert unit(np.array([[3, 4], [0, 0]], np.float32)).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0.0, 0.0],
    ]


@pytest.mark.parametrize(
    ("language", "read"),
    [("en", True), ("en-GB", True), ("de", False), ("de-AT", False), ("und", True)],
)
def test_a_model_reads_its_languages_and_what_nobody_determined(language: str, read: bool) -> None:
    assert reads(PackagedEmbedder(), language) is read


def test_a_model_without_a_list_reads_everything() -> None:
    assert reads(TransformerEmbedder("st:m", "m"), "ar")


@pytest.mark.parametrize(
    ("languages", "share"), [({}, 0.0), ({"en": 1, "de": 3}, 0.25), ({"en-US": 2}, 1.0), ({"ar": 9}, 0.0)]
)
def test_how_much_of_a_corpus_a_model_reads(languages: dict[str, int], share: float) -> None:
    assert share_read(PackagedEmbedder(), languages) == share
    assert reads_most_of(PackagedEmbedder(), languages) is (share >= MOST_OF_IT)
