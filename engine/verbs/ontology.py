"""Verbs on the ontology of a corpus: check and apply areas, apply rules to facts, show the graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import SettingsError
from engine.verbs.requests import CORPUS_PLACE, Day, Request, argument, option
from engine.verbs.verb import Caller, Response, verb

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, Ontology


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
    from engine.ontology.coverage import check_text

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
    from engine.corpus import open_corpus
    from engine.corpus.address import folder_of
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
    from engine.ontology.rules import outcomes_json, outcomes_text

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
    from engine.ontology.rules import mentioned_facts

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
