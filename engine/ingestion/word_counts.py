"""How often a corpus has each word, written exactly so: the sum of what its blocks have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block

# Blocks whose words are added up at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class WordCounts:
    """``keys`` of words in ascending order and their ``counts``, none of them 0; shapes (words,)."""

    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]

    @staticmethod
    def none() -> WordCounts:
        """No words."""
        return WordCounts(np.zeros(0, np.uint64), np.zeros(0, np.int64))

    def changed(self, gone: Sequence[Block], come: Sequence[Block]) -> WordCounts:
        """The counts without the words of some blocks and with those of others."""
        found = self
        for sign, blocks in ((-1, gone), (1, come)):
            for start in range(0, len(blocks), _AT_ONCE):
                found = _summed([found, *(_of_block(one, sign) for one in blocks[start : start + _AT_ONCE])])
        return found

    def of(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """How often the corpus has the words with these keys."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found: NDArray[np.int64] = np.where(self.keys[places] == keys, self.counts[places], 0)
        return found


def _of_block(block: Block, sign: int) -> WordCounts:
    keys = block["words.key"]
    return WordCounts(keys, sign * np.bincount(block["tokens.word"], minlength=len(keys)))


def _summed(parts: Iterable[WordCounts]) -> WordCounts:
    parts = list(parts)
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], np.concatenate([part.counts for part in parts])[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, np.int64)
    sums = np.add.reduceat(counts, first) if len(keys) else counts
    there = sums != 0
    return WordCounts(keys[first][there], sums[there].astype(np.int64))
