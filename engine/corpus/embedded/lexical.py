"""BM25 over a corpus folder, by bm25s.

The variant is Lucene's (Kamphuis et al. 2020), whose scores are never negative; k1 and b are the
common ones. Where bm25s has traps (documents of score 0 among the best, a k above the number of
documents, weights of 0 that do not exclude), the choice of the best is made here instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from engine.corpus.embedded.arrays import Array, open_array
from engine.corpus.embedded.best import best_hits
from engine.corpus.protocol import Hits, Mask

Method = Literal["lucene", "bm25+", "robertson"]
K1, B = 1.5, 0.75

# bm25s writes files of these names.
_ARRAYS = {"data": "data.csc.index", "indices": "indices.csc.index", "indptr": "indptr.csc.index"}
_VOCABULARY, _PARAMETERS, _NONOCCURRENCE = "vocab.index.json", "params.index.json", "nonoccurrence_array.index"


class LexicalIndex:
    """An index that is read from disk as far as a query needs it."""

    def __init__(self, folder: Path) -> None:
        self._parameters: dict[str, Any] = json.loads((folder / _PARAMETERS).read_bytes())
        self._vocabulary: dict[str, int] = orjson.loads((folder / _VOCABULARY).read_bytes())
        self._arrays: dict[str, Array] = {key: open_array(folder, name) for key, name in _ARRAYS.items()}
        has_rest = (folder / f"{_NONOCCURRENCE}.npy").exists()
        self._nonoccurrence = open_array(folder, _NONOCCURRENCE) if has_rest else None

    @staticmethod
    def write(
        folder: Path, terms: Iterable[Sequence[str]], *, method: Method = "lucene", dtype: str = "float32"
    ) -> None:
        """Index passages, given as their terms in row order. ``delta`` is 1 for bm25+ (Lv and Zhai 2011)."""
        import bm25s

        vocabulary: dict[str, int] = {}
        # A corpus without a single term still gets an index.
        vocabulary[""] = 0
        numbers = [[vocabulary.setdefault(term, len(vocabulary)) for term in passage] for passage in terms]
        index = bm25s.BM25(k1=K1, b=B, delta=1.0, method=method, dtype=dtype)
        index.index((numbers, vocabulary), show_progress=False)
        index.save(folder, show_progress=False)

    def search(self, queries: Iterable[Sequence[str]], limit: int, mask: Mask | None) -> list[Hits]:
        """The best rows for each query's terms: scores above 0, ``limit`` at most."""
        return [best_hits(self._scores(terms), limit, 0.0, mask, exclusive=True) for terms in queries]

    def _scores(self, terms: Sequence[str]) -> Array:
        known = [self._vocabulary[term] for term in terms if term and term in self._vocabulary]
        if not known:
            return np.zeros(int(self._parameters["num_docs"]), np.float32)
        scores: Array = self._index.get_scores_from_ids(known)
        return scores

    @cached_property
    def _index(self) -> Any:
        import bm25s

        names = ("k1", "b", "delta", "method", "idf_method", "dtype", "int_dtype")
        index = bm25s.BM25(**{name: self._parameters[name] for name in names})
        index.scores = {**self._arrays, "num_docs": int(self._parameters["num_docs"])}
        index.nonoccurrence_array = self._nonoccurrence
        return index
