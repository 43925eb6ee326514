"""Review from inside of a case: its own queue, and what was said of the passages that it shows."""

from __future__ import annotations

from collections import defaultdict

from engine.errors import InputError
from engine.records.store.listing import CaseSummary
from engine.review.drawing import Drawing, settings_of
from engine.review.kept import Queue
from engine.review.model import Assessment, ItemKind
from engine.review.sampling import Sampling
from ui.review.asked import LONGEST_NAME, Ask
from ui.review.desk import CASE, OPEN, Answer, Own, shown
from ui.review.making import opened
from ui.review.wording import WORDS, tone

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
    settings, name = settings_of(OF_CASE) | {OPEN: False, CASE: case.id}, case.name or case.question
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
    for one in own.store.assessments(owner=own.owner, case_id=summary.id, stands=True):
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
