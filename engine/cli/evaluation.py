"""The command ``evaluate``: gold questions put to a corpus, or a run that exists already scored.

``evaluate --corpus DIR --queries FILE --qrels FILE`` investigates every question. ``evaluate --score RUN``
needs no corpus: RUN is a saved evaluation (``--results``) or, with ``--qrels``, a TREC run. Either can be
compared with another run (``--compare``) and drawn (``--plots``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_settings, settings_from
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.evaluation.ablation import Ablation, Asking
    from engine.evaluation.compare import Measured
    from engine.evaluation.questions import Question
    from engine.evaluation.results import QuestionResult
    from engine.settings import InvestigationSettings


def add_evaluation_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("evaluate", help="evaluate on gold questions")
    add_settings(command, corpus_required=False)
    gold = command.add_argument_group("gold")
    gold.add_argument("--queries", type=Path, metavar="FILE", help="JSON lines, id and text")
    gold.add_argument(
        "--qrels", type=Path, metavar="FILE", help="judgements: BEIR's three columns or TREC's four"
    )
    gold.add_argument("--limit", type=int, metavar="N", help="the first N questions only")
    gold.add_argument("--every", type=int, metavar="K", help="every K-th question only")
    gold.add_argument("--most", type=int, metavar="N", help="N questions at even distances")
    more = command.add_argument_group("more than the means")
    more.add_argument("--score", type=Path, metavar="RUN", help="score a saved run; no corpus is asked")
    more.add_argument(
        "--compare", type=Path, metavar="RUN", help="difference to a saved evaluation or a TREC run"
    )
    more.add_argument(
        "--ablate",
        nargs="*",
        metavar="KIND",
        help="what each part is worth: strategy, retriever, plan, round, ontology (default: all of them)",
    )
    more.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    files = command.add_argument_group("files")
    files.add_argument("--results", type=Path, metavar="FILE", help="keep each question's result, JSON lines")
    files.add_argument("--run", type=Path, metavar="FILE", help="write the rankings in TREC's form")
    files.add_argument("--qrels-out", type=Path, metavar="FILE", help="write the judgements in TREC's form")
    files.add_argument("--plots", type=Path, metavar="DIR", help="write the plots as pages and as JSON")
    command.add_argument("--json", action="store_true", help="print the figures as JSON")
    command.set_defaults(command=evaluate)


def evaluate(options: argparse.Namespace) -> None:
    """Evaluate on gold questions, or score a run."""
    if options.score is not None:
        _score(options)
    else:
        _investigate(options)


def _investigate(options: argparse.Namespace) -> None:
    from engine.corpus import open_corpus
    from engine.evaluation.compare import of_results
    from engine.evaluation.evaluate import summarise
    from engine.evaluation.questions import chosen, read_questions, write_qrels
    from engine.evaluation.results import run_header

    for name in ("corpus", "queries", "qrels"):
        if getattr(options, name) is None:
            raise InputError(f"--{name} is missing: evaluate needs it, unless a run is scored (--score)")
    if options.jobs < 1:
        raise InputError(f"--jobs: must be at least 1 (given: {options.jobs})")
    settings, corpus = settings_from(options), open_corpus(options.corpus)
    gold = read_questions(options.queries, options.qrels, unjudged=True)
    questions = chosen(gold, options.limit, options.every, options.most)
    if not any(question.gold for question in questions):
        _unjudged(corpus, questions, settings, options)
        return
    kinds = _kinds(options.ablate)
    # What the comparison needs is read first: a wrong file must not be found after an hour's work.
    theirs = _theirs(options)
    if options.qrels_out is not None:
        _writing(options.qrels_out, lambda path: write_qrels({q.id: q.gold for q in questions}, path))
    with _asking(corpus, options) as asking:
        results = _ask(corpus, questions, settings, options, asking)
        ablation = _ablation(corpus, questions, settings, asking, kinds) if kinds else None
    ours = of_results(results)
    told = summarise(results).to_json() | _compared(ours, theirs, run_header(corpus, settings))
    _finish(options, told, results, ablation)


def _unjudged(
    corpus: Corpus, questions: list[Question], settings: InvestigationSettings, options: argparse.Namespace
) -> None:
    """Questions without gold: what was said of them, and nothing that needs gold."""
    from engine.evaluation.evaluate import unjudged
    from engine.ingestion.report import ProgressBar

    for name in ("compare", "ablate", "plots", "results", "run", "qrels_out"):
        if getattr(options, name, None) not in (None, False):
            raise InputError(
                f"--{name.replace('_', '-')}: {options.qrels} holds no judgement to do that with"
            )
    with ProgressBar() as bar:
        bar("questions", 0, len(questions))
        told = unjudged(corpus, questions, settings, lambda done: bar("questions", done, len(questions)))
    _finish(options, told, [], None)


def _kinds(given: list[str] | None) -> tuple[str, ...]:
    """The kinds of parts that are left out; none where no ablation is asked for. Raises InputError."""
    from engine.evaluation.ablation import KINDS

    if given is None:
        return ()
    if unknown := [kind for kind in given if kind not in KINDS]:
        raise InputError(f"--ablate: {unknown[0]!r} is no kind of part; known kinds: {', '.join(KINDS)}")
    return tuple(given) or KINDS


@contextmanager
def _asking(corpus: Corpus, options: argparse.Namespace) -> Iterator[Asking]:
    """How questions are put: one after the other here, or by several processes."""
    from functools import partial

    from engine.evaluation.evaluate import judged
    from engine.evaluation.parallel import Processes

    if options.jobs == 1:
        yield partial(judged, corpus)
    else:
        with Processes(options.corpus, options.jobs) as processes:
            yield processes.judged


def _ask(
    corpus: Corpus,
    questions: list[Question],
    settings: InvestigationSettings,
    options: argparse.Namespace,
    asking: Asking,
) -> list[QuestionResult]:
    """Put every question, keeping results as they come."""
    from engine.evaluation.questions import RUN_DEPTH, Run, write_run
    from engine.evaluation.results import run_header, write_header, write_result
    from engine.ingestion.report import ProgressBar

    results, run = [], Run()
    with ExitStack() as stack:
        kept = None
        if options.results is not None:
            kept = stack.enter_context(_opened(options.results))
            write_header(kept, run_header(corpus, settings))
        bar = stack.enter_context(ProgressBar())
        # Told before the first one, which waits for a model to load.
        bar("questions", 0, len(questions))
        answers = asking(questions, settings)
        for number, (outcome, result) in enumerate(answers, 1):
            results.append(result)
            run.add(result.id, outcome.final[:RUN_DEPTH], outcome.scores[:RUN_DEPTH])
            if kept is not None:
                write_result(kept, result)
            bar("questions", number, len(questions))
    if options.run is not None:
        _writing(options.run, lambda path: write_run(run, path))
    return results


def _score(options: argparse.Namespace) -> None:
    """Score a run that exists: nothing is asked, no corpus is opened."""
    from engine.evaluation.compare import read_measured
    from engine.evaluation.evaluate import summarise
    from engine.evaluation.questions import read_qrels

    for name in ("corpus", "queries", "run", "results", "qrels_out", "limit", "every", "most", "ablate"):
        if getattr(options, name):
            raise InputError(f"--{name.replace('_', '-')} does not go with --score, which asks nothing")
    gold = read_qrels(options.qrels) if options.qrels is not None else None
    ours = read_measured(options.score, gold)
    if options.plots is not None and not ours.results:
        raise InputError("--plots: a TREC run does not tell what the plots show; give a saved evaluation")
    told: dict[str, Any] = {"queries": len(ours.questions)}
    if ours.results:
        told |= summarise(ours.results).to_json()
    else:
        tables = list(ours.questions.values())
        told["run"] = {
            name: round(sum(table[name] for table in tables) / len(tables), 4) for name in tables[0]
        }
    told |= _compared(ours, _theirs(options), None)
    _finish(options, told, list(ours.results), None)


def _theirs(options: argparse.Namespace) -> Measured | None:
    from engine.evaluation.compare import read_measured
    from engine.evaluation.questions import read_qrels

    if options.compare is None:
        return None
    return read_measured(options.compare, read_qrels(options.qrels) if options.qrels is not None else None)


def _compared(ours: Measured, theirs: Measured | None, header: dict[str, Any] | None) -> dict[str, Any]:
    from dataclasses import replace

    from engine.evaluation.compare import compare

    if theirs is None:
        return {}
    return {"comparison": compare(replace(ours, header=header or ours.header), theirs).to_json()}


def _ablation(
    corpus: Corpus,
    questions: list[Question],
    settings: InvestigationSettings,
    asking: Asking,
    kinds: tuple[str, ...],
) -> Ablation:
    from engine.evaluation.ablation import ablate
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as bar:
        return ablate(corpus, questions, settings, progress=bar, asking=asking, kinds=kinds)


def _finish(
    options: argparse.Namespace,
    told: dict[str, Any],
    results: list[QuestionResult],
    ablation: Ablation | None,
) -> None:
    """Draw what is to be drawn, and print."""
    from engine.evaluation.ablation import evaluation_text

    if ablation is not None:
        told["ablation"] = ablation.to_json()
    if options.plots is not None:
        from engine.evaluation.plots import all_plots, write_plots

        write_plots(all_plots(results, ablation), options.plots)
    for warning in told.get("comparison", {}).get("warnings", ()):
        print(f"redstring: {warning}", file=sys.stderr)
    if options.json:
        print_json(told)
    else:
        print_lines(evaluation_text(told))


def _opened(path: Path) -> Any:
    try:
        return path.open("wb")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


def _writing(path: Path, write: Callable[[Path], None]) -> None:
    try:
        write(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
