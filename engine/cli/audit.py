"""The command ``audit``: a text against a corpus, claim by claim."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.models import add_model_flags, model_from
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.answers.audit import Audit
    from engine.answers.audit.log import Log
    from engine.corpus.protocol import Corpus

FROM_INPUT = "-"


def add_audit_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("audit", help="check the claims and citations of a text against a corpus")
    command.add_argument("text", metavar="FILE", help="the text: .txt, .md, .docx, .pdf ...; - for input")
    add_corpus(command)
    command.add_argument("--as-of", type=_day, metavar="DAY", help="the law of this day; default today")
    command.add_argument("--grade", metavar="G", help="lowest grade of a source: A, B, C, D or E")
    add_model_flags(command)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.add_argument("--markdown", type=Path, metavar="FILE", help="write a report")
    command.add_argument("--html", type=Path, metavar="FILE", help="write a page that can be printed")
    command.add_argument("--annotated", type=Path, metavar="FILE", help="write the text with footnotes")
    command.add_argument(
        "--log", type=Path, metavar="FILE", help="write the verification log: .md, .html or .json"
    )
    command.add_argument("--confirm", metavar="N,N", default="", help="confirm the verdicts on these claims")
    command.add_argument(
        "--overrule", action="append", default=[], metavar="N=VERDICT", help="say what a verdict is instead"
    )
    command.add_argument("--undo", metavar="N,N", default="", help="take back what was said of these claims")
    command.add_argument("--note", default="", help="why; kept with what is said")
    command.add_argument("--by", default="", metavar="NAME", help="who says so")
    command.set_defaults(command=audit)


def _day(words: str) -> date:
    try:
        return date.fromisoformat(words)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{words!r} is no day: write 2024-06-01") from None


def audit(options: argparse.Namespace) -> None:
    """Audit a text and print or write what was found."""
    from engine.answers.audit import Auditor, Step
    from engine.answers.audit.export import annotated, audit_to_json, markdown
    from engine.answers.audit.log import verification_log
    from engine.answers.audit.page import html_page
    from engine.corpus import open_corpus
    from engine.corpus.grades import minimum_from

    text = _text(options.text)
    corpus = open_corpus(options.corpus)
    auditor = Auditor(
        corpus,
        day=options.as_of,
        minimum=minimum_from(options.grade),
        model=model_from(options),
    )
    for step in auditor.steps(text):
        if not isinstance(step, Step):
            found = step
        elif sys.stderr.isatty():
            print(f"\r{step.doing}: {step.done} of {step.total} ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    _say(options, found, corpus)
    log = verification_log(found, corpus)
    for place, made in (
        (options.markdown, markdown),
        (options.html, html_page),
        (options.annotated, annotated),
    ):
        if place is not None:
            write(place, made(found, log))
    if options.log is not None:
        write(options.log, _log_as(options.log, log))
    if options.json:
        print_json(audit_to_json(found, log))
    else:
        print_lines(audit_lines(found, log))


def _say(options: argparse.Namespace, found: Audit, corpus: Corpus) -> None:
    """Keep what a person says of verdicts."""
    from engine.answers.audit.log import ReviewAction, record_reviews, verification_log
    from engine.errors import InputError

    sayings = [ReviewAction("confirm", number) for number in _numbers(options.confirm)]
    for one in options.overrule:
        number, sign, instead = one.partition("=")
        if not sign:
            raise InputError(f"--overrule {one[:40]!r}: write the claim and the right verdict, 4=related")
        sayings.append(ReviewAction("overrule", number.strip(), instead))
    sayings += [ReviewAction("undo", number) for number in _numbers(options.undo)]
    if sayings:
        record_reviews(
            corpus, verification_log(found, corpus), sayings, note=options.note, reviewer=options.by
        )


def _numbers(told: str) -> list[str]:
    return [number.strip() for number in told.split(",") if number.strip()]


def _log_as(place: Path, log: Log) -> str:
    """A log in the form that a file's name asks for. Raises InputError for one that there is none of."""
    import orjson

    from engine.answers.audit.export import log_markdown, log_page, log_to_json
    from engine.errors import InputError

    form = place.suffix.lower()
    if form == ".json":
        return orjson.dumps(log_to_json(log), option=orjson.OPT_INDENT_2).decode() + "\n"
    if form not in (".md", ".html"):
        raise InputError(f"{place}: a log is written as .md, .html or .json")
    return log_page(log) if form == ".html" else log_markdown(log)


def audit_lines(found: Audit, log: Log | None = None) -> Iterator[str]:
    """An audit for a terminal."""
    from engine.answers.audit import Finding
    from engine.answers.audit.export import review_words
    from engine.answers.audit.log import axes, summary, tally, verdict_words
    from engine.answers.audit.record import citation_of, remarks
    from engine.corpus.grades import words_of

    counted = tally(found, log)
    told = verdict_words(counted)
    yield f"{summary(counted)} ({found.corpus}, as of {found.day.isoformat()})"
    yield from axes(counted)
    if found.model:
        changed = ", ".join(str(one.claim.number) for one in found.changed_by_model) or "none"
        yield f"Second reading by {found.model}: {found.spent.calls} calls; findings it changed: {changed}"
    yield from (f"Note: {note}" for note in found.notes)
    for one in found.checked:
        yield ""
        yield f"{one.claim.number}. {told[one.claim.number].upper()}: {' '.join(one.claim.text.split())}"
        yield f"   {one.reason}"
        if one.sources and one.finding is not Finding.NOT_IN_CORPUS:
            best = one.sources[0]
            told_grade = words_of(best.grade)
            quote = " ".join(best.quote.split())
            yield f"   {citation_of(best)} [{best.passage.id}], {told_grade}: “{quote}”"
        yield from (f"   {remark}" for remark in remarks(one))
        said = "" if log is None else review_words(log.entry(str(one.claim.number)))
        yield from ([f"   {said}"] if said else [])


def write(place: Path, content: str) -> None:
    """Write a file that was asked for. Raises InputError where that is not possible."""
    from engine.errors import InputError

    try:
        place.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}") from error


def _text(name: str) -> str:
    from engine.errors import InputError
    from engine.ingestion.reading import read_text

    if name != FROM_INPUT:
        return read_text(Path(name))
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("standard input is no UTF-8 text") from error
