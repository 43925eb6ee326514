"""How a file of the client comes to be a file that a worker can read, its bytes those that the client saw."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from engine import files
from engine.errors import FileRefusedError
from engine.ingestion.cluster.messages import Content
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.remote import file_system

# Bytes of a file that may be sent: it is held in memory on its way.
MOST_SENT = 1 << 30
CHANGED = "it was changed during the ingestion: ingest again"


def content_of(source: SourceFile, url: str | None) -> Content:
    """What a worker has to know of a file. Raises OSError or FileRefusedError."""
    with source.opened() as file:
        return Content(hashlib.file_digest(file, hashlib.sha256).digest(), url)


def with_bytes(source: SourceFile, content: Content) -> Content:
    """The same with the bytes themselves. Raises FileRefusedError where they are too many to be sent, or are
    no longer those that they were; OSError."""
    try:
        sent = files.read(source.path, MOST_SENT)
    except FileRefusedError as error:
        advice = "too large to be sent to a worker; put it where workers see it, or name it by URL"
        raise FileRefusedError(f"{advice} ({error})") from error
    if hashlib.sha256(sent).digest() != content.digest:
        raise FileRefusedError(CHANGED)
    return replace(content, sent=sent)


def placed(source: SourceFile, content: Content, folder: Path) -> SourceFile | None:
    """The file as this worker can read it, below ``folder`` where it had to come here; None where the worker
    has to be sent its bytes.

    Raises FileRefusedError where what stands at its URL is not what the client saw, OSError.
    """
    if content.sent is None and _is_here(source, content):
        return source
    if content.sent is None and content.url is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / source.path.name
    if content.sent is not None:
        path.write_bytes(content.sent)
    else:
        filesystem, remote = file_system(str(content.url))
        filesystem.get_file(remote, str(path))
    here = replace(source, path=files.named(path))
    if not _is_here(here, content):
        raise FileRefusedError(CHANGED)
    return here


def _is_here(source: SourceFile, content: Content) -> bool:
    try:
        return content_of(source, None).digest == content.digest
    except (OSError, FileRefusedError):
        return False
