"""Embed the views of a question with the corpus's model, in one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.errors import ModelError
from engine.language.embedders import Embedder, reads
from engine.language.embedders.base import Kind
from engine.language.embedders.transformer import model_name
from engine.model import QueryPlan, View
from engine.retrieval.planning import HYPOTHETICAL


def embed_views(
    embedder: Embedder | None, corpus: Corpus, plan: QueryPlan
) -> tuple[NDArray[np.float32] | None, tuple[str, ...]]:
    """Return the views' vectors, shape (views, d), with zeros for views without dense search, and notes.

    None, with a note on the reason, if dense search is off.
    """
    if embedder is None:
        return None, ("dense search is off: the corpus holds no vectors",)
    if not reads(embedder, plan.language):
        return None, (f"dense search is off: {model_name(embedder.spec)} does not read {plan.language!r}",)
    dense = [number for number, view in enumerate(plan.views) if view.dense]
    if not dense:
        return None, ("dense search is off: no view of the question is searched by meaning",)
    try:
        encoded = _encode(embedder, [plan.views[number] for number in dense])
    except ModelError as error:
        return None, (f"dense search is off: {error}",)
    size, expected = encoded.shape[1], corpus.vectors(np.empty(0, np.int32)).shape[1]
    if size != expected:
        note = f"dense search is off: the model gives {size} dimensions, the corpus holds {expected}"
        return None, (note,)
    vectors = np.zeros((len(plan.views), size), np.float32)
    vectors[dense] = encoded
    return vectors, ()


def _encode(embedder: Embedder, views: Sequence[View]) -> NDArray[np.float32]:
    """Encode hypothetical passages as passages and other views as queries, shape (views, d)."""
    drafted = np.array([view.name == HYPOTHETICAL for view in views], np.bool_)
    if not drafted.any():
        return embedder.encode([view.text for view in views], "query")
    vectors = np.zeros((len(views), embedder.dimensions), np.float32)
    kinds: tuple[tuple[Kind, NDArray[np.intp]], ...] = (
        ("query", np.flatnonzero(~drafted)),
        ("passage", np.flatnonzero(drafted)),
    )
    for kind, chosen in kinds:
        if len(chosen):
            vectors[chosen] = embedder.encode([views[number].text for number in chosen.tolist()], kind)
    return vectors
