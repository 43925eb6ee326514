"""One turn: strategies expand the seeds, the gate judges, the pool admits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.investigation.gate import Gate, gate_scores
from engine.investigation.leading import NAMED
from engine.investigation.leads import DIRECTIONS, NO_SOURCE, RELATIONS, Leads, strongest
from engine.investigation.pool import Pool
from engine.investigation.reading import Reading
from engine.investigation.strategies.base import Context, Seeds, Strategy, brings_whole, is_lasting
from engine.investigation.whole import unweighed
from engine.model import Direction, Hop, Relation, RetrieverHit, StrategyCount
from engine.retrieval.scan import Scan

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
