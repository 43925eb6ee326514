"""Compute and cache vectors of passages and names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128

from engine.corpus.embedded.block import Block, digest, hashed
from engine.corpus.embedded.generation import NO_MODEL, SPARSE_NAME, STATE_NAME
from engine.corpus.embedded.stored import FileArray
from engine.corpus.embedded.writing import CONTENT_KEYS
from engine.errors import system_error
from engine.ingestion.indexing import SparseSource, VectorSource
from engine.ingestion.ledger import Previous
from engine.ingestion.pipeline import Control
from engine.ingestion.view import BlockPassages, CorpusView
from engine.language.clustering import Encode
from engine.language.embedders import Embedder, SparseEmbedder, SparseVectors, embedder, sparse_embedder
from engine.language.embedders.base import Kind, Vectors

if TYPE_CHECKING:
    from engine.corpus.embedded.dense import KnownCodes


# A model with a cache in a folder: interrupted work continues later
#
# Each call has a file: the digest of its vectors (XXH3, 128 bits), then the vectors as float32. Its name is
# made from the model and the texts, so equal batches of texts give equal bytes.

_DIGEST_BYTES = 16


class CachingEmbedder:
    """An ``Embedder`` with a cache. ``folder`` is created if missing, but its parent is not."""

    def __init__(self, model: Embedder, folder: Path) -> None:
        self._model, self._folder = model, folder
        self.spec, self.languages = model.spec, model.languages

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._model.dimensions

    @property
    def calls(self) -> int:
        """Number of requests sent to an external service."""
        return self._model.calls

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Return unit vectors, shape (texts, dimensions).

        Raises ModelError, ResourceError if the disk is full, CorpusError if the folder cannot be written.
        """
        if not texts:
            return self._model.encode(texts, kind)
        parts = (self.spec, kind, *texts)
        path = self._folder / digest(*(part.encode("utf-8", "replace") for part in parts))
        vectors = _read(path, len(texts))
        if vectors is None:
            vectors = np.ascontiguousarray(self._model.encode(texts, kind), np.float32)
            _write(path, vectors)
        return vectors


def _read(path: Path, count: int) -> Vectors | None:
    """Read the vectors in a file; None if it is missing or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    seal, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if not content or xxh3_128(content).digest() != seal:
        return None
    return np.frombuffer(content, np.float32).reshape(count, -1).copy()


def _write(path: Path, vectors: Vectors) -> None:
    content = vectors.tobytes()
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            waiting.write_bytes(xxh3_128(content).digest() + content)
            waiting.replace(path)
        finally:
            waiting.unlink(missing_ok=True)
    except OSError as error:
        raise system_error(f"keep the vectors in {path.parent}", error) from error


# Vectors of names: an update encodes only new names

_KEYS, _VECTORS = "names.key", "names.vector"


class NameVectors:
    """Encodes names by a model; reuses the vectors of an older vocabulary."""

    def __init__(self, encode: Encode, before: Block | None) -> None:
        self._encode = encode
        self._held: dict[int, NDArray[np.float32]] = {}
        if before is not None and _KEYS in before.arrays:
            self._held = dict(zip(before[_KEYS].tolist(), before[_VECTORS], strict=True))
        self._used: dict[int, NDArray[np.float32]] = {}

    def __call__(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (names, d). Raises ModelError."""
        keys = [hashed(name) for name in names]
        new = [place for place, key in enumerate(keys) if key not in self._held]
        if new:
            found = self._encode([names[place] for place in new])
            self._held |= {keys[place]: vector for place, vector in zip(new, found, strict=True)}
        self._used |= {key: self._held[key] for key in keys}
        return np.asarray([self._held[key] for key in keys], np.float32)

    def put(self, vocabulary: Block) -> None:
        """Store the requested vectors in a vocabulary."""
        keys = np.asarray(sorted(self._used), np.uint64)
        vectors = [self._used[key] for key in keys.tolist()]
        vocabulary.arrays |= {_KEYS: keys, _VECTORS: np.asarray(vectors, np.float32)}


# Vectors of passages: dense and learned sparse


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a corpus by their specs; None if the spec is "none"."""

    embedding: str
    sparse: str
    dense_model: Embedder | None
    sparse_model: SparseEmbedder | None


def make_models(embedding: str, sparse: str = NO_MODEL) -> Models:
    """Make the models of two specs without loading them. Raises SettingsError for an invalid spec."""
    return Models(embedding, sparse, embedder(embedding), sparse_embedder(sparse))


@dataclass(frozen=True, slots=True)
class Embedded:
    """The result of embedding.

    ``room``: the vectors, shape (passages, d), or None without a model. ``encoded``: passages encoded now.
    ``missing``: passages in unsupported languages. ``codes``: codes of reused vectors. The index of learned
    sparse vectors is in the generation.
    """

    room: FileArray | None = None
    encoded: int = 0
    missing: int = 0
    codes: KnownCodes | None = None


class Embedding:
    """Embeds the passages of a view with all models; reuses unchanged vectors.

    With ``later`` the dense model is not called: new passages get no vectors yet.
    """

    def __init__(
        self,
        chosen: Models,
        generation: Path,
        before: Previous | None,
        control: Control,
        *,
        headings: bool,
        later: bool = False,
    ) -> None:
        self._models, self._generation, self._before = chosen, generation, before
        self._control, self._headings, self._later = control, headings, later
        # Codes of the previous vectors.
        self._codes: NDArray[np.uint8] | None = None
        # Progress over all models and passages, reported as one step.
        self._encoded, self._total = 0, 0

    def run(self, view: CorpusView) -> Embedded:
        """Embed all passages. Raises ModelError if a model is unavailable."""
        dense = self._dense()
        model = self._models.dense_model
        room = None if model is None else FileArray(self._generation, len(view), model.dimensions)
        sparse = self._sparse()
        parts: list[SparseVectors] = []
        missing, origins = 0, np.full(len(view), -1, np.int64)
        self._total = len(view) * sum(one is not None for one in (dense, sparse))
        for number, block in enumerate(view.blocks):
            self._control.check()
            passages = BlockPassages(view, number)
            languages = passages.languages
            keys = block["passages.content"]
            if dense is not None and room is not None:
                rows = slice(int(view.first_row[number]), int(view.first_row[number + 1]))
                missing += dense.vectors(
                    *(passages, keys, room.array[rows]), languages=languages, origins=origins[rows]
                )
                room.release()
                self._finished(len(passages))
            if sparse is not None:
                parts.append(sparse.rows(passages, keys, languages))
                self._finished(len(passages))
        if parts and self._models.sparse_model is not None:
            from engine.corpus.embedded.lexical import SparseIndex, join

            dimensions = self._models.sparse_model.dimensions
            SparseIndex.build(join(parts), dimensions).save(self._generation / SPARSE_NAME)
        return Embedded(room, 0 if dense is None else dense.encoded, missing, self._reused_codes(origins))

    def fill_cache(self, view: CorpusView) -> None:
        """Encode every passage that ``run`` will encode, in the same batches, and discard the vectors.

        Fills the cache of a caching embedder. Raises ModelError.
        """
        dense, model = self._dense(), self._models.dense_model
        assert dense is not None
        assert model is not None
        self._total = len(view)
        for number, block in enumerate(view.blocks):
            passages = BlockPassages(view, number)
            vectors = np.zeros((len(passages), model.dimensions), np.float32)
            dense.vectors(passages, block["passages.content"], vectors)
            self._finished(len(passages))

    def _done(self, count: int) -> None:
        """Report the number of passages encoded in the current block."""
        self._control.check()
        self._control.progress("embed", self._encoded + count, self._total)

    def _finished(self, count: int) -> None:
        self._encoded += count
        self._done(0)

    def _dense(self) -> VectorSource | None:
        model = self._models.dense_model
        if model is None:
            return None
        source = VectorSource(model, self._done, headings=self._headings, later=self._later)
        before = self._before
        if before is not None and before.ledger.options.get("headings") == self._headings:
            from engine.corpus.embedded.dense import CODES

            state = before.block(STATE_NAME) if before.manifest.embedding == self._models.embedding else None
            if state is not None:
                self._codes = state.arrays.get(CODES)
                source.learn_from(state[CONTENT_KEYS], state["vectors"])
        return source

    def _reused_codes(self, origins: NDArray[np.int64]) -> KnownCodes | None:
        """Return the codes of reused vectors; ``origins``: their previous rows, or -1."""
        if self._codes is None:
            return None
        from engine.corpus.embedded.dense import KnownCodes

        return KnownCodes(self._codes[origins], origins >= 0)

    def _sparse(self) -> SparseSource | None:
        if self._models.sparse_model is None:
            return None
        source, before = SparseSource(self._models.sparse_model, self._done), self._before
        if before is not None and before.manifest.sparse == self._models.sparse:
            from engine.corpus.embedded.lexical import SparseIndex

            state, index = before.block(STATE_NAME), before.block(SPARSE_NAME)
            if state is not None and index is not None:
                source.learn_from(state[CONTENT_KEYS], SparseIndex(index).vectors())
        return source
