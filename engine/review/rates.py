"""How much of what was found reviewers approve of, by where it came from and over time.

An item counts once, by the majority of those who judged it; where as many approve as do not, it is a
conflict, which is counted and not approved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from engine.extraction.checklist import wilson
from engine.review.model import Assessment, Item, standing


class Dimension(StrEnum):
    """What items are told apart by. Of strategies the one that found an item first is meant."""

    STRATEGY = "strategy"
    RELATION = "relation"
    DISTANCE = "hop distance"
    ROUND = "round"
    LANGUAGE = "language"
    DOCUMENT_TYPE = "document type"


class Period(StrEnum):
    """How long the spans of time are."""

    DAY = "day"
    WEEK = "week"


class Outcome(StrEnum):
    """What all who judged an item say of it together."""

    APPROVED = "approved"
    REFUSED = "refused"
    CONFLICT = "conflict"


_VALUES: Final[Mapping[Dimension, Callable[[Item], str | int]]] = {
    Dimension.STRATEGY: lambda item: item.strategy,
    Dimension.RELATION: lambda item: item.relation,
    Dimension.DISTANCE: lambda item: item.distance,
    Dimension.ROUND: lambda item: item.round,
    Dimension.LANGUAGE: lambda item: item.language,
    Dimension.DOCUMENT_TYPE: lambda item: item.document_type,
}


@dataclass(frozen=True, slots=True)
class Rate:
    """Of ``count`` items that have ``value`` so many were approved, and so many are in conflict. ``value`` is
    empty where items do not say."""

    value: str | int
    count: int
    approved: int
    conflicts: int

    @property
    def share(self) -> float | None:
        """Approved of all, 0..1; None where nothing was judged."""
        return self.approved / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the true share lies with 95 % confidence (Wilson); None where nothing was judged."""
        return wilson(self.approved, self.count) if self.count else None


@dataclass(frozen=True, slots=True)
class _Judged:
    item: Item
    outcome: Outcome
    at: datetime


def overall(assessments: Iterable[Assessment]) -> Rate:
    """The rate of all items together; its value is empty."""
    return _rate("", _judged(assessments))


def rates(assessments: Iterable[Assessment], dimension: Dimension) -> list[Rate]:
    """A rate for each value of a dimension, by standing assessments: numbers in their order, names with the
    most items first. Passages and hops are different things to approve of: give those of one kind."""
    found = _grouped(_judged(assessments), lambda one: _VALUES[dimension](one.item))
    return sorted(found, key=_order)


def over_time(assessments: Iterable[Assessment], period: Period) -> list[Rate]:
    """A rate for each day ("2026-01-31") or week of ISO 8601 ("2026-W05") in UTC in which items were judged
    last, the earliest first; days and weeks without any are left out."""
    return sorted(
        _grouped(_judged(assessments), lambda one: _span(one.at, period)), key=lambda rate: str(rate.value)
    )


def outcome(given: Iterable[Assessment]) -> Outcome:
    """What the standing assessments of one item come to."""
    votes = [one.is_approval for one in given]
    against = len(votes) - sum(votes)
    if sum(votes) == against:
        return Outcome.CONFLICT
    return Outcome.APPROVED if sum(votes) > against else Outcome.REFUSED


def _judged(assessments: Iterable[Assessment]) -> list[_Judged]:
    found: dict[tuple[str, str], list[Assessment]] = {}
    for one in standing(assessments):
        found.setdefault((one.item.case_id, one.item.key), []).append(one)
    return [
        _Judged(given[-1].item, outcome(given), max(_moment(one.at) for one in given))
        for given in found.values()
    ]


def _grouped(judged: Iterable[_Judged], value_of: Callable[[_Judged], str | int]) -> list[Rate]:
    groups: dict[str | int, list[_Judged]] = {}
    for one in judged:
        groups.setdefault(value_of(one), []).append(one)
    return [_rate(value, members) for value, members in groups.items()]


def _rate(value: str | int, members: list[_Judged]) -> Rate:
    outcomes = [one.outcome for one in members]
    return Rate(value, len(members), outcomes.count(Outcome.APPROVED), outcomes.count(Outcome.CONFLICT))


def _moment(at: str) -> datetime:
    found = datetime.fromisoformat(at)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _span(at: datetime, period: Period) -> str:
    if period is Period.DAY:
        return at.date().isoformat()
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02}"


def _order(rate: Rate) -> tuple[int, str]:
    return (rate.value, "") if isinstance(rate.value, int) else (-rate.count, rate.value)
