"""Atomic publication of a corpus folder.

The data of a corpus are in a subfolder, a *generation*; ``manifest.json`` names the current one. A new
generation is written next to the old one, flushed to disk, and published by replacing the manifest, a single
atomic step. A process killed before that step leaves the old corpus unchanged and a folder that the next
publication deletes.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.corpus.embedded.generation import MANIFEST_NAME, Manifest
from engine.errors import CorpusError, system_error
from engine.files import make_private_folder

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
GENERATION_PREFIX = "data-"
LOCK_NAME = ".lock"
# Users' decisions on references, independent of generations.
DECISIONS_NAME = "decisions.jsonl"
# Readings of a language model, and verdicts on them and on references.
EXTRACTED_NAME = "extracted.jsonl"
VALIDATIONS_NAME = "validations.jsonl"
# The lock of the process whose model reads.
EXTRACTING_NAME = "extracting.lock"
# Saved states of the ontology.
ONTOLOGY_NAME = "ontology.jsonl"
# Grades given by users, and confirmations of claims.
GRADES_NAME = "grades.jsonl"
CONFIRMATIONS_NAME = "confirmations.jsonl"
# Weights learned from experts' verdicts.
WEIGHTS_NAME = "weights.jsonl"
# Vectors that the page should compute.
WANTED_NAME = "vectors.json"
# Cache of ingestions; it may be deleted at any time.
CACHE_NAME = "cache"
JOURNAL_NAMES = (
    DECISIONS_NAME,
    EXTRACTED_NAME,
    VALIDATIONS_NAME,
    EXTRACTING_NAME,
    ONTOLOGY_NAME,
    GRADES_NAME,
    CONFIRMATIONS_NAME,
    WEIGHTS_NAME,
)
# Written first, then renamed to the manifest.
WAITING_NAME = f"{MANIFEST_NAME}.new"
_OWN_NAMES = frozenset(
    (MANIFEST_NAME, WAITING_NAME, LOCK_NAME, *JOURNAL_NAMES, WANTED_NAME, f"{WANTED_NAME}.new", CACHE_NAME)
)
# A path and its status.
_Entry = tuple[str, os.stat_result]


def is_own(name: str) -> bool:
    """Return whether a name in a corpus's folder belongs to the corpus."""
    return name in _OWN_NAMES or name.startswith(GENERATION_PREFIX)


def refuse_foreign(folder: Path) -> None:
    """Raise CorpusError if a folder is a file, or contains files that do not belong to a corpus."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CorpusError(f"cannot write a corpus to {folder}: it is a file")
    foreign = [path.name for path in folder.iterdir() if not is_own(path.name)]
    if foreign:
        raise CorpusError(
            f"cannot write a corpus to {folder}: it holds other files ({min(foreign)}); name another"
        )


@contextmanager
def new_generation(folder: Path) -> Iterator[Path]:
    """Create a new, empty generation in a corpus folder, locked against other writers.

    Remains of killed writers are removed first; if the block raises, the new generation is removed. Raises
    CorpusError if the folder contains other files, is locked by another process or cannot be written;
    ResourceError if the disk is full or another resource is exhausted.
    """
    try:
        with _locked(folder) as is_new:
            _sweep(folder)
            generation = folder / f"{GENERATION_PREFIX}{secrets.token_hex(8)}"
            generation.mkdir(mode=PRIVATE_FOLDER)
            try:
                yield generation
            finally:
                if named_generation(folder) != generation.name:
                    shutil.rmtree(generation)
                _sweep(folder)
                if is_new and not (folder / MANIFEST_NAME).exists():
                    shutil.rmtree(folder)
    except OSError as error:
        raise system_error(f"write the corpus at {folder}", error) from error


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder, creating it if it is missing; yield whether it was created."""
    refuse_foreign(folder)
    is_new = not folder.exists()
    make_private_folder(folder)
    _make_private(folder)
    # A confined process may create a folder within one that it must not open.
    with suppress(PermissionError):
        if is_new:
            flush(folder.parent)
    with open(folder / LOCK_NAME, "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(
                f"another process is writing the corpus at {folder}; wait until it is done"
            ) from None
        try:
            yield is_new
        finally:
            # A forked reader that is still terminating has the file open, too.
            fcntl.flock(lock, fcntl.LOCK_UN)


def publish(folder: Path, manifest: Manifest) -> None:
    """Make a complete generation the current one of its folder. Durable on return."""
    generation = folder / manifest.generation
    found = list(_below(folder))
    for path, status in found:
        _make_private(path, status)
    _make_private(folder)
    durable = _durable(folder, found)
    for path, status in _among(found, generation):
        if stat.S_ISDIR(status.st_mode) or (status.st_dev, status.st_ino) not in durable:
            flush(path)
    flush(generation)
    waiting = folder / WAITING_NAME
    waiting.write_bytes(manifest.to_json().encode())
    _make_private(waiting)
    # The generation's directory entry must be on disk before the manifest that names it.
    flush(waiting)
    flush(folder)
    waiting.replace(folder / MANIFEST_NAME)
    flush(folder)


def named_generation(folder: Path) -> str | None:
    """Return the generation named by the manifest without validating the rest; None for none.

    Raises OSError if the manifest cannot be read.
    """
    try:
        content = json.loads((folder / MANIFEST_NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    return str(content.get("generation")) if isinstance(content, dict) else None


def _durable(folder: Path, found: Iterable[_Entry]) -> set[tuple[int, int]]:
    """Return the files of the published generation. They were flushed at publication and never written since,
    so files shared with the next generation need no flush."""
    current = named_generation(folder)
    if current is None:
        return set()
    return {(status.st_dev, status.st_ino) for _, status in _among(found, folder / current)}


def _below(folder: Path) -> Iterator[_Entry]:
    """Yield all entries below a folder with their status.

    Disappearing entries and closed folders are skipped.
    """
    waiting = [str(folder)]
    while waiting:
        try:
            listing = os.scandir(waiting.pop())
        except OSError:
            continue
        with listing as listed:
            for entry in listed:
                with suppress(FileNotFoundError):
                    yield entry.path, entry.stat()
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def _among(found: Iterable[_Entry], folder: Path) -> Iterator[_Entry]:
    """Yield the entries below a folder from some entries."""
    beginning = f"{folder}{os.sep}"
    return (entry for entry in found if entry[0].startswith(beginning))


def _make_private(path: Path | str, status: os.stat_result | None = None) -> None:
    """Allow access for the owner only, also for files of earlier versions."""
    # A confined process must not change modes: its files are private from the start. Group access does not
    # permit changing the modes of another owner's files.
    with suppress(PermissionError, FileNotFoundError):
        mode = (status or os.stat(path)).st_mode
        private = PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE
        if stat.S_IMODE(mode) != private:
            os.chmod(path, private)


def _sweep(folder: Path) -> None:
    """Remove the remains of killed writers; nothing if the manifest is damaged and names no generation."""
    keep = named_generation(folder)
    if (folder / MANIFEST_NAME).exists() and not (keep and (folder / keep).is_dir()):
        return
    for path in folder.glob(f"{GENERATION_PREFIX}*"):
        if path.name != keep:
            shutil.rmtree(path)
    (folder / WAITING_NAME).unlink(missing_ok=True)


def flush(path: Path | str) -> None:
    """Flush a file or folder to disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
