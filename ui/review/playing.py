"""One item of a queue at a time, and verdicts that act on links."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.records.store import EVERYBODY
from engine.review import links
from engine.review.model import Assessment, Item, ItemKind, Verdict
from engine.review.queues import Criteria, Queue
from ui.case_views import may_judge
from ui.review.desk import Answer, Ask, Own, link_of, rests_on, shown, where

# A verdict on a hop acts on the link that it followed, where its reviewer may judge links of the
# corpus.


def act_on_link(own: Own, kept: Assessment) -> str:
    """Judge the link of a hop as its reviewer has; returns what that does, in words, empty for nothing."""
    try:
        corpus = _corpus(own, kept)
    except RedstringError as error:
        judged = kept.verdict in links.JUDGEMENTS
        return f"the link itself was not judged: {for_visitors(error)}" if judged else ""
    return "" if corpus is None else links.apply_to_link(corpus, kept)


def take_back_link(own: Own, kept: Assessment) -> None:
    """Take back what whoever asks has said of the link of a hop, if they have said anything."""
    with suppress(RedstringError):
        corpus = _corpus(own, kept)
        if corpus is not None:
            links.withdraw_from_link(corpus, kept)


def _corpus(own: Own, kept: Assessment) -> Corpus | None:
    """The corpus of a hop; None where no words make its link, or where it is not for them to judge."""
    if links.link_followed(kept.item) is None:
        return None
    name = own.cases.summary(kept.item.case_id, EVERYBODY).corpus
    library = own.desk.library
    try:
        if not may_judge(library, own.person, name):
            return None
    except InputError:
        # A corpus that is gone, or that only the owner of the case sees.
        return None
    return library.open(library.find(name, own.person.key))


# One item at a time: the next ones, a verdict, and the last verdict taken back.

NOTHING_TO_TAKE_BACK = "there is nothing to take back in this queue"
# Criteria that are shown whole at once, in characters.
SHORT = 400


def enter(own: Own, ask: Ask) -> Answer:
    """Begin, or go on: the head of the queue and the first items."""
    queue = own.queue(ask.queue)
    head = shown("head", queue=queue, reviewer=own.reviewer)
    told = _turns(own, ask, queue)
    return {"queue": queue.id, "case": own.case_of(queue), **told, "html": {"head": head, **told["html"]}}


def turns(own: Own, ask: Ask) -> Answer:
    """The items of some slots: those that are there already are kept for their reviewer."""
    return _turns(own, ask, own.queue(ask.queue))


def judge(own: Own, ask: Ask) -> Answer:
    """Keep a verdict, act on the link of a hop, and hand out what comes into the slots that are free."""
    queue, reviewer = own.queue(ask.queue), own.reviewer
    if ask.verdict is None:
        raise InputError("no verdict was given")
    try:
        kept = own.store.judge(
            item_named(ask), ask.verdict, reviewer=reviewer, queue=queue.id,
            reason=ask.reason, note=ask.note, seconds=ask.seconds,
        )  # fmt: skip
    except InputError as error:
        return {"missed": str(error), **_turns(own, ask, queue)}
    effect = act_on_link(own, kept)
    told = _turns(own, ask, queue)
    told["html"]["last"] = _last(own, kept, effect)
    return told


def undo(own: Own, ask: Ask) -> Answer:
    """Take back what was said last in the queue, and show its item again."""
    queue, reviewer = own.queue(ask.queue), own.reviewer
    before = own.store.last_assessment(queue.id, reviewer)
    if before is None:
        raise InputError(NOTHING_TO_TAKE_BACK)
    own.store.withdraw(before.number, reviewer=reviewer, queue=queue.id)
    take_back_link(own, before)
    told = _turns(own, ask, queue)
    told["html"]["last"] = shown(
        "last", kept=before, others=(), effect="", where=where(before.item), back=True
    )
    return {"back": _piece(before.item, before.question, 0, ""), **told}


def item_named(ask: Ask) -> Item:
    """The item that a request names; what it is stands first in its key."""
    try:
        kind = ItemKind(ask.key.partition(":")[0])
    except ValueError:
        raise InputError("this item is not in the queue, or the queue was deleted") from None
    return Item(ask.case, kind, ask.key, "")


def _turns(own: Own, ask: Ask, queue: Queue) -> dict[str, Any]:
    """What comes into the slots that are asked for, how far the reviewer is, and the criteria where the page
    shows another version of them."""
    reviewer = own.reviewer
    pieces, criteria = [], None
    for slot in ask.slots:
        turn = own.store.turn(queue.id, reviewer, f"{ask.tab}.{slot}")
        # Another slot may hold an item that this one is not given.
        if turn is None:
            continue
        criteria = turn.criteria or criteria
        pieces.append(_piece(turn.item, turn.question, turn.number, slot))
    progress = own.store.progress(queue.id, reviewer)
    html = {"progress": shown("progress", progress=progress, all=progress.own + progress.left)}
    found = {"turns": pieces, "left": progress.left, "html": html}
    return found | (_new_criteria(criteria, ask, html) if pieces else {})


def _new_criteria(criteria: Criteria | None, ask: Ask, html: dict[str, str]) -> dict[str, int]:
    version = 0 if criteria is None else criteria.version
    if version != ask.seen:
        html["shown-criteria"] = shown("shown_criteria", criteria=criteria, short=SHORT)
    return {"seen": version}


def _piece(item: Item, question: str, number: int, slot: str) -> dict[str, Any]:
    """An item as the page has it: its words, and by what it is named."""
    link = link_of(item) if item.kind is ItemKind.HOP else None
    rests = rests_on(item) if item.kind is ItemKind.SENTENCE else None
    page = shown("item", item=item, question=question, link=link, rests=rests)
    return {
        "case": item.case_id, "key": item.key, "kind": item.kind.value, "slot": slot, "html": page,
        "number": number,
    }  # fmt: skip


def _last(own: Own, kept: Assessment, effect: str) -> str:
    """What was said last, and what others say of the same."""
    others = [] if kept.verdict is Verdict.LATER else own.store.others(kept.item, kept.reviewer)
    return shown("last", kept=kept, others=others, effect=effect, where=where(kept.item), back=False)
