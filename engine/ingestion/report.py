"""What an ingestion tells about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.ingestion.readers.base import Problem


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
