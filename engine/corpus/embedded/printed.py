"""Where the numbers of one document stand, told by the columns of numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from engine.corpus.embedded.documents import NO_ROWS, Numbered, Numbers, SectionTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.protocol import Rows

# Documents whose numbers are kept at hand.
_AT_HAND = 64


class Printed(Mapping[str, tuple[list[int], list[int]]]):
    """Rows and sections of a document by number. See ``Texts.printed_numbers``."""

    def __init__(self, passages: Numbered, citable: Rows, sections: Numbered) -> None:
        """Rows and sections by number, ascending; ``citable``: the rows that are cited by theirs."""
        self._passages, self._citable, self._sections = passages, citable, sections

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self._passages, *self._sections))

    def __getitem__(self, number: str) -> tuple[list[int], list[int]]:
        if number not in self._passages and number not in self._sections:
            raise KeyError(number)
        rows = self._passages.get(number, NO_ROWS)
        if len(rows) > 1:
            others = np.setdiff1d(self._citable, rows, assume_unique=True)
            behind = np.searchsorted(others, rows[:-1])
            rows = np.union1d(rows, others[behind[behind < len(others)]])
        return rows.tolist(), self._sections.get(number, NO_ROWS).tolist()


def printed_of(first: Numbers, passages: PassageTable, sections: SectionTable) -> Callable[[int], Printed]:
    """What tells the numbers of a document; ``first``: the first row of each document and the number of
    passages, shape (documents + 1,)."""

    def printed(document: int) -> Printed:
        start, stop = first[document : document + 2].tolist()
        return Printed(*passages.printed(start, stop), sections.printed(document))

    return lru_cache(_AT_HAND)(printed)
