"""``python -m engine``."""

import sys

from engine.cli.terminal import run

if __name__ == "__main__":
    sys.exit(run("python -m engine"))
