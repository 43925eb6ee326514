"""Runs readers over damaged files in child processes, and says which files broke one."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from engine.ingestion.readers.base import Problem, ReadDocument
from engine.ingestion.sources import open_sources
from tests.fuzz.damage import CANARY, mutated

# An input that takes longer than this many seconds hangs.
DEADLINE = 30.0
MEMORY = 2 * 1024**3
# More text than this from one file was made, not read.
MOST_TEXT = 300_000_000
PASSWORDS = ("test", "openpassword")

Input = tuple[int, Path]


@dataclass(slots=True)
class Outcome:
    """What became of the inputs: how many were read or refused, and the ones that broke a rule."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")


def fuzz(seeds: Sequence[Path], count: int, *, first: int = 0) -> Outcome:
    """Read ``count`` damaged files, made from ``seeds`` in turn."""
    inputs = [(number, seeds[number % len(seeds)]) for number in range(first, first + count)]
    outcome = Outcome()
    while inputs:
        inputs = _run(inputs, outcome)
    return outcome


def _run(inputs: Sequence[Input], outcome: Outcome) -> list[Input]:
    """Inputs in one child, until they are done or one of them kills it; returns what is left."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_read_all, args=(inputs, sender), daemon=True)
    child.start()
    sender.close()
    for place, (number, path) in enumerate(inputs):
        name = f"{path.name} damaged with seed {number}"
        if not receiver.poll(DEADLINE):
            child.kill()
            outcome.failures.append(f"{name}: over {DEADLINE:.0f} s")
            return list(inputs[place + 1 :])
        try:
            kind, detail, seconds = receiver.recv()
        except EOFError:
            child.join()
            outcome.failures.append(f"{name}: the process ended with {child.exitcode}")
            return list(inputs[place + 1 :])
        outcome.counts[kind] += 1
        if kind == "failed":
            outcome.failures.append(f"{name}: {detail}")
        outcome.slowest = max(outcome.slowest, (seconds, name))
    child.join()
    return []


def _read_all(inputs: Sequence[Input], sender: Connection) -> None:
    # On top of what the process begins with, which is much where other tests have run in it.
    limit = psutil.Process().memory_info().vms + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for number, path in inputs:
        start = time.perf_counter()
        kind, detail = _read_one(path, number)
        sender.send((kind, detail, time.perf_counter() - start))


def _read_one(path: Path, seed: int) -> tuple[str, str]:
    with TemporaryDirectory() as outer:
        canary = Path(outer) / "canary.txt"
        canary.write_text(CANARY)
        folder = Path(outer) / "a" / "b" / "c"
        folder.mkdir(parents=True)
        file = folder / path.name
        file.write_bytes(mutated(path.read_bytes(), seed).replace(b"CANARY", str(canary).encode()))
        try:
            return _judged(file, Path(outer))
        # Any exception at all is what is looked for here.
        except Exception as error:
            return "failed", f"{type(error).__name__}: {error}"


def _judged(file: Path, outer: Path) -> tuple[str, str]:
    documents = problems = size = 0
    with open_sources([file], passwords=PASSWORDS) as found:
        problems += len(found.problems)
        for source, reader in found.documents:
            for item in reader.read(source):
                if isinstance(item, Problem):
                    problems += 1
                    continue
                assert isinstance(item, ReadDocument)
                documents += 1
                for passage in item.passages:
                    size += len(passage.text)
                    if CANARY in passage.text:
                        return "failed", "a file of the machine was read"
    if size > MOST_TEXT:
        return "failed", f"{size:,} characters from one file"
    if list(outer.rglob(f"*{CANARY}*")) or Path(f"/{CANARY}.txt").exists():
        return "failed", "a member was written outside its folder"
    if not documents and not problems:
        return "failed", "neither a document nor a problem"
    return ("read with problems" if problems else "read") if documents else "refused", ""
