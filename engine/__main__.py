"""``python -m engine``."""

import sys

from engine.cli.program import run

if __name__ == "__main__":
    sys.exit(run("python -m engine"))
