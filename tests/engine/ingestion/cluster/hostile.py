"""A reader that does what a file says, for workers that are processes of their own."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.model import Document, Passage


class HostileReader:
    """Reads ``.evil`` files: one word says what to do after the first document."""

    name = "hostile"

    def accepts(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".evil"

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        order, name = source.content().decode(), source.path.stem
        yield ReadDocument(Document(name, name), (), (Passage(f"{name}/1", name, None, 0, "A harbour."),))
        match order:
            case "hang":
                time.sleep(600)
            case "spin":
                while True:
                    pass
            case "segfault":
                ctypes.string_at(0)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "eat":
                yield Problem(source.name, str(len(bytearray(2 << 30))))
            case "mistake":
                raise KeyError("nothing there")
            case "write":
                Path("/dev/shm/left-behind").write_text("x", encoding="ascii")
            case "connect":
                socket.socket()
            case "signal":
                os.kill(os.getppid(), 0)
            case "contradiction":
                passage = Passage("x/1", "x", None, 5, "Out of place.")
                yield ReadDocument(Document("x", "x"), (), (passage,))
            # Whoever watches finds the process that has this file open.
            case "slow":
                with source.opened():
                    time.sleep(0.3)
            case "wait":
                with source.opened():
                    time.sleep(600)
