from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import CorpusError
from engine.ingestion.embedding import CachingEmbedder


class Counting:
    """Embeds a text as its length and its call, and counts the calls: what is made anew differs."""

    languages, dimensions, calls = None, 2, 0

    def __init__(self, spec: str = "counting") -> None:
        self.spec, self.asked = spec, 0

    def encode(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        self.asked += 1
        return np.asarray([[len(text), self.asked] for text in texts], np.float32).reshape(-1, 2)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:20] + b"x" * 4]
)
def test_what_is_damaged_is_made_anew(tmp_path: Path, damage: object) -> None:
    model = Counting()
    CachingEmbedder(model, tmp_path / "v").encode(["a"])
    (path,) = (tmp_path / "v").iterdir()
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert CachingEmbedder(model, tmp_path / "v").encode(["a"])[0, 1] == 2
    assert CachingEmbedder(model, tmp_path / "v").encode(["a"])[0, 1] == 2


def test_a_corpus_that_was_deleted_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="keep the vectors"):
        CachingEmbedder(Counting(), tmp_path / "gone" / "v").encode(["a"])
    assert not (tmp_path / "gone").exists()
