"""Memory that many threads have freed goes to the next who needs some, not to the same thread alone."""

from __future__ import annotations

import ctypes

# From malloc.h of the GNU C library, see mallopt(3).
M_ARENA_MAX = -8
# With eight a core, as it comes, a server grew by 50 MB in a quarter of an hour that two visitors used it,
# though its objects did not.
ARENAS = 2


def give_back() -> bool:
    """Give freed memory back to the system, which the C library keeps for this process else; some
    milliseconds. Returns False where that is not to be had."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, TypeError, AttributeError):
        return False


def share_arenas() -> bool:
    """Have all threads of this process allocate from a few arenas; to be called before there are threads.

    Returns False where the C library has no such setting.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):
        # Not the GNU C library: that of Alpine, macOS and Windows have no arenas to set.
        return False
    return bool(mallopt(M_ARENA_MAX, ARENAS))
