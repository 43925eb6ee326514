"""What earlier versions have written, byte for byte: a saved case of format 1 and a database of version 0001,
each made by that version of the program of the sample corpus. The database holds a case of the machine's, one
of a person's with steps of which one was taken back, a verdict and notes, and one that found nothing."""

from __future__ import annotations

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent


def former_file(folder: Path) -> Path:
    path = folder / "format_1.json"
    path.write_bytes(gzip.decompress((FOLDER / "format_1.json.gz").read_bytes()))
    return path


def former_database(folder: Path) -> Path:
    path = folder / "version_0001.sqlite"
    path.write_bytes(gzip.decompress((FOLDER / "version_0001.sqlite.gz").read_bytes()))
    return path
