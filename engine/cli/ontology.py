"""The command ``ontology``: areas and concepts proposed, checked and put in force; rules applied to facts;
the graph around a question."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import SettingsError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, Ontology
    from engine.ontology.proposal import Proposal


def add_ontology_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("ontology", help="areas, concepts, transactions and rules of a corpus")
    add_corpus(command)
    actions = command.add_subparsers(required=True, metavar="ACTION")
    _add_propose(actions.add_parser("propose", help="areas from the headings and terms of the corpus"))
    check = actions.add_parser("check", help="read an ontology.yaml, say what it covers and what is wrong")
    check.add_argument("file", type=Path, metavar="FILE")
    check.set_defaults(command=check_file)
    apply = actions.add_parser("apply", help="put an ontology.yaml in force; an ingestion keeps it")
    apply.add_argument("file", type=Path, metavar="FILE", nargs="?")
    apply.add_argument("--undo", action="store_true", help="put the state before the last one in force")
    apply.add_argument("--ingested", action="store_true", help="give the word back to what was ingested")
    apply.set_defaults(command=apply_file)
    _add_rules(actions.add_parser("rules", help="apply the rules of the corpus to facts"))
    _add_graph(actions.add_parser("graph", help="the part of the graph around a question, or around nodes"))


def _add_propose(command: argparse.ArgumentParser) -> None:
    add_model_flags(command)
    command.add_argument("--out", type=Path, metavar="FILE", help="write it as an ontology.yaml")
    command.add_argument("--json", action="store_true", help="print as JSON, with all evidence")
    command.set_defaults(command=propose_areas)


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--fact", action="append", default=[], metavar="NAME=VALUE", help="authority=50000; repeatable"
    )
    command.add_argument("--as-of", metavar="DAY", help="day of the law (default: today)")
    command.add_argument("--transaction", metavar="TYPE", help="only the rules for this type")
    command.add_argument("--question", metavar="TEXT", help="show the facts that a question states")
    command.add_argument("--language", default="en", metavar="L", help="of names and reasons (default: en)")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=apply_the_rules)


def _add_graph(command: argparse.ArgumentParser) -> None:
    command.add_argument("--question", metavar="TEXT", help="around the concepts and entities that it names")
    command.add_argument(
        "--around",
        action="append",
        default=[],
        metavar="ID",
        help="a passage's id, concept:ID, ...; repeatable",
    )
    command.add_argument("--depth", type=int, default=2, metavar="N", help="hops (default 2)")
    command.add_argument("--most", type=int, default=20, metavar="N", help="nodes at most (default 20)")
    command.add_argument("--out", type=Path, metavar="FILE", help="write it as FILE.graphml or FILE.json")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=show_graph)


def show_graph(options: argparse.Namespace) -> None:
    """Print the nodes and, in sentences, the edges around a question or around nodes."""
    from engine.corpus import open_corpus
    from engine.extraction.export import write_network
    from engine.investigation.graph import anchors_in, subgraph
    from engine.investigation.graph.nodes import graph_text, to_json, to_networkx
    from engine.investigation.graph.subgraph import anchor
    from engine.language.detection import detect_question

    if not options.question and not options.around:
        raise SettingsError("graph: give a --question, or nodes by --around")
    if options.out is not None and options.out.suffix not in (".graphml", ".json"):
        raise SettingsError(f"--out: {options.out} must end with .graphml or .json")
    corpus = open_corpus(options.corpus)
    anchors = [anchor(corpus, name) for name in options.around]
    if options.question:
        language = detect_question(options.question, tuple(corpus.info().languages))
        anchors += anchors_in(corpus, options.question, language)
    found = subgraph(corpus, anchors, options.depth, options.most)
    if options.out is not None and options.out.suffix == ".graphml":
        write_network(to_networkx(found, corpus.name), options.out)
    elif options.out is not None:
        _write(options.out, json.dumps(to_json(corpus, found), ensure_ascii=False, indent=2) + "\n")
    if options.json:
        print_json(to_json(corpus, found))
    else:
        print_lines(graph_text(corpus, found))


def propose_areas(options: argparse.Namespace) -> None:
    """Print a proposal; with a model, what it costs is told before and after."""
    from engine.corpus import open_corpus
    from engine.corpus.ontology import ontology_yaml
    from engine.ontology.proposal import propose
    from engine.ontology.telling import proposal_json, proposal_text

    if options.out is not None and options.out.is_dir():
        raise SettingsError(f"--out: {options.out} is a folder")
    corpus = open_corpus(options.corpus)
    proposal = _assisted(corpus, propose(corpus), options)
    if options.out is not None:
        _write(options.out, ontology_yaml(proposal.content()))
    if options.json:
        print_json(proposal_json(proposal))
    else:
        print_lines(proposal_text(proposal))
        if options.out is not None:
            print(f"Written: {options.out}")


def check_file(options: argparse.Namespace) -> None:
    """Read a file, and print what its areas cover and what its rules cite."""
    from engine.corpus import open_corpus
    from engine.corpus.ontology import ontology_from, read_ontology
    from engine.ontology.applying import apply_rules
    from engine.ontology.telling import check_text

    ontology = ontology_from(read_ontology(options.file))
    corpus = open_corpus(options.corpus)
    print_lines(check_text(corpus, ontology))
    for outcome in apply_rules(corpus, ontology, {}, _today()):
        print(f"rule {outcome.rule.id}: {'; '.join(outcome.warnings) or 'all that it cites is in force'}")


def apply_file(options: argparse.Namespace) -> None:
    """Put a file in force, or go back."""
    from engine.corpus import open_corpus
    from engine.corpus.address import folder_of
    from engine.corpus.ontology import read_ontology, save_ontology, undo_ontology

    if (options.file is not None) + options.undo + options.ingested != 1:
        raise SettingsError("apply: give a FILE, or --undo, or --ingested")
    folder = folder_of(options.corpus)
    open_corpus(folder)
    if options.undo:
        undo_ontology(folder)
    elif options.ingested:
        save_ontology(folder, None, "as ingested")
    else:
        save_ontology(folder, read_ontology(options.file), f"from {options.file.name}")
    ontology = open_corpus(folder).ontology
    counts = (0, 0, 0)
    if ontology is not None:
        counts = len(ontology.areas), len(ontology.concepts), len(ontology.rules)
    print("in force: {} areas, {} concepts, {} rules".format(*counts))


def apply_the_rules(options: argparse.Namespace) -> None:
    """Print each rule with its outcome."""
    from engine.corpus import open_corpus
    from engine.investigation.facets import check_transaction
    from engine.ontology.applying import apply_rules, facts_from
    from engine.ontology.telling import outcomes_json, outcomes_text

    corpus = open_corpus(options.corpus)
    check_transaction(corpus, options.transaction)
    ontology = corpus.ontology
    if ontology is None or not ontology.rules:
        raise SettingsError(f"{corpus.name} has no rules: add some to its ontology.yaml and `apply` it")
    facts = facts_from(ontology, _given(options.fact))
    found = apply_rules(
        corpus,
        ontology,
        facts,
        _day(options.as_of),
        transaction=options.transaction,
        language=options.language,
    )
    if options.json:
        print_json({"outcomes": outcomes_json(found), "stated": _stated(corpus, ontology, options)})
        return
    for fact in _stated(corpus, ontology, options):
        print(f"The question says “{fact['words']}”: --fact {fact['fact']}='{fact['value']}'")
    print_lines(outcomes_text(found))


def _assisted(corpus: Corpus, proposal: Proposal, options: argparse.Namespace) -> Proposal:
    from engine.llm import Meter
    from engine.llm.cost import cost_lines, cost_report, currency_of
    from engine.ontology.assisting import assisted, expected_use
    from engine.ontology.telling import use_words

    model = model_from(options)
    if model is None or not proposal.areas:
        return proposal
    most = use_words(expected_use(proposal, model), currency_of(model.spec))
    print(f"Language model {model.spec} will use at most {most}", file=sys.stderr, flush=True)
    meter = Meter()
    found = assisted(corpus, proposal, model, meter)
    print(*cost_lines(cost_report(meter, model.spec)), sep="\n", file=sys.stderr, flush=True)
    return found


def _stated(corpus: Corpus, ontology: Ontology, options: argparse.Namespace) -> list[dict[str, str]]:
    from engine.language.detection import detect_question
    from engine.ontology.mentioned import mentioned_facts

    if not options.question:
        return []
    language = detect_question(options.question, tuple(corpus.info().languages))
    found = mentioned_facts(ontology, options.question, language)
    return [{"fact": one.fact, "value": one.value, "words": one.words} for one in found]


def _given(pairs: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            raise SettingsError(f"--fact: write NAME=VALUE, not {pair!r}")
        if given.setdefault(name.strip(), value) != value:
            raise SettingsError(f"--fact: {name.strip()!r} has two values")
    return given


def _today() -> date:
    return datetime.now(UTC).date()


def _day(text: str | None) -> date:
    if text is None:
        return _today()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SettingsError(f"--as-of: {text!r} is not a day; write it like 2024-01-31") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out: {path} cannot be written ({error.strerror})") from error
