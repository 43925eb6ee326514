"""Finished cases, to answer a repeated question without a second run.

Only a case that depends on nothing but corpus, question, settings, date and weights is stored: one that began
with an empty pool, without a model, an edited plan or its own search budget, and stopped for a reproducible
reason.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.caching import Caches
from engine.investigation.assistance import Assistance
from engine.investigation.assistance.assistance import SentQueries
from engine.investigation.coverage import Coverage
from engine.investigation.pool import Pool
from engine.investigation.record import Event, Ranked
from engine.investigation.trails import Trails
from engine.model import StopReason

if TYPE_CHECKING:
    from engine.investigation.case import Case

# Finished cases stored for each open corpus.
CAPACITY = 12
# The attributes of a case that a run sets.
STATE = (
    *("pool", "plan", "areas", "rounds", "stop", "ranking", "order", "evidence", "metrics", "transaction"),
    *("bounds", "notes", "scanned", "_filters", "_reading", "_coverage", "_assistance"),
)
# Types whose objects change when a case continues.
MUTABLE_TYPES = (Pool, Trails, Coverage, Assistance, SentQueries)
# Stops that depend on the clock, on a service or on a user.
NOT_REPRODUCIBLE = (StopReason.TIME, StopReason.CALLS, StopReason.PERSON)


class Finished(NamedTuple):
    """The events of a run and the state at its end."""

    events: tuple[Event, ...]
    state: dict[str, Any]


FINISHED: Caches[Hashable, Finished] = Caches("finished cases", CAPACITY)


def make_key(case: Case) -> Hashable | None:
    """Return all that the course of a case depends on apart from its corpus; None if it cannot be stored."""
    special = case.model is not None or case.edited is not None or case.has_own_budget
    if (
        special
        or len(case.pool)
        or case.pool.dismissed
        or case.pool.pinned
        or case.rounds
        or case.is_cancelled
    ):
        return None
    return case.question, case.settings.model_dump_json(), case.day, case.corpus.verdict_version, case.weights


def lookup(case: Case, key: Hashable | None) -> Finished | None:
    """Return the stored case with this key, if there is one."""
    return None if key is None else FINISHED.of(case.corpus).get(key)


def store(case: Case, key: Hashable | None, events: Sequence[Event]) -> None:
    """Store a case that has ended, if its end is reproducible."""
    if key is not None and case.stop is not None and case.stop.reason not in NOT_REPRODUCIBLE:
        FINISHED.of(case.corpus).put(key, Finished(tuple(events), _copy_state(vars(case))))


def restore(case: Case, finished: Finished) -> None:
    """Give a case the state of a stored one; later changes affect only this case."""
    vars(case).update(_copy_state(finished.state))


def replay_events(events: Sequence[Event], case: Case) -> list[Event]:
    """Return the events with the time that this run took."""
    return [
        replace(event, milliseconds=case.milliseconds) if isinstance(event, Ranked) else event
        for event in events
    ]


def _copy_state(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _copy_mutable(attributes[name]) for name in STATE}


def _copy_mutable(value: Any) -> Any:
    """Copy mutable values; share immutable ones."""
    if isinstance(value, dict | list | set):
        return copy(value)
    if not isinstance(value, MUTABLE_TYPES):
        return value
    copied = copy(value)
    vars(copied).update({name: _copy_mutable(attribute) for name, attribute in vars(copied).items()})
    return copied
