from __future__ import annotations

import numpy as np

from engine.corpus.embedded.arrays import Array
from engine.corpus.postgresql import queries


def test_columns_are_read_as_they_were_written() -> None:
    types = ["int", "smallint", "bigint", "real", "boolean", "vector"]
    rng = np.random.default_rng(0)
    size = queries.AT_ONCE + 3
    values: list[Array] = [
        rng.integers(-(2**31), 2**31, size),
        rng.integers(-(2**15), 2**15, size),
        rng.integers(-(2**63), 2**63 - 1, size),
        rng.normal(size=size).astype(np.float32),
        rng.random(size) < 0.5,
        rng.normal(size=(size, 3)).astype(np.float32),
    ]
    made = list(queries.parts(types, values))
    assert [count for count, _ in made] == [queries.AT_ONCE, 3]
    # As COPY takes them: each row with the number of its fields, each field with its length.
    sizes = [4, 2, 8, 4, 1, 16]
    sent = np.frombuffer(b"".join(part for _, part in made), np.uint8).reshape(size, -1)
    assert sent.shape[1] == 2 + sum(4 + one for one in sizes)
    starts = 2 + np.cumsum([4, *(4 + one for one in sizes)])[:-1]
    fields = np.concatenate([np.arange(at, at + one) for at, one in zip(starts, sizes, strict=True)])
    for column, value in zip(queries.parse_columns(types, sent[:, fields].tobytes(), 3), values, strict=True):
        assert (column == value).all()


def test_a_vector_in_words_keeps_every_bit() -> None:
    vector = np.random.default_rng(1).normal(size=64).astype(np.float32)
    words = queries.format_vector(vector)
    assert (np.array([float(one) for one in words.strip("[]").split(",")], np.float32) == vector).all()
    sent = np.array([64, 0], ">i2").tobytes() + vector.astype(">f4").tobytes()
    assert (queries.parse_vector(sent) == vector).all()


def test_packed_numbers_come_back() -> None:
    rows = np.array([0, 5, 2**31 - 1], np.int32)
    parts = [queries.packed(rows[:2], np.int32), b"", queries.packed(rows[2:], np.int32)]
    assert queries.unpacked(parts, np.int32).tolist() == rows.tolist()
    assert queries.unpacked([], np.float32).shape == (0,)
