"""The research pool: every passage admitted to a case, with all trails that lead to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.trails import DIRECTIONS, FROM_QUESTION, RELATIONS, Leads, Steps, Tell, Told, Trails
from engine.model import Direction, Hop, Passage, Relation
from engine.sorting import distinct

if TYPE_CHECKING:
    import networkx as nx


# Passages of a corpus as a case reads them: each is fetched once.


class Reading:
    """Remembers the passages that a case has looked at, and ids, by row."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[int, Passage] = {}
        self._ids: dict[int, str] = {}

    def passages(self, rows: Rows) -> list[Passage]:
        """The passages at these rows, in order; those not yet read are fetched in one batch."""
        wanted = rows.tolist()
        missing = sorted({row for row in wanted if row not in self._read})
        if missing:
            fetched = self._corpus.passages(np.array(missing, np.int32))
            self._read.update(zip(missing, fetched, strict=True))
            self._ids.update(zip(missing, (passage.id for passage in fetched), strict=True))
        return [self._read[row] for row in wanted]

    def ids(self, rows: Rows) -> list[str]:
        """Their ids."""
        wanted, known = rows.tolist(), self._ids
        missing = [row for row in dict.fromkeys(wanted) if row not in known]
        if missing:
            known.update(zip(missing, self._corpus.ids(np.array(missing, np.int32)), strict=True))
        return [known[row] for row in wanted]


# The research pool: every passage admitted to a case, with all the trails that lead to it.
#
# A directed multigraph. Its nodes are passage ids and the question; an edge is a hop, from where
# it started to what it reached. Scan and gap hops start at the question. Nothing is dropped when
# a passage is found a second time: the second hop is one more edge.

QUESTION_NODE = "?"


class Entry(NamedTuple):
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
        # Passages in the order of their admission: the place of each id and row; entries, made when they are
        # looked at, of what is held in columns: id, row, round, strategy, score.
        self._orders: dict[str, int] = {}
        self._places: dict[int, int] = {}
        self._ids: list[str] = []
        self._rows: list[int] = []
        self._rounds: list[int] = []
        self._strategies: list[str] = []
        self._scores: list[float] = []
        self._made: list[Entry] = []
        self._trails = Trails()
        for entry in saved:
            self._enter([entry.passage_id], [entry.row], entry.round, entry.strategy, [entry.score])

    def __len__(self) -> int:
        return len(self._orders)

    def __contains__(self, passage_id: object) -> bool:
        return passage_id in self._orders

    @property
    def full(self) -> bool:
        """Whether no further passage can be admitted."""
        return len(self) >= self.limit

    def entries(self) -> list[Entry]:
        """All passages in the order of their admission."""
        made, count = self._made, len(self)
        if len(made) < count:
            columns = self._ids, self._rows, self._rounds, self._strategies, self._scores, range(count)
            left = (column[len(made) : count] for column in columns)
            made = self._made = [*made, *map(Entry._make, zip(*left, strict=True))]
        return list(made)

    def entry(self, passage_id: str) -> Entry:
        """One passage's entry. Raises KeyError for a passage that is not in the pool."""
        place = self._orders[passage_id]
        return Entry(
            passage_id,
            self._rows[place],
            self._rounds[place],
            self._strategies[place],
            self._scores[place],
            place,
        )

    def rows(self) -> Rows:
        """Rows of all passages in the order of their admission, shape (n,)."""
        return np.array(self._rows[: len(self)], np.int32)

    def scores(self) -> Scores:
        """Gate scores in the same order, shape (n,)."""
        return np.array(self._scores[: len(self)], np.float32)

    def score(self, passage_id: str) -> float:
        """Gate score of a passage."""
        return self.entry(passage_id).score

    def round(self, passage_id: str) -> int:
        """Round in which a passage was admitted; 0 is the scan."""
        return self.entry(passage_id).round

    def strategy(self, passage_id: str) -> str:
        """The strategy that admitted a passage."""
        return self.entry(passage_id).strategy

    def admit(self, hop: Hop, row: int, score: float) -> bool:
        """Take in the passage that a hop reached, or add the hop to a passage that is here already.

        Returns whether the passage is new. Raises ValueError when the hop starts at a passage that is
        not in the pool (its trail would lead nowhere), or when a new passage finds the pool full.
        """
        source = QUESTION_NODE if hop.source_id is None else hop.source_id
        if source != QUESTION_NODE and source not in self._orders:
            raise ValueError(f"a hop from {source}, which is not in the pool")
        if source == hop.target_id:
            raise ValueError(f"a hop from {source} to itself")
        new = hop.target_id not in self._orders
        if new:
            if self.full:
                raise ValueError(f"the pool is full ({self.limit} passages)")
            self._enter([hop.target_id], [row], hop.round, hop.strategy, [score])
        target = self._orders[hop.target_id]
        start = FROM_QUESTION if source == QUESTION_NODE else self._orders[source]
        self._trails.add(hop, target, start)
        return new

    def bring(
        self, strategy: str, round_number: int, leads: Leads, ids: Sequence[str], scores: Scores
    ) -> None:
        """Take in the passages that leads of a strategy reached, each once, with their gate scores; their
        hops are ``join``'s. Raises ValueError where the pool has not so much room."""
        if len(self) + len(ids) > self.limit:
            raise ValueError(f"the pool is full ({self.limit} passages)")
        self._enter(ids, leads.rows.tolist(), round_number, strategy, scores.tolist())

    def join(self, strategy: str, round_number: int, leads: Leads, tell: Tell) -> None:
        """Add the hops that leads make between passages that are here, where the strategy has not joined
        them yet; they are told by ``tell`` when somebody looks at them.

        Raises ValueError for a lead that starts or ends outside of the pool.
        """
        rows, targets, sources = leads.ends
        try:
            places = np.array([self._places[row] for row in rows.tolist()], np.int64)
        except KeyError as error:
            raise ValueError(f"a hop at row {error}, which is not in the pool") from None
        self._trails.add_leads(strategy, round_number, leads, (places[targets], places[sources]), tell)

    def linked(self, source_id: str | None, target_id: str, strategy: str, quote: str = "") -> bool:
        """Whether a strategy has already led from one passage to another; or by these words from the
        question (``source_id`` None), which may say several things."""
        if target_id not in self._orders or (source_id is not None and source_id not in self._orders):
            return False
        source = FROM_QUESTION if source_id is None else self._orders[source_id]
        numbers = self._trails.between(self._orders[target_id], source, strategy)
        if source_id is not None:
            return bool(numbers)
        return any(hop.quote == quote for hop in self._trails.told(numbers))

    def hops(self) -> list[Hop]:
        """All hops, those of one passage together, passages in the order of their admission."""
        return self._trails.told(self._trails.ordered().tolist())

    def steps(self) -> Steps:
        """The same, untold."""
        return self._trails.steps()

    def hops_of(self, strategies: Iterable[str]) -> list[Hop]:
        """The hops of some strategies, in the order in which they were found."""
        return self._trails.told(self._trails.of(strategies).tolist())

    def hops_to(self, passage_id: str) -> list[Hop]:
        """All hops that reach a passage, in the order in which they were found."""
        place = self._orders.get(passage_id)
        return [] if place is None else self._trails.told(self._trails.to(place))

    def first_hop(self, passage_id: str) -> Hop:
        """The hop that brought a passage. Raises KeyError for a passage that is not in the pool."""
        return self._trails.told(self._trails.to(self._orders[passage_id])[:1])[0]

    def brought_since(self, count: int) -> Sequence[Hop]:
        """The hops that brought the passages behind the first ``count``."""
        return Told(self._trails, range(count, len(self)))

    def links(
        self, strategies: Iterable[str] | None = None
    ) -> Iterator[tuple[str, str, Relation, Direction]]:
        """Source, target, relation and direction of each hop from a passage, untold: of some strategies, None
        for all."""
        there, ids = self._trails.columns, self._ids
        numbers = np.arange(len(there.targets)) if strategies is None else self._trails.of(strategies)
        numbers = numbers[there.sources[numbers] != FROM_QUESTION]
        for source, target, relation, direction in zip(
            there.sources[numbers].tolist(),
            there.targets[numbers].tolist(),
            there.relations[numbers].tolist(),
            there.directions[numbers].tolist(),
            strict=True,
        ):
            yield ids[source], ids[target], RELATIONS[relation], DIRECTIONS[direction]

    def ways(self, besides: Iterable[str] = ()) -> NDArray[np.int64]:
        """How many strategies reach each passage, ``besides`` some, in the order of admission, shape (n,)."""
        there, names = self._trails.columns, max(len(self._trails.strategies), 1)
        left = np.ones(len(there.targets), np.bool_)
        left[self._trails.of(besides)] = False
        each = distinct(there.targets[left].astype(np.int64) * names + there.strategies[left])
        return np.bincount(each // names, minlength=len(self))

    def _enter(
        self, ids: Sequence[str], rows: list[int], round_number: int, strategy: str, scores: list[float]
    ) -> None:
        places = range(len(self), len(self) + len(ids))
        self._ids.extend(ids)
        self._rows.extend(rows)
        self._rounds.extend([round_number] * len(ids))
        self._strategies.extend([strategy] * len(ids))
        self._scores.extend(scores)
        self._places.update(zip(rows, places, strict=True))
        # Last, as others may look at the pool: this says how many passages there are.
        self._orders.update(zip(ids, places, strict=True))

    def graph(self) -> nx.MultiDiGraph[str]:
        """The pool as it is now: nodes are passage ids and QUESTION_NODE, each edge has its ``hop``."""
        import networkx as nx

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_nodes_from((QUESTION_NODE, *self._orders))
        for hop in self.hops():
            graph.add_edge(hop.source_id or QUESTION_NODE, hop.target_id, hop=hop)
        return graph

    def trails(self, passage_id: str, limit: int = 5) -> tuple[tuple[Hop, ...], ...]:
        """Ways from the question to a passage, shortest first, at most ``limit``.

        A trail goes back in time only: each hop starts at a passage that was admitted before the one
        it reaches, so there are no circles. Raises KeyError for a passage that is not in the pool.
        """
        return self.trails_of([passage_id], limit)[passage_id]

    def trails_of(self, passage_ids: Iterable[str], limit: int = 5) -> dict[str, tuple[tuple[Hop, ...], ...]]:
        """``trails`` of each of some passages, told together."""
        ways = {one: self._trails.ways_to(self._orders[one], limit) for one in passage_ids}
        numbers = list(dict.fromkeys(number for some in ways.values() for way in some for number in way))
        hops = dict(zip(numbers, self._trails.told(numbers), strict=True))
        return {one: tuple(tuple(hops[step] for step in way) for way in some) for one, some in ways.items()}

    def descendants(self, passage_id: str) -> set[str]:
        """Every passage that was reached through this one. Raises KeyError if it is not in the pool."""
        import networkx as nx

        own = self._orders[passage_id]
        there, ids = self._trails.columns, self._ids
        graph: nx.DiGraph[int] = nx.DiGraph(zip(there.sources.tolist(), there.targets.tolist(), strict=True))
        reached = nx.descendants(graph, own) if own in graph else set()
        return {ids[other] for other in reached if other > own}

    def last_round(self) -> int:
        """The highest round of a hop, 0 without any."""
        return int(self._trails.columns.rounds.max(initial=0))

    def statistics(self) -> PoolStatistics:
        """Counts by source, round and relation."""
        there = self._trails.columns
        return PoolStatistics(
            passages=len(self),
            hops=len(self._trails),
            by_strategy=Counter(self._strategies),
            by_round=Counter(self._rounds),
            hops_by_strategy=Counter(self._trails.strategies[code] for code in there.strategies.tolist()),
            hops_by_relation=Counter(RELATIONS[code].value for code in there.relations.tolist()),
        )


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
