"""What a mask lets through, as the server is told it: ranges of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.corpus.protocol import Mask

# So few passages are named one by one, and found by an index.
FEW = 1000


class Allowed(NamedTuple):
    """A condition on the rows of a table named ``x``, its parameters, and how many passages fulfil it."""

    condition: str
    parameters: dict[str, Any]
    passages: int


def allowed(mask: Mask | None, passages: int) -> Allowed:
    """The condition that a mask of shape (passages,) makes; none where there is no mask."""
    if mask is None:
        return Allowed("", {}, passages)
    rows = np.flatnonzero(mask)
    if len(rows) <= FEW:
        return Allowed("and x.row = any(cast(:allowed as int[]))", {"allowed": rows.tolist()}, len(rows))
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    ranges = ",".join(f"[{start},{stop})" for start, stop in bounds.reshape(-1, 2).tolist())
    condition = "and x.row <@ cast(:allowed as int4multirange)"
    return Allowed(condition, {"allowed": f"{{{ranges}}}"}, len(rows))
