"""What a tree is made of: the passages of a pool and its hops, from a live pool or from a saved record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.investigation.pool import Pool
from engine.investigation.trails import DIRECTIONS, FROM_QUESTION, RELATION_NUMBER, Steps, columns_of
from engine.model import Hop, RankedPassage, RoundReport
from engine.records.record import DIGITS, CaseRecord


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
