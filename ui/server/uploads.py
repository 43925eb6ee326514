"""Uploaded files: received by our own route, limited while they stream, removed if unused.

Each file is stored in a folder of its own under a random name, so that two visitors who send the same file
never share a path. The sender gets the name as a key, and does not learn the path. Files that are not soon
made into a corpus are removed; an interrupted upload leaves no files.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from engine.files import make_private_folder
from ui.server.address import VISITOR, Visitor
from ui.server.rates import Buckets, Rate
from ui.server.routes import MEGABYTE, POLICY, SLOWEST, STARTS, Policy, refuse, refuse_for, too_large

# A form has some overhead around its files, in bytes.
AROUND = 100_000
MOST_FILES, MOST_FIELDS = 10, 10
# The path of a file below the upload folder: its request, and its number within it.
KEY = re.compile(r"[A-Za-z0-9_-]{24}/[0-9]", re.ASCII)
# Retry-After for an address over its quota, s.
REFILL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class UploadQuotas:
    """Quotas of unused bytes on disk, by address and in total. ``seconds``: lifetime of an unused file."""

    address: int
    everybody: int
    seconds: float = 600.0


class RefusedError(Exception):
    """A refused upload: the status, the message, and the time until another try, s."""

    def __init__(self, status: int, words: str, seconds: float = 60.0) -> None:
        super().__init__(words)
        self.status, self.words, self.seconds = status, words, seconds


@dataclass(slots=True)
class _Held:
    """The files of one request; their bytes count until the files are used or removed."""

    address: str
    folder: Path
    at: float
    bytes: int = 0
    arrived: bool = False


class UploadStore:
    """The folder of unused uploads. Thread-safe."""

    def __init__(
        self, folder: Path, quotas: UploadQuotas, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder, self._quotas, self._clock = folder, quotas, clock
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()
        pace = Rate(2.0 * quotas.address, quotas.address / REFILL_SECONDS)
        self._sent = Buckets(pace, clock=clock)

    def begin(self, address: str) -> _Held:
        """Make a folder for one request."""
        name = secrets.token_urlsafe(18)
        held = _Held(address, self._folder / name, self._clock())
        make_private_folder(held.folder)
        with self._lock:
            self._held[name] = held
        return held

    def grow(self, held: _Held, size: int) -> None:
        """Count incoming bytes. Raises RefusedError if they exceed a quota."""
        with self._lock:
            mine = sum(other.bytes for other in self._held.values() if other.address == held.address)
            everything = sum(other.bytes for other in self._held.values())
            if mine + size > self._quotas.address:
                words = "too much was sent from your address and not used; it is removed within minutes"
                raise RefusedError(429, words, self._quotas.seconds)
            if everything + size > self._quotas.everybody:
                words = "the server holds as many unused files as it may; try again in some minutes"
                raise RefusedError(507, words, self._quotas.seconds)
            held.bytes += size
        seconds = self._sent.take(held.address, size)
        if seconds:
            raise RefusedError(429, "too much was sent from your address in a short time", seconds)

    def broke_off(self, held: _Held, came: int) -> None:
        """Remove the files of an interrupted request, and count only the bytes that arrived."""
        self._sent.give_back(held.address, max(held.bytes - came, 0))
        self.drop(held)

    def drop(self, held: _Held) -> None:
        """Remove the files of one request."""
        with self._lock:
            self._held.pop(held.folder.name, None)
        shutil.rmtree(held.folder, ignore_errors=True)

    def sweep(self) -> None:
        """Remove expired files, and stop counting used ones, which have been moved away."""
        now = self._clock()
        with self._lock:
            everything = list(self._held.values())
        for held in everything:
            used = held.arrived and _empty(held.folder)
            if used or now - held.at > self._quotas.seconds:
                self.drop(held)

    @property
    def bytes(self) -> int:
        """Return the number of bytes that are counted."""
        with self._lock:
            return sum(held.bytes for held in self._held.values())


def _empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        # Another sweep has removed it already.
        return True


class UploadRoute:
    """Receives a form of files, and answers with a key for each."""

    def __init__(self, store: UploadStore, file_bytes: int) -> None:
        self._store, self._file_bytes = store, file_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Receive the files of a form."""
        visitor: Visitor = scope[VISITOR]
        await asyncio.to_thread(self._store.sweep)
        held = self._store.begin(visitor.address)
        kept, counted = False, _Counted(scope, receive, self._store, held)
        try:
            counted.announced()
            keys = await self._received(Request(scope, counted), held)
            held.at, held.arrived, kept = time.monotonic(), True, True
        except RefusedError as error:
            await refuse_for(scope, receive, send, error.status, error.words, error.seconds)
            return
        except (MultiPartException, HTTPException):
            await refuse(scope, receive, send, 400, "this is no form with files")
            return
        except ClientDisconnect:
            return
        finally:
            if not kept:
                await asyncio.to_thread(self._store.broke_off, held, counted.came)
        await JSONResponse(keys)(scope, receive, send)

    async def _received(self, request: Request, held: _Held) -> list[str]:
        async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=AROUND) as form:
            files = _files(form)
            if any((file.size or 0) > self._file_bytes for file in files):
                most = f"{self._file_bytes / MEGABYTE:,.0f} MB"
                raise RefusedError(413, f"a file is larger than the {most} taken here")
            return [
                await asyncio.to_thread(_store_file, file, held.folder, n) for n, file in enumerate(files)
            ]


def _files(form: FormData) -> list[UploadFile]:
    files = [value for name, value in form.multi_items() if name == "files" and isinstance(value, UploadFile)]
    if not files:
        raise RefusedError(400, "there is no file in this form")
    return files


def _store_file(file: UploadFile, folder: Path, number: int) -> str:
    path = folder / str(number)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        shutil.copyfileobj(file.file, target, MEGABYTE)
    return f"{folder.name}/{number}"


class _Counted:
    """The body of an upload: counted against the quotas before it is read, with a minimum pace."""

    def __init__(self, scope: Scope, receive: Receive, store: UploadStore, held: _Held) -> None:
        self._receive, self._store, self._held = receive, store, held
        self._policy: Policy = scope[POLICY]
        self._length = Headers(scope=scope).get("content-length")
        self.came, self._began = 0, time.monotonic()

    def announced(self) -> None:
        """Count the announced bytes. Raises RefusedError if they exceed a quota."""
        if self._length is not None:
            self._store.grow(self._held, int(self._length))

    async def __call__(self) -> Message:
        left = STARTS + self.came / SLOWEST - (time.monotonic() - self._began)
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.0))
        except TimeoutError:
            raise RefusedError(408, "the file came too slowly") from None
        size = len(message.get("body", b""))
        self.came += size
        if self.came > self._policy.bytes:
            raise RefusedError(413, too_large(self._policy))
        if self._length is None and size:
            self._store.grow(self._held, size)
        return message
