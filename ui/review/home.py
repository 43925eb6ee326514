"""The queues of a reviewer, and new queues from a matter or a case."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import AccessError, CorpusError, InputError, RedstringError
from engine.records.store.database import CaseSummary, Matter
from engine.records.wording import plural
from engine.review.drawing import Drawing, left_out_note, queue_settings
from engine.review.items import Record
from engine.review.model import Assessment, ItemKind
from engine.review.queues import Progress, Queue
from engine.review.sampling import COUNTS, Sampling
from ui.review.desk import CASE, LONGEST_NAME, OPEN, WORDS, Answer, Ask, Own, shown, tone
from ui.review.exchange import files_html, take_in
from ui.review.figures import figures

# A new queue: items drawn from the cases of a matter, or from one of them.

# Cases that one queue is made of at most, the newest. A record is up to some megabytes.
MOST_CASES = 200


def made_queue(own: Own, ask: Ask) -> tuple[Queue, str]:
    """Draw items as the form says and put them into a queue; returns it with a sentence on what it holds.

    Cases whose corpus is gone, or is not open to whoever asks, are left out. Raises InputError where nothing
    was drawn.
    """
    who = own.reviewer
    sampling = Sampling(**{name: getattr(ask, name) for name in COUNTS}, reviewers=ask.reviewers)
    matter, every, again = _cases(own, ask)
    said = own.store.assessments(matter, own.owner, is_current=True) if sampling.telling else ()
    drawing, missing = Drawing(sampling, said), 0
    for case_id in every[:MOST_CASES]:
        try:
            record, corpus = opened(own, case_id)
        except (InputError, CorpusError):
            missing += 1
        else:
            drawing.add(case_id, record, corpus)
    settings = (
        queue_settings(sampling)
        | {"cases": len(every), OPEN: ask.open}
        | ({CASE: every[0]} if ask.cases else {})
    )
    queue = own.store.make_queue(matter, ask.name or matter.name, drawing.items(), who=who, settings=settings)
    return queue, "; ".join((*_told(queue, len(every), missing, drawing.unanswered), *left_out_note(again)))


def opened(own: Own, case_id: str) -> tuple[Record, Corpus]:
    """The record of a case of their own, and its corpus. Raises InputError or CorpusError where one is gone
    or not open to them."""
    record = own.cases.record(case_id, own.owner)
    library = own.desk.library
    return record, library.open(library.find(record["corpus"], own.person.key))


def _cases(own: Own, ask: Ask) -> tuple[Matter, list[str], int]:
    """The matter, the ids of the cases that are meant, the newest first, and how many are left out because a
    newer one asks the same: nobody is to judge the same passage for the same question twice."""
    if ask.cases:
        summary = own.cases.summary(ask.cases, own.owner)
        return own.matter(summary.matter), [summary.id], 0
    matter = own.matter(ask.matter)
    newest = own.cases.newest_ids(matter, own.owner)
    return matter, newest[::-1], len(own.cases.ids(matter, own.owner)) - len(newest)


def _told(queue: Queue, cases: int, missing: int, unanswered: int) -> list[str]:
    parts = [f"{plural(queue.items, 'item')} of {plural(min(cases, MOST_CASES) - missing, 'case')}"]
    if missing:
        parts.append(f"{plural(missing, 'case')} left out, whose corpus is gone or not open to you")
    if unanswered:
        parts.append(f"{plural(unanswered, 'case')} without an answer that can be given again")
    if cases > MOST_CASES:
        parts.append(f"only the newest {MOST_CASES} of {cases:,} cases were taken")
    return parts


# The first screen: the queues of whoever asks, what counts as relevant, and a form for a new
# queue.

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


# Review from inside of a case: its own queue, and what was said of the passages that it shows.

# What is judged of a case that somebody has before them: what it shows, a little of what it does not, so that
# its recall can be told, and what it answers.
OF_CASE = Sampling(best=20, border=0, alone=0, disagreed=0, random=5, sentences=5)
# Verdicts of others that stand beside one's own; all of them where it is pointed at.
MOST_OTHERS = 2


def review_case(own: Own, ask: Ask) -> Answer:
    """The queue of a case alone: the newest in which something is left, else a new one where the case has
    what none of them has, else the newest. Raises InputError for a case of another."""
    summary = own.cases.summary(ask.cases, own.owner)
    matter, reviewer = own.matter(summary.matter), own.reviewer
    with own.desk.making:
        known = [one for one in own.store.queues(matter, own.owner) if one.settings.get(CASE) == summary.id]
        left = [one for one in known if own.store.progress(one.id, reviewer).left]
        queue = left[0] if left else _made(own, summary, known)
    return {"queue": queue.id}


def _made(own: Own, case: CaseSummary, known: list[Queue]) -> Queue:
    drawing = Drawing(OF_CASE)
    drawing.add(case.id, *opened(own, case.id))
    items = drawing.items()
    queued = {one.item.key for queue in known for one in own.store.items(queue.id).values()}
    if known and all(one.item.key in queued for one in items):
        return known[0]
    settings, name = queue_settings(OF_CASE) | {OPEN: False, CASE: case.id}, case.name or case.question
    return own.store.make_queue(
        own.matter(case.matter), name[:LONGEST_NAME], items, who=own.reviewer, settings=settings
    )


def marks(own: Own, ask: Ask) -> Answer:
    """What whoever asks has said of passages of a case of their own, as marks by their ids, and beside that
    what others said of the same: nothing of what they have not judged themselves."""
    summary = own.cases.summary(ask.cases, own.owner)
    try:
        reviewer = own.reviewer
    except InputError:
        return {"marks": {}}
    of_item: dict[str, list[Assessment]] = defaultdict(list)
    for one in own.store.assessments(owner=own.owner, case_id=summary.id, is_current=True):
        if one.item.kind is ItemKind.PASSAGE:
            of_item[one.item.key].append(one)
    found: dict[str, str] = {}
    for given in of_item.values():
        others = [one for one in given if one.reviewer != reviewer]
        for mine in (one for one in given if one.reviewer == reviewer):
            mark = shown("mark", mine=mine, others=others, most=MOST_OTHERS, tone=tone, words=WORDS)
            copies = (key.partition(":")[2] for key in mine.item.copies)
            found.update(dict.fromkeys((mine.item.passage_id, *copies), mark))
    return {"marks": found}
