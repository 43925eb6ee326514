"""The command ``investigate``: one question, to its end."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine.cli.case_store import add_matter_flag, keep, learned_in, matter_known
from engine.cli.models import add_model_flags, model_from
from engine.cli.planning import add_plan_flag, plan_from
from engine.cli.printing import print_event, print_json, print_lines
from engine.cli.settings import add_settings, settings_from


def add_investigate_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("investigate", help="investigate a question")
    command.add_argument("question", metavar="QUESTION")
    add_settings(command)
    command.add_argument("--save", type=Path, metavar="FILE", help="save the case as JSON, sealed")
    command.add_argument(
        "--report", type=Path, metavar="FILE", help="audit the case, what to do included: .md, .html or .json"
    )
    add_matter_flag(command)
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


def investigate(options: argparse.Namespace) -> None:
    """Investigate one question."""
    from engine.cli.report import reporter
    from engine.corpus import open_corpus
    from engine.investigation import run_case
    from engine.records.context import (
        Order,
        checked_tokens,
        context_text,
        context_to_json,
        model_context,
        order_of,
        ordered,
    )
    from engine.records.export import investigation_to_json, usage_lines
    from engine.records.restoring import load_record, pool_of
    from engine.records.text import evidence_line, parts_lines, passages_text

    tokens = None if options.context is None else checked_tokens(options.context)
    order = order_of(options.order or (Order.RANK if tokens is None else Order.ENDS))
    write_report = reporter(options.report)
    settings, corpus = settings_from(options), open_corpus(options.corpus)
    former = load_record(options.resume) if options.resume else None
    pool = None if former is None else pool_of(former, corpus, settings.pool_size, options.resume)
    used = {} if former is None else former.used()
    model, plan = model_from(options), plan_from(options)
    weights = learned_in(matter_known(options.matter), corpus)
    case = run_case(
        corpus,
        options.question,
        settings,
        on_event=None if options.json else print_event,
        pool=pool,
        plan=plan,
        model=model,
        used=used,
        weights=weights,
    )
    if not options.json:
        print_lines(usage_lines(case.usage, "" if model is None else model.spec), sys.stderr)
    kept = keep(case.investigation(), corpus, options.matter, options.save)
    if kept is not None:
        print(f"Kept as case {kept}", file=sys.stderr)
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
