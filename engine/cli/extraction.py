"""The commands ``extract`` (a language model reads a corpus) and ``validations`` (how often it is right)."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import BudgetError, CancelledError, InputError, ModelError, SettingsError

if TYPE_CHECKING:
    from engine.extraction import ExtractionReport
    from engine.llm import Budget


def add_extraction_commands(commands: Any) -> None:
    """Describe the commands to the parser."""
    _add_extract(
        commands.add_parser(
            "extract", help="have a language model read a corpus for definitions, exceptions and more"
        )
    )
    _add_validations(
        commands.add_parser("validations", help="how often proposals are right, by people's verdicts")
    )


def _add_extract(command: argparse.ArgumentParser) -> None:
    add_corpus(command)
    add_model_flags(command)
    command.add_argument(
        "--documents", nargs="+", default=[], metavar="DOCUMENT", help="only these, by id or title"
    )
    command.add_argument("--dry-run", action="store_true", help="tell the cost and end")
    command.add_argument("--yes", action="store_true", help="begin without asking")
    command.add_argument("--json", action="store_true", help="print as JSON")
    limits = command.add_argument_group("budget: when it is used up, what was read is kept")
    limits.add_argument("--calls", type=int, metavar="N", help="requests at most")
    limits.add_argument("--tokens", type=int, metavar="N", help="tokens at most, in and out")
    limits.add_argument("--money", type=float, metavar="X", help="in the currency of the model's prices")
    limits.add_argument("--seconds", type=float, metavar="S", help="time at most")
    command.set_defaults(command=extract)


def _add_validations(command: argparse.ArgumentParser) -> None:
    add_corpus(command)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.add_argument(
        "--graphml", type=Path, metavar="FILE", help="write what counts as a graph of passages and concepts"
    )
    command.set_defaults(command=validations)


def extract(options: argparse.Namespace) -> None:
    """Tell the cost, have it confirmed, read, and report.

    Raises BudgetError, CancelledError or ModelError, after the report, where the run ended before its end.
    """
    from engine.corpus import open_corpus
    from engine.extraction import expected, planned
    from engine.extraction import extract as run
    from engine.extraction.export import expected_lines, expected_to_json, report_lines, report_to_json
    from engine.ingestion.report import ProgressBar
    from engine.llm import Meter

    budget = _budget(options)
    model = model_from(options, kept=False)
    if model is None:
        raise SettingsError("no language model is named; use --llm SPEC or set REDSTRING_LLM")
    plan = planned(open_corpus(options.corpus), model, options.documents)
    cost = expected(plan, model)
    if options.json and (options.dry_run or not cost.windows):
        print_json({"expected": expected_to_json(cost)})
        return
    if not options.json:
        print_lines(expected_lines(cost))
    if options.dry_run or not cost.windows:
        return
    _confirm(options)
    with _interruptible() as interrupted, ProgressBar() as progress:
        report = run(plan, model, Meter(budget, interrupted.is_set), progress)
    if options.json:
        print_json({"expected": expected_to_json(cost), "report": report_to_json(report)})
    else:
        print_lines(report_lines(report))
    _raise_unfinished(report)


def validations(options: argparse.Namespace) -> None:
    """Print the precision of what was judged, and write the graph where that is asked for."""
    from engine.corpus import open_corpus
    from engine.extraction.checklist import checklist
    from engine.extraction.export import precision_lines, precision_to_json, write_graphml

    corpus = open_corpus(options.corpus)
    checked = checklist(corpus)
    written = None if options.graphml is None else write_graphml(corpus, checked, options.graphml)
    if options.json:
        added = {} if written is None else {"graphml": {"file": str(options.graphml), "edges": written}}
        print_json(precision_to_json(corpus, checked) | added)
        return
    print_lines(precision_lines(corpus, checked))
    if written is not None:
        print(f"{options.graphml}: {written:,} edges.")


def _confirm(options: argparse.Namespace) -> None:
    """Go on only where somebody has agreed to the cost."""
    if options.yes:
        return
    if options.json or not sys.stdin.isatty():
        raise InputError("nobody has agreed to the cost: say --yes to begin, or --dry-run to only see it")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise CancelledError("nothing was sent")


def _budget(options: argparse.Namespace) -> Budget:
    from engine.llm import Budget

    for name in ("calls", "tokens", "money", "seconds"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise SettingsError(f"--{name}: must be above 0 (given: {value:g})")
    return Budget(options.calls, options.tokens, options.seconds, options.money)


def _raise_unfinished(report: ExtractionReport) -> None:
    """Tell the shell that something is left to do; a second run takes it up."""
    if report.cancelled:
        raise CancelledError(f"cancelled; {report.windows:,} windows were read and are kept")
    if report.stopped and not report.failed:
        raise BudgetError(f"{report.stopped}; what was read is kept, another run goes on")
    if report.failed:
        raise ModelError(
            f"{sum(report.failed.values()):,} windows failed and {report.left:,} were not tried; "
            "another run tries them again"
        )


@contextmanager
def _interruptible() -> Iterator[Event]:
    """The first Ctrl-C ends the run after the windows in flight; a second one ends the process."""
    interrupted = Event()

    def stop(number: int, frame: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
