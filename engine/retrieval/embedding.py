"""The views of a question as the corpus's model sees them, in one batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.errors import ModelError
from engine.language.embedders import Embedder, reads
from engine.model import QueryPlan


def embed_views(
    embedder: Embedder | None, corpus: Corpus, plan: QueryPlan
) -> tuple[NDArray[np.float32] | None, tuple[str, ...]]:
    """The views' vectors, shape (views, d), a zero row for a view that is only words.

    None, with a note that says why, where dense search is off.
    """
    if embedder is None:
        return None, ("dense search is off: the corpus holds no vectors",)
    if not reads(embedder, plan.language):
        return None, (f"dense search is off: {embedder.spec} does not read {plan.language!r}",)
    meant = [number for number, view in enumerate(plan.views) if view.dense]
    if not meant:
        return None, ("dense search is off: no view of the question is searched by meaning",)
    try:
        encoded = embedder.encode([plan.views[number].text for number in meant], "query")
    except ModelError as error:
        return None, (f"dense search is off: {error}",)
    given, held = encoded.shape[1], corpus.vectors(np.empty(0, np.int32)).shape[1]
    if given != held:
        return None, (f"dense search is off: the model gives {given} dimensions, the corpus holds {held}",)
    vectors = np.zeros((len(plan.views), given), np.float32)
    vectors[meant] = encoded
    return vectors, ()
