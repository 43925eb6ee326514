"""Acts of the command ``review`` by which verdicts go to other programs and come from them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.case_store import matter_named, open_store, printed
from engine.cli.review_store import open_reviews
from engine.cli.settings import add_corpus
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.records.store.store import CaseStore
    from engine.review.exchange.drafts import Draft
    from engine.review.model import Item
    from engine.review.store import ReviewStore

Act = Callable[[str, Callable[[argparse.Namespace], None], str], argparse.ArgumentParser]


def add_acts(act: Act) -> None:
    """Describe the acts to the parser of the command."""
    giving = act("export", export_verdicts, "what stands of the verdicts, for another program")
    _add_scope(giving)
    giving.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    taking = act("import", import_verdicts, "keep the verdicts of a file: all of them or none")
    taking.add_argument("file", type=Path, metavar="FILE")
    _add_scope(taking)
    add_corpus(taking, required=False, otherwise="; needed with --matter and --case")
    taking.add_argument(
        "--by", default="", metavar="NAME", help="who gave the verdicts of which the file names nobody"
    )


def _add_scope(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--matter", metavar="NAME", help="of a matter: its name, or its id")
    which.add_argument("--queue", default="", metavar="ID", help="of a queue")
    which.add_argument("--case", default="", metavar="ID", help="of a case")
    command.add_argument(
        "--format",
        required=True,
        metavar="F",
        help="csv, jsonl, qrels or binary-qrels (only read)",
    )


def export_verdicts(options: argparse.Namespace) -> None:
    """Write what stands. Raises InputError for a format that is only read, and where the format cannot hold
    what is there."""
    from engine.records.restoring import write_whole
    from engine.review.exchange.registry import writer_of

    write = writer_of(options.format)
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        matter = None if options.matter is None else matter_named(store, options.matter)
        if options.queue:
            reviews.queue(options.queue)
        if options.case:
            store.summary(options.case, EVERYBODY)
        of = {"case_id": options.case, "queue": options.queue}
        found = reviews.assessments(matter, EVERYBODY, is_current=True, **of)
    data = write(found)
    if options.out is None:
        sys.stdout.buffer.write(data)
        return
    write_whole(options.out, data)
    told = f"{options.out}: {len(data):,} bytes, of {len(found):,} verdicts"
    printed(options, {"verdicts": len(found), "bytes": len(data)}, [told])


def import_verdicts(options: argparse.Namespace) -> None:
    """Keep what a file says. Raises SourceError naming file and line of what cannot be kept; then nothing of
    it is."""
    from dataclasses import asdict

    from engine.review.exchange.matching import match_verdicts
    from engine.review.exchange.registry import format_of
    from engine.review.importing import import_summary

    drafts = format_of(options.format).read(options.file)
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        items = _queued(store, reviews, options.queue) if options.queue else _of_cases(store, drafts, options)
        found = match_verdicts(drafts, items)
        taken = reviews.import_verdicts(found.found, by=options.by, queue=options.queue, owner=EVERYBODY)
    values = asdict(taken) | {"missing": len(found.missing)}
    printed(options, values, import_summary(taken, found.missing))


def _queued(store: CaseStore, reviews: ReviewStore, queue: str) -> Iterator[tuple[Item, str]]:
    items = reviews.items(reviews.queue(queue).id).values()
    questions = {one: store.summary(one, EVERYBODY).question for one in {one.item.case_id for one in items}}
    return ((one.item, questions[one.item.case_id]) for one in items)


def _of_cases(
    store: CaseStore, drafts: Sequence[Draft], options: argparse.Namespace
) -> Iterator[tuple[Item, str]]:
    from engine.corpus import open_corpus
    from engine.review.drawing import iterate_items
    from engine.review.exchange.matching import find_cases
    from engine.review.model import ItemKind

    if options.corpus is None:
        raise InputError("--corpus: name the corpus of the cases, or a --queue, which holds the passages")
    corpus = open_corpus(options.corpus)
    ids = [options.case] if options.case else store.ids(matter_named(store, options.matter), EVERYBODY)
    questions = {one: store.summary(one, EVERYBODY).question for one in ids}
    named = find_cases(drafts, questions)
    cases = ((one, questions[one], store.record(one, EVERYBODY)) for one in named)
    return iterate_items(cases, corpus, hops=any(one.kind is ItemKind.HOP for one in drafts))
