"""Results: hops of trails, hits of retrievers, parts of scores, ranked passages."""

from __future__ import annotations

from dataclasses import dataclass

from engine.model.documents import Direction, Document, Passage, Relation
from engine.model.marks import Count, Rounded, stored
from engine.model.progress import GapQuery


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a trail: how a passage was reached, and from where.

    ``source_id`` is None if the step starts at the question (scan) or at a gap's query. ``quote`` contains
    the words that made the link, verbatim from ``quoted_from`` (a passage id), or the query that was sent;
    ``query`` is that query with its area, for gap hops. ``strength`` is the strategy's own score for the
    link, 0..1. ``rank`` is the 1-based rank in the list that found it, for scan and gap hops.
    """

    target_id: str
    source_id: str | None
    strategy: str
    relation: Relation
    direction: Direction
    round: int
    strength: float
    quote: str = ""
    quoted_from: str | None = None
    detail: str = ""
    rank: int | None = None
    query: GapQuery | None = None


@stored
@dataclass(frozen=True, slots=True)
class RetrieverHit:
    """A retriever's result for a passage and a view: 1-based rank and raw score."""

    retriever: str
    view: str
    rank: Count
    score: Rounded


@stored
@dataclass(frozen=True, slots=True)
class ScorePart:
    """A term of a passage's final score; the terms add up to the score."""

    name: str
    value: Rounded
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in the final ranking. ``text`` is a source span, never a summary.

    ``assembled_ids`` are the passages whose text is in ``text``, in document order; several if neighbours
    were joined. ``same_words`` are other well-ranked passages with the same text as ``passage``.
    """

    rank: int
    passage: Passage
    document: Document
    text: str
    score: float
    breakdown: tuple[ScorePart, ...]
    trails: tuple[tuple[Hop, ...], ...]
    hits: tuple[RetrieverHit, ...] = ()
    assembled_ids: tuple[str, ...] = ()
    pinned: bool = False
    same_words: tuple[str, ...] = ()
