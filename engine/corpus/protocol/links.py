"""References, and the links that they make between passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from engine.corpus.protocol.values import Links, Quoted, Rows
from engine.model import Direction, Reference, Relation

if TYPE_CHECKING:
    # It brings scipy, for which nobody waits who asks for no graph.
    from engine.corpus.adjacency import Adjacency


class Linked(Protocol):
    """References, and the links that they make between passages."""

    @property
    def judged(self) -> tuple[int, ...]:
        """Another value whenever other verdicts on links are in force; empty where there are none."""
        ...

    def judge(self) -> None:
        """Put in force what people have said of links since the corpus was opened, or this was last called;
        from then on what they rejected is no link, for whoever asks. Raises CorpusError."""
        ...

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Passages linked to ``rows`` by resolved references (out: cited, in: citing)."""
        ...

    def adjacency(self) -> Adjacency | None:
        """All links and mentions as they were put together when the corpus was published; None where they
        were not, or where people have judged links since."""
        ...

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""
        ...

    def references_from(self, rows: Rows) -> Quoted:
        """The references that passages make, of every status, in the order of their texts."""
        ...

    def references_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages: to one itself, or to a section that begins with
        it. References to whole documents are not among them."""
        ...
