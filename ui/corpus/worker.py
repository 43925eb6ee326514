"""The process of an ingestion of the page: ``python -m ui.corpus.worker``.

It reads one order as JSON from its standard input and reports its progress as JSON lines on its standard
output. A separate process keeps the page fast, releases all memory, and can be killed at any time: a corpus
changes completely or not at all. It is confined before it begins (``engine.isolation``): untrusted documents
are read without access to other data.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from engine.errors import RedstringError
from ui.corpus.orders import READING, Order, carry_out, through_server
from ui.server.reader import own_output


def sources_here() -> list[Path]:
    """Return the content of the working folder: each file by name, each folder as a whole."""
    return sorted(Path().iterdir(), key=lambda path: (path.is_dir(), path.name))


def main() -> int:
    """Run one order and report its result; returns 0 unless the program itself is at fault."""
    tell = own_output()
    order = Order.model_validate_json(sys.stdin.buffer.readline())
    through_server(order.embedding, tell, sys.stdin.buffer)
    try:
        sources = sources_here() if order.kind in READING else []
        report = carry_out(order, sources, tell, sys.stdin.buffer.readline)
    except RedstringError as error:
        # Users must not see the corpus's path on the server, or the names of its files.
        place = re.compile(rf"{re.escape(str(order.folder))}(/[^\s:;,]*)?")
        tell({"error": place.sub(lambda _: order.name or "this name", str(error))})
    else:
        tell({"finished": True, "report": report})
    return 0


if __name__ == "__main__":
    # Everything is reported and nothing needs a clean-up; the exit handlers of libraries take seconds.
    os._exit(main())
