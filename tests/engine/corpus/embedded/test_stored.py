"""Blocks that are read by parts say what blocks say that are read at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus.embedded.block import Block, open_block
from engine.corpus.embedded.stored import ordered, stored_block
from engine.errors import CorpusError


def block() -> Block:
    made = Block(
        {
            "tokens.word": np.arange(9, dtype=np.uint16),
            "passages.kind": np.arange(3, dtype=np.int8),
            "words.key": np.arange(4, dtype=np.uint64),
            "words.stem": np.arange(4, dtype=np.uint64) + 7,
            "passages.content": np.arange(6, dtype=np.uint64).reshape(3, 2),
            "empty": np.zeros(0, np.int32),
        },
        {"key": "x"},
    )
    made.put_strings("passages.text", ["one", "", "drei ä"])
    return made


def test_every_column_is_there_in_any_order(tmp_path: Path) -> None:
    ordered(block()).save(tmp_path / "a.block")
    stored, whole = stored_block(tmp_path / "a.block"), open_block(tmp_path / "a.block")
    assert stored.about == whole.about == {"key": "x"}
    assert list(stored.arrays) == list(whole.arrays)
    for name in (*whole.arrays, *reversed(list(whole.arrays))):
        assert stored[name].dtype == whole[name].dtype
        assert np.array_equal(stored[name], whole[name])
    assert stored.strings("passages.text").all() == ["one", "", "drei ä"]
    assert {name: values.tolist() for name, values in stored.arrays.items()} == {
        name: values.tolist() for name, values in whole.arrays.items()
    }


@pytest.mark.parametrize("kept", [0, 8, 40, -70])
def test_a_file_that_ends_too_early_is_damaged(tmp_path: Path, kept: int) -> None:
    ordered(block()).save(tmp_path / "a.block")
    content = (tmp_path / "a.block").read_bytes()
    (tmp_path / "a.block").write_bytes(content[:kept])
    with pytest.raises(CorpusError, match=r"damaged corpus: a\.block"):
        dict(stored_block(tmp_path / "a.block").arrays.items())
