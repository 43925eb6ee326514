"""The command ``review``: queues of passages, hops and answers of cases, judged one by one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from engine.cli import review_exchange, review_figures
from engine.cli.case_store import WHO, matter_named, open_store, printed
from engine.cli.review_store import open_reviews
from engine.cli.settings import add_corpus
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.review.model import Assessment, Item, ItemKind, Verdict
    from engine.review.queues import Progress, Queue, Turn
    from engine.review.sampling import Sampling

# By which the store knows this command line among the tabs of a reviewer, and for how many seconds what it
# shows is the reviewer's.
SESSION, LEASE = "command line", 1_800.0
# What is told of the link of a hop.
NOT_JUDGED = "the link itself was not judged: name its corpus by --corpus"
NOT_FREED = "what was said of the link itself, if anything, stays: name its corpus by --corpus"
FREED = "what was said of the link is taken back"
_STRATA = (
    ("best", 10, "of the best of the ranking"),
    ("border", 5, "around the end of the ranking"),
    ("alone", 3, "that one strategy alone found"),
    ("disagreed", 3, "on which retrievers disagree"),
    ("random", 5, "of the others at random, from which recall is estimated"),
    ("hops", 0, "hops of its trails at random"),
    ("sentences", 0, "sentences of its answer at random"),
    ("telling", 0, "that would teach the ranking most, of whichever cases, first of all"),
)


def add_review_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "review", help="have experts judge passages, hops and answers of cases; estimate precision and recall"
    )
    acts = command.add_subparsers(required=True, metavar="ACT")

    def act(name: str, work: Callable[[argparse.Namespace], None], words: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = acts.add_parser(name, help=words)
        parser.add_argument("--json", action="store_true", help="print as JSON")
        parser.set_defaults(command=work)
        return parser

    _add_queue(act("queue", make_queue, "make a queue from kept cases of a matter"))
    listing = act("list", list_queues, "queues, the newest first, and how far they are")
    listing.add_argument("--matter", metavar="NAME", help="only of this matter (default: of all)")
    following = act("next", show_next, "what a reviewer is to judge next")
    judging = act("judge", judge, "say what an item of a queue is worth")
    undoing = act("undo", undo, "take back what a reviewer said last in a queue")
    for one in (following, judging, undoing):
        one.add_argument("queue", metavar="QUEUE", help="its id")
        one.add_argument("--by", required=True, metavar="NAME", help="the reviewer")
    for one in (judging, undoing):
        add_corpus(one, required=False, otherwise="; with it the link of a hop is judged, too")
    judging.add_argument("number", type=int, metavar="NUMBER", help="of the item in the queue")
    judging.add_argument(
        "verdict", metavar="VERDICT", help="as `review next` lists them, or its first letters"
    )
    judging.add_argument("--reason", default="", metavar="WHY", help="in a word")
    judging.add_argument("--note", default="", metavar="TEXT", help="what else is to be known")
    judging.add_argument("--settle", action="store_true", help="end a disagreement by it")
    assigning = act("assign", assign, "ask one more reviewer to judge what is open in a queue")
    assigning.add_argument("queue", metavar="QUEUE", help="its id")
    assigning.add_argument("name", metavar="NAME", help="the reviewer")
    deleting = act("delete", delete_queue, "delete a queue; what was said stays with its cases")
    deleting.add_argument("queue", metavar="QUEUE", help="its id")
    review_figures.add_acts(act)
    review_exchange.add_acts(act)


def _add_queue(command: argparse.ArgumentParser) -> None:
    command.add_argument("--matter", required=True, metavar="NAME", help="its name, or its id")
    command.add_argument(
        "--case", nargs="+", default=[], metavar="ID", help="of these cases (default: of all of the matter)"
    )
    add_corpus(command)
    for name, count, words in _STRATA:
        command.add_argument(
            f"--{name}", type=int, default=count, metavar="N", help=f"so many a case {words} ({count})"
        )
    command.add_argument("--reviewers", type=int, default=1, metavar="N", help="so many judge each (1)")
    command.add_argument(
        "--assign", nargs="+", default=[], metavar="NAME", help="these take turns (default: anybody)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the same draws the same (0)")
    command.add_argument("--name", default="", metavar="NAME", help="what to call the queue")


def make_queue(options: argparse.Namespace) -> None:
    """Draw items from cases and put them into a queue."""
    from engine.corpus import open_corpus
    from engine.review.drawing import draw_items, left_out_note, queue_settings

    sampling, corpus = _sampling(options), open_corpus(options.corpus)
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        matter = matter_named(store, options.matter)
        ids = list(dict.fromkeys(options.case)) or store.newest_ids(matter, EVERYBODY)
        again = 0 if options.case else len(store.ids(matter, EVERYBODY)) - len(ids)
        if not ids:
            raise InputError(f"there are no cases in the matter {matter.name!r}")
        cases = ((case_id, store.record(case_id, EVERYBODY)) for case_id in ids)
        said = reviews.assessments(matter, EVERYBODY, is_current=True) if sampling.telling else ()
        items = draw_items(cases, corpus, sampling, said)
        made = reviews.make_queue(matter, options.name, items, who=WHO, settings=queue_settings(sampling))
    lines = [f"Made queue {made.id} of {made.items:,} items: {made.name}", *left_out_note(again)]
    printed(options, _queue_values(made), lines)


def _sampling(options: argparse.Namespace) -> Sampling:
    from engine.review.sampling import Sampling

    counts = {name: getattr(options, name) for name, _, _ in _STRATA}
    return Sampling(**counts, reviewers=options.reviewers, assigned=tuple(options.assign), seed=options.seed)


def list_queues(options: argparse.Namespace) -> None:
    """Print queues, the newest first."""
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        matter = None if options.matter is None else matter_named(store, options.matter)
        found = reviews.queues(matter, EVERYBODY)
        names = {one.id: one.name for one in store.matters(EVERYBODY)}
    values = [_queue_values(one) | {"matter_name": names.get(one.matter, "")} for one in found]
    lines = (
        f"{one.id}  {one.created[:16]}  {names.get(one.matter, '')}: {one.name}, "
        f"{one.judged:,} of {one.items:,} judged"
        f"{f', {one.unsettled:,} to be settled' if one.unsettled else ''}"
        for one in found
    )
    printed(options, {"queues": values}, lines)


def show_next(options: argparse.Namespace) -> None:
    """Print what a reviewer is to judge next; it is theirs for half an hour."""
    from dataclasses import asdict

    from engine.review.model import VERDICTS

    with closing(open_reviews()) as reviews:
        turn = reviews.turn(options.queue, options.by, SESSION, lease=LEASE)
        progress = reviews.progress(options.queue, options.by)
    verdicts = [] if turn is None else [one.value for one in VERDICTS[turn.item.kind]]
    values = {"turn": None if turn is None else asdict(turn), "verdicts": verdicts}
    lines = [_left(progress)] if turn is None else _turn_lines(turn, progress, verdicts)
    printed(options, values | {"progress": asdict(progress)}, lines)


def judge(options: argparse.Namespace) -> None:
    """Keep what a reviewer says of an item, and judge the link of a hop."""
    from engine.review.links import apply_to_link, link_followed

    with closing(open_reviews()) as reviews:
        reviews.queue(options.queue)
        queued = reviews.item(options.queue, options.number)
        corpus = _corpus_of(queued.item, options)
        said = reviews.judge(
            queued.item,
            verdict_meant(options.verdict, queued.item.kind),
            reviewer=options.by,
            queue=options.queue,
            reason=options.reason,
            note=options.note,
            settles=options.settle,
        )
        progress = reviews.progress(options.queue, options.by)
    effect = "" if link_followed(said.item) is None else NOT_JUDGED
    _print_said(options, said, progress, "", effect if corpus is None else apply_to_link(corpus, said))


def _corpus_of(item: Item, options: argparse.Namespace) -> Corpus | None:
    """The corpus that is named, None for none. Raises InputError where the case of an item is of another."""
    from engine.corpus import open_corpus

    if options.corpus is None:
        return None
    with closing(open_store()) as store:
        name = store.summary(item.case_id, EVERYBODY).corpus
    corpus = open_corpus(options.corpus)
    if corpus.name != name:
        raise InputError(f"--corpus: the case was asked of {name!r}, and this is {corpus.name!r}")
    return corpus


def verdict_meant(word: str, kind: ItemKind) -> Verdict:
    """The verdict that a word or its first letters mean. Raises InputError where none is or several are."""
    from engine.review.model import VERDICTS

    wanted = " ".join(word.replace("-", " ").replace("_", " ").split()).casefold()
    known = VERDICTS[kind]
    found = [one for one in known if one.value == wanted] or [
        one for one in known if wanted and one.value.startswith(wanted)
    ]
    if len(found) != 1:
        several = ", ".join(one.value for one in found or known)
        told = f"may be {several}" if found else f"is no verdict on a {kind.value}; there are {several}"
        raise InputError(f"{word[:40]!r} {told}")
    return found[0]


def undo(options: argparse.Namespace) -> None:
    """Take back what a reviewer said last in a queue, and of the link of a hop. Raises InputError where there
    is nothing."""
    from engine.review.links import link_followed, withdraw_from_link

    with closing(open_reviews()) as reviews:
        reviews.queue(options.queue)
        last = reviews.last_assessment(options.queue, options.by)
        if last is None:
            raise InputError(f"{options.by} has said nothing in this queue that can be taken back")
        corpus = _corpus_of(last.item, options)
        back = reviews.withdraw(last.number, reviewer=options.by, queue=options.queue)
        progress = reviews.progress(options.queue, options.by)
    effect = "" if link_followed(back.item) is None else NOT_FREED
    if corpus is not None:
        effect = FREED if withdraw_from_link(corpus, back) else ""
    _print_said(options, back, progress, "Taken back: ", effect)


def assign(options: argparse.Namespace) -> None:
    """Ask one more reviewer."""
    with closing(open_reviews()) as reviews:
        made = reviews.assign(options.queue, options.name, EVERYBODY)
    printed(options, _queue_values(made), [f"Asked to review {made.name}: {', '.join(made.reviewers)}"])


def delete_queue(options: argparse.Namespace) -> None:
    """Delete a queue."""
    with closing(open_reviews()) as reviews:
        reviews.delete_queue(options.queue, EVERYBODY)
    printed(options, {"deleted": options.queue}, ["1 deleted"])


def _queue_values(one: Queue) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(one)


def _print_said(
    options: argparse.Namespace, said: Assessment, progress: Progress, words: str, effect: str
) -> None:
    """``effect``: what it does to the link of a hop, in words."""
    from dataclasses import asdict

    values = {"said": asdict(said), "link": effect, "progress": asdict(progress)}
    lines = [f"{words}{review_figures.assessment_line(said)}", *([effect] if effect else []), _left(progress)]
    printed(options, values, lines)


def _left(progress: Progress) -> str:
    later = f", {progress.later:,} of them put off" if progress.later else ""
    return (
        f"{progress.judged:,} of {progress.items:,} judged, {progress.own:,} by you; "
        f"{progress.left:,} left for you{later}"
    )


def _turn_lines(turn: Turn, progress: Progress, verdicts: list[str]) -> Iterator[str]:
    """An item as a reviewer reads it: nothing of what the engine thinks of it."""
    from engine.review.model import ItemKind
    from engine.review.quoting import mark_quotes

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
    yield f"\n{_left(progress)}"
    yield f"review judge QUEUE {turn.number} VERDICT, one of: {', '.join(verdicts)}"
