"""The command ``export``: a case in the form that its reader reads."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import open_store
from engine.cli.printing import print_json, print_lines
from engine.cli.review_store import open_reviews
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.exports.kept_cases import Verdicts
    from engine.exports.registry import ExportableCase


def add_export_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("export", help="hand a case over: memo, provenance, graph, table …")
    command.add_argument(
        "case", metavar="CASE", nargs="?", help="id of a case that is kept, or the file of a saved one"
    )
    command.add_argument("--as", dest="format", metavar="FORMAT", help="its name; without: list them")
    command.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    command.add_argument(
        "--corpus", metavar="DIR", help="the corpus of the case, against which words are checked"
    )
    add_verdict_flags(command)
    command.add_argument("--json", action="store_true", help="list the formats as JSON")
    command.set_defaults(command=export)


def add_verdict_flags(command: argparse.ArgumentParser) -> None:
    """The flags by which verdicts go along with a case."""
    command.add_argument("--verdicts", action="store_true", help="with what reviewers said of it, unnamed")
    command.add_argument("--named", action="store_true", help="with --verdicts: and with their names")


def verdicts_wanted(options: argparse.Namespace) -> Verdicts:
    """What these flags ask for. Raises InputError for names without verdicts."""
    from engine.exports.kept_cases import Verdicts

    if options.named and not options.verdicts:
        raise InputError("--named: say --verdicts, too")
    return Verdicts.NAMED if options.named else Verdicts.UNNAMED if options.verdicts else Verdicts.NONE


def export(options: argparse.Namespace) -> None:
    """Write a case in a format. Raises InputError for an unknown one, or a case that is not there."""
    from engine.exports.registry import export_of, exports
    from engine.records.restoring import write_whole

    if options.format is None:
        known = list(exports().values())
        values = [{"name": one.name, "title": one.title, "for": one.meaning} for one in known]
        if options.json:
            print_json({"formats": values})
        else:
            print_lines(f"{one.name:<12} {one.title}: {one.meaning}" for one in known)
        return
    if options.case is None:
        raise InputError("name the case: its id, or the file of a saved one")
    format_ = export_of(options.format)
    data = format_.write(_handed_over(options))
    if options.out is not None:
        write_whole(options.out, data)
        print(f"{options.out}: {len(data):,} bytes", file=sys.stderr)
    elif sys.stdout.isatty() and not format_.media_type.startswith(("text/", "application/json")):
        raise InputError(f"{format_.title} is no text: give --out FILE")
    else:
        sys.stdout.buffer.write(data)


def _handed_over(options: argparse.Namespace) -> ExportableCase:
    from engine.corpus import open_corpus
    from engine.exports.kept_cases import Verdicts, load_for_export
    from engine.exports.registry import ExportableCase
    from engine.records.case_file import CASE, parse_saved
    from engine.records.restoring import values_of
    from engine.review.case_verdicts import anonymise, parse_assessments, passage_gains

    wanted, today = verdicts_wanted(options), datetime.now(UTC).date()
    corpus = None if options.corpus is None else open_corpus(options.corpus)
    if Path(options.case).is_file():
        values = values_of(Path(options.case))
        if CASE not in values:
            return ExportableCase(values, corpus=corpus, today=today)
        record, case = parse_saved(values, options.case)
        notes = "" if case is None else case.notes
        events = () if case is None else case.events
        said = () if case is None or wanted is Verdicts.NONE else parse_assessments(case, record)
        said = said if wanted is Verdicts.NAMED else anonymise(said)
        judged, bare = passage_gains(said), None if case is None else replace(case, verdicts=())
        return ExportableCase(
            record, None, events, notes, corpus, today=today, case=bare, verdicts=said, judgements=judged
        )
    with closing(open_store()) as store, closing(open_reviews()) as reviews:
        return load_for_export(store, options.case, EVERYBODY, lambda name: corpus, reviews, wanted)
