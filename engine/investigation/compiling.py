"""Loops that numpy cannot do at once, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A loop over arrays as machine code, which other threads need not wait for; kept on disk where a folder
    for that can be written."""
    from numba import njit

    try:
        made: Callable[..., Any] = njit(cache=True, nogil=True)(loop)
    except RuntimeError:
        made = njit(nogil=True)(loop)
    return made
