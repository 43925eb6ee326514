"""What the server keeps of people, and how it is deleted: by person, by corpus, by age.

Below the home folder, ``visitors/<hash of a key>`` holds the corpora of one person with the verdicts and
areas saved in them, and a report beside each; ``corpora`` holds those of everybody. For cases that are kept
see ``records.of_people``.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import orjson

from engine.access.audit_log import corpus_named
from engine.corpus.embedded.manifest import MANIFEST_NAME, read_manifest
from engine.corpus.embedded.publication import (
    CONFIRMATIONS_NAME,
    GRADES_NAME,
    VALIDATIONS_NAME,
    WEIGHTS_NAME,
)
from engine.corpus.journal import complete_lines, overwrite_lines
from engine.errors import CorpusError, InputError

DAY_SECONDS = 86_400.0
DOOMED = "-deleted"


@dataclass(frozen=True, slots=True)
class Kept:
    """A corpus on disk. ``changed``: when anything of it last was, s since 1970; ``owner``: the name of the
    folder of the person it belongs to, empty for everybody's."""

    folder: Path
    owner: str
    changed: float

    @property
    def logged_as(self) -> str:
        """What the audit log calls it."""
        return corpus_named(self.folder, is_own=bool(self.owner))

    @property
    def files(self) -> list[Path]:
        """What else belongs to it: the reports beside it."""
        name = self.folder.name
        if name.endswith(DOOMED):
            name = name.removeprefix(".").removesuffix(DOOMED)
        return sorted(self.folder.parent.glob(f"{escape(name)}.report.*"))


def kept(home: Path) -> list[Kept]:
    """Every corpus that was made on the page, the ones of persons first. Whole ones and half-deleted ones."""
    owned = [_kept(folder, owner.name) for owner in _folders(home / "visitors") for folder in _folders(owner)]
    return owned + [_kept(folder, "") for folder in _folders(home / "corpora")]


def of_person(home: Path, folder: Path) -> list[Kept]:
    """What belongs to the person whose folder it is."""
    return [one for one in kept(home) if one.owner == folder.name]


def older_than(home: Path, days: float, *, now: float | None = None) -> list[Kept]:
    """The corpora of persons in which nothing was changed for so many days; everybody's are not meant."""
    before = (time.time() if now is None else now) - days * DAY_SECONDS
    return [one for one in kept(home) if one.owner and one.changed < before]


def half_deleted(home: Path) -> list[Kept]:
    """What somebody began to delete and did not finish."""
    return [one for one in kept(home) if one.folder.name.endswith(DOOMED) and one.folder.name[0] == "."]


def named(home: Path, name: str) -> list[Kept]:
    """Corpora by the name of the folder, or else by the name they were given. Raises InputError for none."""
    everything = [one for one in kept(home) if (one.folder / MANIFEST_NAME).is_file()]
    found = [one for one in everything if one.folder.name == name]
    found = found or [one for one in everything if _title(one.folder) == name]
    if not found:
        raise InputError(f"there is no corpus {name!r} among those made on the page")
    return found


def delete(corpora: Iterable[Kept]) -> None:
    """Delete corpora: first out of sight in one step, so that nobody meets half of one.

    Raises InputError naming a folder that cannot be deleted.
    """
    for one in corpora:
        doomed = one.folder
        try:
            if not doomed.name.endswith(DOOMED):
                doomed = one.folder.with_name(f".{one.folder.name}{DOOMED}")
                one.folder.rename(doomed)
            shutil.rmtree(doomed)
            for beside in one.files:
                beside.unlink(missing_ok=True)
            if one.owner and not any(one.folder.parent.iterdir()):
                one.folder.parent.rmdir()
        except FileNotFoundError:
            # Somebody else deleted it at the same time.
            continue
        except OSError as error:
            raise InputError(f"{one.folder}: cannot be deleted: {error.strerror}") from error


def take_out_reviewer(folder: Path, name: str, *, dry_run: bool = False) -> int:
    """Blank a person's name and notes on the verdicts, grades and confirmations of a corpus, which stay;
    returns how many had the name.

    Raises CorpusError where they cannot be read or written.
    """
    old = b'"reviewer":' + orjson.dumps(name)
    paths = [folder / file for file in (VALIDATIONS_NAME, GRADES_NAME, CONFIRMATIONS_NAME, WEIGHTS_NAME)]
    if dry_run:
        return sum(old in line for path in paths for line in complete_lines(path))

    def forgotten(line: bytes) -> bytes:
        if old not in line:
            return line
        noted = b'"note":' + orjson.dumps(orjson.loads(line).get("note", ""))
        named = line.replace(old, b'"reviewer":""'.ljust(len(old)))
        return named.replace(noted, b'"note":""'.ljust(len(noted)))

    return sum(overwrite_lines(path, forgotten) for path in paths)


def _kept(folder: Path, owner: str) -> Kept:
    try:
        times = [folder.stat().st_mtime]
        times += [entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(folder)]
    except FileNotFoundError:
        # Somebody is working on it just now.
        times = [time.time()]
    return Kept(folder, owner, max(times))


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())


def _title(folder: Path) -> str:
    try:
        return read_manifest(folder).name
    except CorpusError:
        return ""
