"""What one change of a corpus costs, step by step, and the whole ingestion afresh beside it.

    python -m benchmarks.updates SOURCE [--corpus DIR] [--changes 3] [--embedding none] [--afresh]

SOURCE is a folder with a file ``*.jsonl`` for each law, as ``benchmarks.growing`` writes it; it is copied, so
that it stays as it is. A corpus is made of it, then a sentence of one law is changed, a law is taken away and
put back, and a law is given another name, each followed by the ingestion of the whole folder; ``--changes``
times, each time another law. ``--corpus`` is made where it is missing and kept. ``--afresh`` ingests the last
state once more into an empty folder and compares what was written, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ingestion import change, memory, show
from engine.corpus.embedded.generation import current_generation
from engine.ingestion.build import build_corpus

OTHER_NAME = "Zwischenfassungs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 where an update and a fresh ingestion differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--changes", type=int, default=3)
    parser.add_argument("--embedding", default="none")
    parser.add_argument("--afresh", action="store_true")
    options = parser.parse_args(arguments)
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


if __name__ == "__main__":
    sys.exit(main())
