"""Embedding models, chosen by a short spec string."""

from engine.language.embedders.base import Embedder, reads
from engine.language.embedders.spec import NO_EMBEDDING, embedder

__all__ = ["NO_EMBEDDING", "Embedder", "embedder", "reads"]
