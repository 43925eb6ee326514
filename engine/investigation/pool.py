"""The research pool: every passage admitted to a case, with all trails that lead to it.

The pool is a directed multigraph. Its nodes are passage ids and the question; an edge is a hop, from where it
started to the passage it reached. Hops of the scan and of gap queries start at the question. A passage that
is found again gets one more edge; no hop is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.trails import (
    DIRECTIONS,
    FROM_QUESTION,
    RELATIONS,
    FirstHops,
    Leads,
    MakeHops,
    Steps,
    Trails,
)
from engine.model import Direction, Hop, Passage, Relation

if TYPE_CHECKING:
    import networkx as nx


QUESTION_NODE = "?"


class Reading:
    """Reads passages of a corpus for one case, each at most once; caches passages and ids by row."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[int, Passage] = {}
        self._ids: dict[int, str] = {}

    def passages(self, rows: Rows) -> list[Passage]:
        """Return the passages at these rows, in order; those not yet read are fetched in one batch."""
        requested = rows.tolist()
        missing = sorted({row for row in requested if row not in self._read})
        if missing:
            fetched = self._corpus.passages(np.array(missing, np.int32))
            self._read.update(zip(missing, fetched, strict=True))
            self._ids.update(zip(missing, (passage.id for passage in fetched), strict=True))
        return [self._read[row] for row in requested]

    def ids(self, rows: Rows) -> list[str]:
        """Return the ids of the passages at these rows, in order."""
        requested, known = rows.tolist(), self._ids
        missing = [row for row in dict.fromkeys(requested) if row not in known]
        if missing:
            known.update(zip(missing, self._corpus.ids(np.array(missing, np.int32)), strict=True))
        return [known[row] for row in requested]


class Entry(NamedTuple):
    """A passage in the pool: the round and strategy that admitted it, its gate score and its position."""

    passage_id: str
    row: int
    round: int
    strategy: str
    score: float
    order: int


@dataclass(frozen=True, slots=True)
class PoolStatistics:
    """Counts of passages by admitting strategy and round, and of hops by strategy and relation."""

    passages: int
    hops: int
    by_strategy: Mapping[str, int]
    by_round: Mapping[int, int]
    hops_by_strategy: Mapping[str, int]
    hops_by_relation: Mapping[str, int]


class Pool:
    """At most ``limit`` distinct passages, beginning with those that were ``saved``, and the hops to them."""

    def __init__(self, limit: int, saved: Iterable[Entry] = ()) -> None:
        self.limit = limit
        self.pinned: set[str] = set()
        self.dismissed: set[str] = set()
        self.explored: set[str] = set()
        # Passages in the order of admission, as columns; entries are made when they are read.
        self._positions: dict[str, int] = {}
        self._positions_by_row: dict[int, int] = {}
        self._ids: list[str] = []
        self._rows: list[int] = []
        self._rounds: list[int] = []
        self._strategies: list[str] = []
        self._scores: list[float] = []
        self._entries: list[Entry] = []
        self._trails = Trails()
        for entry in saved:
            self._enter([entry.passage_id], [entry.row], entry.round, entry.strategy, [entry.score])

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, passage_id: object) -> bool:
        return passage_id in self._positions

    @property
    def full(self) -> bool:
        """True if no further passage can be admitted."""
        return len(self) >= self.limit

    def entries(self) -> list[Entry]:
        """Return all passages in the order of admission."""
        made, count = self._entries, len(self)
        if len(made) < count:
            columns = self._ids, self._rows, self._rounds, self._strategies, self._scores, range(count)
            left = (column[len(made) : count] for column in columns)
            made = self._entries = [*made, *map(Entry._make, zip(*left, strict=True))]
        return list(made)

    def entry(self, passage_id: str) -> Entry:
        """Return the entry of a passage. Raises KeyError for a passage that is not in the pool."""
        position = self._positions[passage_id]
        return Entry(
            passage_id,
            self._rows[position],
            self._rounds[position],
            self._strategies[position],
            self._scores[position],
            position,
        )

    def rows(self) -> Rows:
        """Return the rows of all passages in the order of admission, shape (n,)."""
        return np.array(self._rows[: len(self)], np.int32)

    def scores(self) -> Scores:
        """Return the gate scores in the same order, shape (n,)."""
        return np.array(self._scores[: len(self)], np.float32)

    def score(self, passage_id: str) -> float:
        """Return the gate score of a passage."""
        return self.entry(passage_id).score

    def round(self, passage_id: str) -> int:
        """Return the round in which a passage was admitted; 0 is the scan."""
        return self.entry(passage_id).round

    def strategy(self, passage_id: str) -> str:
        """Return the strategy that admitted a passage."""
        return self.entry(passage_id).strategy

    def admit(self, hop: Hop, row: int, score: float) -> bool:
        """Admit the passage that a hop reaches, or add the hop if the pool has the passage.

        Returns whether the passage is new. Raises ValueError for a hop that starts at a passage outside the
        pool (its trail would have no start), or for a new passage if the pool is full.
        """
        source = QUESTION_NODE if hop.source_id is None else hop.source_id
        if source != QUESTION_NODE and source not in self._positions:
            raise ValueError(f"a hop from {source}, which is not in the pool")
        if source == hop.target_id:
            raise ValueError(f"a hop from {source} to itself")
        new = hop.target_id not in self._positions
        if new:
            if self.full:
                raise ValueError(f"the pool is full ({self.limit} passages)")
            self._enter([hop.target_id], [row], hop.round, hop.strategy, [score])
        target = self._positions[hop.target_id]
        start = FROM_QUESTION if source == QUESTION_NODE else self._positions[source]
        self._trails.add(hop, target, start)
        return new

    def admit_leads(
        self, strategy: str, round_number: int, leads: Leads, ids: Sequence[str], scores: Scores
    ) -> None:
        """Admit the passages of a strategy's leads with their gate scores; ``add_hops`` adds their hops.

        Raises ValueError if they exceed the pool's limit.
        """
        if len(self) + len(ids) > self.limit:
            raise ValueError(f"the pool is full ({self.limit} passages)")
        self._enter(ids, leads.rows.tolist(), round_number, strategy, scores.tolist())

    def add_hops(self, strategy: str, round_number: int, leads: Leads, make_hops: MakeHops) -> None:
        """Add the hops of leads between passages in the pool, unless the strategy has linked them already.

        ``make_hops`` is called when the hops are read. Raises ValueError for a lead that starts or ends
        outside the pool.
        """
        rows, targets, sources = leads.ends
        try:
            positions = np.array([self._positions_by_row[row] for row in rows.tolist()], np.int64)
        except KeyError as error:
            raise ValueError(f"a hop at row {error}, which is not in the pool") from None
        self._trails.add_leads(
            strategy, round_number, leads, (positions[targets], positions[sources]), make_hops
        )

    def linked(self, source_id: str | None, target_id: str, strategy: str, quote: str = "") -> bool:
        """Return whether a strategy has already linked one passage to another.

        For the question (``source_id`` None) also the ``quote`` counts, since it may name several things.
        """
        if target_id not in self._positions or (source_id is not None and source_id not in self._positions):
            return False
        source = FROM_QUESTION if source_id is None else self._positions[source_id]
        numbers = self._trails.between(self._positions[target_id], source, strategy)
        if source_id is not None:
            return bool(numbers)
        return any(hop.quote == quote for hop in self._trails.hops(numbers))

    def hops(self) -> list[Hop]:
        """Return all hops, grouped by target in the order of admission."""
        return self._trails.hops(self._trails.ordered().tolist())

    def steps(self) -> Steps:
        """Return the same as columns, without making the hops."""
        return self._trails.steps()

    def hops_of(self, strategies: Iterable[str]) -> list[Hop]:
        """Return the hops of some strategies, in the order of discovery."""
        return self._trails.hops(self._trails.of(strategies).tolist())

    def hops_to(self, passage_id: str) -> list[Hop]:
        """Return all hops to a passage, in the order of discovery."""
        position = self._positions.get(passage_id)
        return [] if position is None else self._trails.hops(self._trails.to(position))

    def first_hop(self, passage_id: str) -> Hop:
        """Return the hop that admitted a passage. Raises KeyError for a passage that is not in the pool."""
        return self._trails.hops(self._trails.to(self._positions[passage_id])[:1])[0]

    def first_hops_since(self, count: int) -> Sequence[Hop]:
        """Return the hops that admitted the passages after the first ``count``."""
        return FirstHops(self._trails, range(count, len(self)))

    def links(
        self, strategies: Iterable[str] | None = None
    ) -> Iterator[tuple[str, str, Relation, Direction]]:
        """Yield source, target, relation and direction of each hop between passages, without its evidence.

        ``strategies``: only their hops; None for all.
        """
        columns, ids = self._trails.columns, self._ids
        numbers = np.arange(len(columns.targets)) if strategies is None else self._trails.of(strategies)
        numbers = numbers[columns.sources[numbers] != FROM_QUESTION]
        for source, target, relation, direction in zip(
            columns.sources[numbers].tolist(),
            columns.targets[numbers].tolist(),
            columns.relations[numbers].tolist(),
            columns.directions[numbers].tolist(),
            strict=True,
        ):
            yield ids[source], ids[target], RELATIONS[relation], DIRECTIONS[direction]

    def ways(self, excluded: Iterable[str] = ()) -> NDArray[np.int64]:
        """Count the strategies that reach each passage, without the ``excluded`` ones, shape (n,)."""
        columns, names = self._trails.columns, max(len(self._trails.strategies), 1)
        left = np.ones(len(columns.targets), np.bool_)
        left[self._trails.of(excluded)] = False
        each = distinct(columns.targets[left].astype(np.int64) * names + columns.strategies[left])
        return np.bincount(each // names, minlength=len(self))

    def _enter(
        self, ids: Sequence[str], rows: list[int], round_number: int, strategy: str, scores: list[float]
    ) -> None:
        positions = range(len(self), len(self) + len(ids))
        self._ids.extend(ids)
        self._rows.extend(rows)
        self._rounds.extend([round_number] * len(ids))
        self._strategies.extend([strategy] * len(ids))
        self._scores.extend(scores)
        self._positions_by_row.update(zip(rows, positions, strict=True))
        # Last, because other threads may read the pool: this sets its length.
        self._positions.update(zip(ids, positions, strict=True))

    def graph(self) -> nx.MultiDiGraph[str]:
        """Return the pool as a graph: nodes are passage ids and QUESTION_NODE, each edge has its ``hop``."""
        import networkx as nx

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_nodes_from((QUESTION_NODE, *self._positions))
        for hop in self.hops():
            graph.add_edge(hop.source_id or QUESTION_NODE, hop.target_id, hop=hop)
        return graph

    def trails(self, passage_id: str, limit: int = 5) -> tuple[tuple[Hop, ...], ...]:
        """Return up to ``limit`` trails from the question to a passage, shortest first.

        Each hop of a trail starts at a passage that was admitted before the one it reaches, so that there
        are no cycles. Raises KeyError for a passage that is not in the pool.
        """
        return self.trails_of([passage_id], limit)[passage_id]

    def trails_of(self, passage_ids: Iterable[str], limit: int = 5) -> dict[str, tuple[tuple[Hop, ...], ...]]:
        """Return the trails of several passages at once, as ``trails`` does."""
        return self._made({one: self._trails.ways_to(self._positions[one], limit) for one in passage_ids})

    def telling_trails(self, ranked: Sequence[str], limit: int) -> dict[str, tuple[tuple[Hop, ...], ...]]:
        """Return the trails of ranked passages, best passage first, the most telling trails first."""
        positions = [self._positions[passage] for passage in ranked]
        ranks = {position: rank for rank, position in enumerate(positions)}
        ways = self._trails.telling_ways
        return self._made(
            {one: ways(position, ranks, limit) for one, position in zip(ranked, positions, strict=True)}
        )

    def _made(self, found: Mapping[str, list[tuple[int, ...]]]) -> dict[str, tuple[tuple[Hop, ...], ...]]:
        numbers = list(dict.fromkeys(step for trails in found.values() for trail in trails for step in trail))
        hops = dict(zip(numbers, self._trails.hops(numbers), strict=True))
        return {
            passage: tuple(tuple(hops[step] for step in trail) for trail in trails)
            for passage, trails in found.items()
        }

    def descendants(self, passage_id: str) -> set[str]:
        """Return the passages that were reached through this one.

        Raises KeyError if it is not in the pool.
        """
        import networkx as nx

        start = self._positions[passage_id]
        columns, ids = self._trails.columns, self._ids
        graph: nx.DiGraph[int] = nx.DiGraph(
            zip(columns.sources.tolist(), columns.targets.tolist(), strict=True)
        )
        reached = nx.descendants(graph, start) if start in graph else set()
        return {ids[other] for other in reached if other > start}

    def last_round(self) -> int:
        """Return the highest round of a hop, 0 without hops."""
        return int(self._trails.columns.rounds.max(initial=0))

    def statistics(self) -> PoolStatistics:
        """Count passages and hops by strategy, round and relation."""
        columns = self._trails.columns
        return PoolStatistics(
            passages=len(self),
            hops=len(self._trails),
            by_strategy=Counter(self._strategies),
            by_round=Counter(self._rounds),
            hops_by_strategy=Counter(self._trails.strategies[code] for code in columns.strategies.tolist()),
            hops_by_relation=Counter(RELATIONS[code].value for code in columns.relations.tolist()),
        )


def restore_pool(
    limit: int,
    entries: Sequence[Entry],
    hops: Iterable[Hop],
    *,
    pinned: Iterable[str] = (),
    dismissed: Iterable[str] = (),
    explored: Iterable[str] = (),
) -> Pool:
    """Make a pool from its saved parts. Raises ValueError if a hop starts outside the pool."""
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
