"""One turn of a round: seeds are chosen, strategies expand them, the gate judges, the pool admits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.breadth import Breadth
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import InputError
from engine.investigation.gate import Gate, gate_scores
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.investigation.reranking import pinned, with_addend
from engine.investigation.strategies.base import Context, Seeds, Strategy, brings_whole, is_lasting
from engine.investigation.strategies.whole_document import DOCUMENTS, PER_DOCUMENT
from engine.investigation.trails import DIRECTIONS, NO_SOURCE, RELATIONS, Leads, strongest
from engine.model import Direction, Hop, Naming, QueryPlan, Relation, RetrieverHit, StrategyCount
from engine.retrieval.scan import Scan

# What the question names by its number: first into the pool, and first in the ranking.

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


# What a person asked for as a whole passes the gate as a whole: no threshold, and bounds of its
# own.

# Passages that one strategy may bring as a whole in one round.
MOST_OF_WHOLE = DOCUMENTS * PER_DOCUMENT


def unweighed(breadth: Breadth) -> Breadth:
    """A breadth by which the gate refuses nothing for its relevance, and of a document what is too much for
    one round."""
    return replace(
        breadth,
        gate=0.0,
        per_strategy=MOST_OF_WHOLE,
        per_document=PER_DOCUMENT,
        per_relation=MOST_OF_WHOLE,
    )


# One turn: strategies expand the seeds, the gate judges, the pool admits.

SCAN, PERSON = "scan", "person"


def scan_hops(found: Scan, ids: Sequence[str]) -> list[Hop]:
    """The hops from the question to the scan's candidates, best first."""
    return [
        Hop(
            target_id=passage_id,
            source_id=None,
            strategy=SCAN,
            relation=Relation.MATCHES,
            direction=Direction.OUT,
            round=0,
            strength=min(1.0, float(score)),
            detail=hit_words(found.hits[int(row)]),
            rank=place,
        )
        for place, (passage_id, row, score) in enumerate(zip(ids, found.rows, found.scores, strict=True), 1)
    ]


def admit_scanned(found: Scan, pool: Pool, reading: Reading) -> list[Hop]:
    """Admit the scan's candidates, as many as the pool has room for; none where the pool was filled before.

    What a person put there before the case was opened is no scan, nor is what the question names.
    """
    if any(entry.strategy not in (PERSON, NAMED) for entry in pool.entries()):
        return []
    admitted = []
    hops = scan_hops(found, reading.ids(found.rows))
    for hop, row, score in zip(hops, found.rows.tolist(), found.scores.tolist(), strict=True):
        if hop.target_id in pool or not pool.full:
            pool.admit(hop, row, score)
            admitted.append(hop)
    return admitted


def hit_words(hits: Sequence[RetrieverHit]) -> str:
    """Which retriever ranked it where: "bm25 3, dense 7"; the best rank of each over all views."""
    best: dict[str, int] = {}
    for hit in hits:
        best[hit.retriever] = min(hit.rank, best.get(hit.retriever, hit.rank))
    return ", ".join(f"{retriever} {rank}" for retriever, rank in best.items())


def take_turn(
    strategies: Sequence[Strategy],
    seeds: Seeds,
    context: Context,
    pool: Pool,
    dismissed: Rows,
    round_number: int,
    cancelled: Callable[[], bool],
) -> tuple[tuple[StrategyCount, ...], Sequence[Hop]]:
    """Run the strategies of a round, each past its gate; returns what ``follow_threads`` does. ``dismissed``
    are rows that nothing may bring back, shape (n,).

    What belongs together comes after what is weighed by itself, past bounds that would tear it apart.
    """
    counts: tuple[StrategyCount, ...] = ()
    before = len(pool)
    whole = [one for one in strategies if brings_whole(one)]
    weighed = [one for one in strategies if not brings_whole(one)]
    for some, breadth in ((weighed, context.breadth), (whole, unweighed(context.breadth))):
        gate = Gate(
            breadth,
            room=pool.limit - len(pool),
            known=set(pool.rows().tolist()),
            dismissed=set(dismissed.tolist()),
        )
        told, _ = follow_threads(some, seeds, context, pool, gate, round_number, cancelled)
        counts = (*counts, *told)
    return counts, pool.brought_since(before)


def follow_threads(
    strategies: Sequence[Strategy],
    seeds: Seeds,
    context: Context,
    pool: Pool,
    gate: Gate,
    round_number: int,
    cancelled: Callable[[], bool],
) -> tuple[tuple[StrategyCount, ...], Sequence[Hop]]:
    """Run the strategies one after another; returns their counts and the hops that brought new passages."""
    counts: list[StrategyCount] = []
    before = len(pool)
    outdone: list[tuple[Strategy, Leads, NDArray[np.intp]]] = []
    for strategy in strategies:
        if cancelled():
            break
        started = time.perf_counter()
        leads = strongest(strategy.expand(seeds, context))
        leads = leads.take(leads.rows != leads.sources)
        scores = lead_scores(leads, context, strategy.trust)
        allowed = context.mask[leads.rows] if context.mask is not None else np.ones(len(leads), np.bool_)
        documents = context.corpus.document_numbers(leads.rows)
        verdicts = gate.judge(leads, scores, documents, allowed, trust=strategy.trust)
        order = np.sort(verdicts.fresh) if brings_whole(strategy) else verdicts.fresh
        fresh, telling = leads.take(order), Telling(strategy, context, round_number)
        pool.bring(strategy.name, round_number, fresh, context.reading.ids(fresh.rows), scores[order])
        telling.join(fresh, pool)
        telling.join(leads.take(verdicts.known), pool)
        outdone.append((strategy, leads, verdicts.outdone))
        milliseconds = 1000 * (time.perf_counter() - started)
        counts.append(
            StrategyCount(
                strategy.name, len(leads), len(verdicts.fresh), dict(verdicts.refused), milliseconds
            )
        )
    # All trails are kept: a lead that was refused still explains a passage that another thread brought.
    for strategy, leads, refused in outdone:
        arrived = gate.arrived(leads, refused)
        Telling(strategy, context, round_number).join(leads.take(arrived), pool)
    return tuple(counts), pool.brought_since(before)


@dataclass(frozen=True, slots=True)
class Telling:
    """Makes the hops of a strategy's leads in a round."""

    strategy: Strategy
    context: Context
    round: int

    def join(self, leads: Leads, pool: Pool) -> None:
        """Add the hops of leads to passages that are in the pool, where the strategy has not joined them
        yet. What an open corpus will tell tomorrow as it does today is told when it is asked for."""
        later = (leads.sources != NO_SOURCE) & is_lasting(self.strategy)
        now = leads.take(~later)
        for hop, row in zip(self(now), now.rows.tolist(), strict=True):
            if not pool.linked(hop.source_id, hop.target_id, hop.strategy, hop.quote):
                pool.admit(hop, row, 0.0)
        if later.any():
            pool.join(self.strategy.name, self.round, leads.take(later), self)

    def __call__(self, leads: Leads) -> list[Hop]:
        """A hop for each lead."""
        if not len(leads):
            return []
        targets = self.context.reading.ids(leads.rows)
        starts = leads.sources != NO_SOURCE
        names = iter(self.context.reading.ids(leads.sources[starts]))
        sources = [next(names) if has_source else None for has_source in starts.tolist()]
        return [
            Hop(
                target_id=target,
                source_id=source,
                strategy=self.strategy.name,
                relation=RELATIONS[int(leads.relations[number])],
                direction=DIRECTIONS[int(leads.directions[number])],
                round=self.round,
                strength=float(leads.strengths[number]),
                quote=evidence.quote,
                quoted_from=evidence.quoted_from,
                detail=evidence.detail,
                rank=evidence.rank,
                query=evidence.query,
            )
            for number, (target, source, evidence) in enumerate(
                zip(targets, sources, self.strategy.explain(leads, self.context), strict=True)
            )
        ]


def lead_scores(leads: Leads, context: Context, trust: float) -> Scores:
    """Gate scores of leads from a strategy that is so far trusted, shape (n,)."""
    if not len(leads):
        return np.empty(0, np.float32)
    rows, targets, sources = leads.ends
    # The question itself, where a lead starts at no passage, is as relevant as can be.
    relevance = np.ones(len(rows), np.float32)
    relevance[rows != NO_SOURCE] = context.relevance.of(rows[rows != NO_SOURCE])
    return gate_scores(relevance[targets], leads.strengths, relevance[sources], trust)


# Passages that a person points at: they enter the pool whatever its limit and their score.


def row_of(corpus: Corpus, passage_id: str) -> Rows:
    """The row of a passage, shape (1,). Raises InputError for one that is not in the corpus."""
    row = corpus.rows([passage_id])
    if row[0] < 0:
        raise InputError(f"no passage {passage_id!r} in the corpus {corpus.name!r}")
    return row


def point_at(pool: Pool, passage_id: str, row: int, score: float, round_number: int) -> None:
    """Admit a passage as brought by a person; nothing happens to one that the pool holds."""
    if passage_id in pool:
        return
    pool.limit = max(pool.limit, len(pool) + 1)
    pool.admit(Hop(passage_id, None, PERSON, Relation.MATCHES, Direction.OUT, round_number, 1.0), row, score)


# Which passages of the pool the next round starts from.

# The lowest score of a seed, as a share of the best.
LOWEST = 0.25


def seeds_of(pool: Pool, most: int) -> Seeds:
    """At most so many of the best unexplored passages of the pool, pinned ones first."""
    entries = [
        entry
        for entry in pool.entries()
        if entry.passage_id not in pool.explored and entry.passage_id not in pool.dismissed
    ]
    best = max((entry.score for entry in pool.entries()), default=0.0)
    minimum = LOWEST * best
    pinned = pool.pinned
    worthy = [entry for entry in entries if entry.score >= minimum or entry.passage_id in pinned]
    worthy.sort(key=lambda entry: (entry.passage_id not in pinned, -entry.score, entry.row))
    chosen = worthy[:most]
    return Seeds(
        np.array([entry.row for entry in chosen], np.int32),
        np.array([entry.score for entry in chosen], np.float32),
    )
