"""Arrays of a few hundred or thousand numbers: sets and orders by sorting, and compiled loops.

``numpy.unique`` and the functions built on it (``isin``, ``union1d``) use a hash table since 2.3 and pass
over their arguments several times: for arrays of this size they take three to ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def distinct(values: NDArray[T]) -> NDArray[T]:
    """Return the values in ascending order without repetitions, shape (m,)."""
    ordered = np.sort(values, kind="stable")
    return ordered[begins(ordered)]


def found_in(known: NDArray[np.integer], rows: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which rows are in ``known``, which is in ascending order; shape as ``rows``."""
    if not len(known):
        return np.zeros(len(rows), np.bool_)
    found: NDArray[np.bool_] = known[np.minimum(known.searchsorted(rows), len(known) - 1)] == rows
    return found


def numbered(values: NDArray[T]) -> tuple[NDArray[T], NDArray[np.intp]]:
    """Return the distinct values in ascending order, shape (m,), and each value's index in them, shape (n,).

    Same as ``numpy.unique`` with its inverse, in less than half of the time.
    """
    order = np.argsort(values, kind="stable")
    ordered, indexes = values[order], np.empty(len(values), np.intp)
    first = begins(ordered)
    indexes[order] = np.cumsum(first) - 1
    return ordered[first], indexes


def begins(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which values differ from the one before them, shape (n,); the first always does."""
    differs = np.ones(len(values), np.bool_)
    differs[1:] = values[1:] != values[:-1]
    return differs


def falling(groups: NDArray[np.integer], scores: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the stable order of items by group, then by descending score, shape (n,).

    Groups are integers below 2**31. Scores are at least 0, so that their bits sort as their values do. Same
    as ``numpy.lexsort((-scores, groups))``, in half of the time.
    """
    bits = (scores + np.float32(0.0)).astype(np.float32).view(np.int32).astype(np.int64)
    return np.argsort((groups.astype(np.int64) << 32) - bits, kind="stable")


def compile_loop(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays to machine code that runs without the interpreter lock.

    The code is cached on disk if numba finds a writable folder.
    """
    from numba import njit

    try:
        compiled: Callable[..., Any] = njit(cache=True, nogil=True)(loop)
    except RuntimeError:
        compiled = njit(nogil=True)(loop)
    return compiled
