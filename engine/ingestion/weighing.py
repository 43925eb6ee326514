"""Comparisons of how often a corpus has words: kept by their keys, and made again when it has changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, hashed
from engine.ingestion.word_counts import WordCounts
from engine.language.names import Comparison, Word

_WORD, _TIMES, _SIZE, _OTHERS, _SO = (f"weighed.{name}" for name in ("word", "times", "size", "others", "so"))


class Weighing:
    """Answers comparisons by the words of a corpus, and remembers them."""

    def __init__(self, words: WordCounts) -> None:
        self._words = words
        self._asked: list[Comparison] = []

    def __call__(self, asked: Sequence[Comparison]) -> list[bool]:
        """Which comparisons are so."""
        self._asked += asked
        found: list[bool] = _so(_columns(asked), self._words).tolist()
        return found

    def put(self, block: Block) -> None:
        """Keep in a block what was asked, and what is so."""
        columns = _columns(self._asked)
        block.arrays |= columns | {_SO: _so(columns, self._words)}


def weighs_the_same(block: Block, words: WordCounts) -> bool:
    """Whether the comparisons that a block keeps are still as they were, by the words of another corpus."""
    return np.array_equal(_so(block.arrays, words), block[_SO])


def _columns(asked: Sequence[Comparison]) -> dict[str, NDArray[np.generic]]:
    return {
        _WORD: np.asarray([_key(one.word) for one in asked], np.uint64),
        _TIMES: np.asarray([one.times for one in asked], np.int64),
        _SIZE: np.asarray([len(one.others) for one in asked], np.int64),
        _OTHERS: np.asarray([_key(word) for one in asked for word in one.others], np.uint64),
    }


def _so(columns: dict[str, NDArray[np.generic]], words: WordCounts) -> NDArray[np.bool_]:
    sums = np.append(0, np.cumsum(words.of(columns[_OTHERS].astype(np.uint64))))
    ends = np.cumsum(columns[_SIZE].astype(np.int64))
    others = sums[ends] - sums[ends - columns[_SIZE].astype(np.int64)]
    times = columns[_TIMES].astype(np.int64)
    so: NDArray[np.bool_] = words.of(columns[_WORD].astype(np.uint64)) * times > others
    return so


def _key(word: Word) -> int:
    return hashed(" ".join(word))
