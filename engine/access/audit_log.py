"""The audit log, and deletion of a user's or a corpus's data."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Literal

import orjson

from engine.access.users import OWNER_ONLY, Person, server_secret
from engine.corpus.embedded.generation import MANIFEST_NAME, read_manifest
from engine.corpus.embedded.publication import CONFIRMATIONS_NAME, GRADES_NAME, VALIDATIONS_NAME, WEIGHTS_NAME
from engine.corpus.journal import complete_lines, overwrite_lines
from engine.errors import CorpusError, InputError
from engine.files import make_private_folder
from engine.operator_settings import MEGABYTE, OperatorSettings

# The audit log records who did what, when, to what and with which outcome: one JSON object per line, append-
# only. It contains no text of a document, question or answer. Only its owner can read the file. A full file
# is rotated, and the oldest rotated file is deleted.

Outcome = Literal["done", "refused", "failed"]
LONGEST = 200
# Hexadecimal digits of a hash, enough to distinguish the addresses of a log.
DIGITS = 16
# The folder name of a corpus made on the page: words and a random number.
_FOLDER = re.compile(r".+-([0-9a-f]{8})")
_LOG = logging.getLogger("redstring.audit")
_LOG.setLevel(logging.INFO)
_LOG.propagate = False
_LOG.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class _Entry:
    person: Person
    action: str
    what: str
    outcome: Outcome


def record(person: Person, action: str, what: str, outcome: Outcome) -> None:
    """Record an action if a log is open. ``what`` is the folder of a corpus or a user's name, never text."""
    _LOG.info("", extra={"entry": _Entry(person, action, what, outcome)})


def log_name(folder: Path, *, is_own: bool) -> str:
    """Return the name of a corpus for the log: its folder, for a user's own corpus only its random number."""
    numbered = _FOLDER.fullmatch(folder.name)
    return folder.name if not is_own else numbered[1] if numbered else ""


def forget_in_log(settings: OperatorSettings, name: str, folders: Iterable[Path], *, dry_run: bool) -> int:
    """Remove a user from the log: name, address, and the names of their own corpora; return the lines
    changed.

    Own corpora are ``folders`` and those named in the user's lines. Raises CorpusError if a file cannot be
    written, ResourceError.
    """
    path, everybodys = audit_path(settings), settings.home_folder / "corpora"
    files = sorted(path.parent.glob(f"{path.name}*"))
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    names = (line.get("object", "") for line in map(_values, lines) if line.get("who") == name)
    own = {one for one in names if _FOLDER.fullmatch(one) and not (everybodys / one).exists()}
    own |= {folder.name for folder in folders}

    def blank_line(line: bytes) -> bytes:
        values = _values(line)
        blanks = {"who": "", "address": ""} if values.get("who") == name else {}
        what = values.get("object", "")
        if what in own:
            blanks["object"] = log_name(Path(what), is_own=True)
        elif what.split(" as ")[0] == name:
            blanks["object"] = what.removeprefix(name).strip()
        # A line keeps its length, because the server may append concurrently.
        return orjson.dumps(values | blanks).ljust(len(line)) if blanks else line

    if dry_run:
        return sum(blank_line(line) != line for line in lines)
    return sum(overwrite_lines(file, blank_line) for file in files)


def _values(line: bytes) -> dict[str, str]:
    try:
        return dict(orjson.loads(line))
    except (TypeError, ValueError):
        return {}


def audit_path(settings: OperatorSettings) -> Path:
    """Return the path of the current file."""
    return settings.home_folder / "audit" / "audit.jsonl"


@contextmanager
def audit_log(settings: OperatorSettings, *, rotates: bool = True) -> Iterator[None]:
    """Keep the audit log open within the block, if the operator wants one. ``rotates``: this process may
    rotate it.

    Raises InputError if the file cannot be written.
    """
    if not settings.audited:
        yield
        return
    secret, path = server_secret(settings.home_folder), audit_path(settings)
    try:
        handler = _PrivateHandler(path, settings.audit_mb * MEGABYTE if rotates else 0, settings.audit_files)
    except OSError as error:
        raise InputError(f"{path}: the audit log cannot be written: {error.strerror}") from error
    handler.setFormatter(_Lines(secret, settings.audit_addresses))
    _LOG.addHandler(handler)
    try:
        yield
    finally:
        _LOG.removeHandler(handler)
        handler.close()


class _Lines(logging.Formatter):
    def __init__(self, secret: bytes, addresses: Literal["hashed", "plain", "none"]) -> None:
        super().__init__()
        self._secret, self._addresses = secret, addresses

    def format(self, record: logging.LogRecord) -> str:
        entry: _Entry = record.__dict__["entry"]
        person = entry.person
        line = {
            "when": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "who": person.name or self._hidden("visitor", person.key),
            "role": person.role.value,
            "action": entry.action,
            "object": entry.what,
            "outcome": entry.outcome,
            "address": self._address(person.address),
        }
        whole = {name: value[:LONGEST].encode("utf-8", "replace").decode() for name, value in line.items()}
        return orjson.dumps(whole).decode()

    def _address(self, address: str) -> str:
        if self._addresses == "hashed":
            return self._hidden("address", address)
        return address if self._addresses == "plain" else ""

    def _hidden(self, kind: str, value: str) -> str:
        """Return a keyed hash, so that values cannot be found by trying all of them."""
        if not value:
            return ""
        digest = hmac.new(self._secret, f"{kind}:{value}".encode("utf-8", "replace"), hashlib.sha256)
        return f"{kind}:{digest.hexdigest()[:DIGITS]}"


class _PrivateHandler(RotatingFileHandler):
    def __init__(self, path: Path, size: int, list_corpora: int) -> None:
        make_private_folder(path.parent)
        _make_private(path)
        super().__init__(path, maxBytes=size, backupCount=list_corpora, encoding="utf-8")
        self.rotator = self._rotate_file

    def _rotate_file(self, source: str, target: str) -> None:
        os.replace(source, target)
        _make_private(Path(source))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        error = sys.exc_info()[1]
        logging.getLogger(__name__).error("the audit log cannot be written: %s", error)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY))


# Deletion of data by user, corpus and age. Below the home folder, ``visitors/<hash of a key>`` contains the
# corpora of a user with their verdicts and areas, and a report next to each; ``corpora`` contains shared
# corpora. For cases see ``records.retention``.

DAY_SECONDS = 86_400.0
DOOMED = "-deleted"


@dataclass(frozen=True, slots=True)
class CorpusFolder:
    """A corpus on disk.

    ``changed`` is the time of the last change (s since 1970), ``owner`` the name of its user's folder, empty
    for a shared corpus.
    """

    folder: Path
    owner: str
    changed: float

    @property
    def logged_as(self) -> str:
        """Its name in the audit log."""
        return log_name(self.folder, is_own=bool(self.owner))

    @property
    def files(self) -> list[Path]:
        """The reports next to it."""
        name = self.folder.name
        if name.endswith(DOOMED):
            name = name.removeprefix(".").removesuffix(DOOMED)
        return sorted(self.folder.parent.glob(f"{escape(name)}.report.*"))


def list_corpora(home: Path) -> list[CorpusFolder]:
    """Return every corpus made on the page, users' own first, including partly deleted ones."""
    owned = [
        _corpus_folder(folder, owner.name)
        for owner in _folders(home / "visitors")
        for folder in _folders(owner)
    ]
    return owned + [_corpus_folder(folder, "") for folder in _folders(home / "corpora")]


def corpora_of_user(home: Path, folder: Path) -> list[CorpusFolder]:
    """Return the corpora of the user with a folder."""
    return [one for one in list_corpora(home) if one.owner == folder.name]


def older_than(home: Path, days: float, *, now: float | None = None) -> list[CorpusFolder]:
    """Return users' own corpora that were not changed for some days."""
    before = (time.time() if now is None else now) - days * DAY_SECONDS
    return [one for one in list_corpora(home) if one.owner and one.changed < before]


def half_deleted(home: Path) -> list[CorpusFolder]:
    """Return corpora whose deletion was interrupted."""
    return [
        one for one in list_corpora(home) if one.folder.name.endswith(DOOMED) and one.folder.name[0] == "."
    ]


def find_corpora(home: Path, name: str) -> list[CorpusFolder]:
    """Return corpora by folder name, else by title. Raises InputError if there are none."""
    everything = [one for one in list_corpora(home) if (one.folder / MANIFEST_NAME).is_file()]
    found = [one for one in everything if one.folder.name == name]
    found = found or [one for one in everything if _title(one.folder) == name]
    if not found:
        raise InputError(f"there is no corpus {name!r} among those made on the page")
    return found


def delete(corpora: Iterable[CorpusFolder]) -> None:
    """Delete corpora; each is first renamed, so that it disappears at once.

    Raises InputError for a folder that cannot be deleted.
    """
    for one in corpora:
        doomed = one.folder
        try:
            if not doomed.name.endswith(DOOMED):
                doomed = one.folder.with_name(f".{one.folder.name}{DOOMED}")
                one.folder.rename(doomed)
            shutil.rmtree(doomed)
            for file in one.files:
                file.unlink(missing_ok=True)
            if one.owner and not any(one.folder.parent.iterdir()):
                one.folder.parent.rmdir()
        except FileNotFoundError:
            # Another process deleted it.
            continue
        except OSError as error:
            raise InputError(f"{one.folder}: cannot be deleted: {error.strerror}") from error


def remove_reviewer(folder: Path, name: str, *, dry_run: bool = False) -> int:
    """Remove a user's name and notes from the verdicts, grades and confirmations of a corpus; return how
    many.

    Raises CorpusError if they cannot be read or written.
    """
    old = b'"reviewer":' + orjson.dumps(name)
    paths = [folder / file for file in (VALIDATIONS_NAME, GRADES_NAME, CONFIRMATIONS_NAME, WEIGHTS_NAME)]
    if dry_run:
        return sum(old in line for path in paths for line in complete_lines(path))

    def blank_line(line: bytes) -> bytes:
        if old not in line:
            return line
        noted = b'"note":' + orjson.dumps(orjson.loads(line).get("note", ""))
        find_corpora = line.replace(old, b'"reviewer":""'.ljust(len(old)))
        return find_corpora.replace(noted, b'"note":""'.ljust(len(noted)))

    return sum(overwrite_lines(path, blank_line) for path in paths)


def _corpus_folder(folder: Path, owner: str) -> CorpusFolder:
    try:
        times = [folder.stat().st_mtime]
        times += [entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(folder)]
    except FileNotFoundError:
        # It is being changed right now.
        times = [time.time()]
    return CorpusFolder(folder, owner, max(times))


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())


def _title(folder: Path) -> str:
    try:
        return read_manifest(folder).name
    except CorpusError:
        return ""
