"""The audit log with its hash chain, and the removal of a person's or a corpus's traces."""

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

# Who did what, when, to what, and with which outcome: one JSON object a line, append-only.
#
# It contains no text of a document, no question and no answer. Only its owner can read the file. A
# full file is rotated, and the oldest rotated file is deleted.

Outcome = Literal["done", "refused", "failed"]
LONGEST = 200
# Hexadecimal digits of a hash that distinguish the addresses of one log.
DIGITS = 16
# Name of the folder of a corpus made on the page: words, and a random number.
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
    """Write down what somebody did, where a log is kept. ``what`` names a corpus by its folder, or a user;
    never by words of a text."""
    _LOG.info("", extra={"entry": _Entry(person, action, what, outcome)})


def corpus_named(folder: Path, *, is_own: bool) -> str:
    """What the log calls a corpus: its folder; of a person's own corpus only the number at the end of that,
    which has no words of the name that the person gave it."""
    numbered = _FOLDER.fullmatch(folder.name)
    return folder.name if not is_own else numbered[1] if numbered else ""


def forget_in_log(settings: OperatorSettings, name: str, folders: Iterable[Path], *, dry_run: bool) -> int:
    """Take a user out of the log: the name, the address, and the names of corpora of their own, which
    ``folders`` are and earlier lines may tell; returns how many lines had any of it.

    Raises CorpusError where a file cannot be written, ResourceError.
    """
    path, everybodys = audit_path(settings), settings.home_folder / "corpora"
    files = sorted(path.parent.glob(f"{path.name}*"))
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    told = (line.get("object", "") for line in map(_values, lines) if line.get("who") == name)
    own = {one for one in told if _FOLDER.fullmatch(one) and not (everybodys / one).exists()}
    own |= {folder.name for folder in folders}

    def forgotten(line: bytes) -> bytes:
        values = _values(line)
        told = {"who": "", "address": ""} if values.get("who") == name else {}
        what = values.get("object", "")
        if what in own:
            told["object"] = corpus_named(Path(what), is_own=True)
        elif what.split(" as ")[0] == name:
            told["object"] = what.removeprefix(name).strip()
        # A line stays as long as it is: the server may add one meanwhile.
        return orjson.dumps(values | told).ljust(len(line)) if told else line

    if dry_run:
        return sum(forgotten(line) != line for line in lines)
    return sum(overwrite_lines(file, forgotten) for file in files)


def _values(line: bytes) -> dict[str, str]:
    try:
        return dict(orjson.loads(line))
    except (TypeError, ValueError):
        return {}


def audit_path(settings: OperatorSettings) -> Path:
    """The file that is written now."""
    return settings.home_folder / "audit" / "audit.jsonl"


@contextmanager
def audit_log(settings: OperatorSettings, *, rotates: bool = True) -> Iterator[None]:
    """Keep the log meanwhile, where the operator wants one. ``rotates``: this process may put the file aside.

    Raises InputError where the file cannot be written.
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
        """The same for the same value, and not to be found by trying all without the server's secret."""
        if not value:
            return ""
        digest = hmac.new(self._secret, f"{kind}:{value}".encode("utf-8", "replace"), hashlib.sha256)
        return f"{kind}:{digest.hexdigest()[:DIGITS]}"


class _PrivateHandler(RotatingFileHandler):
    def __init__(self, path: Path, size: int, kept: int) -> None:
        make_private_folder(path.parent)
        _make_private(path)
        super().__init__(path, maxBytes=size, backupCount=kept, encoding="utf-8")
        self.rotator = self._put_aside

    def _put_aside(self, source: str, target: str) -> None:
        os.replace(source, target)
        _make_private(Path(source))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        error = sys.exc_info()[1]
        logging.getLogger(__name__).error("the audit log cannot be written: %s", error)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY))


# What the server keeps of people, and how it is deleted: by person, by corpus, by age.
#
# Below the home folder, ``visitors/<hash of a key>`` holds the corpora of one person with the
# verdicts and areas saved in them, and a report beside each; ``corpora`` holds those of
# everybody. For cases that are kept see ``records.of_people``.

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
