"""How much faster a second worker of a Dask cluster makes an ingestion.

    python -m benchmarks.cluster SOURCE [--workers 1,2] [--rounds 3]

Starts a scheduler and workers of one process with one thread each on this machine, ingests SOURCE without
vectors once with each number of workers, in turn, and prints for each ingestion: its time by the clock and
that of making the blocks and of resolving the references, which is what the workers do; the processor's
seconds of the workers (with their children), of this process (with its children) and of the scheduler; the
load of the machine. At the end the ratios of the medians, and that of the processor's seconds of the worker
with most to do. Each corpus is compared with the first one, byte by byte.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

from benchmarks import new_parser
from engine.ingestion.build import build_corpus

# Seconds for a scheduler and its workers to be there.
_START = 120.0


@dataclass(frozen=True, slots=True)
class Taken:
    """One ingestion: seconds by the clock, in all, for the blocks and for the references, and of the
    processor."""

    total: float
    blocks: float
    references: float
    workers: tuple[float, ...]
    client: float
    scheduler: float


def main() -> None:
    """Measure and print."""
    parser = new_parser(__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    counts = [int(count) for count in options.workers.split(",")]
    taken: dict[int, list[Taken]] = {count: [] for count in counts}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(options.rounds):
            for count in counts:
                one = folder / f"{number}-{count}"
                one.mkdir()
                taken[count].append(_ingested(options.source, one, count))
                same = _same(folder / f"0-{counts[0]}" / "corpus", one / "corpus")
                print(f"{count} workers: {_told(taken[count][-1])}; {same}", flush=True)
    _print_ratios(taken)


def _ingested(source: Path, folder: Path, count: int) -> Taken:
    with _cluster(folder, count) as (address, scheduler, workers):
        before = [_processor(process) for process in (scheduler, *workers)]
        own = _own_processor()
        start = time.perf_counter()
        report = build_corpus([source], folder / "corpus", embedding="none", cluster=address)
        total = time.perf_counter() - start
        own = _own_processor() - own
        used = [
            _processor(process) - begun for process, begun in zip((scheduler, *workers), before, strict=True)
        ]
        seconds = report.seconds
        return Taken(total, seconds["read"], seconds["references"], tuple(used[1:]), own, used[0])


@contextmanager
def _cluster(folder: Path, count: int) -> Iterator[tuple[str, psutil.Process, list[psutil.Process]]]:
    file = folder / "scheduler.json"
    processes = [
        _started(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    ]
    try:
        _until(file.exists)
        address = json.loads(file.read_text())["address"]
        for number in range(count):
            local = ("--local-directory", str(folder / f"worker-{number}"))
            processes.append(
                _started(
                    folder, "worker", address, "--nworkers", "1", "--nthreads", "1", "--no-nanny", *local
                )
            )
        log = folder / "worker.log"
        _until(lambda: log.exists() and log.read_bytes().count(b"Registered to") == count)
        scheduler, *workers = [psutil.Process(process.pid) for process in processes]
        yield address, scheduler, workers
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def _started(folder: Path, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *arguments]
    with open(folder / f"{kind}.log", "ab") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        )


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _START
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit("the cluster did not start")
        time.sleep(0.1)


def _processor(process: psutil.Process) -> float:
    """Seconds of the processor of a process and of all below it, also of those that have ended."""
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system + one.children_user + one.children_system for one in times))


def _own_processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _same(first: Path, other: Path) -> str:
    others = _contents(other)
    differing = [name for name, content in _contents(first).items() if others.get(name) != content]
    return "the same corpus" if not differing else f"OTHER FILES: {differing[:3]}"


def _contents(corpus: Path) -> dict[str, bytes]:
    """The files of a corpus; its ledger, which says how long files took, apart."""
    (generation,) = (path for path in corpus.iterdir() if path.is_dir())
    paths = [path for path in generation.rglob("*") if path.is_file() and path.name != "sources.json"]
    return {str(path.relative_to(generation)): path.read_bytes() for path in paths}


def _told(one: Taken) -> str:
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    workers = " + ".join(f"{seconds:.1f}" for seconds in one.workers)
    return (
        f"{one.total:.1f} s, blocks {one.blocks:.1f} s, references {one.references:.1f} s; processor: workers"
        f" {workers} s, client {one.client:.1f} s, scheduler {one.scheduler:.1f} s; load {load}"
    )


def _print_ratios(taken: Mapping[int, Sequence[Taken]]) -> None:
    first, *others = taken
    for count in others:
        for name in ("total", "blocks", "references"):
            one, more = (median(getattr(run, name) for run in taken[which]) for which in (first, count))
            print(f"{count} workers over {first}, {name} by the clock: {one / more:.2f}")
        one, more = (median(max(run.workers) for run in taken[which]) for which in (first, count))
        print(f"{count} workers over {first}, busiest worker by the processor's seconds: {one / more:.2f}")


if __name__ == "__main__":
    main()
