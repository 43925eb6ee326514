"""Drop a folder of files in one go, as a user does, and say what became of each.

    python -m benchmarks.dropped_files FOLDER [--password WORD ...] [--mapping FILE]

Prints a line per file (seconds, documents, passages, and the reason where it was not wholly read), what was
skipped, the slowest file and the peak memory of this process and of the largest child.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from collections import Counter
from pathlib import Path

from engine.ingestion.build import build_corpus
from engine.ingestion.readers.mapping import load_mapping
from engine.ingestion.report import FileReport, IngestionReport


def main() -> None:
    """Ingest the folder into a temporary corpus and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--password", action="append", default=[], help="tried on encrypted files")
    parser.add_argument("--mapping", type=Path, help="what the fields of tables and of JSON mean")
    given = parser.parse_args()
    mapping = load_mapping(given.mapping) if given.mapping else None
    with tempfile.TemporaryDirectory() as folder:
        report = build_corpus(
            [given.folder],
            Path(folder) / "corpus",
            embedding="none",
            passwords=given.password,
            mapping=mapping,
        )
    for line in lines_of(report, given.folder):
        print(line)


def lines_of(report: IngestionReport, top: Path) -> list[str]:
    """The report as lines: one a file, one a skipped file, then the sums."""

    def short(name: str) -> str:
        return name.removeprefix(f"{top}/")

    found = [_line(file, short(file.name)) for file in report.files]
    found += [f"{'skipped':>9}  {short(problem.path)}: {problem.reason}" for problem in report.skipped]
    counts = Counter(str(file.status) for file in report.files)
    slowest = max(report.files, key=lambda file: file.seconds, default=None)
    own, children = (
        resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    found.append("")
    found.append(f"{len(report.files)} files: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
    found.append(
        f"{report.documents} documents, {report.sections} sections, {report.passages} passages, "
        f"{report.total_seconds:.1f} s"
    )
    if slowest is not None:
        found.append(f"slowest: {short(slowest.name)}, {slowest.seconds:.2f} s")
    found.append(f"peak memory: {own} MiB, the largest child {children} MiB")
    return found


def _line(file: FileReport, name: str) -> str:
    reason = f"  ({file.reason})" if file.reason else ""
    return (
        f"{file.status:>9}  {file.seconds:6.2f} s  {file.documents:4} documents  {file.passages:6} passages  "
        f"{name}{reason}"
    )


if __name__ == "__main__":
    main()
