"""Verbs on the ontology of a corpus, and on the readings of a language model."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from engine.errors import BudgetError, CancelledError, InputError, ModelError, RedstringError, SettingsError
from engine.verbs.verb import (
    CORPUS_PLACE,
    Caller,
    Day,
    ModelOptions,
    Request,
    Response,
    argument,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, Ontology
    from engine.extraction import ExtractionReport
    from engine.llm import Budget
    from engine.llm.client import ChatModel


# Verbs on the ontology of a corpus: check and apply areas, apply rules to facts, show
# the graph.


class OntologyOptions(Request):
    """Options of all commands of ``ontology``."""

    corpus: str = option(..., CORPUS_PLACE, "DIR", before_action=True)


class CheckOntology(OntologyOptions):
    """Options of ``ontology check``."""

    file: Path = argument(..., "the file to check", "FILE")


@verb("ontology check", CheckOntology)
def check_ontology(caller: Caller, request: CheckOntology) -> Response:
    """Read an ontology.yaml, show what it covers and what is wrong."""
    from engine.corpus.ontology import ontology_from, read_ontology
    from engine.ontology.applying import apply_rules
    from engine.ontology.reports import check_text

    ontology = ontology_from(read_ontology(request.file))
    corpus = caller.corpus(request.corpus)
    lines = [
        *check_text(corpus, ontology),
        *(
            f"rule {outcome.rule.id}: {'; '.join(outcome.warnings) or 'all that it cites is in force'}"
            for outcome in apply_rules(corpus, ontology, {}, _today())
        ),
    ]
    return Response({"lines": lines}, lines)


class ApplyOntology(OntologyOptions):
    """Options of ``ontology apply``."""

    file: Path | None = argument(None, "the file to put in force", "FILE")
    undo: bool = option(False, "put the state before the last one in force")
    ingested: bool = option(False, "give the word back to what was ingested")


@verb("ontology apply", ApplyOntology, changes=True)
def apply_ontology(caller: Caller, request: ApplyOntology) -> Response:
    """Put an ontology.yaml in force; an ingestion keeps it."""
    from engine.corpus import folder_of, open_corpus
    from engine.corpus.ontology import read_ontology, save_ontology, undo_ontology

    if (request.file is not None) + request.undo + request.ingested != 1:
        raise SettingsError("apply: give a FILE, or --undo, or --ingested")
    folder = folder_of(request.corpus)
    open_corpus(folder)
    if request.undo:
        undo_ontology(folder)
    elif request.ingested:
        save_ontology(folder, None, "as ingested")
    elif request.file is not None:
        save_ontology(folder, read_ontology(request.file), f"from {request.file.name}")
    found = open_corpus(folder).ontology
    areas, concepts, rules = (
        (0, 0, 0) if found is None else (len(found.areas), len(found.concepts), len(found.rules))
    )
    values = {"areas": areas, "concepts": concepts, "rules": rules}
    return Response(values, [f"in force: {areas} areas, {concepts} concepts, {rules} rules"])


class RulesOptions(OntologyOptions):
    """Options of ``ontology rules``."""

    fact: list[str] = option([], "authority=50000; repeatable", "NAME=VALUE", many="append")
    as_of: Day = option(None, "day of the law (default: today)", "DAY")
    transaction: str | None = option(None, "only the rules for this type", "TYPE")
    question: str = option("", "show the facts that a question states", "TEXT")
    language: str = option("en", "of names and reasons (default: en)", "L")


@verb("ontology rules", RulesOptions)
def apply_rules_to_facts(caller: Caller, request: RulesOptions) -> Response:
    """Apply the rules of the corpus to facts."""
    from engine.investigation.facets import check_transaction
    from engine.ontology.applying import apply_rules, facts_from
    from engine.ontology.reports import outcomes_json, outcomes_text

    corpus = caller.corpus(request.corpus)
    check_transaction(corpus, request.transaction)
    ontology = corpus.ontology
    if ontology is None or not ontology.rules:
        raise SettingsError(f"{corpus.name} has no rules: add some to its ontology.yaml and `apply` it")
    found = apply_rules(
        corpus,
        ontology,
        facts_from(ontology, _parse_facts(request.fact)),
        request.as_of or _today(),
        transaction=request.transaction,
        language=request.language,
    )
    stated = list(_stated_facts(corpus, ontology, request.question))
    lines = [f"The question states “{one['words']}”: --fact {one['fact']}='{one['value']}'" for one in stated]
    return Response({"outcomes": outcomes_json(found), "stated": stated}, [*lines, *outcomes_text(found)])


def _stated_facts(corpus: Corpus, ontology: Ontology, question: str) -> Iterator[dict[str, str]]:
    from engine.language.detection import detect_question
    from engine.ontology.reports import mentioned_facts

    if question:
        language = detect_question(question, tuple(corpus.info().languages))
        for one in mentioned_facts(ontology, question, language):
            yield {"fact": one.fact, "value": one.value, "words": one.words}


def _parse_facts(pairs: list[str]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise SettingsError(f"--fact: write NAME=VALUE, not {pair!r}")
        if facts.setdefault(name.strip(), value) != value:
            raise SettingsError(f"--fact: {name.strip()!r} has two values")
    return facts


class GraphOptions(OntologyOptions):
    """Options of ``ontology graph``."""

    question: str = option("", "around the concepts and entities that it names", "TEXT")
    around: list[str] = option([], "a passage's id, concept:ID, ...; repeatable", "ID", many="append")
    depth: int = option(2, "hops (default 2)", "N")
    most: int = option(20, "nodes at most (default 20)", "N")
    out: Path | None = option(None, "write it as FILE.graphml or FILE.json", "FILE")


@verb("ontology graph", GraphOptions)
def show_graph(caller: Caller, request: GraphOptions) -> Response:
    """Show the part of the graph around a question, or around nodes."""
    from engine.extraction.export import write_network
    from engine.investigation.graph import anchors_in, subgraph
    from engine.investigation.graph.nodes import graph_text, to_json, to_networkx
    from engine.investigation.graph.subgraph import anchor
    from engine.language.detection import detect_question

    if not request.question and not request.around:
        raise SettingsError("graph: give a --question, or nodes by --around")
    if request.out is not None and request.out.suffix not in (".graphml", ".json"):
        raise SettingsError(f"--out: {request.out} must end with .graphml or .json")
    corpus = caller.corpus(request.corpus)
    anchors = [anchor(corpus, name) for name in request.around]
    if request.question:
        language = detect_question(request.question, tuple(corpus.info().languages))
        anchors += anchors_in(corpus, request.question, language)
    found = subgraph(corpus, anchors, request.depth, request.most)
    values: dict[str, Any] = to_json(corpus, found)
    if request.out is not None and request.out.suffix == ".graphml":
        write_network(to_networkx(found, corpus.name), request.out)
    elif request.out is not None:
        _write(request.out, json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    return Response(values, graph_text(corpus, found))


def _today() -> date:
    return datetime.now(UTC).date()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out: {path} cannot be written ({error.strerror})") from error


# Verbs with a language model: try one, let it read a corpus, show how often its proposals are
# right.

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
    from engine.llm.client import probe, probe_lines, probe_to_json

    found = probe(_model(caller, request))
    problem = None if found.fine else ModelError(found.problem)
    return Response(probe_to_json(found), probe_lines(replace(found, problem="")), problem=problem)
