"""Count the small faults that the daily tests notice: change one node of one function, then run the tests.

    pytest -p benchmarks.executed --executed FILE
    python -m benchmarks.mutants --executed FILE [--tries 60] [--seed 0] [--module engine/x.py] [--limit 60]

A function of engine or ui is drawn by its number of lines. A new process imports the changed module and runs
the daily tests that execute the function (``benchmarks.executed``): those of the nearest files, of whole
outputs and all others, until one fails. At the end the failed tests run without a change: one
that fails then catches nothing. A mutant that no test has noticed after ``--limit`` seconds of the processor
survives. A Python that a test starts does not see the change.

Left out: contract kits, which are tests themselves, and what has no effect that shows: docstrings,
annotations, ``__repr__``, the words of errors, logs and help, ``zip(strict=)``, ``copy=False``, keywords that
name a timeout or the size of a cache or chunk, and the order of the arguments of ``min``, ``max``, ``and_``
and the like.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import math
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest

from benchmarks.executed import PROJECT, Executed, set_profile

# A test is endless if it takes this many seconds and this many times as long as without the change.
ENDLESS, TIMES = 30.0, 10.0
# On a busy machine a process waits so many times as long as it works.
WAITING = 10.0
_FORK = multiprocessing.get_context("fork")
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Calls whose words only people read, or whose effect no test could see: speed, durability, names of temporary
# files, random bytes.
_WORDING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "cast"}
_EFFECTLESS = {
    *("move_to_end", "utime", "fsync", "flush", "madvise", "freeze", "cache_clear", "sleep", "interned"),
    *("token_bytes", "token_hex", "token_urlsafe", "urandom", "mkstemp", "mkdtemp", "TemporaryDirectory"),
}
_UNSEEN = {"help", "metavar", "stacklevel", "strict", "timeout", "maxsize", "chunksize", "chunk_size"}
_COMMUTATIVE = {"and_", "or_", "min", "max", "minimum", "maximum", "union", "union1d", "intersect1d"}
_ONE = (ast.Eq, ast.Lt, ast.Gt, ast.In, ast.Is, ast.And, ast.Add, ast.Mult, ast.BitAnd)
_OTHER = (ast.NotEq, ast.LtE, ast.GtE, ast.NotIn, ast.IsNot, ast.Or, ast.Sub, ast.Div, ast.BitOr)
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = dict(zip(_ONE + _OTHER, _OTHER + _ONE, strict=True))


class Mutant(NamedTuple):
    """A function with one node changed; ``code`` is that of its whole module."""

    file: Path
    function: str
    place: str
    change: str
    code: CodeType


def main() -> int:
    """Draw mutants, run the tests that execute each, and print what noticed it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--executed", type=Path, required=True, help="written by benchmarks.executed")
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--module", type=Path, help="draw from this file alone")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds for each mutant")
    options = parser.parse_args()
    executed = Executed(options.executed)
    os.chdir(PROJECT)
    import_libraries()
    set_profile()
    every = [*Path("engine").rglob("*.py"), *Path("ui").rglob("*.py")]
    files = [options.module] if options.module else [file for file in every if "contract" not in str(file)]
    mutants = [*drawn(sorted(files), options.tries, random.Random(options.seed))]
    noticed = [try_mutant(one, executed, options.limit, set()) for one in mutants]
    sound: set[str] = {""}
    failing: set[str] = set()
    while new := {*noticed} - sound - failing:
        if test := run([sorted(new)], executed, math.inf, None):
            failing.add(test)
            for at in [at for at, one in enumerate(noticed) if one == test]:
                noticed[at] = try_mutant(mutants[at], executed, options.limit, failing)
        else:
            sound |= new
    print(f"\ncaught {options.tries - noticed.count('')} of {options.tries}")
    return 0


def try_mutant(mutant: Mutant, executed: Executed, limit: float, without: set[str]) -> str:
    """Print and return the test that fails, "" if none does, leaving out some tests."""
    batches = [
        [test for test in batch if test not in without]
        for batch in executed.batches(mutant.file, mutant.function)
    ]
    test = run(batches, executed, limit, mutant)
    print(f"{mutant.place}: {mutant.change}  {'caught by ' + test if test else 'survived'}", flush=True)
    return test


def import_libraries() -> None:
    """Import what the project imports from elsewhere, once for all mutants."""
    os.environ["OMP_NUM_THREADS"] = "1"
    program = "import sys, tests.conftest, ui.page, engine.cli.main; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    for name in names.decode().split():
        if name.split(".")[0] not in ("engine", "ui", "tests", "benchmarks", "__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def drawn(files: Sequence[Path], tries: int, draws: random.Random) -> Iterator[Mutant]:
    """Mutants of the functions in some files, each function drawn by its number of lines."""
    texts = {file: (PROJECT / file).read_text(encoding="utf-8") for file in files}
    found = [(file, *one) for file in files for one in enumerate(functions_in(ast.parse(texts[file])))]
    lengths = [1 + (function.end_lineno or 0) - function.lineno for _, _, (_, function) in found]
    while tries:
        [(file, at, (name, _))] = draws.choices(found, lengths)
        tree, path = ast.parse(texts[file]), PROJECT / file
        _, function = list(functions_in(tree))[at]
        possible = [(node, one) for node in changeable(function) for one in changes(node)]
        if not possible:
            continue
        before = compile(tree, path, "exec")
        node, changed = draws.choice(possible)
        place = f"{file}:{getattr(node, 'lineno', function.lineno)} {name}"
        description = " -> ".join(" ".join(ast.unparse(one).split())[:70] for one in (node, changed))
        node.__class__, node.__dict__ = changed.__class__, changed.__dict__
        after = compile(ast.fix_missing_locations(tree), path, "exec")
        if after != before:
            tries -= 1
            yield Mutant(file, name, place, description, after)


def functions_in(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods with their qualified names; a function inside another is part of that."""
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield from functions_in(node, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and node.name != "__repr__":
            yield prefix + node.name, node


def changeable(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when a function is called, without those that have no observable effect."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            skipped = field in ("annotation", "returns", "decorator_list") or isinstance(child, ast.arguments)
            if not skipped and isinstance(child, ast.AST) and not _is_unseen(child):
                yield child
                if not isinstance(child, ast.Raise):
                    yield from changeable(child)


def _is_unseen(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value):
            return isinstance(value, ast.Constant) or _is_unseen(value)
        case ast.keyword(name, value):
            return name in _UNSEEN or (name == "copy" and ast.unparse(value) == "False")
    return _called(node) in _WORDING | _EFFECTLESS


def _called(node: ast.AST) -> str:
    called = getattr(node, "func", None)
    return str(getattr(called, "attr", getattr(called, "id", "")))


def changes(node: ast.AST) -> list[ast.AST]:
    """What may take the place of a node."""
    match node:
        case ast.Compare(left, [op, *more], others):
            return [ast.Compare(left, [_SWAPPED[type(op)](), *more], others)]  # type: ignore[list-item]
        case ast.BoolOp(op) | ast.BinOp(op=op) if type(op) in _SWAPPED:
            return [_with(node, op=_SWAPPED[type(op)]())]
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            return [_with(node, test=ast.UnaryOp(ast.Not(), test))]
        case ast.comprehension(ifs=[test, *more]):
            return [_with(node, ifs=[ast.UnaryOp(ast.Not(), test), *more])]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(number) | float(number)):
            return [ast.Constant(number + 1), ast.Constant(number - 1)]
        case ast.Constant(str(text)):
            return [ast.Constant("" if text else "x")]
        case ast.Call(args=[first, second, *more]) if _called(node) not in _COMMUTATIVE:
            return [_with(node, args=[second, first, *more])]
        case ast.Return(value) if value is not None and ast.dump(value) != "Constant(value=None)":
            return [ast.Return(ast.Constant(None))]
        case ast.Assign([ast.Attribute() | ast.Subscript()]) | ast.AugAssign() | ast.Expr() | ast.Raise():
            return [ast.Pass()]
        case ast.Continue() | ast.Delete():
            return [ast.Pass()]
    return []


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    vars(changed).update(fields)
    return changed


def run(batches: Sequence[list[str]], executed: Executed, limit: float, mutant: Mutant | None) -> str:
    """Return the first test that fails in a process of its own, "" if none does in time."""
    reader, writer = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_test, args=(batches, mutant, writer))
    process.start()
    writer.close()
    assert process.pid is not None
    allowed, test, failed = WAITING * limit, "", False
    while not failed:
        begun, is_over, is_endless = time.monotonic(), False, False
        while not reader.poll(1.0) and not (is_over or is_endless):
            is_over, is_endless = processor_seconds(process.pid) > limit, time.monotonic() - begun > allowed
        if is_over or is_endless:
            test = test if is_endless else ""
            break
        try:
            test, failed = reader.recv()
        except EOFError:  # The process ended without a word.
            break
        if not test:
            break
        allowed = WAITING * limit if failed is None else ENDLESS + TIMES * executed.seconds[test]
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return test


def processor_seconds(pid: int) -> float:
    """Return what a process and its ended children have used of the processor."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


class _Reporting:
    """A plugin of pytest that keeps the wanted tests in their order, and reports each."""

    def __init__(self, tests: Sequence[str], writer: Connection) -> None:
        self._order, self._writer = {test: n for n, test in enumerate(tests)}, writer

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        wanted = [item for item in items if item.nodeid in self._order]
        items[:] = sorted(wanted, key=lambda item: self._order[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._writer.send((nodeid, False))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._writer.send((report.nodeid, True))


def _test(batches: Sequence[list[str]], mutant: Mutant | None, writer: Connection) -> None:
    os.setsid()
    for stream in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    original = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        is_changed = mutant and loader.path == str(PROJECT / mutant.file)
        return mutant.code if mutant and is_changed else original(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    options = ["-x", "-n0", "--tb=no", "-pno:cacheprovider", "-Wignore::pytest.PytestAssertRewriteWarning"]
    for batch in filter(None, batches):
        writer.send((batch[0], None))
        files = dict.fromkeys(test.split("::")[0] for test in batch)
        ended = pytest.main([*options, *files], plugins=[_Reporting(batch, writer)])
        if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            writer.send((batch[0], True))  # The change is seen at import.
    writer.send(("", False))
    # Kill what tests have started and left.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
