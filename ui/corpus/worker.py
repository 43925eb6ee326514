"""The process that an ingestion of the page runs in: ``python -m ui.corpus.worker``.

It reads one order as JSON from its standard input and tells what it does as JSON lines on its standard
output. A process of its own keeps the page quick, gives all memory back, and can be ended at any moment:
a corpus changes at once or not at all. It is confined before it begins (``engine.isolation``): documents
that strangers have sent are read where there is nothing to be had.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from engine.errors import RedstringError
from ui.corpus.orders import READING, Order, carry_out, through_server
from ui.jobs.reader import own_output


def sources_here() -> list[Path]:
    """What lies in the working folder: each file by name, each folder as a whole."""
    return sorted(Path().iterdir(), key=lambda path: (path.is_dir(), path.name))


def main() -> int:
    """Carry out one order and tell how it ended; 0 unless the program itself is at fault."""
    tell = own_output()
    order = Order.model_validate_json(sys.stdin.buffer.readline())
    through_server(order.embedding, tell, sys.stdin.buffer)
    try:
        sources = sources_here() if order.kind in READING else []
        report = carry_out(order, sources, tell, sys.stdin.buffer.readline)
    except RedstringError as error:
        # Where the corpus stands on the server, and which files it has, is nobody's business.
        place = re.compile(rf"{re.escape(str(order.folder))}(/[^\s:;,]*)?")
        tell({"error": place.sub(lambda _: order.name or "this name", str(error))})
    else:
        tell({"finished": True, "report": report})
    return 0


if __name__ == "__main__":
    # All is told, and nothing is left to clear away: what libraries would take apart takes seconds.
    os._exit(main())
