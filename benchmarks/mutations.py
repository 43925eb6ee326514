"""Each defence taken out once, and the tests that notice.

    python -m benchmarks.mutations [--only WORDS] [--markdown FILE]

Every row of ``mutations.yaml`` names a defence, a file, the text that makes the defence, what stands in its
place while it is out, and the tests that must fail then. The project is copied once; each mutation is put in,
tested and taken back. The exit code is 1 where a mutation survives, or no longer fits the file.
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
# pytest's exit code where tests were run and some failed.
CAUGHT = 1
LONGEST = 600.0
# What tests import that is not of the project: read once, and then in every process that is forked.
SHARED = ("gradio", "httpx2", "hypothesis", "lxml.etree", "networkx", "psutil", "pytest", "scipy.sparse")
_FORK = multiprocessing.get_context("fork")


class Mutation(BaseModel):
    """A defence, and how to take it out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    defence: str
    file: Path
    old: str
    new: str
    tests: tuple[str, ...]


class Verdict(BaseModel):
    """What became of one: ``noticed`` is the first test that failed, empty where none did."""

    model_config = ConfigDict(frozen=True)

    mutation: Mutation
    noticed: str
    problem: str
    seconds: float


def main() -> int:
    """Take every defence out, one after the other, and print who noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="defences whose words contain these")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    wanted = [row for row in mutations() if options.only.casefold() in row.defence.casefold()]
    verdicts = []
    for verdict in tried(wanted):
        print(f"{verdict.noticed or verdict.problem}: {verdict.mutation.defence}", flush=True)
        verdicts.append(verdict)
    told = table(verdicts)
    print(f"\n{told}")
    if options.markdown is not None:
        options.markdown.write_text(page(told), encoding="utf-8")
    return 0 if all(verdict.noticed for verdict in verdicts) else 1


def mutations() -> list[Mutation]:
    """All rows of the table."""
    return TypeAdapter(list[Mutation]).validate_python(yaml.safe_load(ROWS.read_text(encoding="utf-8")))


def tried(rows: Sequence[Mutation]) -> Iterator[Verdict]:
    """What becomes of each mutation, in a copy of the project."""
    # Read when numpy is imported, as in the tests.
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
        # By time and length alone, bytecode would be taken for that of the file before.
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(copy, quiet=2, invalidation_mode=checked)
        for row in rows:
            yield _tried(row, copy)


def _tried(row: Mutation, copy: Path) -> Verdict:
    started, file = time.monotonic(), copy / row.file
    before = file.read_text(encoding="utf-8")
    if before.count(row.old) != 1:
        times = before.count(row.old)
        return Verdict(mutation=row, noticed="", problem=f"stands {times} times in {row.file}", seconds=0.0)
    file.write_text(before.replace(row.old, row.new), encoding="utf-8")
    try:
        noticed, problem = _tested(row.tests, copy)
    finally:
        file.write_text(before, encoding="utf-8")
    return Verdict(mutation=row, noticed=noticed, problem=problem, seconds=time.monotonic() - started)


def _tested(tests: Sequence[str], copy: Path) -> tuple[str, str]:
    """The first test that failed, or why that says nothing."""
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
        told = Path(output.name).read_text(encoding="utf-8", errors="replace").splitlines()
    failed = [line for line in told if line.startswith("FAILED ")]
    if process.exitcode == CAUGHT and failed:
        return failed[0].removeprefix("FAILED ").split(" - ")[0], ""
    return "", "SURVIVES" if process.exitcode == 0 else f"pytest ended with code {process.exitcode}"


def _test(tests: Sequence[str], copy: Path, output: str) -> None:
    """The life of a process that tests a copy: it knows nothing of the project that it was copied from."""
    import pytest

    for name in [name for name in sys.modules if name.partition(".")[0] in COPIED]:
        del sys.modules[name]
    os.chdir(copy)
    sys.path[:] = [str(copy), *(path for path in sys.path if path not in ("", str(PROJECT)))]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    told = os.open(output, os.O_WRONLY)
    os.dup2(told, 1)
    os.dup2(told, 2)
    options = ["-x", "-q", "-n0", "-rf", "--no-header", "-p", "no:cacheprovider", "-m", "slow or not slow"]
    # What was imported before is as it is.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = int(pytest.main([*options, *tests]))
    sys.stdout.flush()
    os._exit(code)


def page(told: str) -> str:
    """The table as a page of its own."""
    return (
        "# Defences taken out, and the tests that notice\n\n"
        "Each defence of the [threat model](threat-model.md) was taken out of a copy of the project, one at "
        "a time, and its tests were run; a test that fails then is what keeps the defence in. What is taken "
        "out, letter by letter, stands in `benchmarks/mutations.yaml`. Made by\n\n"
        "    python -m benchmarks.mutations --markdown docs/mutations.md\n\n"
        f"on {date.today().isoformat()}.\n\n{told}\n"
    )


def table(verdicts: Sequence[Verdict]) -> str:
    """A Markdown table of defences and of the tests that noticed."""
    caught = sum(bool(verdict.noticed) for verdict in verdicts)
    lines = ["| defence taken out | in | the first test that fails |", "| --- | --- | --- |"]
    for one in verdicts:
        told = f"`{one.noticed}`" if one.noticed else one.problem
        lines.append(f"| {one.mutation.defence} | `{one.mutation.file}` | {told} |")
    return "\n".join([*lines, "", f"{caught} of {len(verdicts)} noticed."])


if __name__ == "__main__":
    sys.exit(main())
