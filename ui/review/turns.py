"""One item of a queue at a time, and verdicts that act on case_verdicts."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Literal

from pydantic import Field

from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.records.store import EVERYBODY
from engine.review import case_verdicts
from engine.review.model import Assessment, Item, ItemKind, Verdict
from engine.review.queues import Criteria, Queue
from engine.verbs.verb import Key
from ui.calls import Answer, Call
from ui.investigate.case_views import may_judge
from ui.review.access import LONGEST_NOTE, QueueForm, ReviewAccess, link_of, rests_on, shown, where

# A verdict on a hop is applied to the link that it followed, if the reviewer may judge links of the corpus.


def act_on_link(access: ReviewAccess, kept: Assessment) -> str:
    """Apply the verdict on a hop to its link; returns the effect in words, empty for none."""
    try:
        corpus = _corpus(access, kept)
    except RedstringError as error:
        judged = kept.verdict in case_verdicts.JUDGEMENTS
        return f"the link itself was not judged: {for_visitors(error)}" if judged else ""
    return "" if corpus is None else case_verdicts.apply_to_link(corpus, kept)


def take_back_link(access: ReviewAccess, kept: Assessment) -> None:
    """Withdraw the caller's verdict on the link of a hop, if any."""
    with suppress(RedstringError):
        corpus = _corpus(access, kept)
        if corpus is not None:
            case_verdicts.withdraw_from_link(corpus, kept)


def _corpus(access: ReviewAccess, kept: Assessment) -> Corpus | None:
    """Return the corpus of a hop; None if the hop follows no link, or the caller may not judge it."""
    if case_verdicts.link_followed(kept.item) is None:
        return None
    name = access.cases.summary(kept.item.case_id, EVERYBODY).corpus
    library = access.desk.library
    try:
        if not may_judge(library, access.person, name):
            return None
    except InputError:
        # The corpus was removed, or is visible only to the owner of the case.
        return None
    return library.open(library.find(name, access.person.key))


# One item at a time: the next ones, a verdict, and the last verdict taken back.

NOTHING_TO_TAKE_BACK = "there is nothing to take back in this queue"
# Criteria up to this length, in characters, are shown in full at first.
SHORT = 400
LONGEST_REASON, LONGEST_KEY = 100, 1500
A_DAY = 86_400.0


class ItemForm(QueueForm):
    """An item of a queue, by its case and its key."""

    case: Key = ""
    key: str = Field(default="", max_length=LONGEST_KEY)


class TurnsForm(QueueForm):
    """The free slots of a tab of the browser. ``seen`` is the version of the criteria that the page shows,
    None before it shows any."""

    tab: str = Field(default="", max_length=40)
    slots: tuple[Literal["a", "b", "c", "d", "e", "f"], ...] = Field(default=(), max_length=6)
    seen: int | None = Field(default=None, ge=0)


class VerdictForm(TurnsForm, ItemForm):
    """A verdict on an item, with the time that it took, s."""

    verdict: Verdict | None = None
    reason: str = Field(default="", max_length=LONGEST_REASON)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    seconds: float | None = Field(default=None, ge=0, le=A_DAY, allow_inf_nan=False)


def enter(access: ReviewAccess, form: TurnsForm) -> Answer:
    """Start or continue: return the head of the queue and the first items."""
    queue = access.queue(form.queue)
    head = shown("head", queue=queue, reviewer=access.reviewer)
    answer = _turns(access, form, queue)
    return {
        "queue": queue.id,
        "case": access.case_of(queue),
        **answer,
        "html": {"head": head, **answer["html"]},
    }


def turns(access: ReviewAccess, form: TurnsForm) -> Answer:
    """Return items for free slots; items in other slots stay reserved."""
    return _turns(access, form, access.queue(form.queue))


def judge(access: ReviewAccess, form: VerdictForm) -> Answer:
    """Store a verdict, apply it to the link of a hop, and return items for the free slots."""
    queue, reviewer = access.queue(form.queue), access.reviewer
    if form.verdict is None:
        raise InputError("no verdict was given")
    try:
        kept = access.store.judge(
            item_named(form), form.verdict, reviewer=reviewer, queue=queue.id,
            reason=form.reason, note=form.note, seconds=form.seconds,
        )  # fmt: skip
    except InputError as error:
        return {"missed": str(error), **_turns(access, form, queue)}
    effect = act_on_link(access, kept)
    answer = _turns(access, form, queue)
    answer["html"]["last"] = _last(access, kept, effect)
    return answer


def undo(access: ReviewAccess, form: TurnsForm) -> Answer:
    """Withdraw the last verdict in the queue, and show its item again."""
    queue, reviewer = access.queue(form.queue), access.reviewer
    before = access.store.last_assessment(queue.id, reviewer)
    if before is None:
        raise InputError(NOTHING_TO_TAKE_BACK)
    access.store.withdraw(before.number, reviewer=reviewer, queue=queue.id)
    take_back_link(access, before)
    answer = _turns(access, form, queue)
    answer["html"]["last"] = shown(
        "last", kept=before, others=(), effect="", where=where(before.item), back=True
    )
    return {"back": _piece(before.item, before.question, 0, ""), **answer}


def item_named(form: ItemForm) -> Item:
    """Return the item of a call; its key starts with its kind."""
    try:
        kind = ItemKind(form.key.partition(":")[0])
    except ValueError:
        raise InputError("this item is not in the queue, or the queue was deleted") from None
    return Item(form.case, kind, form.key, "")


def _turns(access: ReviewAccess, form: TurnsForm, queue: Queue) -> dict[str, Any]:
    """Return items for the requested slots, the reviewer's progress, and the criteria if the page shows
    another version of them."""
    reviewer = access.reviewer
    pieces, criteria = [], None
    for slot in form.slots:
        turn = access.store.turn(queue.id, reviewer, f"{form.tab}.{slot}")
        # Another slot may have an item that is not available for this one.
        if turn is None:
            continue
        criteria = turn.criteria or criteria
        pieces.append(_piece(turn.item, turn.question, turn.number, slot))
    progress = access.store.progress(queue.id, reviewer)
    html = {"progress": shown("progress", progress=progress, all=progress.own + progress.left)}
    found = {"turns": pieces, "left": progress.left, "html": html}
    return found | (_new_criteria(criteria, form, html) if pieces else {})


def _new_criteria(criteria: Criteria | None, form: TurnsForm, html: dict[str, str]) -> dict[str, int]:
    version = 0 if criteria is None else criteria.version
    if version != form.seen:
        html["shown-criteria"] = shown("shown_criteria", criteria=criteria, short=SHORT)
    return {"seen": version}


def _piece(item: Item, question: str, number: int, slot: str) -> dict[str, Any]:
    """Return an item in the form of the page: its words and its keys."""
    link = link_of(item) if item.kind is ItemKind.HOP else None
    rests = rests_on(item) if item.kind is ItemKind.SENTENCE else None
    page = shown("item", item=item, question=question, link=link, rests=rests)
    return {
        "case": item.case_id, "key": item.key, "kind": item.kind.value, "slot": slot, "html": page,
        "number": number,
    }  # fmt: skip


def _last(access: ReviewAccess, kept: Assessment, effect: str) -> str:
    """Return the last verdict, and those of others on the same item."""
    others = [] if kept.verdict is Verdict.LATER else access.store.others(kept.item, kept.reviewer)
    return shown("last", kept=kept, others=others, effect=effect, where=where(kept.item), back=False)


CALLS = (
    # A verdict is stored with its reviewer and its time: the audit log does not need it.
    Call("enter", TurnsForm, enter),
    Call("turns", TurnsForm, turns),
    Call("verdict", VerdictForm, judge),
    Call("take-back", TurnsForm, undo),
)
