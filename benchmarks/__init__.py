"""Measurements of quality and speed, each a command: ``python -m benchmarks.NAME --help``."""

from __future__ import annotations

import argparse


def new_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of a benchmark, as written."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
