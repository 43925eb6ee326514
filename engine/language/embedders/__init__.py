"""Embedding models, chosen by a short spec string."""

from engine.language.embedders.base import (
    Embedder,
    SparseEmbedder,
    SparseVectors,
    TokenEmbedder,
    TokenVectors,
    reads,
)
from engine.language.embedders.spec import (
    NO_EMBEDDING,
    embedder,
    sparse_embedder,
    token_embedder,
)

__all__ = [
    "NO_EMBEDDING",
    "Embedder",
    "SparseEmbedder",
    "SparseVectors",
    "TokenEmbedder",
    "TokenVectors",
    "embedder",
    "reads",
    "sparse_embedder",
    "token_embedder",
]
