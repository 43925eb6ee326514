"""A saved case of format 1, byte for byte as that version of the program wrote it of the sample corpus."""

from __future__ import annotations

import gzip
from pathlib import Path

FOLDER = Path(__file__).parent


def former_file(folder: Path) -> Path:
    path = folder / "format_1.json"
    path.write_bytes(gzip.decompress((FOLDER / "format_1.json.gz").read_bytes()))
    return path
