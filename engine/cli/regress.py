"""The command ``regress``: saved cases on the corpus of today; for a build that is to fail where they got
worse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from engine.cli.case_store import learned_of, matter_named, open_store
from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import InputError, RegressionError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.records.regression import Saved

MOST_CASES = 1_000_000
REPORTS = (".md", ".json")


def add_regress_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "regress",
        help="go through saved cases on the corpus of today, and say what got better and worse",
        description="Exit code 1 where it is worse than allowed: a case cannot be gone through, a pinned "
        "passage is lost, a case bears less evidence, or more passages are lost than --max-lost.",
    )
    add_corpus(command)
    command.add_argument("--matter", metavar="NAME", help="cases of this matter (default: of all)")
    command.add_argument(
        "--records", type=Path, metavar="DIR", help="saved investigations in this folder, in place of cases"
    )
    command.add_argument(
        "--of-corpus", metavar="NAME", help="cases that asked this corpus (default: the name of --corpus)"
    )
    command.add_argument("--report", type=Path, metavar="FILE", help="write a report: .md or .json")
    command.add_argument("--max-lost", type=int, default=0, metavar="N", help="passages lost in all (0)")
    command.add_argument(
        "--top", type=int, default=0, metavar="K", help="of the best K (default: of all ranked)"
    )
    add_model_flags(command)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=regress)


def regress(options: argparse.Namespace) -> None:
    """Try saved cases. Raises RegressionError where they are worse than allowed, InputError where there are
    none."""
    from tqdm import tqdm

    from engine.corpus import open_corpus
    from engine.records.regression import (
        find_excesses,
        regression_lines,
        regression_to_json,
        replay_cases,
        totals_of,
    )
    from engine.records.store.chain import fingerprint_of

    _check(options)
    corpus = open_corpus(options.corpus)
    if options.records:
        paths = _files(options.records)
        count, work = len(paths), _read(paths)
    else:
        ids = _ids(options.matter, options.of_corpus or corpus.name)
        count, work = len(ids), _kept(ids)
    done = replay_cases(
        work, corpus, fingerprint=fingerprint_of(corpus), top=options.top, model=model_from(options)
    )
    silent = not sys.stderr.isatty()
    outcomes = list(tqdm(done, total=count, desc="cases", file=sys.stderr, disable=silent))
    totals = totals_of(outcomes)
    bad = find_excesses(totals, options.max_lost)
    values = regression_to_json(outcomes, totals, bad)
    if options.report:
        _write(options.report, values, outcomes, totals, bad, corpus.name)
    if options.json:
        print_json(values)
    else:
        print_lines(regression_lines(outcomes, totals, bad))
    if bad:
        raise RegressionError(f"worse than allowed: {'; '.join(bad)}")


def _check(options: argparse.Namespace) -> None:
    if options.max_lost < 0 or options.top < 0:
        raise InputError("--max-lost and --top are at least 0")
    if options.records and options.matter is not None:
        raise InputError("give --matter or --records, not both")
    if options.report and options.report.suffix not in REPORTS:
        raise InputError(
            f"--report: a report is written as {' or '.join(REPORTS)}, not {options.report.suffix!r}"
        )


def _ids(matter: str | None, corpus: str) -> list[str]:
    """The cases of a matter that asked a corpus, the oldest first."""
    from engine.records.store.database import CaseFilter

    with closing(open_store()) as store:
        wanted = CaseFilter(corpus=corpus, limit=MOST_CASES)
        found = store.listed(wanted, None if matter is None else matter_named(store, matter), EVERYBODY).cases
    if not found:
        of = f" of matter {matter!r}" if matter is not None else ""
        raise InputError(f"there are no cases{of} that asked {corpus!r}; --of-corpus names another")
    return [one.id for one in found][::-1]


def _kept(ids: list[str]) -> Iterator[Saved]:
    from engine.records.regression import Saved

    with closing(open_store()) as store:
        for one in ids:
            try:
                record = store.record(one, EVERYBODY)
            except InputError as error:
                yield Saved(one, {}, error=str(error))
                continue
            events, summary = store.events(one, EVERYBODY), store.summary(one, EVERYBODY)
            yield Saved(one, record, events, summary.fingerprint, learned=learned_of(summary.matter, record))


def _files(folder: Path) -> list[Path]:
    """Files of a folder that may be records. Raises InputError where there are none."""
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise InputError(f"--records {folder}: cannot be read: {error.strerror}") from error
    if not found:
        raise InputError(f"--records {folder}: there are no files *.json in it")
    return found


def _read(paths: list[Path]) -> Iterator[Saved]:
    from engine.records.regression import Saved
    from engine.records.replaying import steps_shown
    from engine.records.restoring import record_of

    for path in paths:
        try:
            record = record_of(path)
            yield Saved(path.name, record, steps_shown(record))
        except InputError as error:
            yield Saved(path.name, {}, error=str(error))


def _write(
    path: Path, values: dict[str, Any], outcomes: Any, totals: Any, bad: list[str], corpus: str
) -> None:
    from engine.records.regression import regression_markdown
    from engine.records.restoring import write_whole

    if path.suffix == ".json":
        write_whole(path, orjson.dumps(values, option=orjson.OPT_INDENT_2))
    else:
        write_whole(path, ("\n".join(regression_markdown(outcomes, totals, bad, corpus)) + "\n").encode())
