"""Several cases in one file: a ZIP of their files, or JSON lines with a case each."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from engine.errors import InputError
from engine.records.filed.writing import case_bytes
from engine.records.store.handing import HandedCase

ZIP, LINES = ".zip", ".jsonl"


def write_bundle(path: Path, cases: Iterable[HandedCase]) -> int:
    """Write cases into a file that ends in .zip or .jsonl, readable for its owner alone, whole or not at
    all; returns how many there were. Raises InputError for another ending, and where it cannot be written."""
    write = {ZIP: _zip, LINES: _lines}.get(path.suffix.lower())
    if write is None:
        raise InputError(f"{path}: many cases are written as FILE{ZIP} or FILE{LINES}")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.touch(0o600)
            count = write(whole, cases)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    return count


def _zip(path: Path, cases: Iterable[HandedCase]) -> int:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for record, case in cases:
            bundle.writestr(f"{case.id}.json", case_bytes(record, case))
        return len(bundle.namelist())


def _lines(path: Path, cases: Iterable[HandedCase]) -> int:
    count = 0
    with path.open("wb") as file:
        for record, case in cases:
            file.write(case_bytes(record, case, lines=False))
            count += 1
    return count
