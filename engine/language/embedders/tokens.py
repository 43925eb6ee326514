"""Late-interaction models: a vector for each token of a text (ColBERT, Khattab and Zaharia, SIGIR 2020)."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engine.language.embedders.base import Kind, TokenVectors, Vectors, unit
from engine.language.embedders.loading import load_model_files
from engine.language.embedders.transformer import PACKAGED_SPEC, PackagedEmbedder, threads

BATCH = 64
PACKAGED_TOKEN_DIMENSIONS = 128


class TokenTransformer:
    """A sentence-transformers ``MultiVectorEncoder`` from a folder or, by name, from the model hub: ColBERT
    and PyLate models. Which tokens count, and how a question is marked, the model itself says."""

    def __init__(self, spec: str, model: str, *, languages: frozenset[str] | None = None) -> None:
        self.spec = spec
        self.languages = languages
        self._model_name = model
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model."""
        return int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> TokenVectors:
        """Unit vectors of each text's tokens. Raises ModelError where the model cannot be had."""
        model = self._model
        encode = model.encode_query if kind == "query" else model.encode_document
        with self._lock, threads(1 if kind == "query" else None):
            encoded = encode(
                list(texts),
                batch_size=BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        # In half precision a length is 1 to two digits only.
        return joined([unit(np.asarray(one, np.float32)) for one in encoded], self.dimensions)

    @cached_property
    def _model(self) -> Any:
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load_model_files(
                "MultiVectorEncoder", self._model_name, "late-interaction model", half=True
            )


class PackagedTokens:
    """The tokens of the packaged model, all-MiniLM-L6-v2 (English): its last hidden states, reduced to 128
    dimensions. Works offline. Function words and punctuation do not count.

    The model was never trained for it; measured on the gold sets it adds to BM25 and the model's own
    dense vectors all the same (benchmarks/RESULTS.md). ``model`` is the embedder whose forward pass
    gives both: what it has just embedded is not computed again.
    """

    spec = PACKAGED_SPEC

    def __init__(self, model: PackagedEmbedder) -> None:
        self.languages = model.languages
        self._model = model
        model.remember_tokens()

    @property
    def dimensions(self) -> int:
        """128, known without loading the model."""
        return PACKAGED_TOKEN_DIMENSIONS

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> TokenVectors:
        """Unit vectors of each text's tokens that count. Raises ModelError."""
        return joined(self._model.tokens(texts, kind), self.dimensions)


def joined(parts: Sequence[Vectors], dimensions: int) -> TokenVectors:
    """The token vectors of texts as one array."""
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return TokenVectors(offsets, np.concatenate([np.zeros((0, dimensions), np.float32), *parts]))
