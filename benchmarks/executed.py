"""Record which tests execute which functions of engine and ui, and how long each test takes.

    pytest -p benchmarks.executed --executed FILE

A plugin of pytest. FILE is JSON: ``seconds`` by test, and ``tests`` by function
(``engine/x.py::Class.method``), each test by its position in ``seconds``.
What a shared fixture executes counts for every test that uses the fixture. Forked processes are included, new
interpreters are not. Caches are cleared before each file of tests: else only the first file that fills a
cache would execute the function behind it.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import Phase, settings

PROJECT = Path(__file__).resolve().parent.parent
FOLDERS = tuple(f"{PROJECT / folder}{os.sep}" for folder in ("engine", "ui"))
_PIPE_BYTES = 1 << 20
NEAR = 4
# Tests that compare outputs of most of the engine and the page: after those of the nearest files.
BROAD = ("tests/golden/", "tests/ui/test_sample.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the file, before the tests choose a profile of hypothesis."""
    parser.addoption("--executed", metavar="FILE", help="write which tests execute which functions")
    set_profile()


def set_profile() -> None:
    """Let hypothesis try what it tries daily, and no test fail because it takes long."""
    unshrunk = (Phase.explicit, Phase.generate)
    settings.register_profile("traced", deadline=None, derandomize=True, max_examples=15, phases=unshrunk)
    os.environ["HYPOTHESIS_PROFILE"] = "traced"


def pytest_configure(config: pytest.Config) -> None:
    """Start recording; with several processes, each writes a part and the first process joins the parts."""
    if path := config.getoption("--executed"):
        worker = getattr(config, "workerinput", {}).get("workerid", "")
        config.pluginmanager.register(Recorder(Path(path), worker))


def name_function(code: CodeType) -> str:
    """Name the function that some code belongs to; a function inside another is part of that."""
    path = Path(code.co_filename).relative_to(PROJECT).as_posix()
    return f"{path}::{code.co_qualname.split('.<locals>')[0]}"


class Recorder:
    """Record the functions that are entered during each test and each shared fixture."""

    def __init__(self, path: Path, worker: str) -> None:
        self._path, self._worker, self._process = path, worker, os.getpid()
        self._entered: dict[int, CodeType] = {}
        self._by_test: dict[str, set[str]] = defaultdict(set)
        self._by_fixture: dict[str, set[str]] = defaultdict(set)
        self._fixtures: dict[str, set[str]] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._cached: dict[str, list[_lru_cache_wrapper[Any]]] = {}
        self._file = ""
        self._reader, self._writer = os.pipe2(os.O_NONBLOCK)
        fcntl.fcntl(self._writer, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def _trace(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if id(code) not in self._entered:
            self._entered[id(code)] = code
            if os.getpid() != self._process and code.co_filename.startswith(FOLDERS):
                with suppress(OSError):  # The pipe is full or closed.
                    os.write(self._writer, f"{name_function(code)}\n".encode())

    def _take(self) -> set[str]:
        """Return what was entered since the last call."""
        entered, self._entered = self._entered, {}
        try:
            in_children = os.read(self._reader, _PIPE_BYTES).decode().splitlines()
        except BlockingIOError:
            in_children = []
        own = [code for code in entered.values() if code.co_filename.startswith(FOLDERS)]
        return {*map(name_function, own), *in_children}

    def pytest_collection_finish(self) -> None:
        """Begin to trace."""
        threading.settrace(self._trace)  # It returns None: lines are not traced.
        sys.settrace(self._trace)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record one test with its fixtures."""
        if self._file != (file := item.nodeid.split("::")[0]):
            self._file = file
            self._clear_caches()
        self._entered = {}
        if sys.gettrace() is None:
            sys.settrace(self._trace)
        result = yield
        self._by_test[item.nodeid] |= self._take()
        self._fixtures[item.nodeid] = set(getattr(item, "fixturenames", ()))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Keep what a shared fixture executes apart from the test that comes first."""
        if fixturedef.scope == "function":
            return (yield)
        outside, self._entered = self._entered, {}
        result = yield
        self._by_fixture[fixturedef.argname] |= self._take()
        self._entered = outside
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the seconds of a test."""
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write this process's part, or join all parts."""
        sys.settrace(None)
        if self._worker or self._by_test:
            self._write_part()
        if self._worker:
            return
        paths = list(self._path.parent.glob(f"{self._path.name}.part*"))
        parts = [json.loads(path.read_text()) for path in paths]
        fixtures: dict[str, set[str]] = defaultdict(set)
        for name, functions in (pair for part in parts for pair in part["by_fixture"].items()):
            fixtures[name] |= set(functions)
        tests: dict[str, list[int]] = defaultdict(list)
        for number, test in enumerate(self._seconds):
            for part in parts:
                shared = [fixtures[name] for name in part["fixtures"].get(test, ()) if name in fixtures]
                for function in set(part["by_test"].get(test, ())).union(*shared):
                    tests[function].append(number)
        self._path.write_text(json.dumps({"seconds": self._seconds, "tests": tests}))
        for path in paths:
            path.unlink()

    def _write_part(self) -> None:
        part = {
            "by_test": {test: sorted(names) for test, names in self._by_test.items()},
            "by_fixture": {fixture: sorted(names) for fixture, names in self._by_fixture.items()},
            "fixtures": {test: sorted(names) for test, names in self._fixtures.items()},
        }
        Path(f"{self._path}.part{self._worker}").write_text(json.dumps(part))

    def _clear_caches(self) -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith(("engine.", "ui.", "tests.")) and name not in self._cached:
                owners = [module, *(one for one in vars(module).values() if isinstance(one, type))]
                values = [value for owner in owners for value in list(vars(owner).values())]
                self._cached[name] = [one for one in values if isinstance(one, _lru_cache_wrapper)]
        for cached in self._cached.values():
            for one in cached:
                one.cache_clear()


class Executed:
    """What was recorded."""

    def __init__(self, path: Path) -> None:
        recorded = json.loads(path.read_text())
        self.seconds: dict[str, float] = recorded["seconds"]
        self._names, self._tests = list(self.seconds), recorded["tests"]
        # The number of functions that a test executes: a test of few functions is about them.
        self._breadth = Counter(test for tests in self._tests.values() for test in tests)

    def batches(self, file: Path, function: str) -> list[list[str]]:
        """Return tests to run together: those of the nearest files first, more files each time.

        Of files at the same distance, the one with the test that executes the fewest functions comes first.
        If no test executes the function, it may run at import: then some tests of its module's others
        are run. The other tests of the same files come last: they may see what an earlier test has cached.
        """
        executing = set(self._tests.get(f"{file}::{function}", ()))
        is_executed = bool(executing)
        for name in [] if is_executed else self._tests:
            if name.startswith(f"{file}::"):
                executing.update(self._tests[name])
        tests = {name: self.seconds[name] for name in map(self._names.__getitem__, sorted(executing))}
        by_file: dict[str, list[str]] = {}
        for test in sorted(tests, key=tests.__getitem__):
            by_file.setdefault(test.split("::")[0], []).append(test)
        mirrored = Path("tests", file).with_name(f"test_{file.stem}.py")

        narrowest: dict[str, int] = {}
        for number in executing:
            test_file = self._names[number].split("::")[0]
            narrowest[test_file] = min(narrowest.get(test_file, sys.maxsize), self._breadth[number])

        def distance(test_file: str) -> tuple[bool, int, int]:
            shared = len(os.path.commonpath([mirrored.parent, Path(test_file).parent]))
            return test_file != str(mirrored), -shared, narrowest[test_file]

        nearest = sorted(by_file, key=distance)
        files = [*nearest[:NEAR], *sorted(nearest[NEAR:], key=lambda file: not file.startswith(BROAD))]
        batches, number = [], 1
        while files:
            batches.append([test for one in files[:number] for test in by_file[one]])
            files, number = files[number:] if is_executed else [], number * 3
        return [*batches, [one for one in self._names if one.split("::")[0] in by_file and one not in tests]]
