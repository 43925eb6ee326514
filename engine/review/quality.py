"""What experts' verdicts say of the rankings of a corpus, for a report on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.listing import Matter
from engine.review.agreement import Agreement, agreement
from engine.review.drawing import sampling_of
from engine.review.estimates import Estimates, PrecisionEstimate, RecallEstimate, estimates
from engine.review.kept import Criteria, Queue
from engine.review.model import ItemKind
from engine.review.store import ReviewStore

# How many more verdicts narrow the recall to this is told.
WIDTH = 0.2


@dataclass(frozen=True, slots=True)
class Quality:
    """What the verdicts on a queue say of the rankings of one corpus.

    ``cases`` asked it; ``reviewers`` judged passages of them, ``alpha`` says how far they agree. ``criteria``
    are what counts as relevant now, ``outdated`` verdicts were given under earlier ones, ``earlier`` on
    another state of the corpus.
    """

    queue: Queue
    criteria: Criteria | None
    estimates: Estimates
    alpha: Agreement
    cases: int
    reviewers: int
    outdated: int
    earlier: int


def qualities(reviews: ReviewStore, owner: Owner, corpus: str, fingerprint: str) -> list[Quality]:
    """What the queues of somebody's matters say of the rankings of a corpus, by its name and its state, the
    newest first; those that say nothing are left out. Raises as ``ReviewStore``."""
    found = (_quality(reviews, queue, corpus, fingerprint) for queue in reviews.queues(None, owner))
    return [one for one in found if one is not None]


def _quality(reviews: ReviewStore, queue: Queue, corpus: str, fingerprint: str) -> Quality | None:
    try:
        sampling = sampling_of(queue)
    except InputError:
        return None
    items = [
        one for one in reviews.items(queue.id, corpus=corpus).values() if one.item.kind is ItemKind.PASSAGE
    ]
    if not items:
        return None
    # Verdicts on an item count wherever they were given.
    matter = Matter(queue.matter, "", "", "")
    keys = {(one.item.case_id, one.item.key) for one in items}
    said = [
        one
        for one in reviews.assessments(matter, EVERYBODY, corpus=corpus, stands=True)
        if (one.item.case_id, one.item.key) in keys
    ]
    told = estimates(items, said, sampling)
    if not told.judged:
        return None
    criteria = reviews.criteria(matter)
    version = 0 if criteria is None else criteria.version
    return Quality(
        queue,
        criteria,
        told,
        agreement(said, ItemKind.PASSAGE).alpha,
        len({one.item.case_id for one in items}),
        len({one.reviewer for one in said}),
        sum(one.criteria < version for one in said),
        sum(one.fingerprint not in ("", fingerprint) for one in said),
    )


def quality_to_json(found: Quality) -> dict[str, Any]:
    """What a queue says as plain values."""
    told = found.estimates
    recall = told.recall
    return {
        "queue": found.queue.id,
        "name": found.queue.name,
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
    """What a queue says, in sentences."""
    told, people = found.estimates, "1 person" if found.reviewers == 1 else f"{found.reviewers:,} people"
    cases = "1 case" if found.cases == 1 else f"{found.cases:,} cases"
    yield f"{told.judged:,} of {told.drawn:,} passages that were drawn from {cases} are judged, by {people}."
    known = [(f"of the best {k}", one) for k, one in told.at.items()] + [("of all ranked", told.overall)]
    shares = [f"{words} {_share(one)}" for words, one in known if one is not None]
    if shares:
        yield f"Relevant, wholly or partly: {'; '.join(shares)}."
    yield from _recall(told.recall)
    if found.alpha.value is not None:
        yield f"{found.alpha.measure}: {found.alpha.value:.2f} on {found.alpha.items:,} judged by several."
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
