"""Progress and results of an ingestion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any

from tqdm import tqdm

from engine.ingestion.readers.base import Problem

# Called with the name of a step, the amount done, and the total.
Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Ignore progress."""


class ProgressBar:
    """A progress bar on standard error, reused by each step. A context manager."""

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


# Results


class FileStatus(StrEnum):
    """The result of a file."""

    READ = "read"
    PARTLY = "partly"
    NOT_READ = "not read"


@dataclass(frozen=True, slots=True)
class FileReport:
    """Result of a file; ``reason``: the first reason if it was not read completely.

    ``reused``: unchanged and not read again; ``seconds`` are then those of the original reading.
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
    """Counts, seconds per step, and problems.

    ``not_embedded``: passages in languages that the embedding model does not support. ``embedded``: passages
    whose vectors were computed now. ``sparse``: the model of the learned sparse vectors. ``files``: in the
    order of the sources. ``skipped``: files that are not documents, with the reason.
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
