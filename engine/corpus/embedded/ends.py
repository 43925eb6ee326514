"""What names the ends of links: passages, sections and documents, wherever a corpus lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.corpus.embedded.arrays import Array
from engine.corpus.protocol import Rows


class Passages(Protocol):
    """Passages by id and by row."""

    def rows(self, ids: Sequence[str]) -> Rows:
        """Rows of ids, -1 for one that is not there."""
        ...

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Texts by row."""
        ...


class Sections(Protocol):
    """Sections by number."""

    @property
    def first(self) -> Array:
        """The first row of each."""
        ...

    @property
    def stop(self) -> Array:
        """The row behind the last of each."""
        ...

    def find(self, section_id: str) -> int | None:
        """The number of an id."""
        ...


class Documents(Protocol):
    """Documents by number."""

    @property
    def first(self) -> Array:
        """The first row of each."""
        ...

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each id."""
        ...


@dataclass(frozen=True, slots=True)
class Tables:
    """What names the ends of links."""

    passages: Passages
    sections: Sections
    documents: Documents
