"""A question that is asked again: its case as it ended, without going through it a second time.

Only what depends on nothing but corpus, question, settings and day is kept: cases that were begun with an
empty pool and without a model, a plan of a person or bounds of their own, and that came to an end by
themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.caching import Caches
from engine.investigation.assistance import Assistance
from engine.investigation.assistance.queries import SentQueries
from engine.investigation.coverage import Coverage
from engine.investigation.events import Event, Ranked
from engine.investigation.pool import Pool
from engine.investigation.trails import Trails
from engine.model import StopReason

if TYPE_CHECKING:
    from engine.investigation.case import Case

# Cases that are kept of each open corpus.
PLACES = 12
# What a case has that came to its end, and what of it changes when somebody goes on with it.
STATE = (
    *("pool", "plan", "areas", "rounds", "stop", "ranking", "order", "evidence", "metrics", "transaction"),
    *("bounds", "notes", "scanned", "_filters", "_reading", "_coverage", "_assistance"),
)
GROWING = (Pool, Trails, Coverage, Assistance, SentQueries)
# These ends depend on who looked at the clock and who pressed a button.
OUTSIDE = (StopReason.TIME, StopReason.CALLS, StopReason.PERSON)


class Finished(NamedTuple):
    """The events of a run, and what it left."""

    events: tuple[Event, ...]
    state: dict[str, Any]


FINISHED: Caches[Hashable, Finished] = Caches("finished cases", PLACES)


def key_of(case: Case) -> Hashable | None:
    """What the course of a case depends on beside its corpus; None where on something else too."""
    own = case.model is not None or case.edited is not None or case.has_bounds_of_its_own
    if own or len(case.pool) or case.pool.dismissed or case.pool.pinned or case.rounds or case.is_cancelled:
        return None
    return case.question, case.settings.model_dump_json(), case.day, case.corpus.judged, case.weights


def known(case: Case, key: Hashable | None) -> Finished | None:
    """The same case, if it has come to its end before."""
    return None if key is None else FINISHED.of(case.corpus).get(key)


def keep(case: Case, key: Hashable | None, events: Sequence[Event]) -> None:
    """Keep a case that has come to its end, and is itself."""
    if key is not None and case.stop is not None and case.stop.reason not in OUTSIDE:
        FINISHED.of(case.corpus).put(key, Finished(tuple(events), _state(vars(case))))


def adopt(case: Case, finished: Finished) -> None:
    """Give a case what another has left; what either does from then on is its own."""
    vars(case).update(_state(finished.state))


def told_anew(events: Sequence[Event], case: Case) -> list[Event]:
    """Events with the time that they took now."""
    return [
        replace(event, milliseconds=case.milliseconds) if isinstance(event, Ranked) else event
        for event in events
    ]


def _state(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _apart(attributes[name]) for name in STATE}


def _apart(value: Any) -> Any:
    """A value that goes on by itself: what grows is copied, what never changes is shared."""
    if isinstance(value, dict | list | set):
        return copy(value)
    if not isinstance(value, GROWING):
        return value
    other = copy(value)
    vars(other).update({name: _apart(one) for name, one in vars(other).items()})
    return other
