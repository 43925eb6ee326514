"""Cases that have ended, told as OpenTelemetry spans where the operator wants them: off unless REDSTRING_OTLP
is set.

The operator named the server, so that it is connected to as the operator's language model is: by the proxy
and certificates of the environment, and wherever it stands. It is given little time, its answer is not
repeated, and a server that did not answer is left alone for a while. What goes wrong here is no trouble of
the case: it is one line in the log.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from io import RawIOBase
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from engine.errors import RedstringError
from engine.operator_settings import WEB, operator_settings

_LOG = logging.getLogger(__name__)
SECONDS, LONGEST_ANSWER = 5.0, 100_000
# So long a server that did not answer is not asked again.
RESTS = 60.0
OWNER_ONLY = 0o600
_lock = Lock()
_down_until: dict[str, float] = {}


def tell_spans(record: Mapping[str, Any] | Callable[[], Mapping[str, Any]]) -> None:
    """Tell a case that has ended, where the operator wants that. ``record`` is what ``investigation_to_json``
    makes, or makes it: it is called only where something is told. Never raises."""
    try:
        settings = operator_settings()
        where = settings.otlp.get_secret_value()
        if where and not _rests(where):
            values = record() if callable(record) else record
            _tell(where, _body(values, content=settings.otlp_content))
    except Exception as error:
        # Whatever it is, the case has ended well. Only our own errors are known to repeat no address.
        why = str(error) if isinstance(error, RedstringError) else type(error).__name__
        _LOG.warning("the spans of a case were not told: %s", why)


def _body(record: Mapping[str, Any], *, content: bool) -> bytes:
    from engine.exports.reading import read
    from engine.exports.spans.case import spans_of
    from engine.exports.spans.otlp import traces
    from engine.records.store.store import engine_version

    found = read(record)
    return orjson.dumps(traces(spans_of(found, content=content), found.state, engine_version()))


def _tell(where: str, body: bytes) -> None:
    if not where.startswith(WEB):
        _add(Path(where), body)
        return
    from engine.network.background import background_loop

    sending = asyncio.run_coroutine_threadsafe(_sent(where, body), background_loop())
    try:
        why = sending.result(2 * SECONDS)
    except TimeoutError:
        sending.cancel()
        why = "was not reached in time"
    if why:
        with _lock:
            _down_until[where] = time.monotonic() + RESTS
        _LOG.warning(
            "the spans of a case were not told: the server of REDSTRING_OTLP %s; it is left alone for %.0f s",
            why,
            RESTS,
        )


async def _sent(where: str, body: bytes) -> str:
    """Send; returns what went wrong, empty where nothing did."""
    from engine.network.fetching import TIMED_OUT, fetched, opened_client

    client = opened_client()
    try:
        received = await fetched(client, "POST", where, content=body, seconds=SECONDS, longest=LONGEST_ANSWER)
    finally:
        await client.aclose()
    if received.fine:
        return ""
    if received.status == TIMED_OUT:
        return f"did not answer within {SECONDS:g} s"
    return "cannot be reached" if received.status < 100 else f"answered with status {received.status}"


def _rests(where: str) -> bool:
    with _lock:
        return time.monotonic() < _down_until.get(where, 0.0)


def _add(path: Path, body: bytes) -> None:
    """Add a line to a file that its owner alone may read: all of it or nothing, whoever else adds to it."""
    import fcntl

    try:
        # A pipe that nobody reads does not keep the case waiting.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(path, flags, OWNER_ONLY), "ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = os.fstat(file.fileno()).st_size
            try:
                _write(file, body + b"\n")
            except OSError:
                file.truncate(before)
                raise
    except OSError as error:
        _LOG.warning("the spans of a case were not told: %s: %s", path, error.strerror)


def _write(file: RawIOBase, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[file.write(left) or 0 :]
