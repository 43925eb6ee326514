"""Quality of retrieval by reviewers' verdicts: approval rates and estimates of rankings.

An item counts once, by the majority of its reviewers; a tie is a conflict, which is counted and not approved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from engine.errors import InputError
from engine.extraction.checklist import wilson
from engine.records.phrases import plural
from engine.records.store import EVERYBODY, Owner
from engine.records.store.database import Matter
from engine.review.agreement import Agreement, agreement
from engine.review.estimates import Estimates, PrecisionEstimate, RecallEstimate, estimates
from engine.review.model import Assessment, Item, ItemKind, current_assessments
from engine.review.queues import Criteria, Queue, QueuedItem
from engine.review.sampling import Sampling, parse_sampling
from engine.review.store import ReviewStore


class Dimension(StrEnum):
    """Properties that items are grouped by. The strategy is the one that found an item first."""

    STRATEGY = "strategy"
    RELATION = "relation"
    DISTANCE = "hop distance"
    ROUND = "round"
    LANGUAGE = "language"
    DOCUMENT_TYPE = "document type"


class Period(StrEnum):
    """Length of the intervals of a time series."""

    DAY = "day"
    WEEK = "week"


class Outcome(StrEnum):
    """The joint verdict of all reviewers of an item."""

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
    """Of ``count`` items with ``value`` (empty if they have none), how many were approved, and how many are
    conflicts."""

    value: str | int
    count: int
    approved: int
    conflicts: int

    @property
    def share(self) -> float | None:
        """Share of approved items, 0..1; None if none was judged."""
        return self.approved / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% interval of the share (Wilson); None if none was judged."""
        return wilson(self.approved, self.count) if self.count else None


@dataclass(frozen=True, slots=True)
class _JudgedItem:
    item: Item
    outcome: Outcome
    at: datetime


def overall(assessments: Iterable[Assessment]) -> Rate:
    """Return the rate of all items together; its value is empty."""
    return _rate("", _judged(assessments))


def rates(assessments: Iterable[Assessment], dimension: Dimension) -> list[Rate]:
    """Return a rate for each value of a dimension, by current assessments: numbers ascending, names by number
    of items. Give items of one kind: approving passages and hops differs."""
    found = _grouped(_judged(assessments), lambda one: _VALUES[dimension](one.item))
    return sorted(found, key=_order)


def over_time(assessments: Iterable[Assessment], period: Period) -> list[Rate]:
    """Return a rate for each day ("2026-01-31") or ISO 8601 week ("2026-W05") in UTC by the last verdict on
    an item, earliest first; empty days and weeks are left out."""
    return sorted(
        _grouped(_judged(assessments), lambda one: _span(one.at, period)), key=lambda rate: str(rate.value)
    )


def outcome(assessments: Iterable[Assessment]) -> Outcome:
    """Return the joint outcome of the current assessments of one item."""
    votes = [one.is_approval for one in assessments]
    against = len(votes) - sum(votes)
    if sum(votes) == against:
        return Outcome.CONFLICT
    return Outcome.APPROVED if sum(votes) > against else Outcome.REFUSED


def _judged(assessments: Iterable[Assessment]) -> list[_JudgedItem]:
    found: dict[tuple[str, str], list[Assessment]] = {}
    for one in current_assessments(assessments):
        found.setdefault((one.item.case_id, one.item.key), []).append(one)
    return [
        _JudgedItem(assessments[-1].item, outcome(assessments), max(_moment(one.at) for one in assessments))
        for assessments in found.values()
    ]


def _grouped(judged: Iterable[_JudgedItem], value_of: Callable[[_JudgedItem], str | int]) -> list[Rate]:
    groups: dict[str | int, list[_JudgedItem]] = {}
    for one in judged:
        groups.setdefault(value_of(one), []).append(one)
    return [_rate(value, members) for value, members in groups.items()]


def _rate(value: str | int, members: list[_JudgedItem]) -> Rate:
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


# Target width of the recall interval, for which the needed number of verdicts is reported.
WIDTH = 0.2


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of the rankings of one corpus by the verdicts on queues of one matter with equal sampling.

    ``queues`` are these, newest first; ``cases`` counts cases that asked the corpus, for each question the
    one judged last; ``reviewers`` judged their passages, ``alpha`` is their agreement. ``criteria`` are the
    current ones, ``outdated`` counts verdicts under earlier ones, ``earlier`` those on another state of the
    corpus.
    """

    queues: tuple[Queue, ...]
    criteria: Criteria | None
    estimates: Estimates
    alpha: Agreement
    cases: int
    reviewers: int
    outdated: int
    earlier: int

    @property
    def title(self) -> str:
        """The name of the newest queue, and how many others there are."""
        first, *others = self.queues
        name = first.name or first.id
        return f"{name}, and {plural(len(others), 'queue')} drawn like it" if others else name


def measure_quality(reviews: ReviewStore, owner: Owner, corpus: str, fingerprint: str) -> list[Quality]:
    """Return the quality of a corpus's rankings by an owner's queues, newest first, without queues that have
    no verdicts. The corpus is given by name and fingerprint. Raises as ``ReviewStore``."""
    alike: dict[tuple[str, Sampling], list[Queue]] = {}
    for queue in reviews.queues(None, owner):
        with suppress(InputError):
            # Reviewers and items of other kinds make no difference to the estimates.
            how = replace(
                parse_sampling(queue), hops=0, sentences=0, telling=0, reviewers=1, assigned=(), seed=0
            )
            alike.setdefault((queue.matter, how), []).append(queue)
    found = (_quality(reviews, queues, how, corpus, fingerprint) for (_, how), queues in alike.items())
    return [one for one in found if one is not None]


def _quality(
    reviews: ReviewStore, queues: Sequence[Queue], how: Sampling, corpus: str, fingerprint: str
) -> Quality | None:
    # A case in several queues counts as in the newest of them.
    of_case: dict[str, tuple[Queue, list[QueuedItem]]] = {}
    for queue in queues:
        known = set(of_case)
        for one in reviews.items(queue.id, corpus=corpus).values():
            if one.item.kind is ItemKind.PASSAGE and one.item.case_id not in known:
                of_case.setdefault(one.item.case_id, (queue, []))[1].append(one)
    keys = {(one.item.case_id, one.item.key) for _, items in of_case.values() for one in items}
    # Verdicts on an item count from any queue.
    matter = Matter(queues[0].matter, "", "", "")
    assessments = [
        one
        for one in reviews.assessments(matter, EVERYBODY, corpus=corpus, is_current=True)
        if (one.item.case_id, one.item.key) in keys
    ]
    last = {" ".join(one.question.split()): one.item.case_id for one in assessments}
    older = {one.item.case_id for one in assessments} - set(last.values())
    assessments = [one for one in assessments if one.item.case_id not in older]
    used_items = {case: own for case, own in of_case.items() if case not in older}
    estimate = estimates([one for _, items in used_items.values() for one in items], assessments, how)
    if not estimate.judged:
        return None
    criteria = reviews.criteria(matter)
    version = 0 if criteria is None else criteria.version
    used = {queue.id for queue, _ in used_items.values()}
    return Quality(
        tuple(queue for queue in queues if queue.id in used),
        criteria,
        estimate,
        agreement(assessments, ItemKind.PASSAGE),
        len(used_items),
        len({one.reviewer for one in assessments}),
        sum(one.criteria < version for one in assessments),
        sum(one.fingerprint not in ("", fingerprint) for one in assessments),
    )


def quality_to_json(found: Quality) -> dict[str, Any]:
    """Return the quality as plain values."""
    estimate = found.estimates
    recall = estimate.recall
    return {
        "title": found.title,
        "queues": [one.id for one in found.queues],
        "criteria": None if found.criteria is None else found.criteria.text,
        "cases": found.cases,
        "reviewers": found.reviewers,
        "judged": estimate.judged,
        "drawn": estimate.drawn,
        "precision_at": {str(k): None if one is None else asdict(one) for k, one in estimate.at.items()},
        "precision": None if estimate.overall is None else asdict(estimate.overall),
        "recall": None if recall is None else asdict(recall),
        "more_needed": None if recall is None else recall.more_needed(WIDTH),
        "alpha": found.alpha.value,
        "outdated": found.outdated,
        "earlier_state": found.earlier,
    }


def quality_lines(found: Quality) -> Iterator[str]:
    """Yield the quality in sentences."""
    estimate, people = found.estimates, "1 person" if found.reviewers == 1 else f"{found.reviewers:,} people"
    of = plural(found.cases, "case")
    judged = f"{estimate.judged:,} of {estimate.drawn:,} passages"
    yield f"{judged} that were drawn from {of} are judged, by {people}."
    known = [(f"of the best {k}", one) for k, one in estimate.at.items()] + [
        ("of all ranked", estimate.overall)
    ]
    shares = [f"{_share(one)} {words}" for words, one in known if one is not None]
    if shares:
        yield f"Relevant, wholly or partly: {'; '.join(shares)}."
    yield from _recall(estimate.recall)
    if found.alpha.value is not None:
        yield f"Krippendorff's alpha: {found.alpha.value:.2f} on {found.alpha.items:,} judged by several."
    if found.outdated:
        yield f"{found.outdated:,} verdicts were given under earlier criteria."
    if found.earlier:
        yield f"{found.earlier:,} verdicts are on cases that asked another state of the corpus."


def _recall(recall: RecallEstimate | None) -> Iterator[str]:
    if recall is None:
        yield "The share of relevant passages that are ranked is unknown: judge passages drawn at random."
        return
    of = "of these cases" if recall.of_these_cases else "of cases like these"
    yield (
        f"Ranked of what is relevant in the pools: {_share(recall)}, {of}; that is about "
        f"{recall.ranked:,.0f} of {recall.relevant:,.0f} passages."
    )
    more = recall.more_needed(WIDTH)
    if more:
        yield f"About {more:,} verdicts more on passages drawn at random narrow that to {WIDTH:.0%}."


def _share(one: PrecisionEstimate | RecallEstimate) -> str:
    return f"{one.value:.0%} ({one.low:.0%} to {one.high:.0%})"
