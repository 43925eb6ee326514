"""BM25 over a corpus folder, by bm25s.

The variant is Lucene's (Kamphuis et al. 2020), whose scores are never negative. Where bm25s has
traps (documents of score 0 among the best, a k above the number of documents, weights of 0 that do
not exclude), the choice of the best is made here instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, open_array
from engine.corpus.embedded.best import best_hits
from engine.corpus.protocol import Hits, Mask, Rows

Method = Literal["lucene", "bm25+", "robertson"]
# Chosen by measurement on the gold sets, together with the context's weight.
K1, B = 0.9, 0.6
CONTEXT_WEIGHT = 0.15

TEXT_FIELD, CONTEXT_FIELD = "lexical-text", "lexical-context"

# bm25s writes files of these names.
_ARRAYS = {"data": "data.csc.index", "indices": "indices.csc.index", "indptr": "indptr.csc.index"}
_VOCABULARY, _PARAMETERS, _NONOCCURRENCE = (
    "vocab.index.json",
    "params.index.json",
    "nonoccurrence_array.index",
)


class LexicalField:
    """The BM25 index of one field."""

    def __init__(self, folder: Path) -> None:
        self._parameters: dict[str, Any] = json.loads((folder / _PARAMETERS).read_bytes())
        self._vocabulary: dict[str, int] = orjson.loads((folder / _VOCABULARY).read_bytes())
        self._arrays: dict[str, Array] = {key: open_array(folder, name) for key, name in _ARRAYS.items()}
        has_rest = (folder / f"{_NONOCCURRENCE}.npy").exists()
        self._nonoccurrence = open_array(folder, _NONOCCURRENCE) if has_rest else None
        self._size = int(self._parameters["num_docs"])

    @staticmethod
    def write(
        folder: Path,
        terms: Iterable[Sequence[str]],
        *,
        k1: float = K1,
        b: float = B,
        method: Method = "lucene",
        dtype: str = "float32",
    ) -> None:
        """Index passages, given as their terms in row order. ``delta`` is 1 for bm25+ (Lv and Zhai 2011)."""
        import bm25s

        # A corpus without a single term still gets an index.
        vocabulary: dict[str, int] = {"": 0}
        numbers = [[vocabulary.setdefault(term, len(vocabulary)) for term in passage] for passage in terms]
        if len(vocabulary) == 1:
            numbers[0] = [0]
        index = bm25s.BM25(k1=k1, b=b, delta=1.0, method=method, dtype=dtype)
        index.index((numbers, vocabulary), show_progress=False)
        index.save(folder, show_progress=False)

    def scores(self, terms: Sequence[str]) -> Array:
        """The score of every passage for a query's terms, shape (passages,)."""
        known = [self._vocabulary[term] for term in terms if term and term in self._vocabulary]
        if not known:
            return np.zeros(self._size, np.float32)
        scores: Array = self._index.get_scores_from_ids(known)
        return scores

    @cached_property
    def _index(self) -> Any:
        import bm25s

        names = ("k1", "b", "delta", "method", "idf_method", "dtype", "int_dtype")
        index = bm25s.BM25(**{name: self._parameters[name] for name in names})
        index.scores = {**self._arrays, "num_docs": self._size}
        index.nonoccurrence_array = self._nonoccurrence
        return index


class LexicalIndex:
    """Text and context of every passage; a score is the text's plus a share of the context's."""

    def __init__(self, folder: Path) -> None:
        self._text = LexicalField(folder / TEXT_FIELD)
        self._context = LexicalField(folder / CONTEXT_FIELD)

    @staticmethod
    def write(folder: Path, texts: Iterable[Sequence[str]], contexts: Iterable[Sequence[str]]) -> None:
        """Index both fields, given as terms in row order."""
        for name, terms in ((TEXT_FIELD, texts), (CONTEXT_FIELD, contexts)):
            (folder / name).mkdir()
            LexicalField.write(folder / name, terms)

    def search(self, queries: Iterable[Sequence[str]], limit: int, mask: Mask | None) -> list[Hits]:
        """The best rows for each query's terms: scores above 0, ``limit`` at most."""
        return [best_hits(self.scores(terms), limit, 0.0, mask, exclusive=True) for terms in queries]

    def score(self, queries: Sequence[Sequence[str]], rows: Rows) -> NDArray[np.float32]:
        """The scores of chosen rows, shape (queries, rows)."""
        chosen = np.asarray(rows, np.int64)
        scores = [self.scores(terms)[chosen] for terms in queries]
        return np.asarray(scores, np.float32).reshape(len(queries), len(chosen))

    def scores(self, terms: Sequence[str]) -> Array:
        """The score of every passage, shape (passages,)."""
        combined: Array = self._text.scores(terms) + np.float32(CONTEXT_WEIGHT) * self._context.scores(terms)
        return combined
