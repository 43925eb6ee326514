"""Quality of retrieval by verdicts: approval rates and agreement."""

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
from engine.review.drawing import sampling_of
from engine.review.estimates import Estimates, PrecisionEstimate, RecallEstimate, estimates
from engine.review.kept import Criteria, Queue, QueuedItem
from engine.review.model import Assessment, Item, ItemKind, standing
from engine.review.sampling import Sampling
from engine.review.store import ReviewStore

# How much of what was found reviewers approve of, by where it came from and over time.
#
# An item counts once, by the majority of those who judged it; where as many approve as do not, it
# is a conflict, which is counted and not approved.


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


# What experts' verdicts say of the rankings of a corpus, for a report on it.

# How many more verdicts narrow the recall to this is told.
WIDTH = 0.2


@dataclass(frozen=True, slots=True)
class Quality:
    """What the verdicts on queues of one matter that were drawn alike say of the rankings of one corpus.

    ``queues`` are these, the newest first; ``cases`` asked the corpus, of those that asked the same the one
    that was judged last; ``reviewers`` judged passages of them, ``alpha`` says how far they agree.
    ``criteria`` are what counts as relevant now, ``outdated`` verdicts were given under earlier ones,
    ``earlier`` on another state of the corpus.
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
        """What it is about, in words."""
        first, *others = self.queues
        name = first.name or first.id
        return f"{name}, and {plural(len(others), 'queue')} drawn like it" if others else name


def qualities(reviews: ReviewStore, owner: Owner, corpus: str, fingerprint: str) -> list[Quality]:
    """What the queues of somebody's matters say of the rankings of a corpus, by its name and its state, the
    newest first; those that say nothing are left out. Raises as ``ReviewStore``."""
    alike: dict[tuple[str, Sampling], list[Queue]] = {}
    for queue in reviews.queues(None, owner):
        with suppress(InputError):
            # Who judges is no matter of how it was drawn, nor are items of other kinds.
            how = replace(
                sampling_of(queue), hops=0, sentences=0, telling=0, reviewers=1, assigned=(), seed=0
            )
            alike.setdefault((queue.matter, how), []).append(queue)
    found = (_quality(reviews, queues, how, corpus, fingerprint) for (_, how), queues in alike.items())
    return [one for one in found if one is not None]


def _quality(
    reviews: ReviewStore, queues: Sequence[Queue], how: Sampling, corpus: str, fingerprint: str
) -> Quality | None:
    # A case that is in several queues counts as the newest of them has it.
    of_case: dict[str, tuple[Queue, list[QueuedItem]]] = {}
    for queue in queues:
        known = set(of_case)
        for one in reviews.items(queue.id, corpus=corpus).values():
            if one.item.kind is ItemKind.PASSAGE and one.item.case_id not in known:
                of_case.setdefault(one.item.case_id, (queue, []))[1].append(one)
    keys = {(one.item.case_id, one.item.key) for _, items in of_case.values() for one in items}
    # Verdicts on an item count wherever they were given.
    matter = Matter(queues[0].matter, "", "", "")
    said = [
        one
        for one in reviews.assessments(matter, EVERYBODY, corpus=corpus, stands=True)
        if (one.item.case_id, one.item.key) in keys
    ]
    last = {" ".join(one.question.split()): one.item.case_id for one in said}
    older = {one.item.case_id for one in said} - set(last.values())
    said = [one for one in said if one.item.case_id not in older]
    kept = {case: own for case, own in of_case.items() if case not in older}
    told = estimates([one for _, items in kept.values() for one in items], said, how)
    if not told.judged:
        return None
    criteria = reviews.criteria(matter)
    version = 0 if criteria is None else criteria.version
    used = {queue.id for queue, _ in kept.values()}
    return Quality(
        tuple(queue for queue in queues if queue.id in used),
        criteria,
        told,
        agreement(said, ItemKind.PASSAGE),
        len(kept),
        len({one.reviewer for one in said}),
        sum(one.criteria < version for one in said),
        sum(one.fingerprint not in ("", fingerprint) for one in said),
    )


def quality_to_json(found: Quality) -> dict[str, Any]:
    """What verdicts say as plain values."""
    told = found.estimates
    recall = told.recall
    return {
        "title": found.title,
        "queues": [one.id for one in found.queues],
        "criteria": None if found.criteria is None else found.criteria.text,
        "cases": found.cases,
        "reviewers": found.reviewers,
        "judged": told.judged,
        "drawn": told.drawn,
        "precision_at": {str(k): None if one is None else asdict(one) for k, one in told.at.items()},
        "precision": None if told.overall is None else asdict(told.overall),
        "recall": None if recall is None else asdict(recall),
        "more_needed": None if recall is None else recall.more_needed(WIDTH),
        "alpha": found.alpha.value,
        "outdated": found.outdated,
        "earlier_state": found.earlier,
    }


def quality_lines(found: Quality) -> Iterator[str]:
    """What verdicts say, in sentences."""
    told, people = found.estimates, "1 person" if found.reviewers == 1 else f"{found.reviewers:,} people"
    of = plural(found.cases, "case")
    yield f"{told.judged:,} of {told.drawn:,} passages that were drawn from {of} are judged, by {people}."
    known = [(f"of the best {k}", one) for k, one in told.at.items()] + [("of all ranked", told.overall)]
    shares = [f"{_share(one)} {words}" for words, one in known if one is not None]
    if shares:
        yield f"Relevant, wholly or partly: {'; '.join(shares)}."
    yield from _recall(told.recall)
    if found.alpha.value is not None:
        yield f"Krippendorff's alpha: {found.alpha.value:.2f} on {found.alpha.items:,} judged by several."
    if found.outdated:
        yield f"{found.outdated:,} verdicts were given under earlier criteria."
    if found.earlier:
        yield f"{found.earlier:,} verdicts are of cases that asked another state of the corpus."


def _recall(recall: RecallEstimate | None) -> Iterator[str]:
    if recall is None:
        yield "How much of what is relevant is ranked cannot be told: judge passages drawn at random."
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
