"""What a person asks who reads through a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from engine.corpus.protocol.values import Cited, Rows
from engine.model import Reference, Relation, Status


class Browsing(Protocol):
    """What a person asks who reads through a corpus."""

    def all_references(self) -> Iterator[Reference]:
        """The whole reference table, in order."""
        ...

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Rows of the reference table, in order, of these statuses and relations (None: of any) that the
        passages of a document (its number, None: of any) make. A page of them is a slice of the answer,
        read by ``references``."""
        ...

    def citation_counts(self) -> Rows:
        """How many references ``references_to`` finds for each passage, shape (passages,)."""
        ...

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """The provisions that the most references point at, most cited first, then in corpus order. A
        reference to a paragraph counts for the provision (the section of its number) it is part of."""
        ...
