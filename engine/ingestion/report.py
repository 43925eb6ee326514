"""What an ingestion reports: its progress, and the result for each file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any

from tqdm import tqdm

from engine.ingestion.readers.base import Problem

# How far an ingestion is.

# Called with the name of a step, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Tells nobody."""


class ProgressBar:
    """One bar on standard error, which each step fills in turn. Used as a context manager."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._step = ""

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show the state of a step."""
        if self._bar is None:
            self._bar = tqdm(total=total, desc=step, file=sys.stderr, mininterval=0.2, dynamic_ncols=True)
            self._step = step
        elif (step, total) != (self._step, self._bar.total):
            self._step = step
            self._bar.set_description_str(step, refresh=False)
            self._bar.reset(total)
        self._bar.update(done - self._bar.n)


# What an ingestion tells about itself.


class FileStatus(StrEnum):
    """What became of a file."""

    READ = "read"
    PARTLY = "partly"
    NOT_READ = "not read"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: what became of it, with the first reason where it was not wholly read.

    ``reused``: it had not changed, so that nothing of it was read again; ``seconds`` are then those of
    the time when it was read.
    """

    name: str
    status: FileStatus
    reason: str
    documents: int
    passages: int
    seconds: float
    reused: bool


@dataclass(frozen=True, slots=True)
class IngestionReport:
    """Counts, seconds per step, and everything that could not be read.

    ``not_embedded`` counts passages in languages that the embedding model does not read; ``embedded``
    those whose vectors were computed now and not taken over from before; ``sparse`` is the
    model of the learned sparse vectors. ``seconds`` are those of each
    step. ``files`` stand in the order of the sources; ``skipped`` are those that are no documents, with
    the reason.
    """

    name: str
    documents: int
    sections: int
    passages: int
    references_by_relation: Mapping[str, int]
    references_by_status: Mapping[str, int]
    entities: int
    languages: Mapping[str, int]
    embedding: str
    not_embedded: int
    seconds: Mapping[str, float]
    total_seconds: float
    problems: tuple[Problem, ...]
    files: tuple[FileReport, ...] = ()
    skipped: tuple[Problem, ...] = ()
    embedded: int = 0
    sparse: str = "none"
