"""The tree of an expansion: facts about its nodes, and how each was reached."""

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
from engine.records.record import DIGITS, CaseRecord
from engine.records.text import Sent, sent_by, sent_queries
from engine.records.wording import GAP_STRATEGY

# What a tree is made of: the passages of a pool and its hops, from a live pool or from a saved
# record.


@dataclass(frozen=True, slots=True)
class PoolFacts:
    """Passages in the order of their admission, ``scores`` rounded as a record has them.

    ``strategies`` and ``rounds`` are those that admitted each passage, ``ranks`` those of the final ranking,
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
    """A pool as it is now."""
    # Hops first: where it grows meanwhile, each of them has its passages.
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
    """The pool of a record. Raises InputError naming ``where`` if hops and passages do not fit together."""
    ids = [node.id for node in record.pool.nodes]
    places = {passage_id: place for place, passage_id in enumerate(ids)}
    if len(places) < len(ids):
        raise InputError(f"{where}: damaged: a passage stands twice in the pool")
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
    """Hops of a record as the pool has them: those that reach one passage together."""
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


# The expansion tree: from the question to each passage of a pool, and on to its descendants.
#
# Each passage hangs on the hop that first led to it, each query for a gap on the question; the
# other hops that reach a passage are counted. Time and memory are linear in the hops. No hop is
# told but those of queries.


@dataclass(frozen=True, slots=True)
class Node:
    """A passage, or a query for a gap (``query``), which has no score and no rank.

    ``parent`` is the id of the node that it hangs on, QUESTION_NODE for the question; ``children`` are best
    first. ``hops`` is the length of its trail from the question, 0 for a query. ``also`` counts the other
    hops that reach it, ``descendants`` the passages that hang below it. ``step`` is where its first hop
    stands among the steps of the pool, None where it has none.
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
    """What came of a passage: the passages that hang below it, parents before children, counted by the round
    and the strategy that admitted them and the relation that led to them. ``reached`` are those to which any
    trail leads through it, in the order of their admission."""

    passages: tuple[str, ...]
    by_round: Mapping[int, int]
    by_strategy: Mapping[str, int]
    by_relation: Mapping[str, int]
    reached: tuple[str, ...]


class ExpansionTree:
    """All nodes by id, each behind its parent, and ``roots``, which hang on the question, best first."""

    def __init__(self, facts: PoolFacts, nodes: Mapping[str, Node], roots: tuple[str, ...]) -> None:
        self.facts, self.nodes, self.roots = facts, nodes, roots
        self._after: tuple[np.ndarray, np.ndarray] | None = None

    def children(self, node_id: str) -> tuple[str, ...]:
        """What hangs on a node or on the question, best first. Raises KeyError for an unknown id."""
        return self.roots if node_id == QUESTION_NODE else self.nodes[node_id].children

    def below(self, node_id: str, depth: int | None = None) -> Iterator[str]:
        """All that hangs below a node or the question, parents before children, best first; ``depth``: at
        most so many levels."""
        level = {node_id: 0}
        waiting = [] if depth == 0 else [*reversed(self.children(node_id))]
        while waiting:
            yield (own := waiting.pop())
            level[own] = level[self.nodes[own].parent] + 1
            if level[own] != depth:
                waiting.extend(reversed(self.nodes[own].children))

    def path(self, node_id: str) -> tuple[str, ...]:
        """From what hangs on the question down to a node. Raises KeyError for an unknown id."""
        found = [node_id]
        while (parent := self.nodes[found[-1]].parent) != QUESTION_NODE:
            found.append(parent)
        return tuple(reversed(found))

    def first_hops(self, ids: Sequence[str]) -> dict[str, Hop]:
        """The hops on which some nodes hang; none for a query, nor for a passage that no hop reaches."""
        steps = {one: step for one in ids if (step := self.nodes[one].step) is not None}
        return dict(zip(steps, self.facts.steps.hops([*steps.values()]), strict=True))

    def relation(self, node_id: str) -> str | None:
        """The relation of the hop on which a node hangs."""
        step = self.nodes[node_id].step
        return None if step is None else RELATIONS[self.facts.steps.columns.relations[step]].value

    def descendants(self, passage_id: str) -> Descendants:
        """What came of a passage or a query. Raises KeyError for an unknown id."""
        below = tuple(self.below(passage_id))
        nodes = [self.nodes[one] for one in below]
        return Descendants(
            below,
            dict(sorted(Counter(node.round for node in nodes).items())),
            dict(Counter(node.strategy for node in nodes).most_common()),
            dict(Counter(told for one in below if (told := self.relation(one)) is not None).most_common()),
            below if self.nodes[passage_id].query is not None else self._reached(passage_id),
        )

    def _reached(self, passage_id: str) -> tuple[str, ...]:
        """As ``Pool.descendants``: what was admitted later and can be gone to from a passage."""
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
    """The tree of a pool."""
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
    """All queries with the ids of their nodes, and which of them each step starts at, by its place."""
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
    """All nodes, each behind its parent, and the children of each.

    Passages that hang on one another in a circle, which only a damaged record has, hang on another hop that
    comes from outside of it, or on the question; ``parents`` and ``firsts`` are mended so.
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
    """The passages of the circle in which one ends that is followed to its parents, by their place."""
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
    """Lengths of trails and numbers of passages below, by place; orders the children, best first: what leads
    to the best of the ranking, then what scored higher, then what was admitted earlier; queries last."""

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
