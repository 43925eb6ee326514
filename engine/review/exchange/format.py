"""What a format is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.review.exchange.drafts import Draft
from engine.review.exchange.reading import MOST
from engine.review.model import Assessment


class Reader(Protocol):
    """Reads a file."""

    def __call__(self, path: Path, most: int = MOST) -> list[Draft]:
        """Its verdicts."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: ``name`` is what a command calls it, ``title`` what the page does, ``meaning`` says who reads
    or writes it.

    ``read`` gives the verdicts of a file, in its order, at most so many; it raises SourceError naming file
    and line, or task, of what cannot be read. ``write`` makes the bytes of a file that ends in ``suffix``, of
    the assessments that stand; None where the format is only read.
    """

    name: str
    title: str
    meaning: str
    suffix: str
    media_type: str
    read: Reader
    write: Callable[[Iterable[Assessment]], bytes] | None = None
