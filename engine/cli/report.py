"""The command ``report``: the retrieval audit of a corpus, or of a case that was saved."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json
from engine.cli.settings import add_corpus
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation.record import Investigation
    from engine.review.quality import Quality

# Questions of an audit unless another number is given.
MOST = 100
# A report by the ending of the file that holds it: text, or what JSON is made of.
Forms = Mapping[str, Callable[[], Any]]


def add_report_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "report", help="audit a corpus or a saved case: what is found, what is not, and what to do about it"
    )
    add_corpus(command)
    command.add_argument(
        "--case", type=Path, metavar="FILE", help="audit this case, as investigate --save wrote it"
    )
    command.add_argument(
        "--queries", type=Path, metavar="FILE", help="questions: a line each, or JSON lines with a text"
    )
    command.add_argument("--preset", metavar="P", help="settings of the cases; default balanced")
    command.add_argument("--limit", type=int, metavar="N", help="questions at most; default 100")
    command.add_argument("--as-of", type=date.fromisoformat, metavar="DAY", help="the law of this day")
    command.add_argument(
        "--experts", action="store_true", help="and what verdicts on queues of your cases say of its rankings"
    )
    command.add_argument("--markdown", type=Path, metavar="FILE", help="write the report")
    command.add_argument("--html", type=Path, metavar="FILE", help="write it as a page")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=report)


def report(options: argparse.Namespace) -> None:
    """Audit a corpus or a saved case, and print or write what was found."""
    from engine.cli.audit import write
    from engine.corpus import open_corpus

    corpus = open_corpus(options.corpus)
    found = _of_corpus(options, corpus) if options.case is None else _of_case(options, corpus)
    for place, form in ((options.markdown, ".md"), (options.html, ".html")):
        if place is not None:
            write(place, found[form]())
    if options.json:
        print_json(found[".json"]())
    elif options.markdown is None and options.html is None:
        print(found[".md"](), end="")


def _of_corpus(options: argparse.Namespace, corpus: Corpus) -> Forms:
    from engine.answers.retrieval_audit import (
        retrieval_audit,
        retrieval_audit_html,
        retrieval_audit_markdown,
        retrieval_audit_to_json,
    )
    from engine.settings import preset

    limit = MOST if options.limit is None else options.limit
    if limit < 1:
        raise InputError(f"--limit: must be above 0 (given: {limit})")
    questions = _questions(options.queries)[:limit] if options.queries else []
    if not options.queries:
        examples = corpus.info().metadata.get("examples", ())
        questions = [str(row["text"]) for row in examples if row.get("text")][:limit]
    settings = preset(options.preset or "balanced")
    experts = _experts(corpus) if options.experts else None
    found = retrieval_audit(corpus, questions, settings, options.as_of or date.today(), experts=experts)
    return {
        ".md": lambda: retrieval_audit_markdown(found),
        ".html": lambda: retrieval_audit_html(found),
        ".json": lambda: retrieval_audit_to_json(found),
    }


def _experts(corpus: Corpus) -> list[Quality]:
    from contextlib import closing

    from engine.cli.review_store import open_reviews
    from engine.records.store import EVERYBODY
    from engine.records.store.chain import fingerprint_of
    from engine.review.quality import measure_quality

    with closing(open_reviews()) as reviews:
        return measure_quality(reviews, EVERYBODY, corpus.name, fingerprint_of(corpus))


def _of_case(options: argparse.Namespace, corpus: Corpus) -> Forms:
    from engine.records.restoring import load_investigation

    for name in ("queries", "preset", "limit", "as_of", "experts"):
        if getattr(options, name) not in (None, False):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag}: a saved case has its own; leave it out, or leave out --case")
    return _forms(load_investigation(options.case, corpus), corpus)


def _forms(investigation: Investigation, corpus: Corpus) -> Forms:
    """The audit of a case in every form."""
    from engine.answers.answer import answer
    from engine.answers.case_audit import (
        case_audit,
        case_audit_html,
        case_audit_markdown,
        case_audit_to_json,
    )

    found = case_audit(investigation, corpus, answer(investigation, corpus))
    return {
        ".md": lambda: case_audit_markdown(found),
        ".html": lambda: case_audit_html(found),
        ".json": lambda: case_audit_to_json(found),
    }


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

        from engine.cli.audit import write

        made = _forms(investigation, corpus)[place.suffix.lower()]()
        if not isinstance(made, str):
            made = orjson.dumps(made, default=dict, option=orjson.OPT_INDENT_2).decode() + "\n"
        write(place, made)

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
