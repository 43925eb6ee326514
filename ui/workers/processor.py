"""How much of the processor a thread has used, with what workers have computed for it."""

from __future__ import annotations

import threading
import time

_ELSEWHERE = threading.local()


def used() -> float:
    """Processor time of this thread and of what was computed for it in other processes, s."""
    return time.thread_time() + float(getattr(_ELSEWHERE, "seconds", 0.0))


def used_elsewhere(seconds: float) -> None:
    """Another process has computed for this thread."""
    _ELSEWHERE.seconds = float(getattr(_ELSEWHERE, "seconds", 0.0)) + seconds
