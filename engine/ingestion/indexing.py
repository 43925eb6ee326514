"""Index data of passages: their context and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.language.embedders import Embedder, SparseEmbedder, SparseVectors
from engine.language.embedders.base import Reader, reads, unit
from engine.model import Document, Passage

EMBEDDING_BATCH = 256
# Weight of the headings' vector in a passage's vector. On the gold sets more questions are complete than
# without, and no set loses (benchmarks/RESULTS.md).
HEADING_SHARE = 0.2
HEADING_JOINT = " > "

# One row without terms.
_NO_TERMS = SparseVectors(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
# Called with the number of passages done so far.
Done = Callable[[int], None]


def get_context(passage: Passage, document: Document) -> tuple[str, ...]:
    """Return the context of a passage: names of its document, its label, its headings."""
    short = min(document.aliases, key=len, default=document.title)
    return (*dict.fromkeys((document.title, short)), passage.label, *passage.headings)


class KnownKeys:
    """The keys of an older generation's passages, shape (n, 2): hashes of the inputs of their vectors."""

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self._order = np.lexsort((keys[:, 1], keys[:, 0]))
        self._keys = keys[self._order]

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the row of each key in the older generation, -1 for an unknown one."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        found = np.minimum(np.searchsorted(self._keys[:, 0], keys[:, 0]), len(self._keys) - 1)
        return np.where((self._keys[found] == keys).all(axis=1), self._order[found], -1)


class VectorSource:
    """Source of vectors: an older generation for unchanged passages, otherwise the model unless ``later``."""

    def __init__(
        self, model: Embedder, done: Done | None = None, *, headings: bool, later: bool = False
    ) -> None:
        self._model, self._done, self._headings, self._later = model, done, headings, later
        self._known = KnownKeys(np.zeros((0, 2), np.uint64))
        self._vectors = np.zeros((0, model.dimensions), np.float32)
        self.encoded = 0

    def learn_from(self, keys: NDArray[np.uint64], vectors: NDArray[np.float32]) -> None:
        """Reuse known vectors, shape (n, d). ``keys``: the key of each, shape (n, 2)."""
        if vectors.shape[1] == self._model.dimensions:
            self._known, self._vectors = KnownKeys(keys), vectors

    def vectors(
        self,
        passages: Sequence[Passage],
        keys: NDArray[np.uint64],
        found: NDArray[np.float32],
        *,
        languages: Sequence[str] | None = None,
        origins: NDArray[np.int64] | None = None,
    ) -> int:
        """Write the vectors of passages into ``found``, shape (passages, d); return the number of unsupported
        passages.

        Passages in unsupported languages and postponed passages get zero rows. ``languages``: the languages
        of the passages, if known; then only new passages are loaded. ``origins``, shape (passages,), gets the
        numbers of reused vectors and is otherwise unchanged. Raises ModelError.
        """
        read = supported_passages(self._model, passages, languages)
        places = np.where(read, self._known.find(keys), -1)
        known = places >= 0
        old = places[known]
        if len(known) and known.all():
            np.take(self._vectors, old, axis=0, out=found, mode="clip")
            has_vector = found.any(axis=1)
        else:
            reused = self._vectors[old]
            found[known], has_vector = reused, reused.any(axis=1)
        known[known] = has_vector
        if origins is not None:
            origins[known] = old[has_vector]
        new = [] if self._later else np.flatnonzero(read & ~known).tolist()
        if new:
            self.encoded += len(new)
            chosen = [passages[n] for n in new]
            found[new] = passage_vectors(chosen, self._model, self._done, self._headings)
        return int((~read).sum())


class SparseSource:
    """Source of learned sparse vectors: an older generation for unchanged passages, else the model."""

    def __init__(self, model: SparseEmbedder, done: Done) -> None:
        self._model, self._done = model, done
        self._known = KnownKeys(np.zeros((0, 2), np.uint64))
        self._old = _NO_TERMS

    def learn_from(self, keys: NDArray[np.uint64], vectors: SparseVectors) -> None:
        """Reuse known vectors. ``keys``: the key of each, shape (n, 2)."""
        self._known, self._old = KnownKeys(keys), vectors

    def rows(
        self, passages: Sequence[Passage], keys: NDArray[np.uint64], languages: Sequence[str] | None
    ) -> SparseVectors:
        """Return the row of each passage; no terms in a language that the model does not read. Raises
        ModelError."""
        from engine.corpus.embedded.lexical import join, take

        read = supported_passages(self._model, passages, languages)
        old = np.where(read, self._known.find(keys), -1)
        parts = [_NO_TERMS, take(self._old, old[old >= 0])]
        order = np.zeros(len(passages), np.int64)
        order[old >= 0] = 1 + np.arange(np.count_nonzero(old >= 0))
        new = np.flatnonzero(read & (old < 0))
        texts = [passages[number].text for number in new.tolist()]
        for batch in _batches(texts, self._done):
            order[new[batch]] = sum(len(part.pointers) - 1 for part in parts) + np.arange(len(batch))
            parts.append(self._model.encode([texts[number] for number in batch]))
        return take(join(parts), order)


def supported_passages(
    model: Reader, passages: Sequence[Passage], languages: Sequence[str] | None
) -> NDArray[np.bool_]:
    """Return which passages have a language that the model supports, shape (passages,)."""
    if languages is None:
        languages = [passage.language for passage in passages]
    known = {language: reads(model, language) for language in set(languages)}
    return np.asarray([known[language] for language in languages], np.bool_)


def passage_vectors(
    passages: Sequence[Passage], model: Embedder, done: Done | None, headings: bool
) -> NDArray[np.float32]:
    """Encode passages as unit vectors, shape (passages, d); ``headings`` mixes in the vectors of their
    headings.

    Raises ModelError.
    """
    vectors = _encode_texts([passage.text for passage in passages], model, done)
    if headings:
        paths = [HEADING_JOINT.join(passage.headings) for passage in passages]
        known = {path: number for number, path in enumerate(dict.fromkeys(filter(None, paths)))}
        below = [(row, known[path]) for row, path in enumerate(paths) if path]
        if below:
            of_paths = _encode_texts(list(known), model)
            passage_rows, path_rows = (list(column) for column in zip(*below, strict=True))
            leaning = vectors[passage_rows] + HEADING_SHARE * of_paths[path_rows]
            vectors[passage_rows] = unit(leaning)
    return vectors


def _encode_texts(texts: Sequence[str], model: Embedder, done: Done | None = None) -> NDArray[np.float32]:
    """Return the unit vectors of passages' texts."""
    vectors = np.zeros((len(texts), model.dimensions), np.float32)
    for batch in _batches(texts, done):
        vectors[batch] = model.encode([texts[number] for number in batch], kind="passage")
    return vectors


def _batches(texts: Sequence[str], done: Done | None) -> Iterator[list[int]]:
    """Yield texts, by number, in batches of like length: a batch takes as long as its longest text."""
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for start in range(0, len(order), EMBEDDING_BATCH):
        if done is not None:
            done(start)
        yield order[start : start + EMBEDDING_BATCH]
