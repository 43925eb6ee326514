"""Unit rows, and which languages a model reads."""

from __future__ import annotations

import pytest

from engine.language.embedders.base import MOST_OF_IT, reads_most_of, share_read
from engine.language.embedders.transformer import PackagedEmbedder


@pytest.mark.parametrize(
    ("languages", "share"), [({}, 0.0), ({"en": 1, "de": 3}, 0.25), ({"en-US": 2}, 1.0), ({"ar": 9}, 0.0)]
)
def test_how_much_of_a_corpus_a_model_reads(languages: dict[str, int], share: float) -> None:
    assert share_read(PackagedEmbedder(), languages) == share
    assert reads_most_of(PackagedEmbedder(), languages) is (share >= MOST_OF_IT)
