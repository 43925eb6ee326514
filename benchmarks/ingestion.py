"""How fast sources become a corpus, what memory that takes, and what a change costs afterwards.

    python -m benchmarks.ingestion SOURCE [--shares 0.25,0.5,1] [--embedding none]
    python -m benchmarks.ingestion FOLDER [--changes 3] [--corpus DIR] [--afresh]
    python -m benchmarks.ingestion SOURCE --workers 1,2 [--rounds 3]

SOURCE is a ``corpus.jsonl[.gz]``. It is written out as one file for each of its documents, and a share of
them is ingested into a new corpus; then one sentence of one document is changed and all is ingested again;
then a document is added and removed. The same is done with the one file as it is. Memory is the largest
sum of the memory of all processes (proportional set size: pages they share count once), sampled ten times
a second.

FOLDER has a file ``*.jsonl`` for each law, as ``benchmarks.growing`` writes it; it is copied. After the first
ingestion a sentence of one law is changed, the law is removed and put back, and gets another name, each
followed by an ingestion of the whole folder; ``--changes`` times, each time another law. ``--corpus`` is
kept. ``--afresh`` ingests the last state once more into an empty folder and compares all files byte by byte.

``--workers`` measures how much faster more workers of a Dask cluster make an ingestion. It starts a scheduler
and workers of one process with one thread each on this machine, ingests SOURCE without vectors once with each
number of workers, in turn, and prints for each ingestion its time, that of the blocks and of the references,
the processor's seconds of workers, client and scheduler, and the load of the machine; at the end the ratios
of the medians. Each corpus is compared with the first one, byte by byte.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import orjson
import psutil

from benchmarks import new_parser
from engine.corpus.embedded.generation import current_generation
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from engine.ingestion.report import IngestionReport

OTHER_NAME = "Zwischenfassungs"
DOCUMENT_FIELDS = ("regulation", "document", "title")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if an update and a fresh ingestion differ."""
    parser = new_parser(__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--shares", default="0.25,0.5,1")
    parser.add_argument("--embedding", default="none")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--changes", type=int, default=3)
    parser.add_argument("--afresh", action="store_true")
    parser.add_argument("--workers", default="", help="numbers of workers of a Dask cluster: 1,2")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    if options.workers:
        _measure_workers(options)
        return 0
    if options.source.is_dir():
        return _measure_changes(options)
    _measure_shares(options)
    return 0


def _measure_shares(options: argparse.Namespace) -> None:
    lines = _lines(options.source)
    for share in map(float, options.shares.split(",")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = _one_file_a_document(lines, folder / "sources", share)
            print(f"{len(files)} files, {share:g} of the documents")
            first = _timed("  first ingestion", folder, options.embedding)
            change(files[len(files) // 2])
            again = _timed("  one document changed", folder, options.embedding)
            print(f"  the second costs {again.total_seconds / first.total_seconds:.1%} of the first")
            added = folder / "added.jsonl"
            text = f"Nach Artikel 1 und § 433 gilt dies auch für {share}."
            added.write_bytes(orjson.dumps({"id": "added-1", "title": "Added", "text": text}))
            with memory() as peak:
                report = add_to_corpus([added], folder / "corpus")
            show("  one document added", report, peak)
            with memory() as peak:
                report = remove_from_corpus(["added-1"], folder / "corpus")
            show("  one document removed", report, peak)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sources").mkdir()
        one = folder / "sources" / "corpus.jsonl"
        one.write_bytes(b"".join(lines))
        print("the same in one file")
        first = _timed("  first ingestion", folder, options.embedding)
        change(one)
        again = _timed("  one document changed", folder, options.embedding)
        print(f"  the second costs {again.total_seconds / first.total_seconds:.1%} of the first")


def _measure_changes(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        laws, fresh = Path(name) / "laws", Path(name) / "fresh"
        corpus = options.corpus or Path(name) / "corpus"
        shutil.copytree(options.source, laws)
        files = sorted(laws.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
        _ingested("everything", laws, corpus, options.embedding)
        for number in range(options.changes):
            law = files[len(files) // 2 + number]
            print(f"{law.stem}, {law.stat().st_size:,} bytes")
            change(law)
            _ingested("  a sentence changed", laws, corpus, options.embedding)
            away = Path(name) / law.name
            law.rename(away)
            _ingested("  taken away", laws, corpus, options.embedding)
            away.rename(law)
            _ingested("  put back", laws, corpus, options.embedding)
            _rename(law)
            _ingested("  under another name", laws, corpus, options.embedding)
        if not options.afresh:
            return 0
        _ingested("everything afresh", laws, fresh, options.embedding)
        different = _different(corpus, fresh)
        print(f"files that differ from those made afresh: {', '.join(different) or 'none'}")
        return int(bool(different))


def _ingested(label: str, laws: Path, corpus: Path, embedding: str) -> None:
    start = time.process_time()
    with memory() as peak:
        report = build_corpus([laws], corpus, embedding=embedding)
    load = os.getloadavg()[0]
    show(label, report, peak)
    own = time.process_time() - start
    print(f"    {own:.2f} s of the processor in this process; load of the machine {load:.1f}", flush=True)


def _rename(law: Path) -> None:
    """Let a law have another name, in its own file: those that cite it by its old one no longer do."""
    text = law.read_text()
    law.write_text(text.replace('"regulation":"', f'"regulation":"{OTHER_NAME}'))


def _different(one: Path, other: Path) -> list[str]:
    """The files of two corpora that are not the same, but for the list of their sources."""
    first, second = current_generation(one), current_generation(other)
    names = {name for name in (*first.manifest.files, *second.manifest.files) if not name.endswith(".json")}
    return sorted(n for n in names if first.manifest.files.get(n) != second.manifest.files.get(n))


def _lines(source: Path) -> list[bytes]:
    opener = gzip.open if source.name.endswith(".gz") else open
    with opener(source, "rb") as file:
        return [line for line in file if line.strip()]


def _one_file_a_document(lines: list[bytes], folder: Path, share: float) -> list[Path]:
    documents: dict[str, list[bytes]] = {}
    for line in lines:
        metadata = orjson.loads(line).get("metadata") or {}
        key = next((str(metadata[name]) for name in DOCUMENT_FIELDS if metadata.get(name)), "")
        documents.setdefault(key or line[:40].decode("utf-8", "replace"), []).append(line)
    folder.mkdir()
    chosen = list(documents.values())[: max(1, round(share * len(documents)))]
    files = [folder / f"{number:05}.jsonl" for number in range(len(chosen))]
    for path, own in zip(files, chosen, strict=True):
        path.write_bytes(b"".join(own))
    return files


def change(path: Path) -> None:
    """Add a sentence to the line in the middle of a file."""
    lines = path.read_bytes().splitlines(keepends=True)
    record = orjson.loads(lines[len(lines) // 2])
    record["text"] += "\n\nDies gilt nach § 1 entsprechend."
    lines[len(lines) // 2] = orjson.dumps(record) + b"\n"
    path.write_bytes(b"".join(lines))


def _timed(label: str, folder: Path, embedding: str) -> IngestionReport:
    with memory() as peak:
        report = build_corpus([folder / "sources"], folder / "corpus", embedding=embedding)
    show(label, report, peak)
    return report


def show(label: str, report: IngestionReport, peak: list[float]) -> None:
    """Print what an ingestion took, step by step."""
    steps = ", ".join(f"{name} {seconds:.2f}" for name, seconds in report.seconds.items())
    speed = report.passages / report.total_seconds
    print(
        f"{label}: {report.total_seconds:.2f} s ({speed:,.0f} passages/s; {steps}),"
        f" {report.passages:,} passages, peak {max(peak):,.0f} MB",
        flush=True,
    )


@contextmanager
def memory() -> Iterator[list[float]]:
    """The largest memory of this process and its children, in megabytes."""
    peak, stop = [0.0], threading.Event()

    def watch() -> None:
        own = psutil.Process()
        while not stop.is_set():
            total = 0.0
            for process in (own, *own.children(recursive=True)):
                try:
                    total += process.memory_full_info().pss / 1e6
                except (psutil.Error, OSError):
                    continue
            peak[0] = max(peak[0], total)
            time.sleep(0.1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


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


def _measure_workers(options: argparse.Namespace) -> None:
    counts = [int(count) for count in options.workers.split(",")]
    taken: dict[int, list[Taken]] = {count: [] for count in counts}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(options.rounds):
            for count in counts:
                one = folder / f"{number}-{count}"
                one.mkdir()
                taken[count].append(_ingested_by(options.source, one, count))
                same = _same(folder / f"0-{counts[0]}" / "corpus", one / "corpus")
                print(f"{count} workers: {_told(taken[count][-1])}; {same}", flush=True)
    _print_ratios(taken)


def _ingested_by(source: Path, folder: Path, count: int) -> Taken:
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
    sys.exit(main())
