"""The command line: ``python -m engine COMMAND``. An equal of the page.

With ``--json`` standard output holds one JSON object and nothing else; progress and errors go to
standard error. Exit codes: 0 done, 1 failed, 2 the input is not usable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import orjson

from engine.cli_access import add_access_commands
from engine.cli_answers import add_answer_command
from engine.cli_audit import add_audit_command
from engine.cli_corpora import add_corpus_commands
from engine.cli_evaluation import add_evaluation_command
from engine.cli_extraction import add_extraction_commands
from engine.cli_grades import add_grades_command
from engine.cli_judging import add_judge_command
from engine.cli_models import add_model_command, add_model_flags, model_from
from engine.cli_ontology import add_ontology_command
from engine.cli_operator import add_settings_command
from engine.cli_planning import add_plan_command, add_plan_flag, plan_from
from engine.cli_report import add_report_command
from engine.cli_settings import add_corpus, add_settings, settings_from
from engine.errors import InputError, RedstringError, SettingsError
from engine.model import Relation

FAILED, UNUSABLE = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    try:
        options = parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], None] = options.command
        command(options)
    except InputError as error:
        return _fail(error, UNUSABLE)
    except RedstringError as error:
        return _fail(error, FAILED)
    except BrokenPipeError:
        # The reader of the output has gone (head, less): nothing is left to say.
        sys.stderr.close()
    return 0


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    root = argparse.ArgumentParser(prog="python -m engine", description="Redstring, on the command line.")
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    add_corpus_commands(commands)
    _add_investigate(commands.add_parser("investigate", help="investigate a question"))
    add_answer_command(commands)
    add_plan_command(commands)
    add_model_command(commands)
    add_evaluation_command(commands)
    add_extraction_commands(commands)
    add_judge_command(commands)
    add_grades_command(commands)
    add_audit_command(commands)
    add_report_command(commands)
    add_ontology_command(commands)
    add_settings_command(commands)
    add_access_commands(commands)
    _add_references(commands.add_parser("references", help="list the references of a corpus as TSV"))
    _add_info(commands.add_parser("info", help="what a corpus holds, or what this machine offers"))
    return root


def _add_investigate(command: argparse.ArgumentParser) -> None:
    command.add_argument("question", metavar="QUESTION")
    add_settings(command)
    command.add_argument("--save", type=Path, metavar="FILE", help="save the investigation as JSON")
    command.add_argument(
        "--report", type=Path, metavar="FILE", help="audit the case, what to do included: .md, .html or .json"
    )
    add_plan_flag(command)
    add_model_flags(command)
    command.add_argument("--resume", type=Path, metavar="FILE", help="carry on from a saved investigation")
    command.add_argument("--json", action="store_true", help="print the investigation as JSON")
    command.add_argument(
        "--order",
        metavar="O",
        help="rank, document (as their documents read), or ends (the best first and last); default rank, "
        "with --context ends",
    )
    command.add_argument(
        "--context",
        type=int,
        metavar="TOKENS",
        help="print the passages as a model shall read them, each with a key and its citation",
    )
    command.set_defaults(command=investigate)


def _add_references(command: argparse.ArgumentParser) -> None:
    add_corpus(command)
    command.add_argument("--relation", metavar="R", help="only this relation")
    command.set_defaults(command=references)


def _add_info(command: argparse.ArgumentParser) -> None:
    add_corpus(
        command,
        required=False,
        otherwise=" (without: what keeps the page's ingestions apart from this machine)",
    )
    command.add_argument("--entity", metavar="NAME", help="an entity of the corpus and what it is related to")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=info)


def investigate(options: argparse.Namespace) -> None:
    """Investigate one question."""
    from engine.cli_report import reporter
    from engine.corpus import open_corpus
    from engine.investigation import Case
    from engine.records.context import checked_tokens, context_text, context_to_json, model_context
    from engine.records.export import investigation_to_json
    from engine.records.orders import Order, order_of, ordered
    from engine.records.saved import load_pool, load_usage, save
    from engine.records.spending import usage_lines
    from engine.records.text import event_line, evidence_line, parts_lines, passages_text

    tokens = None if options.context is None else checked_tokens(options.context)
    order = order_of(options.order or (Order.RANK if tokens is None else Order.ENDS))
    write_report = reporter(options.report)
    settings, corpus = settings_from(options), open_corpus(options.corpus)
    pool = load_pool(options.resume, corpus, settings.pool_size) if options.resume else None
    used = load_usage(options.resume) if options.resume else {}
    model, plan = model_from(options), plan_from(options)
    case = Case(corpus, options.question, settings, pool=pool, plan=plan, model=model, used=used)
    for event in case.run():
        line = event_line(event)
        if line is not None and not options.json:
            print(line, file=sys.stderr, flush=True)
    if not options.json:
        print_lines(usage_lines(case.usage, "" if model is None else model.spec), sys.stderr)
    if options.save:
        save(case.investigation(), options.save)
    write_report(case.investigation(), corpus)
    context = None if tokens is None else model_context(case.investigation(), corpus, tokens, order)
    if options.json:
        added = {} if context is None else {"context": context_to_json(context)}
        print_json(investigation_to_json(case.investigation()) | added)
    elif context is not None and case.ranking:
        print_lines(context_text(context))
    elif case.ranking:
        print(evidence_line(case.evidence))
        print_lines(parts_lines(case.evidence))
        passages = ordered(case.ranking, order)
        print_lines(passages_text(passages, corpus, case.as_of))
    else:
        print(f"Nothing in {corpus.name} answers to this question.")


def references(options: argparse.Namespace) -> None:
    """Print the reference table: source, target or nothing, relation, status, quoted text."""
    from engine.corpus import open_corpus
    from engine.records.reference_table import reference_rows

    known = [relation.value for relation in Relation]
    if options.relation is not None and options.relation not in known:
        raise SettingsError(f"unknown relation {options.relation!r}; known relations: {', '.join(known)}")
    relation = None if options.relation is None else Relation(options.relation)
    for row in reference_rows(open_corpus(options.corpus), relation):
        print(*row, sep="\t")


def info(options: argparse.Namespace) -> None:
    """Print what a corpus holds; without one, what an ingestion of the page is kept from here."""
    from engine.corpus import open_corpus
    from engine.isolation.layers import in_words, layers_here
    from engine.records.text import info_text

    if options.corpus is None:
        held = layers_here()
        if options.json:
            print_json({"isolation": {str(layer): words for layer, words in held.items()}})
        else:
            print_lines([f"worker: {in_words(held)}"])
        return
    corpus = open_corpus(options.corpus)
    if options.entity:
        from engine.records.entities import entities_named, entity_lines

        if options.json:
            print_json({"entities": entities_named(corpus, options.entity)})
        else:
            print_lines(entity_lines(corpus, options.entity))
        return
    found = corpus.info()
    if not options.json:
        print_lines(info_text(found))
        return
    print_json(
        {
            "name": found.name,
            "documents": found.documents,
            "passages": found.passages,
            "references": {
                "by_relation": dict(found.references_by_relation),
                "by_status": dict(found.references_by_status),
            },
            "entities": found.entities,
            "languages": dict(found.languages),
            "embedding": found.embedding,
            "sparse": found.sparse,
            "late": found.late,
        }
    )


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(orjson.dumps(value, default=dict, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_lines(lines: Any, file: TextIO | None = None) -> None:
    """Lines on standard output, or in another file."""
    for line in lines:
        print(line, file=file)


def _fail(error: RedstringError, code: int) -> int:
    print(f"redstring: {' '.join(str(error).split())}", file=sys.stderr)
    return code
