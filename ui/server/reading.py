"""Visitors' files: checks, their layout in folders, and reading in a confined process."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Generic, TypeVar

import orjson
from gradio.context import LocalContext
from pydantic import Field

from engine.errors import CancelledError, InputError, system_error
from engine.ingestion.readers.identity import parse_mapping
from engine.operator_settings import MEGABYTE, OperatorSettings
from engine.verbs.verb import Key, Request, SentFile
from ui.server.answers import waited_for
from ui.server.jobs import Job, Jobs, Owner, Rules
from ui.server.process import DOCUMENTS, THREADS, Bounds, confined, run
from ui.server.uploads import KEY

# Read visitors' files, each in a confined process: the server itself parses none of them.
#
# Readings queue like other jobs. A reading ends with the request that waits for it, or at its
# deadline.

Item = TypeVar("Item")
# Far fewer than the concurrent requests of panels, because each reading blocks one of them.
RULES = Rules("reading", running=2, waiting=6, seconds=120.0, remembered=0.0, of_visitor=2)
BOUNDS = Bounds(memory=1 << 30, disk=256 << 20, cpu=60.0, processes=32)
# Bytes of one item, and of all items of one file.
LONGEST_ITEM, LARGEST = 2_000_000, 32_000_000
LONGEST_ERROR = 1000
_JOBS: Jobs[None] = Jobs(RULES)


@dataclass(frozen=True, slots=True)
class Reading(Generic[Item]):
    """A file to read. ``kind`` names a reader of ``ui.server.reader``, ``given`` its arguments.

    ``put`` stores the files below a folder and returns their paths there. ``take`` makes an item of a line of
    untrusted JSON: it raises ValueError, LookupError, TypeError or InputError. At most ``most`` items are
    read.
    """

    kind: str
    put: Callable[[Path], Sequence[Path]]
    take: Callable[[bytes], Item]
    most: int
    given: Mapping[str, Any] = field(default_factory=dict)


def read_files(reading: Reading[Item], owner: Owner) -> list[Item]:
    """Read files in their turn, and return the items.

    Raises InputError if the files are invalid, CancelledError if the visitor cancels or disconnects.
    """
    found: list[Item] = []

    def work(job: Job[None]) -> None:
        found.extend(_read(reading, job.stop))

    job = _JOBS.start(owner, None, work)
    with waited_for(LocalContext.request.get(None), partial(_JOBS.cancel, job.id, owner.visitor)):
        _JOBS.wait(job)
    return found


def cancel(visitor: str) -> None:
    """Cancel the reading that a visitor waits for, if any."""
    job = _JOBS.going(visitor)
    if job is not None:
        _JOBS.cancel(job.id, visitor)


def _read(reading: Reading[Item], stop: Event) -> list[Item]:
    items: list[Item] = []
    ended: list[str] = []
    size = 0

    def hear(line: bytes) -> None:
        nonlocal size
        size += len(line)
        if line.startswith(b'"') and not ended:
            ended.append(str(orjson.loads(line)))
        elif size > LARGEST or len(items) == reading.most or ended:
            raise InputError(f"{name}: brings more than is taken here")
        else:
            items.append(reading.take(line))

    with TemporaryDirectory(prefix="redstring-reading-") as made:
        workspace = Path(made)
        documents = workspace / DOCUMENTS
        files = [str(path.relative_to(documents)) for path in reading.put(documents)]
        name = " and ".join(files)
        order = {"kind": reading.kind, "files": files, "given": reading.given}
        program = confined(
            "ui.server.reader",
            orjson.dumps(order),
            workspace,
            BOUNDS,
            environment=dict.fromkeys(THREADS, "1"),
        )
        try:
            reason = run(program, hear, stop, longest=LONGEST_ITEM)
        except (ValueError, LookupError, TypeError) as error:
            raise InputError(f"{name}: cannot be read: its reader failed") from error
        except OSError as error:
            raise system_error("begin to read the file", error) from error
    if stop.is_set():
        raise CancelledError("cancelled")
    if not ended:
        failed = "its reader failed: the file is damaged, or needs more memory than there is for one file"
        raise InputError(f"{name}: {reason or failed}")
    if ended[0]:
        raise InputError(" ".join(ended[0].split())[:LONGEST_ERROR])
    return items


# Files that a visitor has sent: checks, and their layout in the folders of the visitor's machine.

LONGEST_PART, LONGEST_PATH, DEEPEST = 120, 4096, 12
# Files about documents; a single one is put into a folder next to them.
COMPANION_NAMES = ("ontology.yaml", "examples.json", "edges.tsv")
COMPANION_FOLDER = "beside the documents"
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\\u200b-\u200f\u202a-\u202e\u2066-\u2069]')


class Uploaded(Request):
    """A file that arrived: the key that the server gave it, and its path on the visitor's machine."""

    key: Key
    name: str = Field(max_length=LONGEST_PATH)


def safe_name(name: str) -> Path:
    """Return a path below the workspace for a file's name, with its folders; no name can lead outside."""
    parts = [_safe_part(part) for part in re.split(r"[/\\]", name)]
    kept = [part for part in parts if part]
    return Path(*kept[-DEEPEST:]) if kept else Path("unnamed")


def _safe_part(part: str) -> str:
    cleaned = _UNSAFE.sub("_", part).strip()
    if not cleaned.strip("."):
        return ""
    # Names are limited in bytes, and a letter may have four.
    encoded = cleaned.encode("utf-8", "replace")
    if len(encoded) <= LONGEST_PART:
        return encoded.decode()
    stem, dot, ending = cleaned.rpartition(".")
    tail = f"{dot}{ending}".encode() if stem and len(ending) <= 10 else b""
    return (encoded[: LONGEST_PART - len(tail)] + tail).decode("utf-8", "ignore")


def check_files(files: Sequence[Uploaded], settings: OperatorSettings, uploads: Path) -> None:
    """Raise InputError for no file, an exceeded limit, or a key of no file in ``uploads``."""
    if not settings.uploads:
        raise InputError("uploads are switched off on this server")
    if not files:
        raise InputError("there is no file yet: drop some, or choose them")
    if len(files) > settings.files:
        raise InputError(f"{len(files):,} files are too many; at most {settings.files:,} at a time")
    _check_sizes(files, settings, uploads)


def stage(files: Sequence[Uploaded], uploads: Path, documents: Path) -> None:
    """Lay out uploaded files in a new folder. Raises InputError for a file that was removed.

    A file that is named twice is laid out twice. The process that reads ``documents`` must not be able to
    write there: uploads may be hard-linked under another name.
    """
    documents.mkdir()
    for file in files:
        name = safe_name(file.name)
        target = _free(documents, Path(COMPANION_FOLDER) / name if str(name) in COMPANION_NAMES else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _give(_arrived(file, uploads), target)
        except FileNotFoundError as error:
            raise _missing(file) from error
    for file in files:
        (uploads / file.key).unlink(missing_ok=True)


def put(files: Sequence[SentFile], documents: Path) -> list[Path]:
    """Write files of a request to a new folder; returns their paths. Raises InputError."""
    documents.mkdir()
    paths = []
    for file in files:
        path = _free(documents, Path(safe_name(file.name).name))
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.content())
        paths.append(path)
    return paths


def _give(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:
        # Another file system, or one without links.
        shutil.copyfile(source, target)


def _check_sizes(files: Sequence[Uploaded], settings: OperatorSettings, uploads: Path) -> None:
    total = 0
    for file in files:
        size = _arrived(file, uploads).stat().st_size
        if size > settings.file_bytes:
            raise InputError(
                f"{file.name}: {_megabytes(size)}; at most {_megabytes(settings.file_bytes)} a file"
            )
        total += size
    if total > settings.upload_bytes:
        raise InputError(
            f"{_megabytes(total)} are too much; at most {_megabytes(settings.upload_bytes)} at a time"
        )


def _arrived(file: Uploaded, uploads: Path) -> Path:
    """Return the path of an uploaded file. Raises InputError for any other key."""
    path = uploads / file.key if KEY.fullmatch(file.key) else None
    if path is None or path.is_symlink() or path.parent.is_symlink() or not path.is_file():
        raise _missing(file)
    return path


def _missing(file: Uploaded) -> InputError:
    return InputError(f"{file.name}: did not arrive; send it again")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"


def _free(workspace: Path, name: Path) -> Path:
    """Return a free path for a file; if its path is taken, one in a numbered folder."""
    candidate, number = workspace / name, 2
    while candidate.exists() or any(
        (workspace / parent).is_file() for parent in candidate.relative_to(workspace).parents
    ):
        candidate = workspace / str(number) / name
        number += 1
    return candidate


def read_mapping(text: str) -> dict[str, Any] | None:
    """A field mapping from the text of a YAML or JSON file; None for an empty one. Raises InputError."""
    if not text.strip():
        return None
    return parse_mapping(text)
