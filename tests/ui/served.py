"""A page behind its door, on a free port, in a thread of this process."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TypeVar

import gradio as gr

from engine.operator_settings import OperatorSettings
from ui.server.app import entry, guarded, server

STARTS, ENDS = 60.0, 5.0
Made = TypeVar("Made")


@contextmanager
def served(page: gr.Blocks, settings: OperatorSettings, uploads: Path) -> Iterator[str]:
    """Serve a page on this machine as ``app.py`` does; gives its address."""
    before = os.environ.get("GRADIO_TEMP_DIR")
    os.environ["GRADIO_TEMP_DIR"] = str(uploads)
    door = entry(settings)
    app = inside_a_loop(lambda: guarded(page, settings, door, uploads))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = server(app, door.proxies)
        thread = Thread(target=serving.run, args=([listening],), daemon=True)
        thread.start()
        until = monotonic() + STARTS
        while not serving.started:
            assert thread.is_alive(), "the page did not start"
            assert monotonic() < until, "the page did not start in time"
            sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            serving.should_exit = True
            thread.join(ENDS)
            if before is None:
                del os.environ["GRADIO_TEMP_DIR"]
            else:
                os.environ["GRADIO_TEMP_DIR"] = before


def inside_a_loop(make: Callable[[], Made]) -> Made:
    """Build Gradio blocks inside an event loop: outside one, Gradio opens a loop and never closes it."""

    async def run() -> Made:
        return make()

    # On a thread of its own: this one may have a loop running, that of the browser tests.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(run())).result()
