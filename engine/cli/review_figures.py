"""Acts of the command ``review`` that tell what counts, what was said, and what it comes to."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import WHO, matter_named, open_store, printed
from engine.cli.review_store import open_reviews
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.review.estimates import Estimates, PrecisionEstimate
    from engine.review.model import Assessment

LARGEST = 200_000
Act = Callable[[str, Callable[[argparse.Namespace], None], str], argparse.ArgumentParser]


def add_acts(act: Act) -> None:
    """Describe the acts to the parser of the command."""
    saying = act("criteria", criteria, "what counts as relevant in a matter: show it, or write it")
    saying.add_argument("--matter", required=True, metavar="NAME", help="its name, or its id")
    text = saying.add_mutually_exclusive_group()
    text.add_argument("--text", metavar="TEXT", help="from now on this counts")
    text.add_argument("--file", type=Path, metavar="FILE", help="the same from a file")
    saying.add_argument("--by", default=WHO, metavar="NAME", help="who says so")
    telling = act("verdicts", verdicts, "what reviewers said, in order")
    which = telling.add_mutually_exclusive_group()
    which.add_argument("--matter", metavar="NAME", help="only in this matter (default: in all)")
    which.add_argument("--queue", default="", metavar="ID", help="only in this queue")
    which.add_argument("--case", default="", metavar="ID", help="only of this case")
    all_or_old = telling.add_mutually_exclusive_group()
    all_or_old.add_argument(
        "--all", action="store_true", help="also what was changed, put off or taken back since"
    )
    all_or_old.add_argument(
        "--outdated", action="store_true", help="with --matter: what was said under earlier criteria"
    )
    figuring = act("estimate", estimate, "precision and recall of the rankings, from a queue's verdicts")
    figuring.add_argument("queue", metavar="QUEUE", help="its id")
    figuring.add_argument(
        "--ranks", nargs="+", type=int, default=[5, 10, 20], metavar="K", help="precision at these (5 10 20)"
    )
    figuring.add_argument(
        "--partly", type=float, default=1.0, metavar="S", help="how relevant what is partly so is, 0 to 1 (1)"
    )
    figuring.add_argument(
        "--width", type=float, default=0.2, metavar="S", help="how many more narrow recall to this (.2)"
    )


def criteria(options: argparse.Namespace) -> None:
    """Print the criteria of a matter, or write them first."""
    from dataclasses import asdict

    text = options.text if options.file is None else _text_of(options.file)
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        matter = matter_named(store, options.matter)
        if text is not None:
            reviews.write_criteria(matter, text, who=options.by)
        found = reviews.criteria(matter)
        earlier = len(reviews.outdated(matter, EVERYBODY))
    values = {"criteria": None if found is None else asdict(found), "outdated": earlier}
    lines = ["Nobody has said yet what counts as relevant: --text says it"]
    if found is not None:
        lines = [f"Version {found.version}, by {found.who}, {found.at[:16]}", found.text]
        lines += [f"{earlier:,} standing verdicts were given under earlier ones"] if earlier else []
    printed(options, values, lines)


def _text_of(path: Path) -> str:
    from engine import files

    try:
        return files.read(files.named(path), LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--file {path}: cannot be read ({error})") from error


def verdicts(options: argparse.Namespace) -> None:
    """Print what reviewers said. Raises InputError for a matter, a queue or a case that is not there."""
    from dataclasses import asdict

    if options.outdated and options.matter is None:
        raise InputError("--outdated: name a --matter, whose criteria are meant")
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        matter = None if options.matter is None else matter_named(store, options.matter)
        if options.queue:
            reviews.queue(options.queue)
        if options.case:
            store.summary(options.case, EVERYBODY)
        if options.outdated and matter is not None:
            found = reviews.outdated(matter, EVERYBODY)
        else:
            of = {"case_id": options.case, "queue": options.queue}
            found = reviews.assessments(matter, EVERYBODY, is_current=not options.all, **of)
    printed(options, {"verdicts": [asdict(one) for one in found]}, map(assessment_line, found))


def assessment_line(one: Assessment) -> str:
    """What somebody said, in a line."""
    item, back = one.item, "" if one.withdraws is None else f" (takes back {one.withdraws})"
    words = "; ".join(filter(None, (one.reason, " ".join(one.note.split()))))
    named = item.label or item.passage_id or item.key
    settles = ", which settles it" if one.settles else ""
    why = f": {words}" if words else ""
    return f"{one.number} {one.at[:16]} {one.verdict.value} by {one.reviewer}{settles}{back}, {named}{why}"


def estimate(options: argparse.Namespace) -> None:
    """Print the precision and the recall that the verdicts on the items of a queue come to."""
    from engine.review.drawing import parse_sampling
    from engine.review.estimates import estimates

    if not 0 <= options.partly <= 1 or not 0 < options.width < 1 or min(options.ranks) < 1:
        raise InputError("--partly is 0 to 1, --width more than 0 and less than 1, --ranks at least 1")
    with closing(open_reviews()) as reviews:
        queue = reviews.queue(options.queue)
        items = reviews.items(queue.id).values()
        # Verdicts on an item count wherever they were given.
        said = [
            one
            for case_id in {one.item.case_id for one in items}
            for one in reviews.assessments(None, EVERYBODY, case_id=case_id, is_current=True)
        ]
    ranks = tuple(dict.fromkeys(options.ranks))
    found = estimates(items, said, parse_sampling(queue), ranks=ranks, partly=options.partly)
    more = None if found.recall is None else found.recall.more_needed(options.width)
    printed(
        options, _estimate_values(found, options.width, more), _estimate_lines(found, options.width, more)
    )


def _estimate_values(found: Estimates, width: float, more: int | None) -> dict[str, Any]:
    from dataclasses import asdict

    recall = None if found.recall is None else asdict(found.recall)
    return {
        "judged": found.judged,
        "drawn": found.drawn,
        "precision": {
            "at": {str(k): None if one is None else asdict(one) for k, one in found.at.items()},
            "overall": None if found.overall is None else asdict(found.overall),
        },
        "recall": recall,
        "more_needed": {"width": width, "verdicts": more},
    }


def _estimate_lines(found: Estimates, width: float, more: int | None) -> Iterator[str]:
    yield f"{found.judged:,} of {found.drawn:,} passages judged"
    for k, one in found.at.items():
        yield f"precision at {k}: {_precision_words(one)}"
    yield f"precision of the ranking: {_precision_words(found.overall)}"
    recall = found.recall
    if recall is None:
        yield "recall within the pool: cannot be told; judge passages drawn at random"
        return
    of = "of these cases" if recall.of_these_cases else "of cases like these"
    yield (
        f"recall within the pool: {recall.value:.2f} ({recall.low:.2f} to {recall.high:.2f}, {of}); about "
        f"{recall.ranked:.0f} of {recall.relevant:.0f} relevant passages are ranked"
    )
    if more:
        yield f"about {more:,} verdicts more at random narrow that to {width:g}"


def _precision_words(one: PrecisionEstimate | None) -> str:
    if one is None:
        return "cannot be told yet"
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}), {one.judged:,} judged of {one.cases:,} cases"
