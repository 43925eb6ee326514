"""Which tests are slow, in which order the rest runs, and which tests share a process."""

from __future__ import annotations

import builtins
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.tables import tuples

if TYPE_CHECKING:
    from xdist.remote import Producer

TESTS = Path(__file__).parent
# Processor time that one test may take without the mark ``slow``, s. The same work takes longer on a busy
# machine: more than ``BUDGET`` is listed, more than
# ``MARGIN`` times that fails.
BUDGET = 1.0
MARGIN = 4.0
# Folders, files and tests that are slow. Tests in the browser that are marked ``journey`` run every time.
SLOW = tuples(__file__, "SLOW")
# Tests of the processes that read sources; all others read them in the process of the test (``in_process``).
WITH_PROCESSES = (
    "engine/ingestion/test_",
    "engine/ingestion/cluster/",
    "safety/",
    "ui/server/test_jobs",
    "ui/server/test_process",
    "ui/server/test_reading",
    "fuzz/",
)
# What takes minutes a file comes first, so that no process waits long for the last file of another.
FIRST = (
    "browser/",
    "golden/",
    "engine/ingestion/",
    "ui/",
    "safety/",
    "engine/retrieval/",
    "engine/language/",
    "engine/",
)
# Files of the same group run in one process, which starts what they need once.
GROUPS = {
    "browser": ("browser/",),
    "server": (
        "engine/corpus/postgresql/",
        "engine/records/store/",
        "engine/review/test_store",
        "engine/review/test_queues",
        "engine/review/test_at_once",
    ),
    # The libraries for models take seconds of each process that imports them.
    "models": (
        "engine/retrieval/",
        "engine/language/embedders/",
        "engine/ingestion/test_embedding.py",
        "engine/ingestion/test_vectors.py",
        "engine/investigation/ranking/test_reranking.py",
        "benchmarks/test_built_sample.py",
    ),
}


def path_of(item: pytest.Item) -> str:
    """Return the path of a test's file below the folder of tests."""
    return item.path.relative_to(TESTS).as_posix()


def is_slow(item: pytest.Item) -> bool:
    """Whether a test belongs to the slow suite by its path, its mark or because it needs PostgreSQL.

    The tests of the store on PostgreSQL itself run daily: a server starts in a second.
    """
    is_of_store = path_of(item).startswith("engine/corpus/postgresql/")
    if not is_of_store and ("database" in getattr(item, "fixturenames", ()) or "[postgresql" in item.name):
        return True
    is_journey = item.get_closest_marker("journey") is not None
    is_listed = f"{path_of(item)}::{item.name}".startswith(SLOW)
    return (is_listed and not is_journey) or item.get_closest_marker("corpora") is not None


def is_all_slow(path: Path) -> bool:
    """Whether a file is listed as slow and marks no journey."""
    if path.suffix != ".py" or not path.name.startswith("test_"):
        return False
    is_listed = path.relative_to(TESTS).as_posix().startswith(SLOW)
    return is_listed and "mark.journey" not in path.read_text(encoding="utf-8")


def position(item: pytest.Item) -> int:
    """Return the position of a test's folder in the order of the run."""
    path = path_of(item)
    return next((n for n, folder in enumerate(FIRST) if path.startswith(folder)), len(FIRST))


class GroupScheduling(LoadFileScheduling):  # type: ignore[misc]  # It has no types.
    """Give a process all tests of a file, or of a group of files."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        path = file.removeprefix("tests/")
        return next((name for name, folders in GROUPS.items() if path.startswith(folders)), file)


class Stopwatch:
    """Measure the processor time of a test without that of imports and of the collector, which some test pays
    for all."""

    def __init__(self) -> None:
        self._import, self._depth, self.seconds, self._imports = builtins.__import__, 0, 0.0, 0.0
        self._collecting = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what happens inside; ``seconds`` has the result."""
        builtins.__import__ = self._timed_import
        gc.callbacks.append(self._time_collection)
        began, self._imports = processor_seconds(), 0.0
        try:
            yield
        finally:
            builtins.__import__ = self._import
            gc.callbacks.remove(self._time_collection)
            self.seconds = processor_seconds() - began - self._imports

    def _time_collection(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._collecting = processor_seconds()
        elif not self._depth:
            self._imports += processor_seconds() - self._collecting

    def _timed_import(self, *given: Any, **named: Any) -> Any:
        if self._depth:
            return self._import(*given, **named)
        self._depth += 1
        began = processor_seconds()
        try:
            return self._import(*given, **named)
        finally:
            self._depth -= 1
            self._imports += processor_seconds() - began


def processor_seconds() -> float:
    """Return the processor time of this process, s.

    Children are left out: they count for the test in which they end, which may be another than theirs.
    """
    spent = os.times()
    return spent.user + spent.system
