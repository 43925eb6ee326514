"""Who did what, when, to what, and what came of it: one JSON object a line, only ever added to.

No text of a document, no question and no answer stands in it. The file is readable by its owner alone and is
put aside when it has grown to its size; the oldest of those put aside is then deleted.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Literal

import orjson

from engine.access.people import Person
from engine.access.private_files import OWNER_ONLY, server_secret
from engine.corpus.journal import overwrite_lines
from engine.errors import InputError
from engine.files import make_private_folder
from engine.operator_settings import MEGABYTE, OperatorSettings

Outcome = Literal["done", "refused", "failed"]
LONGEST = 200
# Of a hash so much that the addresses of one log are told apart.
DIGITS = 16
# How the folder of a corpus that was made on the page is called: words, and a number that tells nothing.
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
