"""The first screen: the queues of whoever asks, what counts as relevant, and a form for a new queue."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from engine.errors import AccessError, InputError, RedstringError
from engine.records.store.listing import CaseSummary, Matter
from engine.review.kept import Progress, Queue
from ui.review.asked import LONGEST_NAME, Ask
from ui.review.desk import Answer, Own, shown
from ui.review.exchange import files_html, take_in
from ui.review.figures import figures
from ui.review.making import made_queue

MOST_QUEUES = 100
NOT_YOURS = "a queue is changed by whoever it belongs to"


def home(own: Own, ask: Ask) -> Answer:
    """The whole screen, with the matter of ``ask`` chosen, else that of the open case, else the first that
    has cases."""
    counted = own.cases.counted(own.owner)
    opened = _open_case(own, ask)
    chosen = _chosen(counted, ask.matter or (opened.matter if opened else ""))
    slots = {
        "queues": _queues(own),
        "matters": shown("matters", matters=counted, chosen=chosen.id if chosen else ""),
        "cases": shown("cases", count=dict(_counts(counted)).get(chosen.id if chosen else "", 0),
                       opened=opened if opened and chosen and opened.matter == chosen.id else None),
        "criteria": "" if chosen is None else _criteria(own, chosen),
        "files": "" if chosen is None else files_html(own, matter=chosen),
        "learned-here": "" if chosen is None else shown("learned_here", matter=chosen),
    }  # fmt: skip
    return {"html": slots, "named": own.person.name, "cases": any(count for _, count in counted)}


def queues(own: Own, ask: Ask) -> Answer:
    """The queues alone, as they are for the name that somebody has given."""
    return {"html": {"queues": _queues(own)}}


def write_criteria(own: Own, ask: Ask) -> Answer:
    """Keep what counts as relevant in a matter."""
    matter = own.matter(ask.matter)
    kept = own.store.write_criteria(matter, ask.criteria, who=own.reviewer)
    return {"html": {"criteria": _criteria(own, matter)}, "said": f"Kept: version {kept.version}"}


def make_queue(own: Own, ask: Ask) -> Answer:
    """Make a queue and tell what was left out."""
    queue, told = made_queue(own, ask)
    return {"html": {"queues": _queues(own)}, "said": told, "made": queue.id}


def drop_queue(own: Own, ask: Ask) -> Answer:
    """Delete a queue of one's own; what was said stays with its cases. Raises AccessError for another's."""
    queue = own.queue(ask.queue)
    if not own.owns(queue):
        raise AccessError(NOT_YOURS)
    own.store.delete_queue(queue.id, own.owner)
    return {"html": {"queues": _queues(own)}, "said": "Deleted. What was said stays with its cases."}


def assign(own: Own, ask: Ask) -> Answer:
    """Ask one more to review a queue of one's own. Raises AccessError for another's."""
    queue = own.queue(ask.queue)
    if not own.owns(queue):
        raise AccessError(NOT_YOURS)
    made = own.store.assign(queue.id, ask.name, own.owner)
    return {"html": {"queues": _queues(own)}, "said": f"{made.reviewers[-1]} is asked to review {made.name}"}


def bring(own: Own, ask: Ask) -> Answer:
    """Keep the verdicts of a file, and show what they come to."""
    told, queue = take_in(own, ask)
    html = {"queues": _queues(own)} if queue is None else figures(own, ask)["html"]
    return {"html": html, "said": told}


def _queues(own: Own) -> str:
    names = {one.id: one.name for one in own.matters}
    found = own.queues()
    rows = [
        (queue, names.get(queue.matter, ""), queue.matter in names, _progress(own, queue))
        for queue in found[:MOST_QUEUES]
    ]
    return shown(
        "queues", rows=rows, total=len(found), most=MOST_QUEUES, longest_name=LONGEST_NAME,
        has_roles=own.desk.library.settings.access != "off",
    )  # fmt: skip


def _progress(own: Own, queue: Queue) -> Progress | None:
    """How far whoever asks is; None as long as they have no name."""
    try:
        return own.store.progress(queue.id, own.reviewer)
    except InputError:
        return None


def _criteria(own: Own, matter: Matter) -> str:
    return shown("criteria", matter=matter, criteria=own.store.criteria(matter))


def _open_case(own: Own, ask: Ask) -> CaseSummary | None:
    """The case that is open on the page, where it is one of their own."""
    if ask.cases:
        with suppress(RedstringError):
            return own.cases.summary(ask.cases, own.owner)
    return None


def _chosen(counted: list[tuple[Matter, int]], wanted: str) -> Matter | None:
    """The matter that is wanted, else the first with cases, else the first."""
    named = [one for one, _ in counted if one.id == wanted]
    full = [one for one, count in counted if count]
    return next(iter([*named, *full, *(one for one, _ in counted)]), None)


def _counts(counted: list[tuple[Matter, int]]) -> Any:
    return ((one.id, count) for one, count in counted)
