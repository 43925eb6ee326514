"""The command ``plan``: how a question would be searched. ``investigate --plan FILE`` uses an edited plan."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_settings, settings_from

if TYPE_CHECKING:
    from engine.model import QueryPlan


def add_plan_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("plan", help="how a question would be searched; edit it, then investigate")
    command.add_argument("question", metavar="QUESTION")
    add_settings(command)
    add_model_flags(command)
    command.add_argument("--json", action="store_true", help="print the plan as JSON, for investigate --plan")
    command.set_defaults(command=plan)


def add_plan_flag(command: argparse.ArgumentParser) -> None:
    """The flag by which an edited plan is used."""
    command.add_argument(
        "--plan", type=Path, metavar="FILE", help="use this plan (see the command plan), edited or not"
    )


def plan_from(options: argparse.Namespace) -> QueryPlan | None:
    """The plan that the command line names, None where it names none. Raises InputError."""
    from engine.records.plain import load_plan

    return None if options.plan is None else load_plan(options.plan)


def plan(options: argparse.Namespace) -> None:
    """Print the plan of a question, how many passages its constraints leave, and what a language model will
    use at most for plan and investigation together."""
    from engine.corpus import open_corpus
    from engine.investigation import make_case
    from engine.investigation.assistance import expected_cost
    from engine.investigation.filters import Filters
    from engine.records.export import usage_lines
    from engine.records.plain import plan_text, plan_to_json

    settings, corpus = settings_from(options), open_corpus(options.corpus)
    model = model_from(options)
    case = make_case(corpus, options.question, settings, model=model)
    expected = expected_cost(case)
    made = case.make_plan(offered=True)
    if options.json:
        print_json(plan_to_json(made))
        return
    print_lines(plan_text(made))
    print_lines(f"Note: {note}" for note in Filters(corpus, settings, case.day, made).notes)
    spec = "" if model is None else model.spec
    print_lines(usage_lines(expected, spec, "Language model, at most"))
    print_lines(usage_lines(case.usage, spec, "Language model, so far"))
