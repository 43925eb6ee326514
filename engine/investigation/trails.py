"""Leads and hops as columns of arrays; a hop's evidence is made when the hop is read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from threading import RLock
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from engine.arrays import begins, found_in, numbered
from engine.corpus.protocol import Rows, Scores
from engine.model import Direction, Hop, Relation

# Leads: what strategies propose, as parallel arrays

RELATIONS = tuple(Relation)
RELATION_NUMBER = {relation: number for number, relation in enumerate(RELATIONS)}
DIRECTIONS = (Direction.OUT, Direction.IN)
NO_SOURCE = -1


class Ends(NamedTuple):
    """Sources and targets of n leads as indexes into ``rows``.

    ``rows`` are the distinct rows of both in ascending order, NO_SOURCE among them, shape (m,); ``targets``
    and ``sources`` have shape (n,).
    """

    rows: Rows
    targets: NDArray[np.intp]
    sources: NDArray[np.intp]


@dataclass(frozen=True)
class Leads:
    """Passages that a strategy proposes; every array has shape (n,).

    - ``rows``: the passages; ``sources``: the passages they were reached from, NO_SOURCE for the question.
    - ``relations``: indexes into ``RELATIONS``; ``directions``: indexes into ``DIRECTIONS``.
    - ``strengths``: scores of the links, 0..1.
    - ``evidence``: the strategy's own number for what made the link.
    - ``steps``: hops from the seed, 1 or more.
    """

    rows: Rows
    sources: Rows
    relations: NDArray[np.int8]
    directions: NDArray[np.int8]
    strengths: Scores
    evidence: Rows
    steps: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def ends(self) -> Ends:
        """Sources and targets as indexes into the distinct rows of both."""
        targets, target = numbered(self.rows)
        sources, source = numbered(self.sources)
        rows, index = numbered(np.concatenate([targets, sources]))
        return Ends(rows, index[: len(targets)][target], index[len(targets) :][source])

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Leads:
        """Return the leads that an index array or mask selects."""
        return Leads(*(getattr(self, field.name)[chosen] for field in fields(self)))


def make_leads(
    rows: Rows,
    sources: Rows,
    strengths: Scores,
    relation: Relation | NDArray[np.int8],
    *,
    direction: Direction = Direction.OUT,
    evidence: Rows | None = None,
    step: int = 1,
) -> Leads:
    """Make leads from arrays of one length; a single relation, direction and step apply to all of them."""
    count = len(rows)
    relations = (
        np.full(count, RELATION_NUMBER[relation], np.int8) if isinstance(relation, Relation) else relation
    )
    return Leads(
        rows.astype(np.int32),
        sources.astype(np.int32),
        relations,
        np.full(count, DIRECTIONS.index(direction), np.int8),
        np.clip(strengths, 0.0, 1.0).astype(np.float32),
        np.full(count, -1, np.int32) if evidence is None else evidence.astype(np.int32),
        np.full(count, step, np.int8),
    )


def no_leads() -> Leads:
    """Return an empty batch of leads."""
    empty = np.empty(0, np.int32)
    return make_leads(empty, empty, np.empty(0, np.float32), Relation.CITES)


def joined(batches: Sequence[Leads]) -> Leads:
    """Concatenate batches of leads."""
    if not batches:
        return no_leads()
    return Leads(
        *(np.concatenate([getattr(batch, field.name) for batch in batches]) for field in fields(Leads))
    )


def strongest(leads: Leads) -> Leads:
    """Keep the strongest lead for each source, passage and direction; the first of equal ones.

    Leads without a source also differ by their evidence: two queries that found a passage are two leads.
    """
    # Source, passage and direction as one number.
    link = leads.sources.astype(np.int64) + 1 << 32 | leads.rows.astype(np.int64) << 1 | leads.directions
    if begins(np.sort(link)).all():
        return leads
    from_question = leads.sources == NO_SOURCE
    if from_question.any():
        _, link = numbered(link)
        link = link << 32 | np.where(from_question, leads.evidence + 1, 0)
    order = np.argsort(link, kind="stable")
    group = np.cumsum(begins(link[order])) - 1
    strengths = leads.strengths[order]
    best = np.maximum.reduceat(strengths, np.flatnonzero(begins(group)))
    order, group = order[strengths == best[group]], group[strengths == best[group]]
    kept = np.zeros(len(leads), np.bool_)
    kept[order[begins(group)]] = True
    return leads.take(kept)


# Hops: a case finds thousands and a page shows dozens, so that most are stored as leads, and the strategy
# that proposed them explains them when they are read. Hops from the question are made at once.

Numbers = NDArray[np.int64]
MakeHops = Callable[[Leads], Sequence[Hop]]
FROM_QUESTION = -1
LONGEST_TRAIL = 8
# Links that no text states.
CIRCUMSTANTIAL = (Relation.MENTIONS, Relation.SIMILAR_TO, Relation.PART_OF, Relation.NEXT_TO)
_CIRCUMSTANTIAL = frozenset(RELATION_NUMBER[relation] for relation in CIRCUMSTANTIAL)
# The strategy of the hops by which the scan found passages.
SCAN = "scan"
# Links of better ranked passages that come first among the trails of a passage.
TELLING = 3


class Columns(NamedTuple):
    """Hops in the order in which they were found, shape (n,) each.

    ``targets`` and ``sources`` are positions in the order of admission, FROM_QUESTION for the question;
    ``strategies`` are indexes into ``Trails.strategies``; ``relations`` and ``directions`` as in ``Leads``.
    """

    targets: NDArray[np.int32]
    sources: NDArray[np.int32]
    strategies: NDArray[np.int16]
    relations: NDArray[np.int8]
    directions: NDArray[np.int8]
    rounds: NDArray[np.int32]
    strengths: NDArray[np.float64]


class Steps(NamedTuple):
    """All hops, grouped by target in the order of admission, each group in the order of discovery.

    ``strategies`` are the names that ``columns`` refers to; ``hops`` returns the hops at some indexes of the
    columns.
    """

    columns: Columns
    strategies: Sequence[str]
    hops: Callable[[Sequence[int]], list[Hop]]


_TYPES = (np.int32, np.int32, np.int16, np.int8, np.int8, np.int32, np.float64)


@dataclass(frozen=True, slots=True)
class _Batch:
    first: int
    leads: Leads
    make_hops: MakeHops


class Trails:
    """All hops of a pool, by number. Other threads may read them while a case adds hops."""

    def __init__(self) -> None:
        self._lock = RLock()
        self.strategies: list[str] = []
        self._hops: list[Hop | None] = []
        self._added: set[Hop] = set()
        self._batches: list[_Batch] = []
        self._parts: list[Columns] = []
        # Hops that are in no part yet.
        self._single: list[tuple[float, ...]] = []
        self._by_target: tuple[Numbers, NDArray[np.int32]] | None = None
        self._by_strength: tuple[Numbers, NDArray[np.int32]] | None = None
        # Results of ``_earlier`` since the last change.
        self._before: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._hops)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = RLock()

    def add(self, hop: Hop, target: int, source: int) -> None:
        """Add a hop between the passages at two positions, unless it is there already."""
        with self._lock:
            if hop in self._added or (self._batches and source >= 0 and self._has(hop, target, source)):
                return
            self._added.add(hop)
            self._hops.append(hop)
            relation, direction = RELATION_NUMBER[hop.relation], DIRECTIONS.index(hop.direction)
            code = self._code(hop.strategy)
            self._single.append((target, source, code, relation, direction, hop.round, hop.strength))
            self._by_target = self._by_strength = None

    def add_leads(
        self,
        strategy: str,
        round_number: int,
        leads: Leads,
        ends: tuple[Numbers, Numbers],
        make_hops: MakeHops,
    ) -> None:
        """Add the hops of leads. ``ends``: positions of their targets and sources, shapes (n,).

        Of several hops of a strategy between two passages only the first is added.
        """
        with self._lock:
            targets, sources = ends
            code, columns = self._code(strategy), self.columns
            same = columns.strategies == code
            new = _new(_pairs(targets, sources), _pairs(columns.targets[same], columns.sources[same]))
            kept, begin = leads.take(new), len(self)
            count = len(kept)
            if count:
                self._parts.append(
                    Columns(
                        targets[new].astype(np.int32),
                        sources[new].astype(np.int32),
                        np.full(count, code, np.int16),
                        kept.relations,
                        kept.directions,
                        np.full(count, round_number, np.int32),
                        kept.strengths.astype(np.float64),
                    )
                )
                self._batches.append(_Batch(begin, kept, make_hops))
                self._hops.extend([None] * count)
                self._by_target = self._by_strength = None

    @property
    def columns(self) -> Columns:
        """All hops as columns."""
        with self._lock:
            if self._single:
                self._parts.append(columns_of(zip(*self._single, strict=True)))
                self._single = []
            if len(self._parts) != 1:
                parts = self._parts or [columns_of([()] * len(_TYPES))]
                self._parts = [columns_of(np.concatenate(column) for column in zip(*parts, strict=True))]
            return self._parts[0]

    def hops(self, numbers: Iterable[int]) -> list[Hop]:
        """Return the hops with these numbers, in order."""
        requested = list(numbers)
        begins = [batch.first for batch in self._batches]
        missing: dict[int, list[int]] = {}
        for number in dict.fromkeys(requested):
            if self._hops[number] is None:
                missing.setdefault(bisect_right(begins, number) - 1, []).append(number)
        for batch_number, hop_numbers in missing.items():
            batch = self._batches[batch_number]
            leads = batch.leads.take(np.array(hop_numbers, np.intp) - batch.first)
            for number, made in zip(hop_numbers, batch.make_hops(leads), strict=True):
                self._hops[number] = made
        return [hop for number in requested if (hop := self._hops[number]) is not None]

    def ordered(self) -> Numbers:
        """Return all hop numbers by the target's position, then in the order of discovery."""
        return self._by_targets()[0]

    def steps(self) -> Steps:
        """Return all hops in that order, as columns."""
        with self._lock:
            order = self.ordered()
            columns = columns_of(column[order] for column in self.columns)
            names = tuple(self.strategies)
        return Steps(
            columns, names, lambda positions: self.hops(order[np.array(positions, np.int64)].tolist())
        )

    def to(self, target: int) -> list[int]:
        """Return the numbers of the hops to a passage, in the order of discovery."""
        order, targets = self._by_targets()
        start, stop = np.searchsorted(targets, (target, target + 1)).tolist()
        numbers: list[int] = order[start:stop].tolist()
        return numbers

    def first_to(self, targets: Numbers) -> list[int]:
        """Return the number of the first hop to each of some passages."""
        order, reached = self._by_targets()
        numbers: list[int] = order[np.searchsorted(reached, targets)].tolist()
        return numbers

    def between(self, target: int, source: int, strategy: str) -> list[int]:
        """Return the numbers of a strategy's hops from one passage to another."""
        if strategy not in self.strategies:
            return []
        columns, code = self.columns, self.strategies.index(strategy)
        return [n for n in self.to(target) if columns.sources[n] == source and columns.strategies[n] == code]

    def ways_to(self, target: int, limit: int) -> list[tuple[int, ...]]:
        """Return up to ``limit`` trails from the question to a passage as hop numbers, shortest first."""
        sources = self.columns.sources
        found: list[tuple[int, ...]] = []
        frontier: list[tuple[int, ...]] = [(number,) for number in self._earlier(target)]
        while frontier and len(found) < limit:
            complete = [trail for trail in frontier if sources[trail[0]] == FROM_QUESTION]
            found += complete[: limit - len(found)]
            longer = (
                (number, *trail)
                for trail in frontier
                if sources[trail[0]] != FROM_QUESTION and len(trail) < LONGEST_TRAIL
                for number in self._earlier(int(sources[trail[0]]))
            )
            frontier = list(islice(longer, limit * 50)) if len(found) < limit else []
        return found

    def telling_ways(self, target: int, ranks: Mapping[int, int], limit: int) -> list[tuple[int, ...]]:
        """Return up to ``limit`` trails to a ranked passage as hop numbers, the most telling first.

        ``ranks``: rank of each ranked passage by its position. First come links that the texts state, from
        passages that are ranked better, one for each of these, best first; then the shortest trails that end
        with other hops; the scan is last, but for the first passage.
        """
        columns, own = self.columns, ranks.get(target, 0)
        numbers = np.array(self.to(target), np.intp)
        stated = [
            (ranks[source], number)
            for number, source in zip(numbers.tolist(), columns.sources[numbers].tolist(), strict=True)
            if ranks.get(source, own) < own and columns.relations[number] not in _CIRCUMSTANTIAL
        ]
        found: list[tuple[int, ...]] = []
        for _, number in sorted(stated):
            source = int(columns.sources[number])
            if len(found) < TELLING and source not in {int(columns.sources[trail[-1]]) for trail in found}:
                ways = (way for way in self.ways_to(source, limit) if not self._passes(way, target))
                found += [(*way, number) for way in islice(ways, 1)]
        taken = {int(columns.sources[trail[-1]]) for trail in found}
        others: dict[tuple[int, int], tuple[int, ...]] = {}
        for trail in self.ways_to(target, 4 * limit):
            # One of each kind of search, and one from each passage.
            source, strategy = int(columns.sources[trail[-1]]), int(columns.strategies[trail[-1]])
            if len(trail) == 1 or source not in taken:
                others.setdefault((source, strategy if len(trail) == 1 else -1), trail)
        rest = list(others.values())
        if found:
            rest.sort(key=lambda trail: len(trail) == 1 and self._is_scan(trail[0]))
        return [*found, *rest][:limit]

    def _is_scan(self, number: int) -> bool:
        return bool(self.strategies[self.columns.strategies[number]] == SCAN)

    def _passes(self, way: tuple[int, ...], position: int) -> bool:
        return any(self.columns.targets[number] == position for number in way)

    def of(self, strategies: Iterable[str]) -> Numbers:
        """Return the numbers of the hops of some strategies, in the order of discovery."""
        codes = [code for code, name in enumerate(self.strategies) if name in set(strategies)]
        return np.flatnonzero(np.isin(self.columns.strategies, codes))

    def _by_targets(self) -> tuple[Numbers, NDArray[np.int32]]:
        with self._lock:
            if self._by_target is None:
                targets = self.columns.targets
                order = np.argsort(targets, kind="stable")
                self._by_target = order, targets[order]
            return self._by_target

    def _earlier(self, target: int) -> list[int]:
        """Return the hops to a passage from the question or from passages admitted before it.

        First those from the question (the scan before later queries), then stated links, then circumstantial
        ones, each by descending strength.
        """
        with self._lock:
            if self._by_strength is None:
                self._before = {}
                columns = self.columns
                from_question = columns.sources == FROM_QUESTION
                keys = (
                    -columns.strengths,
                    np.isin(columns.relations, [RELATION_NUMBER[relation] for relation in CIRCUMSTANTIAL]),
                    np.where(from_question, columns.rounds, 0),
                    ~from_question,
                    columns.targets,
                )
                order = np.lexsort(keys)
                order = order[columns.sources[order] < columns.targets[order]]
                self._by_strength = order, columns.targets[order]
            if target not in self._before:
                order, targets = self._by_strength
                start, stop = np.searchsorted(targets, (target, target + 1)).tolist()
                self._before[target] = order[start:stop].tolist()
            return self._before[target]

    def _code(self, strategy: str) -> int:
        if strategy not in self.strategies:
            self.strategies.append(strategy)
        return self.strategies.index(strategy)

    def _has(self, hop: Hop, target: int, source: int) -> bool:
        columns = self.columns
        same = (columns.targets == target) & (columns.sources == source)
        return hop in self.hops(np.flatnonzero(same).tolist())


class FirstHops(Sequence[Hop]):
    """The first hop to each of some passages, given by position; found and made when it is read."""

    def __init__(self, trails: Trails, targets: range) -> None:
        self._trails, self._targets = trails, targets

    def __len__(self) -> int:
        return len(self._targets)

    @overload
    def __getitem__(self, position: int) -> Hop: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Hop]: ...
    def __getitem__(self, position: int | slice) -> Hop | Sequence[Hop]:
        if isinstance(position, slice):
            return FirstHops(self._trails, self._targets[position])
        return self._trails.hops(self._trails.first_to(np.array([self._targets[position]])))[0]

    def __iter__(self) -> Iterator[Hop]:
        return iter(self._trails.hops(self._trails.first_to(np.array(self._targets, np.int64))))


def columns_of(values: Iterable[Any]) -> Columns:
    """Make columns from their values, in the order of the fields."""
    arrays: list[Any] = [np.asarray(column, kind) for column, kind in zip(values, _TYPES, strict=True)]
    return Columns(*arrays)


def _new(pairs: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Return which pairs are neither known nor repetitions of an earlier one, shape as ``pairs``."""
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    new = np.empty(len(pairs), np.bool_)
    new[order] = begins(ordered) & ~found_in(np.sort(known), ordered)
    return new


def _pairs(targets: NDArray[np.integer], sources: NDArray[np.integer]) -> Numbers:
    """Encode each pair of positions as one number."""
    return (targets.astype(np.int64) << 32) | (sources.astype(np.int64) + 1)
