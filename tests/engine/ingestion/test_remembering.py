from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.errors import CorpusError
from engine.ingestion.remembering import RememberingEmbedder


class Counting:
    """Embeds a text as its length and its call, and counts the calls: what is made anew differs."""

    languages, dimensions, calls = None, 2, 0

    def __init__(self, spec: str = "counting") -> None:
        self.spec, self.asked = spec, 0

    def encode(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        self.asked += 1
        return np.asarray([[len(text), self.asked] for text in texts], np.float32).reshape(-1, 2)


@given(st.lists(st.lists(st.text(max_size=5), min_size=1, max_size=3), max_size=5))
def test_the_same_texts_are_read_once_and_others_are_not_taken_for_them(calls: list[list[str]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        model = Counting()
        first = [RememberingEmbedder(model, Path(folder) / "v").encode(texts) for texts in calls]
        again = [RememberingEmbedder(model, Path(folder) / "v").encode(texts) for texts in calls]
    assert model.asked == len({tuple(texts) for texts in calls})
    for one, other, texts in zip(first, again, calls, strict=True):
        assert one.tobytes() == other.tobytes()
        assert one[:, 0].tolist() == [len(text) for text in texts]


def test_another_model_or_kind_is_asked_itself(tmp_path: Path) -> None:
    one, other = Counting("one"), Counting("other")
    RememberingEmbedder(one, tmp_path / "v").encode(["a"])
    RememberingEmbedder(one, tmp_path / "v").encode(["a"], "query")
    RememberingEmbedder(other, tmp_path / "v").encode(["a"])
    assert (one.asked, other.asked) == (2, 1)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:20] + b"x" * 4]
)
def test_what_is_damaged_is_made_anew(tmp_path: Path, damage: object) -> None:
    model = Counting()
    RememberingEmbedder(model, tmp_path / "v").encode(["a"])
    (path,) = (tmp_path / "v").iterdir()
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert RememberingEmbedder(model, tmp_path / "v").encode(["a"])[0, 1] == 2
    assert RememberingEmbedder(model, tmp_path / "v").encode(["a"])[0, 1] == 2


def test_a_corpus_that_was_deleted_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="keep the vectors"):
        RememberingEmbedder(Counting(), tmp_path / "gone" / "v").encode(["a"])
    assert not (tmp_path / "gone").exists()
