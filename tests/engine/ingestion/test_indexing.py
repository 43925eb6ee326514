from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.contents import content_key
from engine.ingestion.indexing import VectorSource
from engine.model import Passage


class LengthModel:
    spec, languages, dimensions, calls = "length", frozenset({"en"}), 2, 0

    def __init__(self) -> None:
        self.batches: list[int] = []

    def encode(self, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        assert kind == "passage"
        self.batches.append(len(texts))
        return np.asarray([[len(text), 1.0] for text in texts], np.float32)


def keys(passages: Sequence[Passage]) -> NDArray[np.uint64]:
    joined = b"".join(content_key(passage.text, b"") for passage in passages)
    return np.frombuffer(joined, np.uint64).reshape(-1, 2)


def some_passages(count: int, start: int = 0) -> list[Passage]:
    return [
        Passage(f"p{n}", "d", None, n, f"{n} " + "x" * (1 + n * 7 % 50), "ar" if n % 10 == 0 else "en")
        for n in range(start, start + count)
    ]


def test_only_new_texts_are_embedded() -> None:
    known, wanted = some_passages(30), some_passages(30, start=20)
    first = np.zeros((30, 2), np.float32)
    VectorSource(LengthModel(), headings=False).vectors(known, keys(known), first)
    source, again = VectorSource(LengthModel(), headings=False), np.zeros((30, 2), np.float32)
    source.learn_from(keys(known), first)
    origins = np.full(30, -1, np.int64)
    source.vectors(wanted, keys(wanted), again, origins=origins)
    read = [n for n in range(20, 30) if known[n].language != "ar"]
    assert {n + 20: old for n, old in enumerate(origins.tolist()) if old >= 0} == {n: n for n in read}
    assert source.encoded == 18, "two of the twenty new ones are in Arabic"
    fresh = np.zeros((30, 2), np.float32)
    VectorSource(LengthModel(), headings=False).vectors(wanted, keys(wanted), fresh)
    assert again.tolist() == fresh.tolist()
