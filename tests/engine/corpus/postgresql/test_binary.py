from __future__ import annotations

import numpy as np

from engine.corpus.embedded.arrays import Array
from engine.corpus.postgresql import binary


def test_columns_come_back_as_they_went() -> None:
    types = ["int", "smallint", "bigint", "real", "boolean", "vector"]
    rng = np.random.default_rng(0)
    size = binary.AT_ONCE + 3
    values: list[Array] = [
        rng.integers(-(2**31), 2**31, size),
        rng.integers(-(2**15), 2**15, size),
        rng.integers(-(2**63), 2**63 - 1, size),
        rng.normal(size=size).astype(np.float32),
        rng.random(size) < 0.5,
        rng.normal(size=(size, 3)).astype(np.float32),
    ]
    made = list(binary.parts(types, values))
    assert [count for count, _ in made] == [binary.AT_ONCE, 3]
    sent = binary.HEADER + b"".join(part for _, part in made) + binary.TRAILER
    for column, value in zip(binary.columns(types, sent, 3), values, strict=True):
        assert (column == value).all()


def test_a_vector_in_words_keeps_every_bit() -> None:
    vector = np.random.default_rng(1).normal(size=64).astype(np.float32)
    words = binary.vector_text(vector)
    assert (np.array([float(one) for one in words.strip("[]").split(",")], np.float32) == vector).all()
    sent = np.array([64, 0], ">i2").tobytes() + vector.astype(">f4").tobytes()
    assert (binary.vector_of(sent) == vector).all()
