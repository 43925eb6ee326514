"""How a corpus folder changes: all at once, or not at all.

The data of a corpus stand in a subfolder of its folder, a *generation*; ``manifest.json`` names the
one that counts. A new generation is written beside the old one, flushed to disk, and takes over in
the one atomic step that every system offers: the replacement of the manifest, a single file. A
process that is killed before that step leaves the old corpus as it was, and a folder that the next
publication sweeps away.
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
# What people have decided about references: it outlives every generation.
DECISIONS_NAME = "decisions.jsonl"
# What a language model read in the texts, and what people say of that and of the references.
EXTRACTED_NAME = "extracted.jsonl"
VALIDATIONS_NAME = "validations.jsonl"
# Held by the process that has a model read.
EXTRACTING_NAME = "extracting.lock"
# The states of the ontology that people have saved.
ONTOLOGY_NAME = "ontology.jsonl"
# The grades that people give to kinds of documents and to single ones, and what they say of claims.
GRADES_NAME = "grades.jsonl"
CONFIRMATIONS_NAME = "confirmations.jsonl"
# What was learned of experts' verdicts, and which of it counts.
WEIGHTS_NAME = "weights.jsonl"
# Which vectors the page is to make of it.
WANTED_NAME = "vectors.json"
# What ingestions keep to do less the next time; it may be deleted at any moment.
CACHE_NAME = "cache"
BESIDE_NAMES = (
    DECISIONS_NAME,
    EXTRACTED_NAME,
    VALIDATIONS_NAME,
    EXTRACTING_NAME,
    ONTOLOGY_NAME,
    GRADES_NAME,
    CONFIRMATIONS_NAME,
    WEIGHTS_NAME,
)
# Written, and then put in the place of the manifest.
WAITING_NAME = f"{MANIFEST_NAME}.new"
_OWN_NAMES = frozenset(
    (MANIFEST_NAME, WAITING_NAME, LOCK_NAME, *BESIDE_NAMES, WANTED_NAME, f"{WANTED_NAME}.new", CACHE_NAME)
)
# A path and its status.
_Entry = tuple[str, os.stat_result]


def is_own(name: str) -> bool:
    """Whether a name in a corpus's folder is one that is written there."""
    return name in _OWN_NAMES or name.startswith(GENERATION_PREFIX)


def refuse_foreign(folder: Path) -> None:
    """Raise CorpusError where a folder is a file, or holds files that are no corpus's."""
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
    """A new, empty generation in a corpus folder that is locked against other writers meanwhile.

    Leftovers of killed writers are removed first; where the block raises, so is the new generation.
    Raises CorpusError where the folder holds something else, is being written by another process or cannot be
    written; ResourceError where the disk is full or something else has run out.
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
    """Holds the lock of a folder, which is made where it is missing: then it brings True."""
    refuse_foreign(folder)
    is_new = not folder.exists()
    make_private_folder(folder)
    _make_private(folder)
    # A confined process may make a folder in one that it may not open.
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
            # A reader that was forked meanwhile, and is still being ended, has the file open too.
            fcntl.flock(lock, fcntl.LOCK_UN)


def publish(folder: Path, manifest: Manifest) -> None:
    """Make a complete generation the corpus of its folder. Durable once this returns."""
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
    # The name of the generation has to be on disk before the manifest that names it.
    flush(waiting)
    flush(folder)
    waiting.replace(folder / MANIFEST_NAME)
    flush(folder)


def named_generation(folder: Path) -> str | None:
    """The generation that the manifest names, read without judging the rest of it; None where it names none.

    Raises OSError where there is a manifest that cannot be read.
    """
    try:
        content = json.loads((folder / MANIFEST_NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    return str(content.get("generation")) if isinstance(content, dict) else None


def _durable(folder: Path, found: Iterable[_Entry]) -> set[tuple[int, int]]:
    """The files of the published generation, of all that is below its folder. Each was flushed when it was
    published; one that the next generation holds too is the same file, never written since, so that flushing
    it again does nothing."""
    current = named_generation(folder)
    if current is None:
        return set()
    return {(status.st_dev, status.st_ino) for _, status in _among(found, folder / current)}


def _below(folder: Path) -> Iterator[_Entry]:
    """All that stands below a folder, with its status; what goes away meanwhile, and a folder that may not be
    looked into, is passed over."""
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
    """What stands below a folder, of all that was found."""
    beginning = f"{folder}{os.sep}"
    return (entry for entry in found if entry[0].startswith(beginning))


def _make_private(path: Path | str, status: os.stat_result | None = None) -> None:
    """Nobody but its owner may read what is written here; what was made before that was so is tightened."""
    # A confined process may set no rights: what it makes is private from the start. Nor may one that writes
    # by the right of a group set those of another owner's files.
    with suppress(PermissionError, FileNotFoundError):
        mode = (status or os.stat(path)).st_mode
        private = PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE_FILE
        if stat.S_IMODE(mode) != private:
            os.chmod(path, private)


def _sweep(folder: Path) -> None:
    """Remove what killed writers have left. Where the manifest is damaged, so that it does not say which
    generation is not of theirs, all stay."""
    keep = named_generation(folder)
    if (folder / MANIFEST_NAME).exists() and not (keep and (folder / keep).is_dir()):
        return
    for path in folder.glob(f"{GENERATION_PREFIX}*"):
        if path.name != keep:
            shutil.rmtree(path)
    (folder / WAITING_NAME).unlink(missing_ok=True)


def flush(path: Path | str) -> None:
    """Have a file or folder on disk once this returns. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
