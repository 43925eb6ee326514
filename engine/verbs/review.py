"""Verbs on review queues: make one, judge its items one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.verbs.cases import find_matter, optional_matter
from engine.verbs.verb import Caller, Request, Response, argument, corpus_option, option, verb

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.review.model import Assessment, Item, ItemKind, Verdict
    from engine.review.queues import Progress, Turn

# The name by which the store knows this command line among the tabs of a reviewer; seconds for which an item
# that it shows is the reviewer's.
SESSION, LEASE = "command line", 1_800.0
# The effect of a verdict on the link of a hop.
NOT_JUDGED = "the link itself was not judged: name its corpus by --corpus"
NOT_FREED = "a verdict on the link itself, if any, stays: name its corpus by --corpus"
FREED = "the verdict on the link is withdrawn"
STRATA = ("best", "border", "alone", "disagreed", "random", "hops", "sentences", "telling")


class QueueOptions(Request):
    """Options of ``review queue``."""

    matter: str = option(..., "its name, or its id", "NAME")
    case: list[str] = option([], "of these cases (default: of all of the matter)", "ID", many="+")
    corpus: str = corpus_option()
    best: int = option(10, "passages a case of the best of the ranking (10)", "N")
    border: int = option(5, "passages a case around the end of the ranking (5)", "N")
    alone: int = option(3, "passages a case that one strategy alone found (3)", "N")
    disagreed: int = option(3, "passages a case on which retrievers disagree (3)", "N")
    random: int = option(
        5, "passages a case of the others at random, from which recall is estimated (5)", "N"
    )
    hops: int = option(0, "hops a case of its trails at random (0)", "N")
    sentences: int = option(0, "sentences a case of its answer at random (0)", "N")
    telling: int = option(
        0, "passages that would teach the ranking most, of whichever cases, first of all (0)", "N"
    )
    reviewers: int = option(1, "reviewers of each item (1)", "N")
    assign: list[str] = option([], "these take turns (default: anybody)", "NAME", many="+")
    seed: int = option(0, "the same seed draws the same items (0)", "N")
    name: str = option("", "a name for the queue")


@verb("review queue", QueueOptions, changes=True)
def make_queue(caller: Caller, request: QueueOptions) -> Response:
    """Make a queue from kept cases of a matter."""
    from engine.review.sampling import Sampling, draw_items, left_out_note, queue_settings

    sampling = Sampling(
        **{name: getattr(request, name) for name in STRATA},
        reviewers=request.reviewers,
        assigned=tuple(request.assign),
        seed=request.seed,
    )
    corpus, store, reviews = caller.corpus(request.corpus), caller.store(), caller.reviews()
    matter = find_matter(caller, request.matter)
    ids = list(dict.fromkeys(request.case)) or store.newest_ids(matter, caller.owner)
    repeated = 0 if request.case else len(store.ids(matter, caller.owner)) - len(ids)
    if not ids:
        raise InputError(f"there are no cases in the matter {matter.name!r}")
    cases = ((case_id, store.record(case_id, caller.owner)) for case_id in ids)
    verdicts = reviews.assessments(matter, caller.owner, is_current=True) if sampling.telling else ()
    items = draw_items(cases, corpus, sampling, verdicts)
    made = reviews.make_queue(matter, request.name, items, who=caller.name, settings=queue_settings(sampling))
    lines = [f"Made queue {made.id} of {made.items:,} items: {made.name}", *left_out_note(repeated)]
    return Response(asdict(made), lines)


class ListQueues(Request):
    """Options of ``review list``."""

    matter: str | None = option(None, "only of this matter (default: of all)", "NAME")


@verb("review list", ListQueues)
def list_queues(caller: Caller, request: ListQueues) -> Response:
    """List queues, the newest first, with their progress."""
    found = caller.reviews().queues(optional_matter(caller, request.matter), caller.owner)
    names = {one.id: one.name for one in caller.store().matters(caller.owner)}
    values = [asdict(one) | {"matter_name": names.get(one.matter, "")} for one in found]
    lines = (
        f"{one.id}  {one.created[:16]}  {names.get(one.matter, '')}: {one.name}, "
        f"{one.judged:,} of {one.items:,} judged"
        f"{f', {one.unsettled:,} to be settled' if one.unsettled else ''}"
        for one in found
    )
    return Response({"queues": values}, lines)


class OneQueue(Request):
    """Options of commands on one queue."""

    queue: str = argument(..., "id of the queue", "QUEUE")


class ReviewerOptions(OneQueue):
    """Options of commands of a reviewer."""

    by: str = option(..., "the reviewer", "NAME")


@verb("review next", ReviewerOptions)
def show_next(caller: Caller, request: ReviewerOptions) -> Response:
    """Show the next item of a reviewer."""
    from engine.review.model import VERDICTS

    reviews = caller.reviews()
    turn = reviews.turn(request.queue, request.by, SESSION, lease=LEASE)
    progress = reviews.progress(request.queue, request.by)
    verdicts = [] if turn is None else [one.value for one in VERDICTS[turn.item.kind]]
    values = {"turn": None if turn is None else asdict(turn), "verdicts": verdicts}
    lines = [_progress_line(progress)] if turn is None else _turn_lines(turn, progress, verdicts)
    return Response(values | {"progress": asdict(progress)}, lines)


class UndoReviewOptions(ReviewerOptions):
    """Options of ``review undo``."""

    corpus: str = corpus_option("", "; with it the link of a hop is judged, too")


class JudgeItemOptions(UndoReviewOptions):
    """Options of ``review judge``."""

    number: int = argument(..., "of the item in the queue", "NUMBER")
    verdict: str = argument(..., "as `review next` lists them, or its first letters", "VERDICT")
    reason: str = option("", "in a word", "WHY")
    note: str = option("", "a longer note", "TEXT")
    settle: bool = option(False, "end a disagreement by it")


@verb("review judge", JudgeItemOptions, changes=True)
def judge_item(caller: Caller, request: JudgeItemOptions) -> Response:
    """Judge an item of a queue."""
    from engine.review.case_verdicts import apply_to_link, link_followed

    reviews = caller.reviews()
    reviews.queue(request.queue)
    queued = reviews.item(request.queue, request.number)
    corpus = _corpus_of_item(caller, queued.item, request.corpus)
    given = reviews.judge(
        queued.item,
        parse_verdict(request.verdict, queued.item.kind),
        reviewer=request.by,
        queue=request.queue,
        reason=request.reason,
        note=request.note,
        settles=request.settle,
    )
    effect = "" if link_followed(given.item) is None else NOT_JUDGED
    effect = effect if corpus is None else apply_to_link(corpus, given)
    return _verdict_response(given, reviews.progress(request.queue, request.by), "", effect)


def _corpus_of_item(caller: Caller, item: Item, corpus: str) -> Corpus | None:
    """Return the corpus that is named, None for none. Raises InputError if the item's case has another."""
    if not corpus:
        return None
    name = caller.store().summary(item.case_id, caller.owner).corpus
    found = caller.corpus(corpus)
    if found.name != name:
        raise InputError(f"--corpus: the case was asked of {name!r}, and this is {found.name!r}")
    return found


def parse_verdict(word: str, kind: ItemKind) -> Verdict:
    """Return the verdict that a word or its first letters name. Raises InputError for none or several."""
    from engine.review.model import VERDICTS

    wanted = " ".join(word.replace("-", " ").replace("_", " ").split()).casefold()
    known = VERDICTS[kind]
    found = [one for one in known if one.value == wanted] or [
        one for one in known if wanted and one.value.startswith(wanted)
    ]
    if len(found) != 1:
        several = ", ".join(one.value for one in found or known)
        why = f"may be {several}" if found else f"is no verdict on a {kind.value}; there are {several}"
        raise InputError(f"{word[:40]!r} {why}")
    return found[0]


@verb("review undo", UndoReviewOptions, changes=True)
def undo_verdict(caller: Caller, request: UndoReviewOptions) -> Response:
    """Take back a reviewer's last verdict in a queue. Raises InputError if
    there is none."""
    from engine.review.case_verdicts import link_followed, withdraw_from_link

    reviews = caller.reviews()
    reviews.queue(request.queue)
    last = reviews.last_assessment(request.queue, request.by)
    if last is None:
        raise InputError(f"{request.by} has given no verdict in this queue that can be withdrawn")
    corpus = _corpus_of_item(caller, last.item, request.corpus)
    back = reviews.withdraw(last.number, reviewer=request.by, queue=request.queue)
    effect = "" if link_followed(back.item) is None else NOT_FREED
    if corpus is not None:
        effect = FREED if withdraw_from_link(corpus, back) else ""
    return _verdict_response(back, reviews.progress(request.queue, request.by), "Taken back: ", effect)


def _verdict_response(given: Assessment, progress: Progress, words: str, effect: str) -> Response:
    values = {"said": asdict(given), "link": effect, "progress": asdict(progress)}
    lines = [f"{words}{assessment_line(given)}", *([effect] if effect else []), _progress_line(progress)]
    return Response(values, lines)


def assessment_line(one: Assessment) -> str:
    """Return a verdict in a line."""
    item, back = one.item, "" if one.withdraws is None else f" (takes back {one.withdraws})"
    words = "; ".join(filter(None, (one.reason, " ".join(one.note.split()))))
    name = item.label or item.passage_id or item.key
    settles = ", which settles it" if one.settles else ""
    why = f": {words}" if words else ""
    return f"{one.number} {one.at[:16]} {one.verdict.value} by {one.reviewer}{settles}{back}, {name}{why}"


class AssignOptions(OneQueue):
    """Options of ``review assign``."""

    name: str = argument(..., "the reviewer", "NAME")


@verb("review assign", AssignOptions, changes=True)
def assign(caller: Caller, request: AssignOptions) -> Response:
    """Ask one more reviewer to judge the open items of a queue."""
    made = caller.reviews().assign(request.queue, request.name, caller.owner)
    return Response(asdict(made), [f"Asked to review {made.name}: {', '.join(made.reviewers)}"])


@verb("review delete", OneQueue, changes=True)
def delete_queue(caller: Caller, request: OneQueue) -> Response:
    """Delete a queue; its verdicts stay with their cases."""
    caller.reviews().delete_queue(request.queue, caller.owner)
    return Response({"deleted": request.queue}, ["1 deleted"])


def _progress_line(progress: Progress) -> str:
    later = f", {progress.later:,} of them put off" if progress.later else ""
    return (
        f"{progress.judged:,} of {progress.items:,} judged, {progress.own:,} by you; "
        f"{progress.left:,} left for you{later}"
    )


def _turn_lines(turn: Turn, progress: Progress, verdicts: list[str]) -> Iterator[str]:
    """Yield an item as a reviewer reads it, without the engine's own judgement."""
    from engine.review.case_verdicts import mark_quotes
    from engine.review.model import ItemKind

    item = turn.item
    yield f"Question: {turn.question}"
    if turn.criteria is not None:
        yield f"What counts (version {turn.criteria.version}): {turn.criteria.text}"
    if item.source_id:
        yield f"\n{item.source_label}\n{item.source_text}"
        quote = f", by the words “{item.quote}”" if item.quote else ""
        detail = f" ({item.detail})" if item.detail else ""
        yield f"\n{item.relation}{quote}{detail}, to:"
    yield f"\n{turn.number}. {item.kind.value}: {item.label}\n{item.text}"
    if item.kind is ItemKind.SENTENCE:
        words = "".join(
            f"»{piece}«" if is_quote else piece
            for piece, is_quote in mark_quotes(item.source_text, *item.quote.split("\n"))
        )
        yield f"\nIt rests on {item.source_label}:\n{words}" if words else "\nIt rests on no passage."
    yield f"\n{_progress_line(progress)}"
    yield f"review judge QUEUE {turn.number} VERDICT, one of: {', '.join(verdicts)}"
