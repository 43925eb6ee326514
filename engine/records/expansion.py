"""The expansion tree of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from engine.errors import InputError
from engine.investigation.pool import QUESTION_NODE, Pool
from engine.investigation.trails import (
    DIRECTIONS,
    FROM_QUESTION,
    RELATION_NUMBER,
    RELATIONS,
    Steps,
    columns_of,
)
from engine.model import GapQuery, Hop, RankedPassage, RoundReport
from engine.records.phrases import GAP_STRATEGY
from engine.records.record import DIGITS, CaseRecord
from engine.records.text import Sent, sent_by, sent_queries

# The expansion tree of a case and its statistics, as JSON and as text.


# Input of a tree: the passages and hops of a pool, live or from a saved record.


@dataclass(frozen=True, slots=True)
class PoolFacts:
    """Passages in the order of admission, with ``scores`` rounded as in a record.

    ``strategies`` and ``rounds`` are those that admitted each passage, ``ranks`` those of the final ranking
    by id; ``reports`` are the rounds so far.
    """

    question: str
    ids: Sequence[str]
    rounds: Sequence[int]
    strategies: Sequence[str]
    scores: Sequence[float]
    ranks: Mapping[str, int]
    reports: Sequence[RoundReport]
    steps: Steps


def facts_of_pool(
    question: str, pool: Pool, ranking: Sequence[RankedPassage], reports: Sequence[RoundReport]
) -> PoolFacts:
    """Return the facts of a live pool."""
    # Read hops first: if the pool grows concurrently, all their passages are included.
    steps, entries = pool.steps(), pool.entries()
    return PoolFacts(
        question,
        [entry.passage_id for entry in entries],
        [entry.round for entry in entries],
        [entry.strategy for entry in entries],
        [round(float(entry.score), DIGITS) for entry in entries],
        {found.passage.id: found.rank for found in ranking},
        tuple(reports),
        steps,
    )


def facts_of_record(record: CaseRecord, where: str) -> PoolFacts:
    """Return the facts of a record. Raises InputError if hops and passages do not fit together."""
    ids = [node.id for node in record.pool.nodes]
    places = {passage_id: place for place, passage_id in enumerate(ids)}
    if len(places) < len(ids):
        raise InputError(f"{where}: damaged: a passage is in the pool twice")
    hops = [edge.hop() for edge in record.pool.edges]
    for end in {end for hop in hops for end in (hop.target_id, hop.source_id)}:
        if end is not None and end not in places:
            raise InputError(f"{where}: damaged: a hop leads from or to {end!r}, which is not in the pool")
    return PoolFacts(
        record.question,
        ids,
        [node.round for node in record.pool.nodes],
        [node.strategy for node in record.pool.nodes],
        [node.score for node in record.pool.nodes],
        {one.id: one.rank for one in record.passages},
        tuple(one.report() for one in record.rounds),
        _steps(hops, places),
    )


def _steps(hops: Sequence[Hop], places: Mapping[str, int]) -> Steps:
    """Return the hops of a record as steps of a pool, grouped by the passage they reach."""
    ordered = sorted(hops, key=lambda hop: places[hop.target_id])
    names = list(dict.fromkeys(hop.strategy for hop in ordered))
    codes = {name: code for code, name in enumerate(names)}
    columns = columns_of(
        [
            [places[hop.target_id] for hop in ordered],
            [FROM_QUESTION if hop.source_id is None else places[hop.source_id] for hop in ordered],
            [codes[hop.strategy] for hop in ordered],
            [RELATION_NUMBER[hop.relation] for hop in ordered],
            [DIRECTIONS.index(hop.direction) for hop in ordered],
            [hop.round for hop in ordered],
            [hop.strength for hop in ordered],
        ]
    )
    return Steps(columns, names, lambda wanted: [ordered[place] for place in wanted])


# Each passage hangs on the hop that reached it first, each query for a gap on the question; further hops to a
# passage are counted. Time and memory are linear in the hops. Only hops of queries are made into objects.


@dataclass(frozen=True, slots=True)
class Node:
    """A passage, or a query for a gap (``query``), which has no score or rank.

    ``parent`` is the id of the parent node, QUESTION_NODE for the question; ``children`` are sorted best
    first. ``hops`` is the length of its trail from the question, 0 for a query. ``also`` counts the other
    hops that reach it, ``descendants`` the passages below it. ``step`` is the index of its first hop in the
    steps of the pool, None if it has none.
    """

    id: str
    query: GapQuery | None
    parent: str
    children: tuple[str, ...]
    round: int
    strategy: str
    score: float | None
    rank: int | None
    hops: int
    also: int
    descendants: int
    step: int | None


@dataclass(frozen=True, slots=True)
class Descendants:
    """The passages below a node, parents before children.

    They are counted by the round and strategy that admitted them, and by the relation of their hop.
    ``reached`` are passages to which any trail leads through the node, in the order of admission.
    """

    passages: tuple[str, ...]
    by_round: Mapping[int, int]
    by_strategy: Mapping[str, int]
    by_relation: Mapping[str, int]
    reached: tuple[str, ...]


class ExpansionTree:
    """All nodes by id, each after its parent, and ``roots``, the children of the question, best first."""

    def __init__(self, facts: PoolFacts, nodes: Mapping[str, Node], roots: tuple[str, ...]) -> None:
        self.facts, self.nodes, self.roots = facts, nodes, roots
        self._after: tuple[np.ndarray, np.ndarray] | None = None

    def children(self, node_id: str) -> tuple[str, ...]:
        """Return the children of a node or of the question, best first. Raises KeyError for an unknown id."""
        return self.roots if node_id == QUESTION_NODE else self.nodes[node_id].children

    def below(self, node_id: str, depth: int | None = None) -> Iterator[str]:
        """Yield the nodes below a node or the question, parents before children, best first.

        ``depth``: maximum number of levels.
        """
        level = {node_id: 0}
        waiting = [] if depth == 0 else [*reversed(self.children(node_id))]
        while waiting:
            yield (own := waiting.pop())
            level[own] = level[self.nodes[own].parent] + 1
            if level[own] != depth:
                waiting.extend(reversed(self.nodes[own].children))

    def path(self, node_id: str) -> tuple[str, ...]:
        """Return the path from a root to a node. Raises KeyError for an unknown id."""
        found = [node_id]
        while (parent := self.nodes[found[-1]].parent) != QUESTION_NODE:
            found.append(parent)
        return tuple(reversed(found))

    def first_hops(self, ids: Sequence[str]) -> dict[str, Hop]:
        """Return the hops to some nodes; queries and passages without a hop are left out."""
        steps = {one: step for one in ids if (step := self.nodes[one].step) is not None}
        return dict(zip(steps, self.facts.steps.hops([*steps.values()]), strict=True))

    def relation(self, node_id: str) -> str | None:
        """Return the relation of the hop to a node."""
        step = self.nodes[node_id].step
        return None if step is None else RELATIONS[self.facts.steps.columns.relations[step]].value

    def descendants(self, passage_id: str) -> Descendants:
        """Return the descendants of a passage or query. Raises KeyError for an unknown id."""
        below = tuple(self.below(passage_id))
        nodes = [self.nodes[one] for one in below]
        return Descendants(
            below,
            dict(sorted(Counter(node.round for node in nodes).items())),
            dict(Counter(node.strategy for node in nodes).most_common()),
            dict(
                Counter(
                    relation for one in below if (relation := self.relation(one)) is not None
                ).most_common()
            ),
            below if self.nodes[passage_id].query is not None else self._reached(passage_id),
        )

    def _reached(self, passage_id: str) -> tuple[str, ...]:
        """Return passages admitted later that are reachable from a passage, like ``Pool.descendants``."""
        ids, columns = self.facts.ids, self.facts.steps.columns
        if self._after is None:
            order = np.argsort(columns.sources, kind="stable")
            bounds = np.searchsorted(columns.sources[order], np.arange(len(ids) + 1))
            self._after = columns.targets[order], bounds
        targets, bounds = self._after
        own = ids.index(passage_id)
        seen, waiting = {own}, [own]
        while waiting:
            place = waiting.pop()
            new = {*targets[bounds[place] : bounds[place + 1]].tolist()} - seen
            seen |= new
            waiting.extend(new)
        return tuple(ids[place] for place in sorted(seen) if place > own)


def expansion_tree(facts: PoolFacts) -> ExpansionTree:
    """Return the tree of a pool."""
    columns, count = facts.steps.columns, len(facts.ids)
    bounds = np.searchsorted(columns.targets, np.arange(count + 1)).tolist()
    firsts: list[int | None] = [start if start < stop else None for start, stop in pairwise(bounds)]
    queries, asking = _queries(facts)
    places = {sent: place for place, sent in enumerate(queries, start=count)}
    parents = [_parent(facts, first, asking, places) for first in firsts]
    parents += [FROM_QUESTION] * len(queries)
    order, children = _hung(facts, parents, firsts, bounds)
    grown = _Grown(facts, parents, children, order)
    names = [*facts.ids, *queries.values()]
    nodes: dict[str, Node] = {}
    sent = [*queries]
    for place in grown.preorder():
        asks = place >= count
        query = sent[place - count] if asks else None
        parent, first = parents[place], None if asks else firsts[place]
        nodes[names[place]] = Node(
            id=names[place],
            query=None if query is None else query.query,
            parent=QUESTION_NODE if parent == FROM_QUESTION else names[parent],
            children=tuple(names[child] for child in children.get(place, ())),
            round=facts.rounds[place] if query is None else query.round,
            strategy=GAP_STRATEGY if asks else facts.strategies[place],
            score=None if asks else facts.scores[place],
            rank=facts.ranks.get(names[place]),
            hops=grown.hops[place],
            also=0 if asks else max(bounds[place + 1] - bounds[place] - (first is not None), 0),
            descendants=grown.below[place],
            step=first,
        )
    return ExpansionTree(facts, nodes, tuple(names[root] for root in children.get(FROM_QUESTION, ())))


def _queries(facts: PoolFacts) -> tuple[dict[Sent, str], dict[int, Sent]]:
    """Return all queries with their node ids, and the query of each step by its index."""
    there, names = facts.steps.columns, facts.steps.strategies
    code = names.index(GAP_STRATEGY) if GAP_STRATEGY in names else -1
    places = np.flatnonzero((there.strategies == code) & (there.sources == FROM_QUESTION)).tolist()
    hops = facts.steps.hops(places)
    asking = {
        place: sent for place, hop in zip(places, hops, strict=True) if (sent := sent_by(hop)) is not None
    }
    return sent_queries(hops, facts.reports), asking


def _parent(
    facts: PoolFacts, first: int | None, asking: Mapping[int, Sent], places: Mapping[Sent, int]
) -> int:
    if first is None:
        return FROM_QUESTION
    return places[asking[first]] if first in asking else int(facts.steps.columns.sources[first])


def _hung(
    facts: PoolFacts, parents: list[int], firsts: list[int | None], bounds: Sequence[int]
) -> tuple[list[int], dict[int, list[int]]]:
    """Return all nodes, each after its parent, and the children of each.

    In a damaged record passages can form a cycle. It is broken at a hop from outside, else at the question;
    ``parents`` and ``firsts`` are corrected accordingly.
    """
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    sources = facts.steps.columns.sources
    order: list[int] = []
    seen: set[int] = set()
    _gather(FROM_QUESTION, children, order, seen)
    for place in range(len(facts.ids)):
        if place not in seen:
            circle = _circle(place, parents)
            start, step = next(
                (
                    (one, step)
                    for one in circle
                    for step in range(bounds[one], bounds[one + 1])
                    if sources[step] in seen or sources[step] == FROM_QUESTION
                ),
                (circle[0], None),
            )
            children[parents[start]].remove(start)
            firsts[start] = step
            parents[start] = FROM_QUESTION if step is None else int(sources[step])
            children.setdefault(parents[start], []).append(start)
            order.append(start)
            seen.add(start)
            _gather(start, children, order, seen)
    return order, children


def _circle(place: int, parents: Sequence[int]) -> list[int]:
    """Return the passages, by index, of the cycle in which the chain of parents ends."""
    way: dict[int, int] = {}
    while place not in way:
        way[place] = len(way)
        place = parents[place]
    return sorted([*way][way[place] :])


def _gather(start: int, children: Mapping[int, Sequence[int]], order: list[int], seen: set[int]) -> None:
    waiting = [start]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            order.append(child)
            seen.add(child)
            waiting.append(child)


class _Grown:
    """Lengths of trails and numbers of descendants by index; sorts the children.

    The order is: best rank below, then score, then order of admission; queries last.
    """

    def __init__(
        self,
        facts: PoolFacts,
        parents: Sequence[int],
        children: dict[int, list[int]],
        order: Sequence[int],
    ) -> None:
        count = len(facts.ids)
        self._children = children
        self.hops, self.below = [0] * len(parents), [0] * len(parents)
        best: list[float] = [facts.ranks.get(passage_id, inf) for passage_id in facts.ids]
        best += [inf] * (len(parents) - count)
        for place in order:
            parent = parents[place]
            self.hops[place] = int(place < count) + (0 if parent == FROM_QUESTION else self.hops[parent])
        for place in reversed(order):
            if (parent := parents[place]) != FROM_QUESTION:
                self.below[parent] += self.below[place] + 1
                best[parent] = min(best[parent], best[place])
        for some in children.values():
            some.sort(
                key=lambda one: (
                    one >= count, best[one], 0.0 if one >= count else -facts.scores[one], one
                )
            )  # fmt: skip

    def preorder(self) -> Iterator[int]:
        waiting = [*reversed(self._children.get(FROM_QUESTION, ()))]
        while waiting:
            yield (own := waiting.pop())
            waiting.extend(reversed(self._children.get(own, ())))
