"""The queries for gaps that a case has sent, and their names as nodes beside the passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.model import GapQuery, Hop, RoundReport
from engine.records.wording import gap_query


@dataclass(frozen=True, slots=True)
class Sent:
    """A query and the round that sent it."""

    round: int
    query: GapQuery


def sent_by(hop: Hop) -> Sent | None:
    """The query at which a hop starts; None for a hop from a passage or from the question itself."""
    query = gap_query(hop)
    return None if query is None else Sent(hop.round, query)


def sent_queries(hops: Iterable[Hop], rounds: Iterable[RoundReport]) -> dict[Sent, str]:
    """All queries that the rounds sent, or that brought one of the hops before them, with the ids of their
    nodes, by round. No passage has such an id."""
    told = [Sent(report.number, query) for report in rounds for query in report.queries]
    others = {sent for hop in hops if (sent := sent_by(hop)) is not None} - {*told}
    told += sorted(others, key=lambda sent: (sent.query.area, sent.query.text))
    ordered = sorted(dict.fromkeys(told), key=lambda sent: sent.round)
    return {sent: f"? {place}" for place, sent in enumerate(ordered)}
