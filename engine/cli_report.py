"""The command ``report``: the retrieval audit of a corpus."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation.record import Investigation


def add_report_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "report", help="audit a corpus: what is found, what is not, and what to do about it"
    )
    command.add_argument("--corpus", required=True, type=Path, metavar="DIR", help="folder of the corpus")
    command.add_argument(
        "--queries", type=Path, metavar="FILE", help="questions: a line each, or JSON lines with a text"
    )
    command.add_argument("--preset", default="balanced", metavar="P", help="settings of the cases")
    command.add_argument("--limit", type=int, default=100, metavar="N", help="questions at most")
    command.add_argument("--as-of", type=date.fromisoformat, metavar="DAY", help="the law of this day")
    command.add_argument("--markdown", type=Path, metavar="FILE", help="write the report")
    command.add_argument("--html", type=Path, metavar="FILE", help="write it as a page")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=report)


def report(options: argparse.Namespace) -> None:
    """Audit a corpus and print or write what was found."""
    from engine.answers.retrieval_audit import (
        retrieval_audit,
        retrieval_audit_html,
        retrieval_audit_markdown,
        retrieval_audit_to_json,
    )
    from engine.cli import print_json
    from engine.cli_audit import write
    from engine.corpus import open_corpus
    from engine.settings import preset

    corpus = open_corpus(options.corpus)
    if options.limit < 1:
        raise InputError(f"--limit: must be above 0 (given: {options.limit})")
    questions = _questions(options.queries)[: options.limit] if options.queries else []
    if not options.queries:
        examples = corpus.info().metadata.get("examples", ())
        questions = [str(row["text"]) for row in examples if row.get("text")][: options.limit]
    found = retrieval_audit(corpus, questions, preset(options.preset), options.as_of or date.today())
    for place, made in ((options.markdown, retrieval_audit_markdown), (options.html, retrieval_audit_html)):
        if place is not None:
            write(place, made(found))
    if options.json:
        print_json(retrieval_audit_to_json(found))
    elif options.markdown is None and options.html is None:
        print(retrieval_audit_markdown(found), end="")


def reporter(place: Path | None) -> Callable[[Investigation, Corpus], None]:
    """Writes the audit of a case to a file, in the form that its name asks for; nothing without a file.

    Raises InputError for a form that there is none of, before the case has cost anything.
    """
    if place is None:
        return lambda investigation, corpus: None
    if place.suffix.lower() not in (".md", ".html", ".json"):
        raise InputError(f"--report {place}: a report is written as .md, .html or .json")

    def written(investigation: Investigation, corpus: Corpus) -> None:
        import orjson

        from engine.answers.answer import answer
        from engine.answers.case_audit import (
            case_audit,
            case_audit_html,
            case_audit_markdown,
            case_audit_to_json,
        )
        from engine.cli_audit import write

        found = case_audit(investigation, corpus, answer(investigation, corpus))
        form = place.suffix.lower()
        if form == ".json":
            plain = orjson.dumps(case_audit_to_json(found), default=dict, option=orjson.OPT_INDENT_2)
            write(place, plain.decode() + "\n")
        else:
            write(place, case_audit_html(found) if form == ".html" else case_audit_markdown(found))

    return written


def _questions(path: Path) -> list[str]:
    """The questions of a file. Raises InputError where it cannot be read or has none."""
    import orjson

    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("{"):
            found.append(line)
            continue
        try:
            row = orjson.loads(line)
            found.append(str(row["text"]))
        except (orjson.JSONDecodeError, KeyError) as error:
            raise InputError(f"{path}:{number}: no question: JSON with a field “text” is wanted") from error
    if not found:
        raise InputError(f"{path} holds no question")
    return found
