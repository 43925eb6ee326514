"""What a server takes, sampled while nobody asks it anything, and whether that grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import psutil
from scipy.stats import theilslopes

MEGABYTE = 1_000_000
# Samples of the first part of the time are warm-up: caches fill, libraries load.
WARM_UP = 0.2
PARTS = 6
# Of so many of 100 intervals each holds the true slope: six quantities are looked at.
SURE = 0.99
# What a quantity may grow by over the second half of the time: a share of its median, and in its own unit;
# the smaller of both where both are given. Counts are of whole things: half of one is noise.
SHARE, RSS_MB, FILES_MB, COUNT = 0.05, 30.0, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Sample:
    """``rss_mb`` of the server and its children; ``files`` and ``files_mb`` below its home and its temporary
    folder."""

    rss_mb: float
    descriptors: float
    threads: float
    processes: float
    files: float
    files_mb: float


NAMES = tuple(field.name for field in fields(Sample))


def sample(process: psutil.Process, folders: Sequence[Path]) -> Sample:
    """What a server takes at this moment."""
    family = [process, *process.children(recursive=True)]
    memory = descriptors = threads = processes = 0
    for one in family:
        try:
            with one.oneshot():
                memory += one.memory_info().rss
                descriptors += one.num_fds()
                threads += one.num_threads()
            processes += 1
        except psutil.NoSuchProcess:
            # It ended while it was looked at.
            continue
    files = size = 0
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                found = path.lstat()
            except FileNotFoundError:
                continue
            files += 1
            size += found.st_size if path.is_file() else 0
    return Sample(memory / MEGABYTE, descriptors, threads, processes, files, size / MEGABYTE)


def growth(values: Sequence[float]) -> tuple[float, float]:
    """What a straight line through the values after warm-up rises by over their second half, and what it
    rises by at least: the lower end of the interval that holds it in 99 of 100 cases.

    The line is the median of the slopes of all pairs (Theil 1950, Sen 1968): one sample that is far off does
    not tilt it.
    """
    kept = np.array(values[int(len(values) * WARM_UP) :], float)
    if len(kept) < 3:
        return 0.0, 0.0
    slope, _, low, _ = theilslopes(kept, alpha=SURE)
    return float(slope * len(kept) / 2), float(low * len(kept) / 2)


def most(name: str, values: Sequence[float]) -> float:
    """What a quantity may grow by."""
    if name == "rss_mb":
        return min(SHARE * float(np.median(values)), RSS_MB)
    return FILES_MB if name == "files_mb" else COUNT


def series(samples: Sequence[Sample]) -> str:
    """A Markdown table: smallest, median and largest of each quantity by sixths of the time."""
    lines = ["| part | " + " | ".join(NAMES) + " |", "| --- |" + " --- |" * len(NAMES)]
    table = np.array([astuple(one) for one in samples], float)
    for number, part in enumerate(np.array_split(table, min(PARTS, len(table)))):
        cells = [
            " / ".join(f"{value:,.0f}" for value in (column.min(), np.median(column), column.max()))
            for column in part.T
        ]
        lines.append(f"| {number + 1} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
