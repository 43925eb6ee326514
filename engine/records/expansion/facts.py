"""What a tree is made of: the passages of a pool and its hops, from a live pool or from a saved record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.errors import InputError
from engine.investigation.pool import Pool
from engine.investigation.trails import DIRECTIONS, FROM_QUESTION, RELATION_NUMBER, Steps, columns_of
from engine.model import Hop, RankedPassage, RoundReport
from engine.records.pooled import DIGITS
from engine.records.record import read_hop

# What of a round a tree and its figures are made of.
_NEEDED = ("number", "seeds", "strategies", "admitted", "refused", "pool_size", "milliseconds", "queries")


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


def facts_of_record(record: Mapping[str, Any], where: str) -> PoolFacts:
    """The pool of a record as ``investigation_to_json`` makes it. Raises InputError, naming ``where`` it was
    found and what is wrong, for one that is damaged."""
    try:
        nodes, edges = record["pool"]["nodes"], record["pool"]["edges"]
        ids = [str(node["id"]) for node in nodes]
        places = {passage_id: place for place, passage_id in enumerate(ids)}
        if len(places) < len(ids):
            raise ValueError("a passage stands twice in the pool")
        hops = [read_hop(edge) for edge in edges]
        return PoolFacts(
            str(record["question"]),
            ids,
            [int(node["round"]) for node in nodes],
            [str(node["strategy"]) for node in nodes],
            [round(float(node["score"]), DIGITS) for node in nodes],
            {str(one["id"]): int(one["rank"]) for one in record["passages"]},
            _reports(record["rounds"]),
            _steps(hops, places),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, InputError) as error:
        field = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{where}: damaged: {' '.join(field.split())}") from error


def _steps(hops: Sequence[Hop], places: Mapping[str, int]) -> Steps:
    """Hops of a record as the pool has them: those that reach one passage together."""
    for hop in hops:
        for end in (hop.target_id, *([] if hop.source_id is None else [hop.source_id])):
            if end not in places:
                raise ValueError(f"a hop leads from or to {end!r}, which is not in the pool")
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


def _reports(values: Any) -> tuple[RoundReport, ...]:
    try:
        needed = [{name: one[name] for name in _NEEDED if name in one} for one in values]
        return _known_reports().validate_python(needed)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, ("rounds", *first["loc"])))
        raise InputError(f"{field}: {first['msg']}") from error


@cache
def _known_reports() -> TypeAdapter[tuple[RoundReport, ...]]:
    return TypeAdapter(tuple[RoundReport, ...])
