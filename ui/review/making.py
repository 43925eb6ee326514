"""A new queue: items drawn from the cases of a matter, or from one of them."""

from __future__ import annotations

from engine.errors import CorpusError, InputError
from engine.records.store.listing import Matter
from engine.records.wording import plural
from engine.review.drawing import settings_of
from engine.review.items import hop_items, passage_items
from engine.review.kept import Queue, QueuedItem
from engine.review.sampling import Sampling, drawn
from ui.review.asked import Ask
from ui.review.desk import OPEN, Own

# Cases that one queue is made of at most, the newest, and what it may hold. A record is up to some megabytes.
MOST_CASES, MOST_IN_QUEUE = 200, 20_000


def made_queue(own: Own, ask: Ask) -> tuple[Queue, str]:
    """Draw items as the form says and put them into a queue; returns it with a sentence on what it holds.

    Cases whose corpus is gone, or is not open to whoever asks, are left out. Raises InputError where nothing
    was drawn.
    """
    who = own.reviewer
    sampling = Sampling(
        best=ask.best, border=ask.border, alone=ask.alone, disagreed=ask.disagreed, random=ask.random,
        hops=ask.hops, reviewers=ask.reviewers,
    )  # fmt: skip
    matter, every = _cases(own, ask)
    items: list[QueuedItem] = []
    missing = 0
    for case_id in every[:MOST_CASES]:
        try:
            items += _drawn(own, case_id, sampling)
        except (InputError, CorpusError):
            missing += 1
    if len(items) > MOST_IN_QUEUE:
        raise InputError(f"that would be {len(items):,} items; take less of each case")
    settings = settings_of(sampling) | {"cases": len(every), OPEN: ask.open}
    queue = own.store.make_queue(matter, ask.name or matter.name, items, who=who, settings=settings)
    return queue, _told(queue, len(every), missing)


def _cases(own: Own, ask: Ask) -> tuple[Matter, list[str]]:
    """The matter, and the ids of the cases that are meant, the newest first."""
    if ask.cases:
        summary = own.cases.summary(ask.cases, own.owner)
        return own.matter(summary.matter), [summary.id]
    matter = own.matter(ask.matter)
    return matter, own.cases.ids(matter, own.owner)[::-1]


def _drawn(own: Own, case_id: str, sampling: Sampling) -> list[QueuedItem]:
    record = own.cases.record(case_id, own.owner)
    library = own.desk.library
    corpus = library.open(library.find(record["corpus"], own.person.key))
    hops = hop_items(record, case_id, corpus) if sampling.hops else []
    return drawn(passage_items(record, case_id, corpus), hops, record, sampling)


def _told(queue: Queue, cases: int, missing: int) -> str:
    parts = [f"{plural(queue.items, 'item')} of {plural(min(cases, MOST_CASES) - missing, 'case')}"]
    if missing:
        parts.append(f"{plural(missing, 'case')} left out, whose corpus is gone or not open to you")
    if cases > MOST_CASES:
        parts.append(f"only the newest {MOST_CASES} of {cases:,} cases were taken")
    return "; ".join(parts)
