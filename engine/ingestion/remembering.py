"""A model that keeps what it has computed in a folder: work that was interrupted goes on where it was.

Each call has a file: the digest of its vectors (XXH3, 128 bits), then the vectors as float32. Its name is
made from the model and the texts, so whoever asks for the same texts in the same batches gets the same bytes,
whether they were computed now or before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from xxhash import xxh3_128

from engine.corpus.embedded.block import digest
from engine.errors import system_error
from engine.language.embedders.base import Embedder, Kind, Vectors

_DIGEST_BYTES = 16


class RememberingEmbedder:
    """See ``Embedder``. The ``folder`` is made where it is missing, but not the one that it stands in."""

    def __init__(self, model: Embedder, folder: Path) -> None:
        self._model, self._folder = model, folder
        self.spec, self.languages = model.spec, model.languages

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._model.dimensions

    @property
    def calls(self) -> int:
        """Requests sent to an outside service so far."""
        return self._model.calls

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Unit vectors, shape (texts, dimensions). Raises ModelError, ResourceError where the disk is full,
        CorpusError where the folder cannot be written."""
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
    """The vectors in a file; None where there are none, or they are damaged."""
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
