"""What a mask lets through, as the server is told it: ranges of rows, in the parts that hold some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Mask, Rows

# So few passages are named one by one, and found by an index.
FEW = 1000


class Allowed(NamedTuple):
    """A condition on the rows of a table named ``x``, its parameters, how many passages fulfil it, and the
    parts that hold them."""

    condition: str
    parameters: dict[str, Any]
    passages: int
    parts: Sequence[int]


def allowed(mask: Mask | None, first: Rows, part: NDArray[np.int16]) -> Allowed:
    """The condition that a mask makes; none where there is no mask.

    ``first`` are the first rows of the documents with the number of passages behind them, shape (documents +
    1,), ``part`` the part of each document; ``mask`` has shape (passages,).
    """
    if mask is None:
        return Allowed("", {}, int(first[-1]), np.unique(part).tolist())
    rows = np.flatnonzero(mask)
    before = np.searchsorted(rows, first)
    parts = np.unique(part[before[1:] > before[:-1]]).tolist()
    given = {"allowed_parts": parts}
    within = "and x.part = any(cast(:allowed_parts as smallint[]))"
    if len(rows) <= FEW:
        condition = f"{within} and x.row = any(cast(:allowed as int[]))"
        return Allowed(condition, {**given, "allowed": rows.tolist()}, len(rows), parts)
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    ranges = ",".join(f"[{start},{stop})" for start, stop in bounds.reshape(-1, 2).tolist())
    condition = f"{within} and x.row <@ cast(:allowed as int4multirange)"
    return Allowed(condition, {**given, "allowed": f"{{{ranges}}}"}, len(rows), parts)
