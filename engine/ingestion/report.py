"""What an ingestion tells about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.ingestion.readers.base import Problem


@dataclass(frozen=True, slots=True)
class IngestionReport:
    """Counts, seconds per step, and everything that could not be read.

    ``not_embedded`` counts passages in languages that the embedding model does not read. ``seconds``
    are those of each step; steps that ran side by side overlap.
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
