"""Verbs with a language model: try one, let it read a corpus, show how often its proposals are right."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from engine.errors import (
    BudgetError,
    CancelledError,
    InputError,
    ModelError,
    RedstringError,
    SettingsError,
)
from engine.verbs.requests import ModelOptions, Request, corpus_option, option
from engine.verbs.verb import Caller, Response, verb

if TYPE_CHECKING:
    from engine.extraction import ExtractionReport
    from engine.llm import Budget
    from engine.llm.client import ChatModel

BUDGET = "budget: when it is used up, all windows that were read are kept"


class ExtractOptions(ModelOptions):
    """Options of ``extract``."""

    corpus: str = corpus_option()
    documents: list[str] = option([], "only these, by id or title", "DOCUMENT", many="+")
    dry_run: bool = option(False, "show the cost and end")
    yes: bool = option(False, "begin without asking")
    calls: int | None = option(None, "requests at most", "N", group=BUDGET)
    tokens: int | None = option(None, "tokens at most, in and out", "N", group=BUDGET)
    money: float | None = option(None, "in the currency of the model's prices", "X", group=BUDGET)
    seconds: float | None = option(None, "time at most", "S", group=BUDGET)

    def budget(self) -> Budget:
        """Return the budget. Raises SettingsError for a limit that is not above 0."""
        from engine.llm import Budget

        for name in ("calls", "tokens", "money", "seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SettingsError(f"--{name}: must be above 0 (given: {value:g})")
        return Budget(self.calls, self.tokens, self.seconds, self.money)


@verb("extract", ExtractOptions, changes=True)
def extract(caller: Caller, request: ExtractOptions) -> Response:
    """Have a language model read a corpus for definitions, exceptions and more.

    A run that ends early is a problem: BudgetError, CancelledError or ModelError.
    """
    from engine.extraction import expected, make_plan
    from engine.extraction import extract as run
    from engine.extraction.export import expected_lines, expected_to_json, report_lines, report_to_json
    from engine.ingestion.report import ProgressBar
    from engine.llm import Meter

    budget, model = request.budget(), _model(caller, request)
    plan = make_plan(caller.corpus(request.corpus), model, request.documents)
    cost = expected(plan, model)
    values = {"expected": expected_to_json(cost)}
    if request.dry_run or not cost.windows:
        return Response(values, expected_lines(cost))
    if not caller.reads_json:
        print(*expected_lines(cost), sep="\n")
    _confirm(caller, request)
    with _interruptible() as interrupted, ProgressBar() as progress:
        report = run(plan, model, Meter(budget, interrupted.is_set), progress)
    values["report"] = report_to_json(report)
    return Response(values, report_lines(report), problem=_unfinished(report))


def _model(caller: Caller, request: ModelOptions) -> ChatModel:
    from engine.llm.client import ChatModel

    model = caller.model(request, cached=False)
    if not isinstance(model, ChatModel):
        raise SettingsError("no language model is named; use --llm SPEC or set REDSTRING_LLM")
    return model


def _confirm(caller: Caller, request: ExtractOptions) -> None:
    if request.yes:
        return
    if caller.reads_json or not sys.stdin.isatty():
        raise InputError("the cost is not confirmed: add --yes to begin, or --dry-run to see it only")
    print("Begin? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise CancelledError("nothing was sent")


def _unfinished(report: ExtractionReport) -> RedstringError | None:
    if report.cancelled:
        return CancelledError(f"cancelled; {report.windows:,} windows were read and are kept")
    if report.stopped and not report.failed:
        return BudgetError(f"{report.stopped}; what was read is kept, another run goes on")
    if report.failed:
        return ModelError(
            f"{sum(report.failed.values()):,} windows failed and {report.left:,} were not tried; "
            "another run tries them again"
        )
    return None


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


class ValidationsOptions(Request):
    """Options of ``validations``."""

    corpus: str = corpus_option()
    graphml: Path | None = option(None, "write the graph of passages and concepts", "FILE")


@verb("validations", ValidationsOptions)
def show_validations(caller: Caller, request: ValidationsOptions) -> Response:
    """Show how often proposals are right, by people's verdicts."""
    from engine.extraction.checklist import checklist
    from engine.extraction.export import precision_lines, precision_to_json, write_graphml

    corpus = caller.corpus(request.corpus)
    checked = checklist(corpus)
    values, lines = precision_to_json(corpus, checked), list(precision_lines(corpus, checked))
    if request.graphml is not None:
        edges = write_graphml(corpus, checked, request.graphml)
        values |= {"graphml": {"file": str(request.graphml), "edges": edges}}
        lines.append(f"{request.graphml}: {edges:,} edges.")
    return Response(values, lines)


@verb("model", ModelOptions)
def try_model(caller: Caller, request: ModelOptions) -> Response:
    """Try a language model: whether it answers, keeps to schemas and reads long prompts.

    ModelError is a problem if it cannot be used as its spec states.
    """
    from engine.llm.probing import probe, probe_lines, probe_to_json

    found = probe(_model(caller, request))
    problem = None if found.fine else ModelError(found.problem)
    return Response(probe_to_json(found), probe_lines(replace(found, problem="")), problem=problem)
