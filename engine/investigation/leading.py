"""What the question names by its number: first into the pool, and first in the ranking."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.investigation.pool import Pool
from engine.investigation.ranking import Ranking
from engine.investigation.reranking import pinned, with_addend
from engine.model import Direction, Hop, Naming, QueryPlan

NAMED = "named"
# What a person asked for by its number is as relevant as can be: the rounds start from it.
SCORE = 1.0
# So many passages of what is named stand first; the rest of a long chapter is ranked with all others.
MOST_FIRST = 12
# By how much one of them stands above the next.
STEP = 0.01
NO_ROWS: Rows = np.empty(0, np.int32)


def admit_named(plan: QueryPlan, pool: Pool, corpus: Corpus) -> list[Hop]:
    """Admit what the question names, as far as the pool has room; the hops that brought something new."""
    fresh = []
    for named in plan.named:
        rows = corpus.rows(list(named.passage_ids))
        detail = "" if named.status is Naming.FOUND else named.note
        for passage_id, row in zip(named.passage_ids, rows.tolist(), strict=True):
            if row < 0 or passage_id in pool.dismissed or (pool.full and passage_id not in pool):
                continue
            way = (NAMED, named.relation, Direction.OUT)
            hop = Hop(passage_id, None, *way, 0, SCORE, quote=named.words, detail=detail)
            if pool.admit(hop, row, SCORE):
                fresh.append(hop)
    return fresh


def first_rows(plan: QueryPlan, corpus: Corpus) -> Rows:
    """The rows that stand first, in the order of the question and then of the text, each once."""
    ids = [one for named in plan.named if named.leads for one in named.passage_ids[:MOST_FIRST]]
    rows = corpus.rows(list(dict.fromkeys(ids)))
    return rows[rows >= 0]


def led(ranking: Ranking, first: Rows) -> Ranking:
    """A ranking in which some rows stand first, behind those alone that a person pinned; as it was where it
    has none of them.

    What lifts them is an addend of its own, as high as it has to be.
    """
    places = {row: place for place, row in enumerate(ranking.rows.tolist())}
    free = ~pinned(ranking)
    wanted = [places[row] for row in first.tolist() if row in places and free[places[row]]]
    if not wanted:
        return ranking
    top = float(ranking.scores[free].max())
    lift = np.zeros(len(ranking.rows), np.float32)
    for number, place in enumerate(wanted):
        lift[place] = top + STEP * (len(wanted) - number) - ranking.scores[place]
    return with_addend(ranking, NAMED, lift, {})
