"""Mixed use of a served page for long, with memory, descriptors, threads, processes and files that stay flat.

    python -m benchmarks.attacks.soak [--minutes 30] [--seed 0]

Starts ``app.py`` with a home of its own. Two visitors ask, cancel, load the page, make, change and delete
corpora, check, evaluate and are now and then hostile; every few seconds both rest, and a sample is taken of
what the server and its children hold. Held where a straight line through the samples after warm-up does not
rise over their second half by more than is allowed, with 99 % confidence; and where no honest request failed.
Prints the samples by sixths of the time (smallest, median, largest).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import httpx
import psutil

from benchmarks.attacks.outcome import Attempt, Outcome, counted, table
from benchmarks.attacks.own_server import Server, own_server
from benchmarks.attacks.soaking.samples import NAMES, Sample, growth, most, sample, series
from benchmarks.attacks.soaking.visitor import DOINGS, SoakError, Visitor

VISITORS = 2
# So much is done between two samples, with a pause after each, then all rest, s.
DOINGS_A_LAP, PAUSE, REST = 4, 0.3, 1.0
# What is done is done at most so often an hour by somebody who uses it all day: no limit is met.
SETTINGS = {"REDSTRING_CASES_A_MINUTE": "600", "REDSTRING_UNUSED_UPLOAD_MINUTES": "1"}


@dataclass(slots=True)
class Soaked:
    """What came of it. ``failures`` are honest requests that went wrong."""

    samples: list[Sample] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run(tries: int = 30, seed: int = 0) -> tuple[Outcome, ...]:
    """Soak for as many minutes as there are tries, and print the samples."""
    with own_server(settings=SETTINGS) as server:
        soaked = soak(server, 60.0 * tries, seed)
    print(told(soaked), flush=True)
    return (counted("soak", verdicts(soaked)),)


def soak(server: Server, seconds: float, seed: int) -> Soaked:
    """Use a server for a while; everything that is done follows from the seed."""
    soaked, chance = Soaked(), random.Random(seed)
    visitors = [
        Visitor(server.address, f"127.0.7.{number + 1}", random.Random(chance.random()))
        for number in range(VISITORS)
    ]
    process = psutil.Process(server.process.pid)
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(VISITORS) as pool:
        while time.monotonic() < until:
            laps = [_drawn(chance) for _ in visitors]
            for failures in pool.map(_lap, visitors, laps):
                soaked.failures += failures
            soaked.done.update(one.__name__ for lap in laps for one in lap)
            time.sleep(REST)
            soaked.samples.append(sample(process, [server.home, server.temporary]))
    return soaked


def _drawn(chance: random.Random) -> list[Callable[[Visitor], None]]:
    return chance.choices(list(DOINGS), list(DOINGS.values()), k=DOINGS_A_LAP)


def _lap(visitor: Visitor, doings: Sequence[Callable[[Visitor], None]]) -> list[str]:
    failures = []
    with visitor.here():
        for doing in doings:
            try:
                doing(visitor)
            except (SoakError, httpx.HTTPError) as error:
                failures.append(f"{doing.__name__}: {type(error).__name__}: {error}")
            time.sleep(PAUSE)
    return failures


def verdicts(soaked: Soaked) -> Iterator[Attempt]:
    """Each thing that was done, and each quantity that was to stay flat."""
    for name, times in sorted(soaked.done.items()):
        wrong = [failure for failure in soaked.failures if failure.startswith(f"{name}: ")]
        for number in range(times):
            yield Attempt(name, number >= len(wrong), wrong[number] if number < len(wrong) else "")
    for name in NAMES:
        values = [float(getattr(one, name)) for one in soaked.samples]
        (rises, surely), bound = growth(values), most(name, values)
        words = f"rises by {rises:,.1f}, by {surely:,.1f} at least, allowed are {bound:,.1f}"
        yield Attempt(name, surely <= bound, words)


def told(soaked: Soaked) -> str:
    """The samples, their growth, and what was done."""
    lines = [f"{len(soaked.samples):,} samples, smallest / median / largest by part of the time", ""]
    lines += [series(soaked.samples), ""]
    for name in NAMES:
        values = [float(getattr(one, name)) for one in soaked.samples]
        (rises, surely), bound = growth(values), most(name, values)
        lines.append(
            f"{name}: {rises:+,.1f} over the second half, {surely:+,.1f} at least ({bound:,.1f} allowed)"
        )
    done = ", ".join(f"{name.replace('_', ' ')} {times:,}" for name, times in sorted(soaked.done.items()))
    return "\n".join([*lines, "", f"done: {done}"])


def main() -> int:
    """Soak and print; 1 where something was not held."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes = run(options.minutes, options.seed)
    print(f"\n{table(outcomes)}")
    return 1 if any(outcome.failures for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
