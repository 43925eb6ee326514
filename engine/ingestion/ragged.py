"""Rows of different lengths: learned sparse vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, Index, ranges
from engine.ingestion.indexing import Done, read_by
from engine.language.embedders.base import Reader
from engine.model import Passage

BATCH = 256


@dataclass(frozen=True, slots=True)
class Ragged:
    """Row n has the values ``pointers[n]`` to ``pointers[n + 1]`` of each column."""

    pointers: Index
    columns: tuple[Array, ...]

    def __len__(self) -> int:
        return len(self.pointers) - 1

    def take(self, rows: Index) -> Ragged:
        """Some rows, in that order."""
        starts, stops = self.pointers[rows], self.pointers[rows + 1]
        _, places = ranges(starts, stops)
        pointers = np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64)
        return Ragged(pointers, tuple(column[places] for column in self.columns))


def join(parts: Sequence[Ragged]) -> Ragged:
    """The rows of all parts, of which there is one at least."""
    counts = np.concatenate([np.diff(part.pointers) for part in parts])
    pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    columns = zip(*(part.columns for part in parts), strict=True)
    return Ragged(pointers, tuple(np.concatenate(column) for column in columns))


class RaggedSource:
    """Where such rows come from: those of an older generation for what has not changed, a model for the rest.

    ``encode`` gives the rows of texts, ``empty`` is one row without values: that of a passage in a language
    which the model does not read.
    """

    def __init__(
        self,
        model: Reader,
        encode: Callable[[Sequence[str]], Ragged],
        empty: Ragged,
        done: Done,
    ) -> None:
        self._model, self._encode, self._empty = model, encode, empty
        self._done = done
        self._keys = np.zeros((0, 2), np.uint64)
        self._order = np.zeros(0, np.int64)
        self._held: Callable[[Index], Ragged] | None = None

    def learn_from(self, keys: NDArray[np.uint64], held: Callable[[Index], Ragged]) -> None:
        """Take over known rows. ``keys``: what each depends on, shape (n, 2); ``held`` gives rows."""
        self._order = np.lexsort((keys[:, 1], keys[:, 0]))
        self._keys, self._held = keys[self._order], held

    def rows(
        self, passages: Sequence[Passage], keys: NDArray[np.uint64], languages: Sequence[str] | None = None
    ) -> Ragged:
        """The row of each passage. ``languages`` are those of the passages, where they are known without a
        look at them. Raises ModelError."""
        read = read_by(self._model, passages, languages)
        parts, where = [self._empty], np.zeros(len(passages), np.int64)
        size = 1
        known, places = self._known(keys)
        known &= read
        if known.any() and self._held is not None:
            parts.append(self._held(self._order[places[known]]))
            where[known] = size + np.arange(int(known.sum()))
            size += len(parts[-1])
        for numbers, encoded in self._rest(passages, read & ~known):
            parts.append(encoded)
            where[numbers] = size + np.arange(len(numbers))
            size += len(numbers)
        return join(parts).take(where)

    def _known(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], Index]:
        places = np.searchsorted(self._keys[:, 0], keys[:, 0])
        if not len(self._keys):
            return np.zeros(len(keys), np.bool_), places
        places = np.minimum(places, len(self._keys) - 1)
        return (self._keys[places] == keys).all(axis=1), places

    def _rest(self, passages: Sequence[Passage], wanted: NDArray[np.bool_]) -> list[tuple[list[int], Ragged]]:
        """The passages that are wanted, in batches of like length."""
        order = sorted(np.flatnonzero(wanted).tolist(), key=lambda number: len(passages[number].text))
        encoded = []
        for start in range(0, len(order), BATCH):
            self._done(start)
            numbers = order[start : start + BATCH]
            encoded.append((numbers, self._encode([passages[number].text for number in numbers])))
        return encoded
