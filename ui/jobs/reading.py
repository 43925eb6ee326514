"""Read visitors' files, each in a confined process: the server itself parses none of them.

Readings queue like other jobs. A reading ends with the request that waits for it, or at its deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Generic, TypeVar

import orjson
from gradio.context import LocalContext

from engine.errors import CancelledError, InputError, system_error
from ui.jobs.jobs import Job, Jobs, Owner, Rules
from ui.jobs.process import DOCUMENTS, THREADS, Bounds, confined, run
from ui.server.disconnects import waited_for

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
    """A file to read. ``kind`` names a reader of ``ui.jobs.reader``, ``given`` its arguments.

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
            "ui.jobs.reader", orjson.dumps(order), workspace, BOUNDS, environment=dict.fromkeys(THREADS, "1")
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
