"""A broad scan as wide as that of a case by default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask
from engine.model import QueryPlan
from engine.retrieval.scan import Scan, scan
from engine.settings import BUILT_IN_RETRIEVERS


def searched(
    corpus: Corpus,
    plan: QueryPlan,
    vectors: NDArray[np.float32] | None = None,
    mask: Mask | None = None,
    *,
    names: Sequence[str] = BUILT_IN_RETRIEVERS,
    limit: int = 100,
) -> Scan:
    """What every retriever finds together."""
    return scan(corpus, plan, vectors, mask, names=names, limit=limit, depth=500)
