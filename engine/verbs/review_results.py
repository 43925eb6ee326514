"""Verbs on the results of reviews: criteria, verdicts, estimates, exchange, learned weights."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import InputError
from engine.verbs.cases import find_matter, optional_matter
from engine.verbs.review import OneQueue, assessment_line
from engine.verbs.verb import Caller, Request, Response, argument, corpus_option, option, verb

if TYPE_CHECKING:
    from engine.corpus.judgements import WeightsLine
    from engine.corpus.protocol import Corpus
    from engine.evaluation.compare import Difference
    from engine.records.store.database import Matter
    from engine.review.drafts import Draft
    from engine.review.estimates import Estimates, PrecisionEstimate
    from engine.review.model import Assessment, Item
    from engine.review.training import Choice, WeightStore


# Bytes of a file of criteria.
LARGEST = 200_000


# Criteria and verdicts.


class CriteriaOptions(Request):
    """Options of ``review criteria``."""

    matter: str = option(..., "its name, or its id", "NAME")
    text: str | None = option(None, "the new criteria", "TEXT")
    file: Path | None = option(None, "the same from a file", "FILE")
    by: str = option("command line", "the author", "NAME")


@verb("review criteria", CriteriaOptions, changes=True)
def show_criteria(caller: Caller, request: CriteriaOptions) -> Response:
    """Show or write the criteria of relevance of a matter."""
    if request.text is not None and request.file is not None:
        raise InputError("give --text or --file, not both")
    text = request.text if request.file is None else _read_criteria(request.file)
    reviews, matter = caller.reviews(), find_matter(caller, request.matter)
    if text is not None:
        reviews.write_criteria(matter, text, who=request.by)
    found = reviews.criteria(matter)
    outdated = len(reviews.outdated(matter, caller.owner))
    lines = ["There are no criteria of relevance yet: --text sets them"]
    if found is not None:
        lines = [f"Version {found.version}, by {found.who}, {found.at[:16]}", found.text]
        lines += [f"{outdated:,} standing verdicts were given under earlier ones"] if outdated else []
    return Response({"criteria": None if found is None else asdict(found), "outdated": outdated}, lines)


def _read_criteria(path: Path) -> str:
    from engine import files

    try:
        return files.read(files.named(path), LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--file {path}: cannot be read ({error})") from error


class ScopeOptions(Request):
    """Options that name a matter, a queue or a case."""

    matter: str | None = option(None, "of a matter: its name, or its id", "NAME")
    queue: str = option("", "of a queue", "ID")
    case: str = option("", "of a case", "ID")

    def check_scope(self, *, is_required: bool) -> None:
        """Raise InputError if several are named, or none although one is required."""
        count = sum(one not in (None, "") for one in (self.matter, self.queue, self.case))
        if count > 1 or (is_required and not count):
            raise InputError("name one of --matter, --queue and --case")


def _find_verdicts(caller: Caller, request: ScopeOptions, *, is_current: bool) -> Sequence[Assessment]:
    """Return verdicts in a scope. Raises InputError for an unknown matter, queue or case."""
    reviews, matter = caller.reviews(), optional_matter(caller, request.matter)
    if request.queue:
        reviews.queue(request.queue)
    if request.case:
        caller.store().summary(request.case, caller.owner)
    return reviews.assessments(
        matter, caller.owner, case_id=request.case, queue=request.queue, is_current=is_current
    )


class VerdictsOptions(ScopeOptions):
    """Options of ``review verdicts``."""

    all: bool = option(False, "also verdicts that were changed, put off or taken back since")
    outdated: bool = option(False, "with --matter: verdicts under earlier criteria")


@verb("review verdicts", VerdictsOptions)
def list_verdicts(caller: Caller, request: VerdictsOptions) -> Response:
    """List the verdicts of reviewers, in order."""
    request.check_scope(is_required=False)
    if request.all and request.outdated:
        raise InputError("give --all or --outdated, not both")
    if request.outdated and request.matter is None:
        raise InputError("--outdated: name a --matter, whose criteria are meant")
    found: Sequence[Assessment]
    if request.outdated and request.matter is not None:
        found = caller.reviews().outdated(find_matter(caller, request.matter), caller.owner)
    else:
        found = _find_verdicts(caller, request, is_current=not request.all)
    return Response({"verdicts": [asdict(one) for one in found]}, map(assessment_line, found))


# Estimates.


class EstimateOptions(OneQueue):
    """Options of ``review estimate``."""

    ranks: list[int] = option([5, 10, 20], "precision at these (5 10 20)", "K", many="+")
    partly: float = option(1.0, "the value of a partly relevant passage, 0 to 1 (1)", "S")
    width: float = option(0.2, "the number of verdicts that would narrow recall to this interval (.2)", "S")


@verb("review estimate", EstimateOptions)
def show_estimate(caller: Caller, request: EstimateOptions) -> Response:
    """Show precision and recall of the rankings, from a queue's verdicts."""
    from engine.review.estimates import estimates
    from engine.review.sampling import parse_sampling

    if not 0 <= request.partly <= 1 or not 0 < request.width < 1 or min(request.ranks) < 1:
        raise InputError("--partly is 0 to 1, --width more than 0 and less than 1, --ranks at least 1")
    reviews = caller.reviews()
    queue = reviews.queue(request.queue)
    items = reviews.items(queue.id).values()
    # Verdicts on an item count wherever they were given.
    verdicts = [
        one
        for case_id in {one.item.case_id for one in items}
        for one in reviews.assessments(None, caller.owner, case_id=case_id, is_current=True)
    ]
    ranks = tuple(dict.fromkeys(request.ranks))
    found = estimates(items, verdicts, parse_sampling(queue), ranks=ranks, partly=request.partly)
    more = None if found.recall is None else found.recall.more_needed(request.width)
    values = {
        "judged": found.judged,
        "drawn": found.drawn,
        "precision": {
            "at": {str(k): None if one is None else asdict(one) for k, one in found.at.items()},
            "overall": None if found.overall is None else asdict(found.overall),
        },
        "recall": None if found.recall is None else asdict(found.recall),
        "more_needed": {"width": request.width, "verdicts": more},
    }
    return Response(values, _estimate_lines(found, request.width, more))


def _estimate_lines(found: Estimates, width: float, more: int | None) -> Iterator[str]:
    yield f"{found.judged:,} of {found.drawn:,} passages judged"
    for k, one in found.at.items():
        yield f"precision at {k}: {_precision_words(one)}"
    yield f"precision of the ranking: {_precision_words(found.overall)}"
    recall = found.recall
    if recall is None:
        yield "recall within the pool: unknown; judge passages drawn at random"
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
        return "unknown yet"
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}), {one.judged:,} judged of {one.cases:,} cases"


# Exchange with other programs.


class ExportVerdictsOptions(ScopeOptions):
    """Options of ``review export``."""

    format: str = option(..., "csv, jsonl, qrels or binary-qrels (only read)", "F")
    out: Path | None = option(None, "default: standard output", "FILE")


@verb("review export", ExportVerdictsOptions)
def export_verdicts(caller: Caller, request: ExportVerdictsOptions) -> Response:
    """Write the current verdicts for another program.

    Raises InputError for a format that is only read, and one that cannot hold them.
    """
    from engine.records.conversion import write_whole
    from engine.review.exchange import writer_of

    request.check_scope(is_required=True)
    write = writer_of(request.format)
    found = _find_verdicts(caller, request, is_current=True)
    data = write(found)
    if request.out is None:
        return Response(data=data)
    write_whole(request.out, data)
    line = f"{request.out}: {len(data):,} bytes, of {len(found):,} verdicts"
    return Response({"verdicts": len(found), "bytes": len(data)}, [line])


class ImportVerdictsOptions(ScopeOptions):
    """Options of ``review import``."""

    file: Path = option(..., "the file of verdicts", "FILE", positional=True)
    format: str = option(..., "csv, jsonl, qrels or binary-qrels (only read)", "F")
    corpus: str = corpus_option("", "; needed with --matter and --case")
    by: str = option("", "the reviewer of verdicts without a name", "NAME")


@verb("review import", ImportVerdictsOptions, changes=True)
def import_verdicts(caller: Caller, request: ImportVerdictsOptions) -> Response:
    """Keep the verdicts of a file: all of them or none.

    Raises SourceError naming file and line of the first that cannot be kept.
    """
    from engine.review.exchange import format_of
    from engine.review.importing import import_summary, match_verdicts

    request.check_scope(is_required=True)
    drafts = format_of(request.format).read(request.file)
    items = _queued(caller, request.queue) if request.queue else _of_cases(caller, drafts, request)
    found = match_verdicts(drafts, items)
    taken = caller.reviews().import_verdicts(
        found.found, by=request.by, queue=request.queue, owner=caller.owner
    )
    return Response(asdict(taken) | {"missing": len(found.missing)}, import_summary(taken, found.missing))


def _queued(caller: Caller, queue: str) -> Iterator[tuple[Item, str]]:
    reviews = caller.reviews()
    items = reviews.items(reviews.queue(queue).id).values()
    questions = _questions(caller, {one.item.case_id for one in items})
    return ((one.item, questions[one.item.case_id]) for one in items)


def _questions(caller: Caller, ids: Any) -> dict[str, str]:
    return {one: caller.store().summary(one, caller.owner).question for one in ids}


def _of_cases(
    caller: Caller, drafts: Sequence[Draft], request: ImportVerdictsOptions
) -> Iterator[tuple[Item, str]]:
    from engine.review.importing import find_cases
    from engine.review.model import ItemKind
    from engine.review.sampling import iterate_items

    if not request.corpus:
        raise InputError("--corpus: name the corpus of the cases, or a --queue, which holds the passages")
    corpus, store = caller.corpus(request.corpus), caller.store()
    matter = optional_matter(caller, request.matter)
    ids = [request.case] if request.case else store.ids(matter, caller.owner)
    questions = _questions(caller, ids)
    named = find_cases(drafts, questions)
    cases = ((one, questions[one], store.record(one, caller.owner)) for one in named)
    return iterate_items(cases, corpus, hops=any(one.kind is ItemKind.HOP for one in drafts))


# The verb ``weights``: learn from verdicts how cases are ranked, compare, adopt, go back.

# Questions that a ranking would get worse for are shown, at most.
MOST_SHOWN = 5


class WeightsOptions(Request):
    """Options of ``weights``."""

    act: Literal["learn", "list", "adopt", "ship", "delete"] = argument(
        ..., "learn, list, adopt, ship or delete", "ACT"
    )
    id: str = argument("", "adopt, delete: id of the weights", "ID")
    corpus: str = corpus_option()
    matter: str | None = option(
        None,
        "those of this matter, for its cases alone (default: those of the corpus, for all its cases)",
        "NAME",
    )
    preset: str = option("balanced", "learn: as questions are asked", "P")
    by: str = option("", "the person who does it", "NAME")


@verb("weights", WeightsOptions, changes=True)
def change_weights(caller: Caller, request: WeightsOptions) -> Response:
    """Learn from experts' verdicts how cases are ranked; adopt it, or go back."""
    from engine.operator_settings import operator_settings
    from engine.records.store.database import MatterWeights
    from engine.review.training import CorpusWeightStore, MatterWeightStore

    corpus = caller.corpus(request.corpus)
    if request.matter is None:
        return _act(caller, request, corpus, CorpusWeightStore(corpus), None)
    matter = find_matter(caller, request.matter)
    with closing(MatterWeights(operator_settings().cases_address)) as kept:
        return _act(caller, request, corpus, MatterWeightStore(kept, matter, corpus.name), matter)


def _act(
    caller: Caller, request: WeightsOptions, corpus: Corpus, place: WeightStore, matter: Matter | None
) -> Response:
    if request.act == "learn":
        return _learn(caller, request, corpus, place, matter)
    if request.act == "adopt":
        place.adopt(request.id, request.by)
    elif request.act == "ship":
        place.ship(request.by)
    elif request.act == "delete":
        place.delete(request.id)
    lines = place.lines()
    otherwise = "shipped weights" if matter is None else "corpus's own"
    return Response(_values(lines), list(_lines(lines, otherwise)))


def _learn(
    caller: Caller, request: WeightsOptions, corpus: Corpus, place: WeightStore, matter: Matter | None
) -> Response:
    from engine.review.training import choice_to_json, labels_from, train
    from engine.settings import preset

    place.check_room()
    owner = "" if matter is None else caller.owner
    verdicts = labels_from(caller.reviews().assessments(matter, owner, corpus=corpus.name, is_current=True))
    learned, choice = train(corpus, verdicts, preset(request.preset))
    if choice.strength:
        place.keep(learned, choice, verdicts.cases, request.by)
    scope = "" if request.matter is None else f" --matter {shlex.quote(request.matter)}"
    values = {"id": learned.id if choice.strength else None, **choice_to_json(choice)}
    worse = {"worse": [asdict(one) for one in choice.worse]}
    return Response(values | worse, _choice_lines(f"weights adopt {learned.id}{scope}", choice))


def _choice_lines(how: str, choice: Choice) -> Iterator[str]:
    yield f"learned from {choice.verdicts:,} judged passages of {choice.questions:,} questions"
    if not choice.strength:
        yield "it makes no question better that it was not learned from: there is nothing to adopt"
        return
    yield f"what counts: {choice.kind}, at a strength of {choice.strength:g}"
    yield "on questions that had no part in it nor in that choice, by the verdicts that were given:"
    yield f"  relevant among the first ten judged {_difference(choice.recall)}"
    yield f"  order of those judged (ndcg)        {_difference(choice.ndcg)}"
    if not choice.ndcg.significant:
        yield "this may be chance: more verdicts tell"
    worse = choice.worse
    yield f"worse for {len(worse):,} of {choice.questions:,} questions{':' if worse else ''}"
    for one in worse[:MOST_SHOWN]:
        yield f"  {one.ndcg:.2f} -> {one.ndcg_then:.2f}  {one.question}"
    yield f"nothing is ranked by it yet: `{how}` does that"


def _difference(one: Difference) -> str:
    return f"{one.theirs:.3f} -> {one.ours:.3f}, {one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"


def _values(lines: list[WeightsLine]) -> dict[str, Any]:
    from engine.corpus.judgements import Act, latest_act

    last = latest_act(lines)
    kept = [
        {"id": one.id, "when": one.when, "by": one.reviewer, "figures": one.figures}
        for one in lines
        if one.act is Act.KEPT
    ]
    since = {} if last is None else {"by": last.reviewer, "when": last.when}
    return {"adopted": "" if last is None else last.id, **since, "weights": kept}


def _lines(lines: list[WeightsLine], otherwise: str) -> Iterator[str]:
    found = _values(lines)
    yield f"ranked by: {found['adopted'] or f'the {otherwise}'}"
    for one in found["weights"]:
        figures, by = one["figures"], f" by {one['by']}" if one["by"] else ""
        gain = figures.get("ndcg", {}).get("difference")
        gained = f", ndcg {gain:+.3f}" if gain is not None else ""
        yield f"{one['id']}  {one['when'][:10]}{by}  {figures.get('verdicts', 0):,} verdicts{gained}"
