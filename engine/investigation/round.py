"""One round: choose seeds, run the strategies, gate their leads, admit them to the pool.

Also the other ways into the pool: passages that the question names, the scan's candidates, and passages that
a user chose.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import InputError
from engine.investigation.gate import Gate, gate_scores
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.investigation.ranking.reranking import pinned, with_addend
from engine.investigation.strategies.base import Context, Seeds, Strategy, bypasses_gate, is_lasting
from engine.investigation.strategies.metadata import DOCUMENTS, WHOLE_PER_DOCUMENT
from engine.investigation.trails import DIRECTIONS, NO_SOURCE, RELATIONS, SCAN, Leads, strongest
from engine.model import (
    NOTHING,
    Direction,
    Hop,
    Naming,
    QueryPlan,
    Reference,
    Relation,
    RetrieverHit,
    RoundReport,
    StrategyCount,
    TargetKind,
)
from engine.retrieval.scan import Scan
from engine.search_budget import SearchBudget

PERSON, NAMED, LINKED = "person", "named", "linked"

# Passages that the question names: first in the pool and first in the ranking

# The gate score of a named passage: the highest, so that rounds start from it.
SCORE = 1.0
# Passages of each named provision that are ranked first; the rest of a long chapter is ranked with all
# others.
MOST_FIRST = 12
# The difference between the scores of two passages that are ranked first.
STEP = 0.01
NO_ROWS: Rows = np.empty(0, np.int32)


def admit_named(plan: QueryPlan, pool: Pool, corpus: Corpus) -> list[Hop]:
    """Admit the passages that the question names, up to the pool's limit; return the hops to new passages."""
    hops = []
    for named in plan.named:
        rows = corpus.rows(list(named.passage_ids))
        detail = "" if named.status is Naming.FOUND else named.note
        for passage_id, row in zip(named.passage_ids, rows.tolist(), strict=True):
            if row < 0 or passage_id in pool.dismissed or (pool.full and passage_id not in pool):
                continue
            kind = (NAMED, named.relation, Direction.OUT)
            hop = Hop(passage_id, None, *kind, 0, SCORE, quote=named.words, detail=detail)
            if pool.admit(hop, row, SCORE):
                hops.append(hop)
    return hops


def named_rows(plan: QueryPlan, corpus: Corpus) -> Rows:
    """Return the rows that are ranked first, in the order of the question and then of the text, each once."""
    ids = [passage for named in plan.named if named.leads for passage in named.passage_ids[:MOST_FIRST]]
    rows = corpus.rows(list(dict.fromkeys(ids)))
    return rows[rows >= 0]


def put_named_first(ranking: Ranking, first: Rows) -> Ranking:
    """Rank some rows first, directly after pinned passages; unchanged if the ranking has none of them.

    A separate score part raises them as far as necessary.
    """
    positions = {row: position for position, row in enumerate(ranking.rows.tolist())}
    free = ~pinned(ranking)
    lifted = [positions[row] for row in first.tolist() if row in positions and free[positions[row]]]
    if not lifted:
        return ranking
    top = float(ranking.scores[free].max())
    lift = np.zeros(len(ranking.rows), np.float32)
    for number, position in enumerate(lifted):
        lift[position] = top + STEP * (len(lifted) - number) - ranking.scores[position]
    return with_addend(ranking, NAMED, lift, {})


# Provisions ranked directly after the first passage, whatever their words: exceptions to it, and provisions
# that it cites by number.

# Maximum provisions after the first passage, and maximum that one passage cites; the others are cited by
# those.
MOST_LINKED, CITED_BY_ONE = 2, 2


def put_linked_behind(ranking: Ranking, named: Rows, corpus: Corpus) -> Ranking:
    """Rank an exception to the first passage, and provisions it cites by number, directly after it.

    A rule needs the provisions that it names even if they share no word with the question. Their own
    citations follow them. If the question names provisions (``named``, ranked first), those are used instead
    of the first passage. Only passages of the ranking move, by a separate score part; citations of whole
    documents and within one section do not count.
    """
    free = np.flatnonzero(~pinned(ranking))
    if not len(free):
        return ranking
    positions = {row: position for position, row in enumerate(ranking.rows.tolist())}
    sources = sorted(positions[row] for row in named.tolist() if row in positions) or [int(free[0])]
    last = sources[-1]
    behind = [
        position for position in _exceptions(ranking.rows[sources], positions, corpus) if position > last
    ]
    behind, waiting = behind[:1], list(sources)
    while waiting and len(behind) < MOST_LINKED:
        cited = _cited(int(ranking.rows[waiting.pop(0)]), positions, corpus)
        new = [position for position in cited[:CITED_BY_ONE] if position > last and position not in behind]
        new = new[: MOST_LINKED - len(behind)]
        behind += new
        waiting += new
    if not behind:
        return ranking
    others = (position for position in range(last + 1, len(ranking.rows)) if position not in behind)
    top, following = float(ranking.scores[last]), next(others, None)
    gap = STEP if following is None else top - float(ranking.scores[following])
    step = min(STEP, gap / (len(behind) + 1))
    lifted = np.zeros(len(ranking.rows), np.float32)
    for number, position in enumerate(behind, 1):
        lifted[position] = top - step * number - ranking.scores[position]
    source = corpus.passages(ranking.rows[sources[:1]])[0].id
    return with_addend(ranking, LINKED, lifted, dict.fromkeys(behind, source))


def _exceptions(rows: Rows, positions: Mapping[int, int], corpus: Corpus) -> list[int]:
    """Return the positions in the ranking of exceptions to some passages, best first."""
    links = corpus.neighbours(rows, [Relation.EXCEPTION_TO], Direction.IN)
    return sorted({positions[row] for row in links.rows.tolist() if row in positions})


def _cited(row: int, positions: Mapping[int, int], corpus: Corpus) -> list[int]:
    """Return the best position in the ranking of each provision that a passage cites, in the text's order."""
    links = corpus.neighbours(np.array([row], np.int32), None, Direction.OUT)
    own, *sections = corpus.section_numbers(np.concatenate([[row], links.rows]).astype(np.int32)).tolist()
    found: dict[int, int] = {}
    for target, section, number in zip(links.rows.tolist(), sections, links.evidence.tolist(), strict=True):
        position = positions.get(target)
        if position is not None and (section != own or own < 0):
            found[number] = min(position, found.get(number, position))
    references = zip(found, corpus.references(list(found)), strict=True)
    numbered = [(one.span.start, number) for number, one in references if _names_provision(one)]
    return list(dict.fromkeys(found[number] for _, number in sorted(numbered)))


def _names_provision(reference: Reference) -> bool:
    return reference.target_kind is not TargetKind.DOCUMENT and any(map(str.isdecimal, reference.text))


# Whole documents that a user requested: they bypass the gate's threshold and have their own budget

# Passages that one strategy may propose as whole documents in one round.
WHOLE_DOCUMENT_LIMIT = DOCUMENTS * WHOLE_PER_DOCUMENT


def without_gate(search_budget: SearchBudget) -> SearchBudget:
    """Return a budget without a relevance threshold, limited only to whole documents of a round."""
    return replace(
        search_budget,
        gate=0.0,
        per_strategy=WHOLE_DOCUMENT_LIMIT,
        per_document=WHOLE_PER_DOCUMENT,
        per_relation=WHOLE_DOCUMENT_LIMIT,
    )


# The scan


def scan_hops(found: Scan, ids: Sequence[str]) -> list[Hop]:
    """Make the hops from the question to the scan's candidates, best first."""
    return [
        Hop(
            target_id=passage_id,
            source_id=None,
            strategy=SCAN,
            relation=Relation.MATCHES,
            direction=Direction.OUT,
            round=0,
            strength=min(1.0, float(score)),
            detail=describe_hits(found.hits[int(row)]),
            rank=rank,
        )
        for rank, (passage_id, row, score) in enumerate(zip(ids, found.rows, found.scores, strict=True), 1)
    ]


def admit_scanned(found: Scan, pool: Pool, reading: Reading) -> list[Hop]:
    """Admit the scan's candidates up to the pool's limit; none if the pool comes from an earlier scan.

    Passages that a user added or the question names do not count as an earlier scan.
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


def describe_hits(hits: Sequence[RetrieverHit]) -> str:
    """Return the best rank of each retriever over all views: "bm25 3, dense 7"."""
    best: dict[str, int] = {}
    for hit in hits:
        best[hit.retriever] = min(hit.rank, best.get(hit.retriever, hit.rank))
    return ", ".join(f"{retriever} {rank}" for retriever, rank in best.items())


# The round


# The budget of a thread follows what it earned in earlier rounds of the case

# Passages that a fully trusted thread may bring at most in its first round.
FIRST_ROUND = 50
# The first passages of the ranking: a thread earns its budget with passages among them.
EARNING_RANKS = 40


def budget_shares(
    strategies: Sequence[Strategy],
    rounds: Sequence[RoundReport],
    ranked: Mapping[str, int],
    search_budget: SearchBudget,
) -> dict[str, float]:
    """Return the share of its budget that each strategy may use in the next round, 0..1.

    The limit of the first round doubles with each round. A strategy of which no admitted passage ranks gets
    nothing. ``rounds`` are the earlier ones, without the scan; ``ranked`` is the number of passages among the
    first of the ranking by the strategy that admitted them.
    """
    first = min(1.0, FIRST_ROUND / search_budget.per_strategy)
    shares = {}
    for strategy in strategies:
        admitted = [
            count.admitted
            for report in rounds
            for count in report.strategies
            if count.strategy == strategy.name
        ]
        is_idle = sum(admitted) > 0 and not ranked.get(strategy.name)
        shares[strategy.name] = 0.0 if is_idle else min(1.0, first * 2 ** len(rounds))
    return shares


def run_round(
    strategies: Sequence[Strategy],
    seeds: Seeds,
    context: Context,
    pool: Pool,
    dismissed: Rows,
    round_number: int,
    cancelled: Callable[[], bool],
    shares: Mapping[str, float] = NOTHING,
) -> tuple[tuple[StrategyCount, ...], Sequence[Hop]]:
    """Run the strategies of a round and return their counts and the hops to new passages.

    ``dismissed`` are rows that are never admitted, shape (n,). ``shares`` of their budgets, by strategy, are
    1 for those without one; with 0 a strategy does not run. Strategies that propose whole documents run
    last, with a budget that does not cut the documents.
    """
    counts: tuple[StrategyCount, ...] = ()
    before = len(pool)
    running = [strategy for strategy in strategies if shares.get(strategy.name, 1.0) > 0]
    gated = [strategy for strategy in running if not bypasses_gate(strategy)]
    ungated = [strategy for strategy in running if bypasses_gate(strategy)]
    for group, search_budget in (
        (gated, context.search_budget),
        (ungated, without_gate(context.search_budget)),
    ):
        gate = Gate(
            search_budget,
            room=pool.limit - len(pool),
            known=set(pool.rows().tolist()),
            dismissed=set(dismissed.tolist()),
        )
        group_counts, _ = run_strategies(group, seeds, context, pool, gate, round_number, cancelled, shares)
        counts = (*counts, *group_counts)
    return counts, pool.first_hops_since(before)


def run_strategies(
    strategies: Sequence[Strategy],
    seeds: Seeds,
    context: Context,
    pool: Pool,
    gate: Gate,
    round_number: int,
    cancelled: Callable[[], bool],
    shares: Mapping[str, float] = NOTHING,
) -> tuple[tuple[StrategyCount, ...], Sequence[Hop]]:
    """Run strategies one after another and return their counts and the hops to new passages."""
    counts: list[StrategyCount] = []
    before = len(pool)
    refused_leads: list[tuple[Strategy, Leads, NDArray[np.intp]]] = []
    for strategy in strategies:
        if cancelled():
            break
        started = time.perf_counter()
        leads = strongest(strategy.expand(seeds, context))
        leads = leads.take(leads.rows != leads.sources)
        scores = lead_scores(leads, context, strategy.trust)
        allowed = context.mask[leads.rows] if context.mask is not None else np.ones(len(leads), np.bool_)
        documents = context.corpus.document_numbers(leads.rows)
        share = strategy.trust * shares.get(strategy.name, 1.0)
        verdicts = gate.judge(leads, scores, documents, allowed, trust=share)
        order = np.sort(verdicts.fresh) if bypasses_gate(strategy) else verdicts.fresh
        fresh, hop_maker = leads.take(order), HopMaker(strategy, context, round_number)
        pool.admit_leads(strategy.name, round_number, fresh, context.reading.ids(fresh.rows), scores[order])
        hop_maker.add_hops(fresh, pool)
        hop_maker.add_hops(leads.take(verdicts.known), pool)
        refused_leads.append((strategy, leads, verdicts.outdone))
        milliseconds = 1000 * (time.perf_counter() - started)
        counts.append(
            StrategyCount(
                strategy.name, len(leads), len(verdicts.fresh), dict(verdicts.refused), milliseconds
            )
        )
    # All trails are kept: a refused lead still explains a passage that another strategy admitted.
    for strategy, leads, refused in refused_leads:
        arrived = gate.arrived(leads, refused)
        HopMaker(strategy, context, round_number).add_hops(leads.take(arrived), pool)
    return tuple(counts), pool.first_hops_since(before)


@dataclass(frozen=True, slots=True)
class HopMaker:
    """Converts the leads of a strategy in a round to hops."""

    strategy: Strategy
    context: Context
    round: int

    def add_hops(self, leads: Leads, pool: Pool) -> None:
        """Add the hops of leads to passages in the pool, unless the strategy has linked them already.

        A lasting strategy explains its hops later, when they are read.
        """
        later = (leads.sources != NO_SOURCE) & is_lasting(self.strategy)
        now = leads.take(~later)
        for hop, row in zip(self(now), now.rows.tolist(), strict=True):
            if not pool.linked(hop.source_id, hop.target_id, hop.strategy, hop.quote):
                pool.admit(hop, row, 0.0)
        if later.any():
            pool.add_hops(self.strategy.name, self.round, leads.take(later), self)

    def __call__(self, leads: Leads) -> list[Hop]:
        """Return a hop for each lead."""
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
    """Return the gate scores of leads from a strategy with this trust, shape (n,)."""
    if not len(leads):
        return np.empty(0, np.float32)
    rows, targets, sources = leads.ends
    # A lead without a source starts at the question, whose relevance is 1.
    relevance = np.ones(len(rows), np.float32)
    relevance[rows != NO_SOURCE] = context.relevance.of(rows[rows != NO_SOURCE])
    return gate_scores(relevance[targets], leads.strengths, relevance[sources], trust)


# Passages that a user chose: admitted whatever the pool's limit and their score


def find_row(corpus: Corpus, passage_id: str) -> Rows:
    """Return the row of a passage, shape (1,). Raises InputError if the corpus does not have it."""
    row = corpus.rows([passage_id])
    if row[0] < 0:
        raise InputError(f"no passage {passage_id!r} in the corpus {corpus.name!r}")
    return row


def admit_manually(pool: Pool, passage_id: str, row: int, score: float, round_number: int) -> None:
    """Admit a passage that a user chose, unless the pool has it."""
    if passage_id in pool:
        return
    pool.limit = max(pool.limit, len(pool) + 1)
    pool.admit(Hop(passage_id, None, PERSON, Relation.MATCHES, Direction.OUT, round_number, 1.0), row, score)


# Seeds

# The lowest score of a seed, as a share of the best.
LOWEST = 0.25


def choose_seeds(pool: Pool, limit: int) -> Seeds:
    """Choose up to ``limit`` of the best unexplored passages of the pool, pinned ones first."""
    entries = [
        entry
        for entry in pool.entries()
        if entry.passage_id not in pool.explored and entry.passage_id not in pool.dismissed
    ]
    best = max((entry.score for entry in pool.entries()), default=0.0)
    minimum = LOWEST * best
    pinned = pool.pinned
    candidates = [entry for entry in entries if entry.score >= minimum or entry.passage_id in pinned]
    candidates.sort(key=lambda entry: (entry.passage_id not in pinned, -entry.score, entry.row))
    chosen = candidates[:limit]
    return Seeds(
        np.array([entry.row for entry in chosen], np.int32),
        np.array([entry.score for entry in chosen], np.float32),
    )
