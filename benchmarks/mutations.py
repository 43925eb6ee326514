"""Mutation tests: remove each defence once, and check that a test fails.

    python -m benchmarks.mutations [--only WORDS] [--markdown FILE]

Every row of ``mutations.yaml`` has a defence, a file, the code of the defence, its replacement, and the tests
that must fail. The project is copied once; each mutation is applied, tested and reverted. The exit code is 1
if a mutation survives or no longer matches its file.
"""

from __future__ import annotations

import argparse
import compileall
import importlib
import multiprocessing
import os
import py_compile
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import psutil
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

PROJECT = Path(__file__).resolve().parent.parent
ROWS = Path(__file__).with_suffix(".yaml")
COPIED = ("engine", "ui", "tests", "benchmarks", "assets", "sample_data", "docs")
# pytest's exit code if tests failed.
CAUGHT = 1
LONGEST = 600.0
# Packages that tests import: imported once, and then present in every forked process.
SHARED = ("gradio", "httpx2", "hypothesis", "lxml.etree", "networkx", "psutil", "pytest", "scipy.sparse")
_FORK = multiprocessing.get_context("fork")


class Mutation(BaseModel):
    """A defence, and how to remove it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    defence: str
    file: Path
    old: str
    new: str
    tests: tuple[str, ...]


class Verdict(BaseModel):
    """The result of a mutation: ``noticed`` is the first test that failed, "" if none did."""

    model_config = ConfigDict(frozen=True)

    mutation: Mutation
    noticed: str
    problem: str
    seconds: float


def main() -> int:
    """Remove every defence, one after another, and print the tests that fail."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="defences whose words contain these")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    chosen = [row for row in mutations() if options.only.casefold() in row.defence.casefold()]
    verdicts = []
    for verdict in tried(chosen):
        print(f"{verdict.noticed or verdict.problem}: {verdict.mutation.defence}", flush=True)
        verdicts.append(verdict)
    results = table(verdicts)
    print(f"\n{results}")
    if options.markdown is not None:
        options.markdown.write_text(page(results), encoding="utf-8")
    return 0 if all(verdict.noticed for verdict in verdicts) else 1


def mutations() -> list[Mutation]:
    """Return all rows of the table."""
    return TypeAdapter(list[Mutation]).validate_python(yaml.safe_load(ROWS.read_text(encoding="utf-8")))


def tried(rows: Sequence[Mutation]) -> Iterator[Verdict]:
    """Try each mutation in a copy of the project and yield the results."""
    # Set before numpy is imported, as in the tests.
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in SHARED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, PROJECT.name)
        for name in COPIED:
            shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for file in PROJECT.iterdir():
            if file.is_file():
                shutil.copy(file, copy)
        # By time and length alone, bytecode of the previous file would be used.
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(copy, quiet=2, invalidation_mode=checked)
        for row in rows:
            yield _tried(row, copy)


def _tried(row: Mutation, copy: Path) -> Verdict:
    started, file = time.monotonic(), copy / row.file
    before = file.read_text(encoding="utf-8")
    if before.count(row.old) != 1:
        times = before.count(row.old)
        return Verdict(mutation=row, noticed="", problem=f"found {times} times in {row.file}", seconds=0.0)
    file.write_text(before.replace(row.old, row.new), encoding="utf-8")
    try:
        noticed, problem = _tested(row.tests, copy)
    finally:
        file.write_text(before, encoding="utf-8")
    return Verdict(mutation=row, noticed=noticed, problem=problem, seconds=time.monotonic() - started)


def _tested(tests: Sequence[str], copy: Path) -> tuple[str, str]:
    """Run tests and return the first one that failed, or the problem."""
    with tempfile.NamedTemporaryFile() as output:
        process = _FORK.Process(target=_test, args=(tests, copy, output.name))
        process.start()
        process.join(LONGEST)
        if process.exitcode is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.join()
            return "", f"the tests took longer than {LONGEST:g} s"
        lines = Path(output.name).read_text(encoding="utf-8", errors="replace").splitlines()
    failed = [line for line in lines if line.startswith("FAILED ")]
    if process.exitcode == CAUGHT and failed:
        return failed[0].removeprefix("FAILED ").split(" - ")[0], ""
    return "", "SURVIVES" if process.exitcode == 0 else f"pytest ended with code {process.exitcode}"


def _test(tests: Sequence[str], copy: Path, output: str) -> None:
    """Run tests in a copy, in a process without modules of the original project."""
    import pytest

    for name in [name for name in sys.modules if name.partition(".")[0] in COPIED]:
        del sys.modules[name]
    os.chdir(copy)
    sys.path[:] = [str(copy), *(path for path in sys.path if path not in ("", str(PROJECT)))]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    descriptor = os.open(output, os.O_WRONLY)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    options = ["-x", "-q", "-n0", "-rf", "--no-header", "-p", "no:cacheprovider", "-m", "slow or not slow"]
    # Packages were imported before pytest could rewrite their assertions.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = int(pytest.main([*options, *tests]))
    sys.stdout.flush()
    os._exit(code)


def page(results: str) -> str:
    """Return the table as a page."""
    return (
        "# Removed defences, and the tests that fail\n\n"
        "Each defence of the [threat model](threat-model.md) was removed from a copy of the project, one at "
        "a time, and its tests were run. A test that fails protects the defence. The removed code is in "
        "`benchmarks/mutations.yaml`. Made by\n\n"
        "    python -m benchmarks.mutations --markdown docs/mutations.md\n\n"
        f"on {date.today().isoformat()}.\n\n{results}\n"
    )


def table(verdicts: Sequence[Verdict]) -> str:
    """Return a Markdown table of removed defences and the tests that failed."""
    caught = sum(bool(verdict.noticed) for verdict in verdicts)
    lines = ["| removed defence | in | the first test that fails |", "| --- | --- | --- |"]
    for verdict in verdicts:
        result = f"`{verdict.noticed}`" if verdict.noticed else verdict.problem
        lines.append(f"| {verdict.mutation.defence} | `{verdict.mutation.file}` | {result} |")
    return "\n".join([*lines, "", f"{caught} of {len(verdicts)} noticed."])


if __name__ == "__main__":
    sys.exit(main())
