"""One event loop in a thread of its own, on which requests run, so that each can be ended at any moment.

A blocking read of a socket cannot be called off from another thread; a task can.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading

SECONDS_TO_FINISH = 1.0
_lock = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, started at the first call. A forked process gets one of its own."""
    global _running
    with _lock:
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="requests", daemon=True)
            thread.start()
            _running = (os.getpid(), loop, thread)
        return _running[1]


@atexit.register
def _stop() -> None:
    if _running is None or _running[0] != os.getpid():
        return
    _, loop, thread = _running
    with contextlib.suppress(TimeoutError):
        asyncio.run_coroutine_threadsafe(_finish(), loop).result(SECONDS_TO_FINISH)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(1.0)
    if not loop.is_running():
        loop.close()


async def _finish() -> None:
    """Let connections close, and end what still runs."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=SECONDS_TO_FINISH / 2)
        for task in left:
            task.cancel()
