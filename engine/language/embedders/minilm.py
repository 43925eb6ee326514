"""The packaged model for questions, without torch: a forward pass of BERT (Devlin et al. 2019) in NumPy.

The libraries that run models take six seconds to import, too long for the short text of a question. Here such
a text takes milliseconds, in single precision on every machine. The vectors are those of
sentence-transformers (``test_minilm.py``).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.language.embedders.base import Vectors, unit

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

LAYERS, HEADS, LONGEST = 6, 12, 256
_EPSILON = 1e-12


class MiniLM:
    """all-MiniLM-L6-v2 from a folder with checked weights. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the weights and the vocabulary now, not at the first text."""
        _ = self._weights, self._tokenizer, self._threads

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (texts, 384). Each text is encoded separately: its vector does not
        depend on others, so that a replay gives the same scores to the last digit."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        # A text is too short to gain from a second thread, and on a busy machine threads wait for each other:
        # twenty times as long was measured.
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            return unit(np.stack([self._states(np.asarray(ids)).mean(axis=1) for ids in tokens]))

    @cached_property
    def _threads(self) -> ThreadpoolController:
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()

    @cached_property
    def _weights(self) -> dict[str, NDArray[np.float32]]:
        from safetensors.numpy import load_file

        return load_file(self._folder / "model.safetensors")

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        return tokenizer

    def _states(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the last hidden states of a text's tokens, shape (384, tokens).

        A state is a column: multiplying weights from the left is faster.
        """
        weights = self._weights
        rows = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normalised(np.ascontiguousarray(rows.T), "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            attended = self._linear(self._attended(states, layer), f"{layer}.attention.output.dense")
            states = self._normalised(states + attended, f"{layer}.attention.output.LayerNorm")
            inner = _gelu(self._linear(states, f"{layer}.intermediate.dense"))
            states = self._normalised(
                states + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return states

    def _attended(self, states: Vectors, layer: str) -> Vectors:
        """Return the attention output of all heads, stacked, shape (384, tokens)."""
        size = len(states) // HEADS
        query, key, value = (
            self._linear(states, f"{layer}.attention.self.{part}").reshape(HEADS, size, -1)
            for part in ("query", "key", "value")
        )
        scores = query.transpose(0, 2, 1) @ key / np.float32(np.sqrt(size))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        joined: Vectors = (value @ shares.transpose(0, 2, 1)).reshape(states.shape)
        return joined

    def _linear(self, states: Vectors, name: str) -> Vectors:
        found: Vectors = self._weights[f"{name}.weight"] @ states
        found += self._weights[f"{name}.bias"][:, None]
        return found

    def _normalised(self, states: Vectors, name: str) -> Vectors:
        centred = states - states.mean(axis=0)
        spread = np.sqrt(np.square(centred).mean(axis=0) + np.float32(_EPSILON))
        weight, bias = (self._weights[f"{name}.{part}"][:, None] for part in ("weight", "bias"))
        found: Vectors = centred / spread * weight + bias
        return found


def _gelu(values: Vectors) -> Vectors:
    """Return x times the share of a normal distribution below x (Hendrycks and Gimpel 2016)."""
    from scipy.special import erf

    shares: Vectors = np.asarray(erf(values * np.float32(np.sqrt(0.5))), np.float32)
    return values * np.float32(0.5) * (np.float32(1) + shares)
