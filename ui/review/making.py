"""A new queue: items drawn from the cases of a matter, or from one of them."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.records.store.listing import Matter
from engine.records.wording import plural
from engine.review.drawing import Drawing, asked_again, settings_of
from engine.review.items import Record
from engine.review.kept import Queue
from engine.review.sampling import COUNTS, Sampling
from ui.review.asked import Ask
from ui.review.desk import CASE, OPEN, Own

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
    said = own.store.assessments(matter, own.owner, stands=True) if sampling.telling else ()
    drawing, missing = Drawing(sampling, said), 0
    for case_id in every[:MOST_CASES]:
        try:
            record, corpus = opened(own, case_id)
        except (InputError, CorpusError):
            missing += 1
        else:
            drawing.add(case_id, record, corpus)
    settings = (
        settings_of(sampling)
        | {"cases": len(every), OPEN: ask.open}
        | ({CASE: every[0]} if ask.cases else {})
    )
    queue = own.store.make_queue(matter, ask.name or matter.name, drawing.items(), who=who, settings=settings)
    return queue, "; ".join((*_told(queue, len(every), missing, drawing.unanswered), *asked_again(again)))


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
