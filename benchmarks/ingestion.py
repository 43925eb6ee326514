"""How fast sources become a corpus, what memory that takes, and what a change costs afterwards.

    python -m benchmarks.ingestion SOURCE [--shares 0.25,0.5,1] [--embedding none]

SOURCE is a ``corpus.jsonl[.gz]``. It is written out as one file for each of its documents, and a share of
them is ingested into a new corpus; then one sentence of one document is changed and all is ingested again;
then a document is added and removed. The same is done with the one file as it is. Memory is the largest
sum of the memory of all processes (proportional set size: pages they share count once), sampled ten times
a second.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import psutil

from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from engine.ingestion.report import IngestionReport

DOCUMENT_FIELDS = ("regulation", "document", "title")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--shares", default="0.25,0.5,1")
    parser.add_argument("--embedding", default="none")
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
