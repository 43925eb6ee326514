"""Leads in bulk: what strategies propose, as parallel arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.model import Direction, Relation
from engine.sorting import begins, numbered

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
