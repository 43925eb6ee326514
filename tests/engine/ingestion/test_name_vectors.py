"""A model is asked for the vector of a name once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block
from engine.ingestion.embedding import NameVectors


def test_only_new_names_are_encoded_and_only_those_asked_for_are_kept() -> None:
    asked: list[str] = []

    def encode(names: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(names)
        return np.asarray([[len(name), 1.0] for name in names], np.float32)

    first, kept = NameVectors(encode, None), Block({})
    assert first(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    first.put(kept)
    again, rest = NameVectors(encode, kept), Block({})
    assert again(["bb", "ccc"]).tolist() == [[2, 1], [3, 1]]
    again.put(rest)
    assert asked == ["a", "bb", "a", "ccc"]
    assert len(rest["names.key"]) == 2
