"""Cases and queues as tests make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.records.store.store import CaseStore
from engine.review.model import Item, Verdict
from engine.review.queues import Queue, QueuedItem
from engine.review.store import ReviewStore
from tests.engine.review.judged import passage

MATTER = "Harbour"
YES, NO, LATER = Verdict.RELEVANT, Verdict.IRRELEVANT, Verdict.LATER


def kept(store: CaseStore, record: dict[str, Any], matter: str = MATTER, owner: str = "") -> str:
    return store.keep(record, store.matter(matter, owner), application="page", who="Ann")


def items_of(case_id: str, count: int) -> list[Item]:
    return [passage(f"passage:p{number}", case_id=case_id, text=f"Words {number}") for number in range(count)]


def queue_of(
    store: CaseStore,
    reviews: ReviewStore,
    record: dict[str, Any],
    count: int = 3,
    *,
    wanted: int = 1,
    assigned: Sequence[str] = (),
    owner: str = "",
) -> Queue:
    """A queue of so many passages of a new case."""
    items = items_of(kept(store, record, owner=owner), count)
    queued = [QueuedItem(item, assigned=tuple(assigned), wanted=wanted) for item in items]
    return reviews.make_queue(store.matter(MATTER, owner), "Harbour", queued, who="Ann")


def queued_items(reviews: ReviewStore, queue: Queue) -> list[Item]:
    return [one.item for one in reviews.items(queue.id).values()]
