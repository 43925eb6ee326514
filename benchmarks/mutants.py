"""How many small faults the tests notice: one node of one function changed, and the tests nearest to it.

    python -m benchmarks.mutants [--tries 60] [--seed 0] [--module engine/x.py] [--limit 120]

A function of engine or ui is drawn by its number of lines. A forked process, which has the modules loaded,
puts the changed code into it and runs the mirrored test file; if that passes, the test files that import the
module and the rest of the mirrored folder. A catch counts only if the same test passes without the change. A
test that starts a new Python sees the code as it is on disk. Neither mutmut, which runs the whole suite first
to learn what reaches what, nor cosmic-ray, which starts a command for each mutant, draws a sample of a size.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import importlib
import multiprocessing
import os
import random
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest
from hypothesis import Phase, settings

PROJECT = Path(__file__).resolve().parent.parent
TIMEOUT = "timeout"
Key = tuple[str, str, int]
_FORK = multiprocessing.get_context("fork")
# Calls whose words only people read, and one that does nothing.
_WORDING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "cast"}
_ONE = (ast.Eq, ast.Lt, ast.Gt, ast.In, ast.Is, ast.And, ast.Add, ast.Mult, ast.BitAnd)
_OTHER = (ast.NotEq, ast.LtE, ast.GtE, ast.NotIn, ast.IsNot, ast.Or, ast.Sub, ast.Div, ast.BitOr)
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = dict(zip(_ONE + _OTHER, _OTHER + _ONE, strict=True))


class Mutant(NamedTuple):
    """A function with one node changed: ``code`` is what it runs then."""

    file: Path
    place: str
    change: str
    code: CodeType


def main() -> int:
    """Draw mutants, run the tests nearest to each, and print what noticed it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--module", type=Path, help="draw from this file alone")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for each run of tests")
    options = parser.parse_args()
    os.chdir(PROJECT)
    # It clears the environment before anything of the project is imported, as for every test.
    importlib.import_module("tests.conftest")
    settings.register_profile("mutants", settings(), phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")
    files = [options.module] if options.module else [*Path("engine").rglob("*.py"), *Path("ui").rglob("*.py")]
    if any(file.parts[0] == "ui" for file in files):
        importlib.import_module("ui.page")
    verdicts: Counter[str] = Counter()
    for mutant in drawn(sorted(files), options.tries, random.Random(options.seed)):
        verdict, test = tried(mutant, options.limit)
        verdicts[verdict] += 1
        print(f"{verdict:10} {mutant.place}: {mutant.change}  {test}".rstrip(), flush=True)
    caught = options.tries - verdicts["survived"]
    print(f"\ncaught {caught} of {options.tries} ({caught / options.tries:.0%}): {dict(verdicts)}")
    return 0


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
        key = str(path), name, min([function.lineno, *(one.lineno for one in function.decorator_list)])
        before = dict(_codes(compile(tree, path, "exec"))).get(key)
        node, changed = draws.choice(possible)
        place = f"{file}:{getattr(node, 'lineno', function.lineno)} {name}"
        told = " -> ".join(" ".join(ast.unparse(one).split())[:70] for one in (node, changed))
        node.__class__, node.__dict__ = changed.__class__, changed.__dict__
        after = dict(_codes(compile(ast.fix_missing_locations(tree), path, "exec"))).get(key)
        if before and after and after != before and after.co_freevars == before.co_freevars:
            tries -= 1
            yield Mutant(file, place, told, after)


def functions_in(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods with their qualified names; a function inside another is part of that."""
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield from functions_in(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node


def changeable(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when a function is called, without the words of docstrings, errors, logs and help."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            skipped = field in ("annotation", "returns", "decorator_list") or isinstance(child, ast.arguments)
            if not skipped and isinstance(child, ast.AST) and not _is_wording(child):
                yield child
                if not isinstance(child, ast.Raise):
                    yield from changeable(child)


def _is_wording(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or _is_wording(node.value)
    called = getattr(node, "func", None)
    name = getattr(called, "attr", getattr(called, "id", ""))
    return name in _WORDING or (isinstance(node, ast.keyword) and node.arg == "help")


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
        case ast.Call(args=[first, second, *more]) if ast.dump(first) != ast.dump(second):
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


def _codes(whole: CodeType) -> Iterator[tuple[Key, CodeType]]:
    for code in whole.co_consts:
        if isinstance(code, CodeType):
            yield _key(code), code
            yield from _codes(code)


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def put(code: CodeType) -> int:
    """Give some code to every function that was made of the original; how many there are."""
    # `isinstance` would ask objects for their `__class__`, and some libraries warn when they are asked.
    functions = [one for one in gc.get_objects() if type(one) is FunctionType]
    own = [one for one in functions if _key(one.__code__) == _key(code)]
    for one in own:
        one.__code__ = code
    return len(own)


def tried(mutant: Mutant, limit: float) -> tuple[str, str]:
    """What noticed a mutant, "mirrored" or "neighbours", and the test that failed; or "survived"."""
    module = ".".join(mutant.file.with_suffix("").parts).removesuffix(".__init__")
    importlib.import_module(module)
    remark = ""
    for name, files in zip(("mirrored", "neighbours"), nearest(mutant.file, module), strict=True):
        if files and (noticed := _run(files, limit, mutant.code)):
            if not (unchanged := _run(files if noticed == TIMEOUT else [noticed], limit, None)):
                return name, noticed
            remark = f"(without the change too: {unchanged})"
    return "survived", remark


def nearest(file: Path, module: str) -> tuple[list[str], list[str]]:
    """The mirrored test file; the files that import the module, and behind them the rest of its folder."""
    mirrored = Path("tests", file).with_name(f"test_{file.stem}.py")
    defined = [getattr(node, "name", file.stem) for node in ast.parse(file.read_text(encoding="utf-8")).body]
    # A package that the module is in may hand on what it defines.
    packages, names = "|".join(".".join(one.parts) for one in file.parents[:-1]), "|".join(defined)
    imports = re.compile(
        rf"^(?:from|import) {module}\b|^from (?:{packages}) import .*\b(?:{names})\b", re.M | re.S
    )
    importing = [test for test, text in _tests().items() if imports.search(text)]
    near = dict.fromkeys([*importing, *sorted(mirrored.parent.glob("test_*.py"))])
    return [str(mirrored)] if mirrored.exists() else [], [str(test) for test in near if test != mirrored]


@cache
def _tests() -> dict[Path, str]:
    return {test: test.read_text(encoding="utf-8") for test in sorted(Path("tests").rglob("test_*.py"))}


def _run(tests: Sequence[str], limit: float, code: CodeType | None) -> str:
    """The first test that fails in a process of its own; "" if all pass."""
    reader, writer = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_test, args=(tests, code, writer))
    process.start()
    writer.close()
    try:
        noticed = str(reader.recv()) if reader.poll(limit) else TIMEOUT
    except EOFError:  # The process ended without a word.
        noticed = tests[0]
    if process.pid is not None and process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return noticed


class _Noticing:
    """A plugin of pytest that remembers what failed first."""

    failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid


def _test(tests: Sequence[str], code: CodeType | None, writer: Connection) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    if code is not None:
        put(code)
    noticing = _Noticing()
    # The project was imported before pytest could rewrite the assertions of its contracts.
    options = ["-x", "-n0", "--tb=no", "-pno:cacheprovider", "-Wignore::pytest.PytestAssertRewriteWarning"]
    ended = pytest.main([*options, *tests], plugins=[noticing])
    passed = ended in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    writer.send(noticing.failed or ("" if passed else tests[0]))
    # Kill what tests have started and left.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
