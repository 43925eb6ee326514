"""Verbs that measure: evaluate on gold questions, replay saved cases on the corpus of today.

``evaluate --corpus DIR --queries FILE --qrels FILE`` investigates every question. ``evaluate --score RUN``
needs no corpus: RUN is a saved evaluation (``--results``) or, with ``--qrels``, a TREC run. Either can be
compared with another run (``--compare``) and drawn (``--plots``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from engine.errors import InputError, RegressionError
from engine.verbs.cases import optional_matter
from engine.verbs.verb import Caller, ModelOptions, Response, SettingsOptions, corpus_option, option, verb

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.evaluation.ablation import Ablation, AskQuestions
    from engine.evaluation.compare import MeasuredRun
    from engine.evaluation.metrics import QuestionResult
    from engine.evaluation.questions import Question
    from engine.records.regression import Saved
    from engine.settings import InvestigationSettings

GOLD, MORE, FILES = "gold", "more than the means", "files"
MOST_CASES = 1_000_000
REPORTS = (".md", ".json")


# Evaluate on gold questions.


class EvaluateOptions(SettingsOptions):
    """Options of ``evaluate``."""

    corpus: str = corpus_option("")
    queries: Path | None = option(None, "JSON lines, id and text", "FILE", group=GOLD)
    qrels: Path | None = option(None, "judgements: BEIR's three columns or TREC's four", "FILE", group=GOLD)
    limit: int | None = option(None, "the first N questions only", "N", group=GOLD)
    every: int | None = option(None, "every K-th question only", "K", group=GOLD)
    most: int | None = option(None, "N questions at even distances", "N", group=GOLD)
    score: Path | None = option(None, "score a saved run; no corpus is asked", "RUN", group=MORE)
    compare: Path | None = option(None, "difference to a saved evaluation or a TREC run", "RUN", group=MORE)
    ablate: list[str] | None = option(
        None,
        "the worth of each part: strategy, retriever, plan, round, ontology (default: all of them)",
        "KIND",
        many="*",
        group=MORE,
    )
    jobs: int = option(1, "processes (default 1)", "N", group=MORE)
    results: Path | None = option(None, "keep each question's result, JSON lines", "FILE", group=FILES)
    run: Path | None = option(None, "write the rankings in TREC's form", "FILE", group=FILES)
    qrels_out: Path | None = option(None, "write the judgements in TREC's form", "FILE", group=FILES)
    plots: Path | None = option(None, "write the plots as pages and as JSON", "DIR", group=FILES)

    def refuse(self, names: tuple[str, ...], why: str) -> None:
        """Raise InputError if one of these options is given."""
        for name in names:
            if getattr(self, name):
                raise InputError(f"--{name.replace('_', '-')}{why}")


@verb("evaluate", EvaluateOptions)
def evaluate(caller: Caller, request: EvaluateOptions) -> Response:
    """Evaluate on gold questions."""
    return _score(request) if request.score is not None else _investigate(caller, request)


def _investigate(caller: Caller, request: EvaluateOptions) -> Response:
    from engine.evaluation.compare import measure_run
    from engine.evaluation.evaluate import summarise
    from engine.evaluation.metrics import run_header
    from engine.evaluation.questions import choose_questions, read_questions, write_qrels

    for name in ("corpus", "queries", "qrels"):
        if not getattr(request, name):
            raise InputError(f"--{name} is missing: evaluate needs it, unless a run is scored (--score)")
    assert request.queries is not None
    assert request.qrels is not None
    if request.jobs < 1:
        raise InputError(f"--jobs: must be at least 1 (given: {request.jobs})")
    settings = caller.settings(request.preset, request.settings, {}, assisted=False)
    corpus = caller.corpus(request.corpus)
    gold = read_questions(request.queries, request.qrels, unjudged=True)
    questions = choose_questions(gold, request.limit, request.every, request.most)
    if not any(question.gold for question in questions):
        return _without_gold(corpus, questions, settings, request)
    kinds = _kinds(request.ablate)
    # Read first: a wrong file must not be found after an hour's work.
    other = _other_run(request)
    if request.qrels_out is not None:
        _write(request.qrels_out, lambda path: write_qrels({q.id: q.gold for q in questions}, path))
    with _asking(corpus, request) as asking:
        results = _ask(corpus, questions, settings, request, asking)
        ablation = _ablation(corpus, questions, settings, asking, kinds) if kinds else None
    figures = summarise(results).to_json()
    figures |= _comparison(measure_run(results), other, run_header(corpus, settings))
    return _evaluation_response(request, figures, results, ablation)


def _without_gold(
    corpus: Corpus, questions: list[Question], settings: InvestigationSettings, request: EvaluateOptions
) -> Response:
    from engine.evaluation.evaluate import evaluate_unjudged
    from engine.ingestion.report import ProgressBar

    needing_gold = ("compare", "plots", "results", "run", "qrels_out")
    why = f": {request.qrels} holds no judgement to do that with"
    request.refuse(needing_gold, why)
    if request.ablate is not None:
        raise InputError(f"--ablate{why}")
    with ProgressBar() as bar:
        bar("questions", 0, len(questions))
        figures = evaluate_unjudged(
            corpus, questions, settings, lambda done: bar("questions", done, len(questions))
        )
    return _evaluation_response(request, figures, [], None)


def _kinds(given: list[str] | None) -> tuple[str, ...]:
    """Return the kinds of parts to leave out; none without an ablation. Raises InputError."""
    from engine.evaluation.ablation import KINDS

    if given is None:
        return ()
    if unknown := [kind for kind in given if kind not in KINDS]:
        raise InputError(f"--ablate: {unknown[0]!r} is no kind of part; known kinds: {', '.join(KINDS)}")
    return tuple(given) or KINDS


@contextmanager
def _asking(corpus: Corpus, request: EvaluateOptions) -> Iterator[AskQuestions]:
    """Yield a function that asks questions, one after the other or in several processes."""
    from functools import partial

    from engine.evaluation.evaluate import Processes, judge_questions

    if request.jobs == 1:
        yield partial(judge_questions, corpus)
    else:
        from engine.corpus import place_of

        with Processes(place_of(request.corpus), request.jobs) as processes:
            yield processes.judge_questions


def _ask(
    corpus: Corpus,
    questions: list[Question],
    settings: InvestigationSettings,
    request: EvaluateOptions,
    asking: AskQuestions,
) -> list[QuestionResult]:
    from engine.evaluation.metrics import run_header, write_header, write_result
    from engine.evaluation.questions import RUN_DEPTH, Run, write_run
    from engine.ingestion.report import ProgressBar

    results, run = [], Run()
    with ExitStack() as stack:
        file = None
        if request.results is not None:
            file = stack.enter_context(_open(request.results))
            write_header(file, run_header(corpus, settings))
        bar = stack.enter_context(ProgressBar())
        # Shown before the first one, which waits for a model to load.
        bar("questions", 0, len(questions))
        for number, (outcome, result) in enumerate(asking(questions, settings), 1):
            results.append(result)
            run.add(result.id, outcome.final[:RUN_DEPTH], outcome.scores[:RUN_DEPTH])
            if file is not None:
                write_result(file, result)
            bar("questions", number, len(questions))
    if request.run is not None:
        _write(request.run, lambda path: write_run(run, path))
    return results


def _score(request: EvaluateOptions) -> Response:
    """Score a run; nothing is asked, no corpus is opened."""
    from engine.evaluation.compare import read_run_measures
    from engine.evaluation.evaluate import summarise
    from engine.evaluation.questions import read_qrels

    assert request.score is not None
    asking = ("corpus", "queries", "run", "results", "qrels_out", "limit", "every", "most", "ablate")
    request.refuse(asking, " does not go with --score, which asks nothing")
    gold = read_qrels(request.qrels) if request.qrels is not None else None
    ours = read_run_measures(request.score, gold)
    if request.plots is not None and not ours.results:
        raise InputError("--plots: a TREC run does not tell what the plots show; give a saved evaluation")
    figures: dict[str, Any] = {"queries": len(ours.questions)}
    if ours.results:
        figures |= summarise(ours.results).to_json()
    else:
        tables = list(ours.questions.values())
        figures["run"] = {
            name: round(sum(table[name] for table in tables) / len(tables), 4) for name in tables[0]
        }
    figures |= _comparison(ours, _other_run(request), None)
    return _evaluation_response(request, figures, list(ours.results), None)


def _other_run(request: EvaluateOptions) -> MeasuredRun | None:
    from engine.evaluation.compare import read_run_measures
    from engine.evaluation.questions import read_qrels

    if request.compare is None:
        return None
    return read_run_measures(request.compare, None if request.qrels is None else read_qrels(request.qrels))


def _comparison(
    ours: MeasuredRun, other: MeasuredRun | None, header: dict[str, Any] | None
) -> dict[str, Any]:
    from dataclasses import replace

    from engine.evaluation.compare import compare

    if other is None:
        return {}
    return {"comparison": compare(replace(ours, header=header or ours.header), other).to_json()}


def _ablation(
    corpus: Corpus,
    questions: list[Question],
    settings: InvestigationSettings,
    asking: AskQuestions,
    kinds: tuple[str, ...],
) -> Ablation:
    from engine.evaluation.ablation import ablate
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as bar:
        return ablate(corpus, questions, settings, progress=bar, asking=asking, kinds=kinds)


def _evaluation_response(
    request: EvaluateOptions,
    figures: dict[str, Any],
    results: list[QuestionResult],
    ablation: Ablation | None,
) -> Response:
    from engine.evaluation.ablation import evaluation_text

    if ablation is not None:
        figures["ablation"] = ablation.to_json()
    if request.plots is not None:
        from engine.evaluation.plots import all_plots, write_plots

        write_plots(all_plots(results, ablation), request.plots)
    for warning in figures.get("comparison", {}).get("warnings", ()):
        print(f"redstring: {warning}", file=sys.stderr)
    return Response(figures, evaluation_text(figures))


def _open(path: Path) -> Any:
    try:
        return path.open("wb")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


def _write(path: Path, write: Callable[[Path], None]) -> None:
    try:
        write(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


# Saved cases on the corpus of today.


class RegressOptions(ModelOptions):
    """Options of ``regress``."""

    corpus: str = corpus_option()
    matter: str | None = option(None, "cases of this matter (default: of all)", "NAME")
    records: Path | None = option(None, "saved investigations in this folder, in place of cases", "DIR")
    of_corpus: str | None = option(
        None, "cases that asked this corpus (default: the name of --corpus)", "NAME"
    )
    report: Path | None = option(None, "write a report: .md or .json", "FILE")
    max_lost: int = option(0, "passages lost in all (0)", "N")
    top: int = option(0, "of the best K (default: of all ranked)", "K")

    def check(self) -> None:
        """Raise InputError for options that do not go together."""
        if self.max_lost < 0 or self.top < 0:
            raise InputError("--max-lost and --top are at least 0")
        if self.records is not None and self.matter is not None:
            raise InputError("give --matter or --records, not both")
        if self.report is not None and self.report.suffix not in REPORTS:
            raise InputError(
                f"--report: a report is written as {' or '.join(REPORTS)}, not {self.report.suffix!r}"
            )


@verb(
    "regress",
    RegressOptions,
    description="Exit code 1 if it is worse than allowed: a case cannot be replayed, a pinned passage is "
    "lost, a case has less evidence, or more passages are lost than --max-lost.",
)
def regress(caller: Caller, request: RegressOptions) -> Response:
    """Replay saved cases on the corpus of today, and show what got better and worse.

    RegressionError is a problem if they are worse than allowed. Raises InputError if there are none.
    """
    from tqdm import tqdm

    from engine.records.regression import (
        find_excesses,
        regression_lines,
        regression_to_json,
        replay_cases,
        totals_of,
    )
    from engine.records.store.chain import fingerprint_of

    request.check()
    corpus = caller.corpus(request.corpus)
    if request.records is not None:
        paths = _record_files(request.records)
        count, cases = len(paths), _read_records(paths)
    else:
        ids = _case_ids(caller, request.matter, request.of_corpus or corpus.name)
        count, cases = len(ids), _stored_cases(caller, ids)
    fingerprint, model = fingerprint_of(corpus), caller.model(request)
    done = replay_cases(cases, corpus, fingerprint=fingerprint, top=request.top, model=model)
    silent = not sys.stderr.isatty()
    outcomes = list(tqdm(done, total=count, desc="cases", file=sys.stderr, disable=silent))
    totals = totals_of(outcomes)
    bad = find_excesses(totals, request.max_lost)
    values = regression_to_json(outcomes, totals, bad)
    if request.report is not None:
        _write_report(request.report, values, (outcomes, totals, bad, corpus.name))
    problem = RegressionError(f"worse than allowed: {'; '.join(bad)}") if bad else None
    return Response(values, regression_lines(outcomes, totals, bad), problem=problem)


def _case_ids(caller: Caller, matter: str | None, corpus: str) -> list[str]:
    """Return the cases of a matter that asked a corpus, the oldest first."""
    from engine.records.store.database import CaseFilter

    wanted = CaseFilter(corpus=corpus, limit=MOST_CASES)
    found = caller.store().listed(wanted, optional_matter(caller, matter), caller.owner).cases
    if not found:
        of = f" of matter {matter!r}" if matter is not None else ""
        raise InputError(f"there are no cases{of} that asked {corpus!r}; --of-corpus names another")
    return [one.id for one in found][::-1]


def _stored_cases(caller: Caller, ids: list[str]) -> Iterator[Saved]:
    from engine.records.regression import Saved

    store, owner = caller.store(), caller.owner
    for one in ids:
        try:
            record = store.record(one, owner)
        except InputError as error:
            yield Saved(one, {}, error=str(error))
            continue
        events, summary = store.events(one, owner), store.summary(one, owner)
        learned = caller.weights_of(summary.matter, record)
        yield Saved(one, record, events, summary.fingerprint, learned=learned)


def _record_files(folder: Path) -> list[Path]:
    """Return the JSON files of a folder. Raises InputError if there are none."""
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise InputError(f"--records {folder}: cannot be read: {error.strerror}") from error
    if not found:
        raise InputError(f"--records {folder}: there are no files *.json in it")
    return found


def _read_records(paths: list[Path]) -> Iterator[Saved]:
    from engine.records.conversion import record_of
    from engine.records.regression import Saved
    from engine.records.replaying import steps_shown

    for path in paths:
        try:
            record = record_of(path)
            yield Saved(path.name, record, steps_shown(record))
        except InputError as error:
            yield Saved(path.name, {}, error=str(error))


def _write_report(path: Path, values: dict[str, Any], found: tuple[Any, Any, list[str], str]) -> None:
    from engine.records.conversion import write_whole
    from engine.records.regression import regression_markdown

    if path.suffix == ".json":
        write_whole(path, orjson.dumps(values, option=orjson.OPT_INDENT_2))
    else:
        write_whole(path, ("\n".join(regression_markdown(*found)) + "\n").encode())
