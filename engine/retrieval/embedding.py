"""The views of a question as the corpus's model sees them, in one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.errors import ModelError
from engine.language.embedders import Embedder, reads
from engine.language.embedders.base import Kind
from engine.language.embedders.loading import model_name
from engine.model import QueryPlan, View
from engine.retrieval.planning import HYPOTHETICAL


def embed_views(
    embedder: Embedder | None, corpus: Corpus, plan: QueryPlan
) -> tuple[NDArray[np.float32] | None, tuple[str, ...]]:
    """The views' vectors, shape (views, d), a zero row for a view that is only words.

    None, with a note that says why, where dense search is off.
    """
    if embedder is None:
        return None, ("dense search is off: the corpus holds no vectors",)
    if not reads(embedder, plan.language):
        return None, (f"dense search is off: {model_name(embedder.spec)} does not read {plan.language!r}",)
    meant = [number for number, view in enumerate(plan.views) if view.dense]
    if not meant:
        return None, ("dense search is off: no view of the question is searched by meaning",)
    try:
        encoded = _encoded(embedder, [plan.views[number] for number in meant])
    except ModelError as error:
        return None, (f"dense search is off: {error}",)
    given, held = encoded.shape[1], corpus.vectors(np.empty(0, np.int32)).shape[1]
    if given != held:
        return None, (f"dense search is off: the model gives {given} dimensions, the corpus holds {held}",)
    vectors = np.zeros((len(plan.views), given), np.float32)
    vectors[meant] = encoded
    return vectors, ()


def _encoded(embedder: Embedder, views: Sequence[View]) -> NDArray[np.float32]:
    """A vector for each view, shape (views, d): a hypothetical passage as a passage, others as queries."""
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
            vectors[chosen] = embedder.encode([views[place].text for place in chosen.tolist()], kind)
    return vectors
