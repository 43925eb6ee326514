"""Fuzzed uploads: sound files of every format are damaged and read, by the readers of the product.

Half of them are made here, half are real laws where ``REDSTRING_DATA`` names a folder with some. Held where
each is read or refused in words within its time and memory: no exception, no crash, no file of the machine in
what was read, and none written outside its folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.attacks.fuzzing.runner import fuzz
from benchmarks.attacks.fuzzing.seeds import made_seeds, raw_seeds
from benchmarks.attacks.outcome import Outcome

# Between the numbers of one run and those of the next.
APART = 1_000_000


def run(tries: int = 10_000, seed: int = 0) -> tuple[Outcome, ...]:
    """Damage and read as many files as there are tries."""
    outcomes: list[Outcome] = []
    left = tries
    for kind, files in (("real", raw_seeds), ("made", made_seeds)):
        with tempfile.TemporaryDirectory() as folder:
            seeds = files(Path(folder))
            if not seeds:
                continue
            count = left // 2 if kind == "real" else left
            left -= count
            outcomes.append(_fuzzed(f"fuzzed uploads, {kind} files", seeds, count, seed * APART))
    return tuple(outcomes)


def _fuzzed(kind: str, seeds: Sequence[Path], count: int, first: int) -> Outcome:
    return Outcome(kind, count, tuple(fuzz(seeds, count, first=first).failures))
