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


def test_a_block_in_any_order_can_be_read(tmp_path: Path) -> None:
    block().save(tmp_path / "a.block")
    assert stored_block(tmp_path / "a.block")["words.stem"].tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize("kept", [0, 8, 40, -70])
def test_a_file_that_ends_too_early_is_damaged(tmp_path: Path, kept: int) -> None:
    ordered(block()).save(tmp_path / "a.block")
    content = (tmp_path / "a.block").read_bytes()
    (tmp_path / "a.block").write_bytes(content[:kept])
    with pytest.raises(CorpusError, match=r"damaged corpus: a\.block"):
        dict(stored_block(tmp_path / "a.block").arrays.items())


def test_a_column_is_written_from_its_parts(tmp_path: Path) -> None:
    parts = []
    for texts in (["a", "bc"], [], ["ö"]):
        part = Block({})
        part.put_strings("passages.text", texts)
        parts.append(part)
    made = Block({"before": np.arange(3)})
    made.put_joined_later("passages.text", parts)
    made.arrays["behind"] = np.arange(5)
    made.save(tmp_path / "b.block")
    found = open_block(tmp_path / "b.block")
    assert found.strings("passages.text").all() == ["a", "bc", "ö"]
    assert (found["before"].tolist(), found["behind"].tolist()) == ([0, 1, 2], [0, 1, 2, 3, 4])
