"""The Review view: its queues, its calls and its frame."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import Annotated, Any

import gradio as gr
from pydantic import BeforeValidator, Field

from engine.corpus.protocol import Corpus
from engine.errors import AccessError, CorpusError, InputError, RedstringError
from engine.records.phrases import plural
from engine.records.store.database import CaseSummary, Matter
from engine.review.case_verdicts import Record
from engine.review.model import Assessment, ItemKind
from engine.review.queues import LONGEST_TEXT, Progress, Queue
from engine.review.sampling import COUNTS, Drawing, Sampling, left_out_note, queue_settings
from ui.calls import Answer, Call, build_panel, by_name
from ui.review import figures, turns, weights
from ui.review.access import (
    CASE,
    LONGEST_NAME,
    LONGEST_NOTE,
    OPEN,
    WORDS,
    CaseForm,
    MatterForm,
    QueueForm,
    ReviewAccess,
    ReviewDesk,
    ReviewForm,
    shown,
    tone,
)
from ui.review.figures import ImportForm, figures_screen, files_html, take_in

# A new queue.

# Limit of cases per queue, the newest first: a record may have several megabytes.
MOST_CASES = 200
MOST_ITEMS, MOST_REVIEWERS = 2000, 20
Count = Annotated[int, Field(ge=0, le=MOST_ITEMS)]
# A ticked box sends "on", an empty one nothing.
Ticked = Annotated[bool, BeforeValidator(lambda sent: True if sent == "on" else sent)]


class HomeForm(MatterForm, CaseForm):
    """The matter to show, and the case that is open on the page."""


class CriteriaForm(MatterForm):
    """The criteria of a matter."""

    criteria: str = Field(default="", max_length=LONGEST_TEXT)


class AssignmentForm(QueueForm):
    """The name of a reviewer to add to a queue."""

    name: str = Field(default="", max_length=LONGEST_NAME)


class QueueRequest(HomeForm):
    """A new queue from a matter, or from the one case ``cases``: how many items of each kind are drawn, and
    how many reviewers judge each. ``open``: every reviewer of the server may join."""

    name: str = Field(default="", max_length=LONGEST_NAME)
    best: Count = 10
    border: Count = 5
    alone: Count = 3
    disagreed: Count = 3
    random: Count = 5
    hops: Count = 5
    sentences: Count = 0
    telling: Count = 0
    reviewers: int = Field(default=1, ge=1, le=MOST_REVIEWERS)
    open: Ticked = False


def draw_queue(access: ReviewAccess, form: QueueRequest) -> tuple[Queue, str]:
    """Draw items into a new queue; returns it with a sentence on its items.

    Cases whose corpus was removed, or is not open to the caller, are left out. Raises InputError if no item
    was drawn.
    """
    who = access.reviewer
    sampling = Sampling(**{name: getattr(form, name) for name in COUNTS}, reviewers=form.reviewers)
    matter, every, again = _cases(access, form)
    verdicts = access.store.assessments(matter, access.owner, is_current=True) if sampling.telling else ()
    drawing, missing = Drawing(sampling, verdicts), 0
    for case_id in every[:MOST_CASES]:
        try:
            record, corpus = opened(access, case_id)
        except (InputError, CorpusError):
            missing += 1
        else:
            drawing.add(case_id, record, corpus)
    settings = (
        queue_settings(sampling)
        | {"cases": len(every), OPEN: form.open}
        | ({CASE: every[0]} if form.cases else {})
    )
    queue = access.store.make_queue(
        matter, form.name or matter.name, drawing.items(), who=who, settings=settings
    )
    return queue, "; ".join(
        (*_summary(queue, len(every), missing, drawing.unanswered), *left_out_note(again))
    )


def opened(access: ReviewAccess, case_id: str) -> tuple[Record, Corpus]:
    """Return the record of a case of the caller, and its corpus. Raises InputError or CorpusError if one was
    removed or is not open to the caller."""
    record = access.cases.record(case_id, access.owner)
    library = access.desk.library
    return record, library.open(library.find(record["corpus"], access.person.key))


def _cases(access: ReviewAccess, form: QueueRequest) -> tuple[Matter, list[str], int]:
    """Return the matter, the ids of its cases, the newest first, and the number of cases left out because a
    newer one asks the same question: a passage is judged once per question."""
    if form.cases:
        summary = access.cases.summary(form.cases, access.owner)
        return access.matter(summary.matter), [summary.id], 0
    matter = access.matter(form.matter)
    newest = access.cases.newest_ids(matter, access.owner)
    return matter, newest[::-1], len(access.cases.ids(matter, access.owner)) - len(newest)


def _summary(queue: Queue, cases: int, missing: int, unanswered: int) -> list[str]:
    parts = [f"{plural(queue.items, 'item')} of {plural(min(cases, MOST_CASES) - missing, 'case')}"]
    if missing:
        parts.append(f"{plural(missing, 'case')} left out, whose corpus was removed or is not open to you")
    if unanswered:
        parts.append(f"{plural(unanswered, 'case')} without an answer that can be given again")
    if cases > MOST_CASES:
        parts.append(f"only the newest {MOST_CASES} of {cases:,} cases were taken")
    return parts


# The first screen: the caller's queues, the criteria, and a form for a new queue.

MOST_QUEUES = 100
NOT_YOURS = "a queue is changed by its owner"


def home(access: ReviewAccess, form: HomeForm) -> Answer:
    """Return the whole screen. The matter of ``ask`` is selected, else that of the open case, else the first
    that has cases."""
    counted = access.cases.counted(access.owner)
    opened = _open_case(access, form)
    chosen = _chosen(counted, form.matter or (opened.matter if opened else ""))
    slots = {
        "queues": _queues(access),
        "matters": shown("matters", matters=counted, chosen=chosen.id if chosen else ""),
        "cases": shown("cases", count=dict(_counts(counted)).get(chosen.id if chosen else "", 0),
                       opened=opened if opened and chosen and opened.matter == chosen.id else None),
        "criteria": "" if chosen is None else _criteria(access, chosen),
        "files": "" if chosen is None else files_html(access, matter=chosen),
        "learned-here": "" if chosen is None else shown("learned_here", matter=chosen),
    }  # fmt: skip
    return {"html": slots, "named": access.person.name, "cases": any(count for _, count in counted)}


def queues(access: ReviewAccess, form: ReviewForm) -> Answer:
    """Return the queues alone, for a typed name."""
    return {"html": {"queues": _queues(access)}}


def write_criteria(access: ReviewAccess, form: CriteriaForm) -> Answer:
    """Store the criteria of a matter."""
    matter = access.matter(form.matter)
    kept = access.store.write_criteria(matter, form.criteria, who=access.reviewer)
    return {"html": {"criteria": _criteria(access, matter)}, "said": f"Saved as version {kept.version}"}


def make_queue(access: ReviewAccess, form: QueueRequest) -> Answer:
    """Make a queue; the answer reports what was left out."""
    queue, message = draw_queue(access, form)
    return {"html": {"queues": _queues(access)}, "said": message, "made": queue.id}


def drop_queue(access: ReviewAccess, form: QueueForm) -> Answer:
    """Delete a queue of the caller; its verdicts stay with the cases. Raises AccessError for another's."""
    queue = access.queue(form.queue)
    if not access.owns(queue):
        raise AccessError(NOT_YOURS)
    access.store.delete_queue(queue.id, access.owner)
    return {"html": {"queues": _queues(access)}, "said": "Deleted. Its verdicts stay with their cases."}


def assign(access: ReviewAccess, form: AssignmentForm) -> Answer:
    """Assign a reviewer to a queue of the caller. Raises AccessError for another's."""
    queue = access.queue(form.queue)
    if not access.owns(queue):
        raise AccessError(NOT_YOURS)
    made = access.store.assign(queue.id, form.name, access.owner)
    return {
        "html": {"queues": _queues(access)},
        "said": f"{made.reviewers[-1]} is asked to review {made.name}",
    }


def bring(access: ReviewAccess, form: ImportForm) -> Answer:
    """Import the verdicts of a file; returns the queues, or the figures of the queue."""
    message, queue = take_in(access, form)
    html = {"queues": _queues(access)} if queue is None else figures_screen(access, form.queue)["html"]
    return {"html": html, "said": message}


def no_key() -> Answer:
    """Return the answer for a browser without a key: why it has no queues."""
    return {"html": {"queues": shown("nobody")}, "named": "", "cases": False}


def _queues(access: ReviewAccess) -> str:
    names = {one.id: one.name for one in access.matters}
    found = access.queues()
    rows = [
        (queue, names.get(queue.matter, ""), queue.matter in names, _progress(access, queue))
        for queue in found[:MOST_QUEUES]
    ]
    return shown(
        "queues", rows=rows, total=len(found), most=MOST_QUEUES, longest_name=LONGEST_NAME,
        has_roles=access.desk.library.settings.access != "off",
    )  # fmt: skip


def _progress(access: ReviewAccess, queue: Queue) -> Progress | None:
    """Return the caller's progress; None without a name."""
    try:
        return access.store.progress(queue.id, access.reviewer)
    except InputError:
        return None


def _criteria(access: ReviewAccess, matter: Matter) -> str:
    return shown("criteria", matter=matter, criteria=access.store.criteria(matter))


def _open_case(access: ReviewAccess, form: HomeForm) -> CaseSummary | None:
    """Return the case that is open on the page, if it is the caller's."""
    if form.cases:
        with suppress(RedstringError):
            return access.cases.summary(form.cases, access.owner)
    return None


def _chosen(counted: list[tuple[Matter, int]], wanted: str) -> Matter | None:
    """Return the requested matter, else the first with cases, else the first."""
    named = [one for one, _ in counted if one.id == wanted]
    full = [one for one, count in counted if count]
    return next(iter([*named, *full, *(one for one, _ in counted)]), None)


def _counts(counted: list[tuple[Matter, int]]) -> Any:
    return ((one.id, count) for one, count in counted)


# Review from inside a case: its queue, and marks on the passages that it shows.

# Items of the queue of an open case: shown passages, some that are not shown (for an estimate of recall), and
# sentences of the answer.
OF_CASE = Sampling(best=20, border=0, alone=0, disagreed=0, random=5, sentences=5)
# Verdicts of others next to one's own; the tooltip has all.
MOST_OTHERS = 2


def review_case(access: ReviewAccess, form: CaseForm) -> Answer:
    """Return the queue of a single case: the newest with items left, else a new one if the case has new
    items, else the newest. Raises InputError for a case of another."""
    summary = access.cases.summary(form.cases, access.owner)
    matter, reviewer = access.matter(summary.matter), access.reviewer
    with access.desk.making:
        known = [
            one for one in access.store.queues(matter, access.owner) if one.settings.get(CASE) == summary.id
        ]
        left = [one for one in known if access.store.progress(one.id, reviewer).left]
        queue = left[0] if left else _made(access, summary, known)
    return {"queue": queue.id}


def _made(access: ReviewAccess, case: CaseSummary, known: list[Queue]) -> Queue:
    drawing = Drawing(OF_CASE)
    drawing.add(case.id, *opened(access, case.id))
    items = drawing.items()
    queued = {one.item.key for queue in known for one in access.store.items(queue.id).values()}
    if known and all(one.item.key in queued for one in items):
        return known[0]
    settings, name = queue_settings(OF_CASE) | {OPEN: False, CASE: case.id}, case.name or case.question
    return access.store.make_queue(
        access.matter(case.matter), name[:LONGEST_NAME], items, who=access.reviewer, settings=settings
    )


def marks(access: ReviewAccess, form: CaseForm) -> Answer:
    """Return marks on the passages of a case that the caller has judged, with the verdicts of others on the
    same passages."""
    summary = access.cases.summary(form.cases, access.owner)
    try:
        reviewer = access.reviewer
    except InputError:
        return {"marks": {}}
    of_item: dict[str, list[Assessment]] = defaultdict(list)
    for one in access.store.assessments(owner=access.owner, case_id=summary.id, is_current=True):
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


# The Review view: its calls and its frame.

CALLS = by_name((
    Call("home", HomeForm, home, keyless=no_key),
    Call("queues", ReviewForm, queues),
    Call("criteria", CriteriaForm, write_criteria, audit="write criteria"),
    Call("make-queue", QueueRequest, make_queue, audit="make queue"),
    Call("drop-queue", QueueForm, drop_queue, audit="delete queue"),
    Call("review-case", CaseForm, review_case, audit="review case"),
    Call("marks", CaseForm, marks),
    Call("assign", AssignmentForm, assign, audit="add reviewer"),
    Call("verdicts-in", ImportForm, bring, audit="import verdicts"),
    *turns.CALLS,
    *figures.CALLS,
    *weights.CALLS,
))  # fmt: skip

# The kinds of items of a new queue: the field, and its label.
PARTS = (
    ("best", "Top results"),
    ("border", "Just below the cut"),
    ("alone", "Found by one method only"),
    ("disagreed", "Methods disagree"),
    ("random", "Random sample"),
    ("hops", "Links"),
    ("sentences", "Answer sentences"),
    ("telling", "Most informative"),
)


def build_review(desk: ReviewDesk) -> gr.HTML:
    """Build the view."""
    settings = desk.library.settings
    frame = frame_html(has_roles=settings.access != "off")
    return build_panel("review", desk, CALLS, settings, frame, "redstring.review(element, server)")


def frame_html(*, has_roles: bool) -> str:
    """Return the view as it is before its first call. ``has_roles``: the server knows the reviewers."""
    parts = [(name, words, QueueRequest.model_fields[name].default) for name, words in PARTS]
    return shown(
        "frame", parts=parts, has_roles=has_roles, most=MOST_ITEMS, most_reviewers=MOST_REVIEWERS,
        longest_name=LONGEST_NAME, longest_note=LONGEST_NOTE,
    )  # fmt: skip
