"""Learned sparse models by sentence-transformers, such as SPLADE (Formal et al., SIGIR 2021)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engine.language.embedders.base import Kind, SparseVectors
from engine.language.embedders.loading import load_model_files
from engine.language.embedders.transformer import threads

BATCH = 32
# Maximum number of terms per text; the heaviest are used, and far fewer describe its subject.
MOST_TERMS = 256


class SparseTransformer:
    """A sentence-transformers ``SparseEncoder`` from a folder or by name from the model hub.

    A plain masked language model is used as a SPLADE model.
    """

    def __init__(self, spec: str, model: str, *, languages: frozenset[str] | None = None) -> None:
        self.spec = spec
        self.languages = languages
        self._model_name = model
        self._lock = threading.Lock()

    @cached_property
    def dimensions(self) -> int:
        """Size of the vocabulary; loads the model and encodes one word."""
        # Before its first text, a masked language model reports the width of its hidden states instead.
        return int(self._model.encode_query(["a"], show_progress_bar=False).shape[1])

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> SparseVectors:
        """Return a row for each text, with at most 256 terms. Raises ModelError if the model is
        unavailable."""
        if not texts:
            return SparseVectors(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        model = self._model
        encode = model.encode_query if kind == "query" else model.encode_document
        with self._lock, threads(1 if kind == "query" else None):
            encoded = encode(
                list(texts),
                batch_size=BATCH,
                show_progress_bar=False,
                convert_to_sparse_tensor=True,
                save_to_cpu=True,
                max_active_dims=MOST_TERMS,
            ).coalesce()
        rows, terms = encoded.indices().numpy()
        weights = encoded.values().float().numpy()
        # Rows of texts with fewer terms are padded with zeros.
        kept = weights > 0
        counts = np.bincount(rows[kept], minlength=len(texts))
        pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return SparseVectors(pointers, terms[kept].astype(np.int32), weights[kept].astype(np.float32))

    @cached_property
    def _model(self) -> Any:
        with self._lock:
            return load_model_files("SparseEncoder", self._model_name, "sparse model")
