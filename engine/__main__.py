"""``python -m engine``."""

import sys

from engine.cli import main
from engine.cli_terminal import VisibleStream

if __name__ == "__main__":
    # A file or another program gets every character as it is; a terminal would obey some of them.
    sys.stdout, sys.stderr = (
        VisibleStream(stream) if stream is not None and stream.isatty() else stream
        for stream in (sys.stdout, sys.stderr)
    )
    sys.exit(main())
