"""Leads and hops as columns; the words of a hop are made when it is shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice
from threading import RLock
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.model import Direction, Hop, Relation
from engine.sorting import begins, found_in, numbered

# Leads in bulk: what strategies propose, as parallel arrays.

RELATIONS = tuple(Relation)
RELATION_NUMBER = {relation: number for number, relation in enumerate(RELATIONS)}
DIRECTIONS = (Direction.OUT, Direction.IN)
NO_SOURCE = -1


class Ends(NamedTuple):
    """Where leads start and end. ``rows`` are the distinct rows of both, rising, NO_SOURCE among them, shape
    (m,); ``targets`` and ``sources`` the place of each lead's passage and source among them, shapes (n,)."""

    rows: Rows
    targets: NDArray[np.intp]
    sources: NDArray[np.intp]


@dataclass(frozen=True)
class Leads:
    """Passages that strategies propose; every array has shape (n,).

    ``rows`` are the passages, ``sources`` the rows of the passages they were reached from (-1: from
    the question), ``relations`` index into ``tuple(Relation)``, ``directions`` into (out, in),
    ``strengths`` are the links' own scores in 0..1, ``evidence`` is the strategy's own handle for
    what made the link, ``steps`` counts the hops from the seed, 1 or more.
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
        """Where they start and end."""
        targets, target = numbered(self.rows)
        sources, source = numbered(self.sources)
        rows, place = numbered(np.concatenate([targets, sources]))
        return Ends(rows, place[: len(targets)][target], place[len(targets) :][source])

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Leads:
        """The chosen leads, by index or mask."""
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
    """Leads from arrays of one length; a single relation, direction and step stand for all of them."""
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
    """Nothing proposed."""
    empty = np.empty(0, np.int32)
    return make_leads(empty, empty, np.empty(0, np.float32), Relation.CITES)


def joined(batches: Sequence[Leads]) -> Leads:
    """Several batches as one, in order."""
    if not batches:
        return no_leads()
    return Leads(
        *(np.concatenate([getattr(batch, field.name) for batch in batches]) for field in fields(Leads))
    )


def strongest(leads: Leads) -> Leads:
    """One lead for each pair of source and passage and direction: the strongest, ties to the first.

    Leads without a source stay apart by what made them: two queries that found a passage both say so.
    """
    # Source, passage and direction as one number.
    link = leads.sources.astype(np.int64) + 1 << 32 | leads.rows.astype(np.int64) << 1 | leads.directions
    there = np.sort(link)
    if begins(there).all():
        return leads
    asked = leads.sources == NO_SOURCE
    if asked.any():
        _, link = numbered(link)
        link = link << 32 | np.where(asked, leads.evidence + 1, 0)
    order = np.argsort(link, kind="stable")
    group = np.cumsum(begins(link[order])) - 1
    strengths = leads.strengths[order]
    best = np.maximum.reduceat(strengths, np.flatnonzero(begins(group)))
    order, group = order[strengths == best[group]], group[strengths == best[group]]
    kept = np.zeros(len(leads), np.bool_)
    kept[order[begins(group)]] = True
    return leads.take(kept)


# Hops as columns. A case finds thousands, a page shows dozens: what a hop rests on is told when
# asked for.
#
# A hop that a link of the corpus made is kept as a lead, and told by the strategy that proposed
# it; one from the question is told at once.

Numbers = NDArray[np.int64]
# What makes the hops of some leads.
Tell = Callable[[Leads], Sequence[Hop]]
FROM_QUESTION = -1
LONGEST_TRAIL = 8
# Links that no text states.
CIRCUMSTANTIAL = (Relation.MENTIONS, Relation.SIMILAR_TO, Relation.PART_OF, Relation.NEXT_TO)


class Columns(NamedTuple):
    """Hops in the order in which they were found, shape (n,) each. Passages are told by their place in the
    order of admission, a source that is the question by FROM_QUESTION; ``strategies`` are numbers of
    ``Trails.strategies``, ``relations`` and ``directions`` those of ``Leads``."""

    targets: NDArray[np.int32]
    sources: NDArray[np.int32]
    strategies: NDArray[np.int16]
    relations: NDArray[np.int8]
    directions: NDArray[np.int8]
    rounds: NDArray[np.int32]
    strengths: NDArray[np.float64]


class Steps(NamedTuple):
    """All hops, those that reach one passage together, passages in the order of their admission, the hops of
    one as they were found. ``strategies`` are the names behind the numbers of ``columns``; ``told`` gives the
    hops at some places of the columns, in order."""

    columns: Columns
    strategies: Sequence[str]
    told: Callable[[Sequence[int]], list[Hop]]


_TYPES = (np.int32, np.int32, np.int16, np.int8, np.int8, np.int32, np.float64)


@dataclass(frozen=True, slots=True)
class _Batch:
    first: int
    leads: Leads
    tell: Tell


class Trails:
    """All hops of a pool, by number. Others may look at them while a case adds to them."""

    def __init__(self) -> None:
        self._lock = RLock()
        self.strategies: list[str] = []
        self._hops: list[Hop | None] = []
        self._given: set[Hop] = set()
        self._batches: list[_Batch] = []
        self._parts: list[Columns] = []
        # Hops that stand in no part yet.
        self._single: list[tuple[float, ...]] = []
        self._by_target: tuple[Numbers, NDArray[np.int32]] | None = None
        self._by_telling: tuple[Numbers, NDArray[np.int32]] | None = None
        # What ``_earlier`` told since.
        self._before: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._hops)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = RLock()

    def add(self, hop: Hop, target: int, source: int) -> None:
        """A hop between the passages at two places; nothing where it is there already."""
        with self._lock:
            if hop in self._given or (self._batches and source >= 0 and self._has(hop, target, source)):
                return
            self._given.add(hop)
            self._hops.append(hop)
            relation, direction = RELATION_NUMBER[hop.relation], DIRECTIONS.index(hop.direction)
            code = self._code(hop.strategy)
            self._single.append((target, source, code, relation, direction, hop.round, hop.strength))
            self._by_target = self._by_telling = None

    def add_leads(
        self, strategy: str, round_number: int, leads: Leads, ends: tuple[Numbers, Numbers], tell: Tell
    ) -> None:
        """Hops that leads make between passages, ``ends``: the places of targets and sources, shapes (n,).

        One hop of a strategy joins two passages, the first.
        """
        with self._lock:
            targets, sources = ends
            code, there = self._code(strategy), self.columns
            same = there.strategies == code
            new = _new(_pairs(targets, sources), _pairs(there.targets[same], there.sources[same]))
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
                self._batches.append(_Batch(begin, kept, tell))
                self._hops.extend([None] * count)
                self._by_target = self._by_telling = None

    @property
    def columns(self) -> Columns:
        """All hops."""
        with self._lock:
            if self._single:
                self._parts.append(columns_of(zip(*self._single, strict=True)))
                self._single = []
            if len(self._parts) != 1:
                parts = self._parts or [columns_of([()] * len(_TYPES))]
                self._parts = [columns_of(np.concatenate(column) for column in zip(*parts, strict=True))]
            return self._parts[0]

    def told(self, numbers: Iterable[int]) -> list[Hop]:
        """The hops of these numbers, in order."""
        wanted = list(numbers)
        begins = [batch.first for batch in self._batches]
        missing: dict[int, list[int]] = {}
        for number in dict.fromkeys(wanted):
            if self._hops[number] is None:
                missing.setdefault(bisect_right(begins, number) - 1, []).append(number)
        for place, untold in missing.items():
            batch = self._batches[place]
            chosen = np.array(untold, np.intp) - batch.first
            for number, made in zip(untold, batch.tell(batch.leads.take(chosen)), strict=True):
                self._hops[number] = made
        return [hop for number in wanted if (hop := self._hops[number]) is not None]

    def ordered(self) -> Numbers:
        """All numbers: by the target's place, then as they were found."""
        return self._reaching()[0]

    def steps(self) -> Steps:
        """All hops in that order, untold."""
        with self._lock:
            order = self.ordered()
            columns = columns_of(column[order] for column in self.columns)
            names = tuple(self.strategies)
        return Steps(columns, names, lambda places: self.told(order[np.array(places, np.int64)].tolist()))

    def to(self, target: int) -> list[int]:
        """The numbers of the hops that reach a passage, as they were found."""
        order, targets = self._reaching()
        start, stop = np.searchsorted(targets, (target, target + 1)).tolist()
        numbers: list[int] = order[start:stop].tolist()
        return numbers

    def first_to(self, targets: Numbers) -> list[int]:
        """The number of the first hop to each of some passages that were reached."""
        order, reached = self._reaching()
        numbers: list[int] = order[np.searchsorted(reached, targets)].tolist()
        return numbers

    def between(self, target: int, source: int, strategy: str) -> list[int]:
        """The numbers of the hops of a strategy from one passage to another."""
        if strategy not in self.strategies:
            return []
        there, code = self.columns, self.strategies.index(strategy)
        return [n for n in self.to(target) if there.sources[n] == source and there.strategies[n] == code]

    def ways_to(self, target: int, limit: int) -> list[tuple[int, ...]]:
        """Ways from the question to a passage as numbers of hops, shortest first, at most ``limit``."""
        sources = self.columns.sources
        found: list[tuple[int, ...]] = []
        frontier: list[tuple[int, ...]] = [(number,) for number in self._earlier(target)]
        while frontier and len(found) < limit:
            whole = [way for way in frontier if sources[way[0]] == FROM_QUESTION]
            found += whole[: limit - len(found)]
            longer = (
                (number, *way)
                for way in frontier
                if sources[way[0]] != FROM_QUESTION and len(way) < LONGEST_TRAIL
                for number in self._earlier(int(sources[way[0]]))
            )
            frontier = list(islice(longer, limit * 50)) if len(found) < limit else []
        return found

    def of(self, strategies: Iterable[str]) -> Numbers:
        """The numbers of the hops of some strategies, as they were found."""
        codes = [code for code, name in enumerate(self.strategies) if name in set(strategies)]
        return np.flatnonzero(np.isin(self.columns.strategies, codes))

    def _reaching(self) -> tuple[Numbers, NDArray[np.int32]]:
        with self._lock:
            if self._by_target is None:
                targets = self.columns.targets
                order = np.argsort(targets, kind="stable")
                self._by_target = order, targets[order]
            return self._by_target

    def _earlier(self, target: int) -> list[int]:
        """Hops to a passage from the question or from passages admitted before it, the most telling first:
        those from the question (the scan before later queries), then what a text says before what merely
        resembles it, each strongest first."""
        with self._lock:
            if self._by_telling is None:
                self._before = {}
                there = self.columns
                asked = there.sources == FROM_QUESTION
                keys = (
                    -there.strengths,
                    np.isin(there.relations, [RELATION_NUMBER[one] for one in CIRCUMSTANTIAL]),
                    np.where(asked, there.rounds, 0),
                    ~asked,
                    there.targets,
                )
                order = np.lexsort(keys)
                order = order[there.sources[order] < there.targets[order]]
                self._by_telling = order, there.targets[order]
            if target not in self._before:
                order, targets = self._by_telling
                start, stop = np.searchsorted(targets, (target, target + 1)).tolist()
                self._before[target] = order[start:stop].tolist()
            return self._before[target]

    def _code(self, strategy: str) -> int:
        if strategy not in self.strategies:
            self.strategies.append(strategy)
        return self.strategies.index(strategy)

    def _has(self, hop: Hop, target: int, source: int) -> bool:
        there = self.columns
        same = (there.targets == target) & (there.sources == source)
        return hop in self.told(np.flatnonzero(same).tolist())


class Told(Sequence[Hop]):
    """The first hop to each of some passages, which are given by their place: looked for and told when
    somebody looks at them."""

    def __init__(self, trails: Trails, targets: range) -> None:
        self._trails, self._targets = trails, targets

    def __len__(self) -> int:
        return len(self._targets)

    @overload
    def __getitem__(self, place: int) -> Hop: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hop]: ...
    def __getitem__(self, place: int | slice) -> Hop | Sequence[Hop]:
        if isinstance(place, slice):
            return Told(self._trails, self._targets[place])
        return self._trails.told(self._trails.first_to(np.array([self._targets[place]])))[0]

    def __iter__(self) -> Iterator[Hop]:
        return iter(self._trails.told(self._trails.first_to(np.array(self._targets, np.int64))))


def columns_of(values: Iterable[Any]) -> Columns:
    """Columns from their values, in the order of the fields."""
    arrays: list[Any] = [np.asarray(column, kind) for column, kind in zip(values, _TYPES, strict=True)]
    return Columns(*arrays)


def _new(pairs: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Which pairs are not known, each the first time that it comes, shape as ``pairs``."""
    order = np.argsort(pairs, kind="stable")
    there = pairs[order]
    new = np.empty(len(pairs), np.bool_)
    new[order] = begins(there) & ~found_in(np.sort(known), there)
    return new


def _pairs(targets: NDArray[np.integer], sources: NDArray[np.integer]) -> Numbers:
    """One number for each pair of places."""
    return (targets.astype(np.int64) << 32) | (sources.astype(np.int64) + 1)
