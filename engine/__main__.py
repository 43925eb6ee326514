"""``python -m engine``."""

import gc
import sys

from engine.cli import main
from engine.cli_terminal import VisibleStream

if __name__ == "__main__":
    # What is imported stays: looking through it again and again takes a tenth of a command's start.
    gc.set_threshold(50_000, 20, 50)
    # A file or another program gets every character as it is; a terminal would obey some of them.
    sys.stdout, sys.stderr = (
        VisibleStream(stream) if stream is not None and stream.isatty() else stream
        for stream in (sys.stdout, sys.stderr)
    )
    sys.exit(main())
