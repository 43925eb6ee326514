"""The names that texts of a corpus give to documents, as its blocks have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import orjson

from engine.corpus.embedded.block import Block
from engine.corpus.embedded.joining import shifted
from engine.language.references.definitions import DefinedName

_ROWS, _NAMES = "names.passage", "names"


class GivenNames:
    """Names by the passages that give them. A corpus that was written before they were kept has none."""

    def __init__(self, state: Block) -> None:
        self._state = state

    @staticmethod
    def pack(block: Block, names: Iterable[tuple[int, DefinedName]]) -> None:
        """Set the names that the passages of a block give, by their rows in it."""
        held = list(names)
        block.arrays[_ROWS] = np.asarray([row for row, _ in held], np.int32)
        block.put_strings(_NAMES, [orjson.dumps(tuple(name)).decode() for _, name in held])

    @staticmethod
    def put(state: Block, blocks: Sequence[Block]) -> None:
        """Set the names of all blocks."""
        state.arrays[_ROWS] = shifted(blocks, _ROWS, [block.passages for block in blocks])
        state.put_joined(_NAMES, [block.strings(_NAMES) for block in blocks])

    def each(self) -> Iterator[tuple[int, DefinedName]]:
        """The row of each passage that names a document, and the name, in the order of the corpus."""
        if _ROWS not in self._state.arrays:
            return
        rows = self._state[_ROWS].tolist()
        for row, record in zip(rows, self._state.strings(_NAMES).all(), strict=True):
            yield row, DefinedName(*orjson.loads(record))
