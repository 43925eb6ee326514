"""Embedding models, chosen by a short spec string."""

from engine.language.embedders.base import Embedder, SparseEmbedder, SparseVectors, reads
from engine.language.embedders.spec import NO_EMBEDDING, embedder, sparse_embedder

__all__ = [
    "NO_EMBEDDING",
    "Embedder",
    "SparseEmbedder",
    "SparseVectors",
    "embedder",
    "reads",
    "sparse_embedder",
]
