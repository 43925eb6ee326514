"""The command ``answer``: a question investigated and answered, every sentence with its quotes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_event, print_json, print_lines
from engine.cli.settings import add_settings, settings_from


def add_answer_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "answer", help="answer a question from the corpus, every sentence with the words of its source"
    )
    command.add_argument("question", metavar="QUESTION")
    add_settings(command)
    add_model_flags(command)
    command.add_argument(
        "--leave-out",
        action="store_true",
        help="leave sentences of the model out that no quote supports, instead of marking them",
    )
    command.add_argument("--markdown", type=Path, metavar="FILE", help="save the answer as Markdown")
    command.add_argument("--json", action="store_true", help="print the answer as JSON")
    command.set_defaults(command=answer)


def answer(options: argparse.Namespace) -> None:
    """Investigate a question and answer it. Raises InputError where the file cannot be written."""
    from engine.answers.answer import answer as answered
    from engine.answers.export import answer_markdown, answer_text, answer_to_json
    from engine.corpus import open_corpus
    from engine.errors import InputError
    from engine.investigation import run_case
    from engine.records.export import usage_lines

    settings, corpus, model = settings_from(options), open_corpus(options.corpus), model_from(options)
    case = run_case(
        corpus, options.question, settings, model=model, on_event=None if options.json else print_event
    )
    made = answered(
        case.investigation(), corpus, model=model, meter=case.meter, unsupported=not options.leave_out
    )
    if options.markdown:
        try:
            options.markdown.write_text(answer_markdown(made), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {options.markdown}: {error.strerror}") from error
    if options.json:
        print_json(answer_to_json(made))
        return
    print_lines(answer_text(made))
    for line in usage_lines(made.usage, "" if model is None else model.spec):
        print(line, file=sys.stderr)
