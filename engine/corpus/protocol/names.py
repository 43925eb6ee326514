"""Entities, who mentions them, and the names that texts give to documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from engine.corpus.protocol.values import Links, Mentions, Rows
from engine.language.references.definitions import DefinedName
from engine.model import Entity


class Names(Protocol):
    """Entities, who mentions them, and the names that texts give to documents."""

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Entities by number."""
        ...

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Numbers of the entities that each passage mentions."""
        ...

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Passages that share entities with ``rows``, weighted by rarity; at most ``limit`` an entity."""
        ...

    def mentions(self) -> Mentions:
        """All mentions of entities; for walks over the whole corpus."""
        ...

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that texts give to documents ('... ("FSMR")'): row and language of the passage, name."""
        ...
