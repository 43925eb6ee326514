"""What experts' verdicts say of the rankings of a corpus, for a report on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.errors import InputError
from engine.records.store import EVERYBODY, Owner
from engine.records.store.listing import Matter
from engine.records.wording import plural
from engine.review.agreement import Agreement, agreement
from engine.review.drawing import sampling_of
from engine.review.estimates import Estimates, PrecisionEstimate, RecallEstimate, estimates
from engine.review.kept import Criteria, Queue, QueuedItem
from engine.review.model import ItemKind
from engine.review.sampling import Sampling
from engine.review.store import ReviewStore

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
