"""The research pool: every passage admitted to a case, with all the trails that lead to it.

A directed multigraph. Its nodes are passage ids and the question; an edge is a hop, from where it
started to what it reached. Scan and gap hops start at the question. Nothing is dropped when a passage
is found a second time: the second hop is one more edge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.corpus.protocol import Rows, Scores
from engine.model import Hop, Relation

if TYPE_CHECKING:
    import networkx as nx

QUESTION_NODE = "?"
LONGEST_TRAIL = 8
# Links that no text states.
CIRCUMSTANTIAL = {Relation.MENTIONS, Relation.SIMILAR_TO, Relation.PART_OF, Relation.NEXT_TO}


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage in the pool: when and by whom it was first admitted, its gate score, its number."""

    passage_id: str
    row: int
    round: int
    strategy: str
    score: float
    order: int


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """Passages by the strategy and the round that admitted them; hops by strategy and relation."""

    passages: int
    hops: int
    by_strategy: Mapping[str, int]
    by_round: Mapping[int, int]
    hops_by_strategy: Mapping[str, int]
    hops_by_relation: Mapping[str, int]


class Pool:
    """Deduplicated by passage id; holds at most ``limit`` passages, those that were ``saved`` among them."""

    def __init__(self, limit: int, saved: Iterable[Entry] = ()) -> None:
        self.limit = limit
        self.pinned: set[str] = set()
        self.dismissed: set[str] = set()
        self.explored: set[str] = set()
        self._entries = {entry.passage_id: entry for entry in saved}
        self._hops: set[Hop] = set()
        self._reaching: dict[str, list[Hop]] = {}
        self._links: set[tuple[str | None, str, str, str]] = set()
        self._told: dict[str, list[Hop]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, passage_id: object) -> bool:
        return passage_id in self._entries

    @property
    def full(self) -> bool:
        """Whether no further passage can be admitted."""
        return len(self) >= self.limit

    def entries(self) -> list[Entry]:
        """All passages in the order of their admission."""
        return list(self._entries.values())

    def entry(self, passage_id: str) -> Entry:
        """One passage's entry. Raises KeyError for a passage that is not in the pool."""
        return self._entries[passage_id]

    def rows(self) -> Rows:
        """Rows of all passages in the order of their admission, shape (n,)."""
        return np.fromiter((entry.row for entry in self._entries.values()), np.int32, len(self))

    def scores(self) -> Scores:
        """Gate scores in the same order, shape (n,)."""
        return np.fromiter((entry.score for entry in self._entries.values()), np.float32, len(self))

    def score(self, passage_id: str) -> float:
        """Gate score of a passage."""
        return self._entries[passage_id].score

    def round(self, passage_id: str) -> int:
        """Round in which a passage was admitted; 0 is the scan."""
        return self._entries[passage_id].round

    def strategy(self, passage_id: str) -> str:
        """The strategy that admitted a passage."""
        return self._entries[passage_id].strategy

    def admit(self, hop: Hop, row: int, score: float) -> bool:
        """Take in the passage that a hop reached, or add the hop to a passage that is here already.

        Returns whether the passage is new. Raises ValueError when the hop starts at a passage that is
        not in the pool (its trail would lead nowhere), or when a new passage finds the pool full.
        """
        source = QUESTION_NODE if hop.source_id is None else hop.source_id
        if source != QUESTION_NODE and source not in self._entries:
            raise ValueError(f"a hop from {source}, which is not in the pool")
        if source == hop.target_id:
            raise ValueError(f"a hop from {source} to itself")
        new = hop.target_id not in self._entries
        if new:
            if self.full:
                raise ValueError(f"the pool is full ({self.limit} passages)")
            self._entries[hop.target_id] = Entry(
                hop.target_id, row, hop.round, hop.strategy, score, len(self._entries)
            )
        if hop not in self._hops:
            self._hops.add(hop)
            self._told.pop(hop.target_id, None)
            self._reaching.setdefault(hop.target_id, []).append(hop)
            self._links.add(_link(hop.source_id, hop.target_id, hop.strategy, hop.quote))
        return new

    def linked(self, source_id: str | None, target_id: str, strategy: str, quote: str = "") -> bool:
        """Whether a strategy has already led from one passage to another; or by these words from the
        question (``source_id`` None), which may say several things."""
        return _link(source_id, target_id, strategy, quote) in self._links

    def hops(self) -> list[Hop]:
        """All hops, those of one passage together, passages in the order of their admission."""
        return [hop for passage_id in self._entries for hop in self.hops_to(passage_id)]

    def hops_to(self, passage_id: str) -> list[Hop]:
        """All hops that reach a passage, in the order in which they were found."""
        return list(self._reaching.get(passage_id, ()))

    def graph(self) -> nx.MultiDiGraph[str]:
        """The pool as it is now: nodes are passage ids and QUESTION_NODE, each edge has its ``hop``."""
        import networkx as nx

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_nodes_from((QUESTION_NODE, *self._entries))
        for hop in self._hops:
            graph.add_edge(hop.source_id or QUESTION_NODE, hop.target_id, hop=hop)
        return graph

    def trails(self, passage_id: str, limit: int = 5) -> tuple[tuple[Hop, ...], ...]:
        """Ways from the question to a passage, shortest first, at most ``limit``.

        A trail goes back in time only: each hop starts at a passage that was admitted before the one
        it reaches, so there are no circles. Raises KeyError for a passage that is not in the pool.
        """
        if passage_id not in self._entries:
            raise KeyError(passage_id)
        found: list[tuple[Hop, ...]] = []
        frontier: list[tuple[Hop, ...]] = [(hop,) for hop in self._earlier(passage_id)]
        while frontier and len(found) < limit:
            found += [trail for trail in frontier if trail[0].source_id is None][: limit - len(found)]
            frontier = [
                (hop, *trail)
                for trail in frontier
                if trail[0].source_id is not None and len(trail) < LONGEST_TRAIL
                for hop in self._earlier(trail[0].source_id)
            ][: limit * 50]
        return tuple(found)

    def _earlier(self, passage_id: str) -> list[Hop]:
        """Hops to a passage from the question or from passages admitted before it.

        Those from the question first (the scan before later queries), then what a text says before
        what merely resembles it, each strongest first. Kept until the passage is reached once more: the
        trails of a ranking pass through the same passages again and again.
        """
        if passage_id in self._told:
            return self._told[passage_id]
        order = self._entries[passage_id].order
        hops = [
            hop
            for hop in self.hops_to(passage_id)
            if hop.source_id is None or self._entries[hop.source_id].order < order
        ]
        self._told[passage_id] = sorted(hops, key=_telling)
        return self._told[passage_id]

    def descendants(self, passage_id: str) -> set[str]:
        """Every passage that was reached through this one. Raises KeyError if it is not in the pool."""
        if passage_id not in self._entries:
            raise KeyError(passage_id)
        import networkx as nx

        reached: set[str] = nx.descendants(self.graph(), passage_id)
        return {other for other in reached if self._entries[other].order > self._entries[passage_id].order}

    def statistics(self) -> PoolStatistics:
        """Counts by source, round and relation."""
        entries, hops = self._entries.values(), self.hops()
        return PoolStatistics(
            passages=len(self),
            hops=len(hops),
            by_strategy=Counter(entry.strategy for entry in entries),
            by_round=Counter(entry.round for entry in entries),
            hops_by_strategy=Counter(hop.strategy for hop in hops),
            hops_by_relation=Counter(hop.relation.value for hop in hops),
        )


def _link(
    source_id: str | None, target_id: str, strategy: str, quote: str
) -> tuple[str | None, str, str, str]:
    """What makes two hops say the same; the question may say several things about a passage."""
    return source_id, target_id, strategy, quote if source_id is None else ""


def _telling(hop: Hop) -> tuple[bool, int, bool, float]:
    """Sort key: how much a hop tells about why a passage is here, the most telling first."""
    from_question = hop.source_id is None
    return not from_question, hop.round if from_question else 0, hop.relation in CIRCUMSTANTIAL, -hop.strength


def restored(
    limit: int,
    entries: Sequence[Entry],
    hops: Iterable[Hop],
    *,
    pinned: Iterable[str] = (),
    dismissed: Iterable[str] = (),
    explored: Iterable[str] = (),
) -> Pool:
    """A pool from what was saved of it. Raises ValueError where a hop has no start in the pool."""
    pool = Pool(limit, entries)
    by_target: dict[str, list[Hop]] = {}
    for hop in hops:
        by_target.setdefault(hop.target_id, []).append(hop)
    for entry in entries:
        for hop in by_target.get(entry.passage_id, ()):
            pool.admit(hop, entry.row, entry.score)
    pool.pinned.update(pinned)
    pool.dismissed.update(dismissed)
    pool.explored.update(explored)
    return pool
