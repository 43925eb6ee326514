"""The pool of a case and the queries that filled it, as plain JSON values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.extraction.judging import UNWRITTEN
from engine.investigation.record import Investigation
from engine.model import AreaCoverage, AreaState, FoundBy, Hop, Relation, RoundReport, Search

DIGITS = 6
# What the text of a passage says of another; all else is said by numbers.
WRITTEN = frozenset(relation.value for relation in Relation if relation not in UNWRITTEN)
_NOTHING = FoundBy()


def pool_to_json(investigation: Investigation) -> dict[str, Any]:
    """The passages of a pool with how each was found, all hops, and what people said of passages.

    ``search`` is the number of the query that found a passage, ``similarity`` its cosine to the question,
    ``referenced_by`` the passages of the pool whose text refers to it, ``areas`` what it is evidence for.
    """
    pool = investigation.pool
    edges = [hop_to_json(hop) for hop in pool.hops()]
    referring, areas = referring_in(edges), _areas(investigation.areas)
    nodes = []
    for entry in pool.entries():
        name = entry.passage_id
        found = investigation.found.get(name, _NOTHING)
        nodes.append(
            {
                "id": name,
                "round": entry.round,
                "strategy": entry.strategy,
                "score": round(entry.score, DIGITS),
                "search": found.search,
                "similarity": _rounded(found.similarity),
                "referenced_by": referring.get(name, []),
                "areas": areas.get(name, []),
            }
        )
    return {
        "nodes": nodes,
        "edges": edges,
        "pinned": sorted(pool.pinned),
        "dismissed": sorted(pool.dismissed),
        "explored": sorted(pool.explored),
    }


def hop_to_json(hop: Hop) -> dict[str, Any]:
    """A hop; ``source`` is null where it started at the question, or at the ``query`` for a gap."""
    return {
        "source": hop.source_id,
        "target": hop.target_id,
        "strategy": hop.strategy,
        "relation": hop.relation.value,
        "direction": hop.direction.value,
        "round": hop.round,
        "strength": round(hop.strength, DIGITS),
        "quote": hop.quote,
        "quoted_from": hop.quoted_from,
        "detail": hop.detail,
        "rank": hop.rank,
        "query": None if hop.query is None else asdict(hop.query),
    }


def referring_in(edges: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For each passage that others refer to in words, those that do, in the order of the hops."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for edge in edges:
        if edge["source"] is not None and edge["relation"] in WRITTEN:
            # Whichever way it was followed, one of the two says it.
            says, said = edge["source"], edge["target"]
            if edge["direction"] == "in":
                says, said = said, says
            found[said][says] = None
    return {said: list(says) for said, says in found.items()}


def searches_to_json(rounds: Sequence[RoundReport]) -> list[list[dict[str, Any]]]:
    """The queries of each round, numbered over all of them."""
    number, found = 0, []
    for report in rounds:
        found.append([search_to_json(one, number + place) for place, one in enumerate(report.searches)])
        number += len(report.searches)
    return found


def search_to_json(search: Search, number: int) -> dict[str, Any]:
    """A query with the best of what it found."""
    return {
        "number": number,
        "kind": search.kind,
        "text": search.text,
        "language": search.language,
        "weight": round(search.weight, DIGITS),
        "is_hypothetical": search.is_hypothetical,
        "area": search.area,
        "name": search.name,
        "found": search.found,
        "hits": [
            {
                "passage_id": hit.passage_id,
                "ranks": dict(hit.ranks),
                "similarity": _rounded(hit.similarity),
            }
            for hit in search.hits
        ],
        "milliseconds": None if search.milliseconds is None else round(search.milliseconds, 2),
    }


def gaps_of(report: RoundReport) -> list[str]:
    """The ids of the areas that lack evidence behind a round, in alphabetical order."""
    return sorted(area for area, state in report.after.items() if state is not AreaState.COVERED)


def _areas(areas: Sequence[AreaCoverage]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for area in areas:
        for passage in area.evidence:
            found[passage].append(area.id)
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
