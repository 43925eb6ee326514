"""What strategies propose, by ids."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Seeds
from engine.investigation.strategies.contract import seeds_of
from engine.investigation.trails import DIRECTIONS, RELATIONS, Leads
from engine.model import Direction, Relation


def seeds(corpus: Corpus, *ids: str) -> Seeds:
    return seeds_of(*corpus.rows(list(ids)).tolist())


def told(corpus: Corpus, leads: Leads) -> set[tuple[str, str, Relation, Direction, int]]:
    """(source, passage, relation, direction, step) of each lead."""
    sources, rows = corpus.passages(leads.sources), corpus.passages(leads.rows)
    columns = (leads.relations.tolist(), leads.directions.tolist(), leads.steps.tolist())
    return {
        (source.id, row.id, RELATIONS[relation], DIRECTIONS[direction], step)
        for source, row, relation, direction, step in zip(sources, rows, *columns, strict=True)
    }
