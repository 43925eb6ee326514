"""Verbs that answer and check: answer a question, audit a text."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import Field

from engine.errors import InputError
from engine.records.summaries import Slim, SlimAnswer, slim_answer
from engine.verbs.questions import (
    SETTINGS,
    Ask,
    AskOptions,
    ChangedSettings,
    Matter,
    Model,
    Report,
    keep_case,
    open_case,
    run_to_end,
    slim_kept,
)
from engine.verbs.verb import (
    Caller,
    Day,
    Detail,
    LowestGrade,
    ModelOptions,
    OfCorpus,
    Request,
    Response,
    Tool,
    argument,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.answers.audit import Audit
    from engine.answers.audit.log import Log
    from engine.answers.record import Answer
    from engine.corpus.protocol import Corpus
    from engine.investigation import Case
    from engine.llm import Meter

FROM_INPUT = "-"
# Characters of a text that is checked; seconds that this may take for a caller of the server.
LONGEST_TEXT, LONGEST_CHECK = 60_000, 900.0


# Answer a question.


class AnswerQuestion(Ask):
    """Arguments of ``answer``."""

    model: Model = False
    settings: ChangedSettings | None = Field(default=None, description=SETTINGS)
    matter: Matter = ""
    detail: Detail = "slim"

    def named(self) -> dict[str, Any]:
        """Return settings that are arguments: none."""
        return {}


class AnswerOptions(AskOptions):
    """Options of ``answer``."""

    leave_out: bool = option(
        False, "leave sentences of the model out that no quote supports, instead of marking them"
    )
    markdown: Path | None = option(None, "save the answer as Markdown", "FILE")


class QuestionAnswer(SlimAnswer):
    """Answer of ``answer``, in short."""

    case: str | None = Field(default=None, description="id of the case behind it, where it is kept")
    not_kept: str | None = Field(default=None, description="why the case is not kept, where it is not")
    more: str = Field(description="how to get more of it")


def answer_here(caller: Caller, request: AnswerOptions) -> Response:
    """Answer a question on the command line. Raises InputError if the file cannot be written."""
    from engine.answers.export import answer_markdown, answer_text, answer_to_json
    from engine.records.conversion import usage_lines

    case = open_case(caller, request, caller.corpus(request.corpus))
    made = caller.run_case(_run_to_marked_answer, case, unsupported=not request.leave_out)
    if request.markdown is not None:
        try:
            request.markdown.write_text(answer_markdown(made), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {request.markdown}: {error.strerror}") from error
    for line in usage_lines(made.usage, "" if case.model is None else case.model.spec):
        caller.report(line)
    return Response(answer_to_json(made), answer_text(made))


@verb(
    "answer",
    AnswerQuestion,
    tool=Tool(
        "answer",
        "Answer a question",
        "Answer a question with sentences of the corpus, each with its citation and its exact words, after "
        "investigating it. States plainly which parts the corpus does not answer.",
        QuestionAnswer,
        lambda values: slim_kept(values, slim_answer),
    ),
    options=AnswerOptions,
    command=answer_here,
    audit="answer",
    changes=True,
    repeats=False,
    queued=True,
)
def answer_question(caller: Caller, request: AnswerQuestion) -> Response:
    """Answer a question from the corpus, every sentence with the words of its source."""
    corpus = caller.corpus(request.corpus)
    answer, record = caller.run_case(run_to_answer, open_case(caller, request, corpus))
    kept = keep_case(caller, record, corpus, request.matter)
    more = kept.pop("more")
    return Response({**kept, **answer, "more": more})


def run_to_answer(case: Case, report: Report) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a case and answer its question; returns the answer and the record of the case."""
    from engine.answers.answer import answer
    from engine.answers.export import answer_to_json
    from engine.records.conversion import investigation_to_json

    run_to_end(case, report)
    found = case.investigation()
    made = answer_to_json(answer(found, case.corpus, model=case.model, meter=case.meter))
    return made, investigation_to_json(found)


def _run_to_marked_answer(case: Case, report: Report, *, unsupported: bool) -> Answer:
    from engine.answers.answer import answer

    run_to_end(case, report)
    return answer(
        case.investigation(), case.corpus, model=case.model, meter=case.meter, unsupported=unsupported
    )


# Audit a text.


class AuditText(Request):
    """Arguments of ``audit``."""

    text: str = Field(max_length=LONGEST_TEXT, description="The text, up to 60,000 characters.")
    corpus: OfCorpus = ""
    day: Day = Field(default=None, description="The law of this day (2024-06-01); null for today.")
    grade: LowestGrade = Field(default=None, description="Lowest grade of a source, A to E; null for any.")
    detail: Detail = "slim"


class AuditOptions(ModelOptions):
    """Options of ``audit``."""

    text: str = argument(..., "the text: .txt, .md, .docx, .pdf ...; - for input", "FILE")
    corpus: str = corpus_option()
    as_of: Day = option(None, "the law of this day; default today", "DAY")
    grade: LowestGrade = option(None, "lowest grade of a source: A, B, C, D or E", "G")
    markdown: Path | None = option(None, "write a report", "FILE")
    html: Path | None = option(None, "write a page that can be printed", "FILE")
    annotated: Path | None = option(None, "write the text with footnotes", "FILE")
    log: Path | None = option(None, "write the verification log: .md, .html or .json", "FILE")
    confirm: str = option("", "confirm the verdicts on these claims", "N,N")
    overrule: list[str] = option([], "give the right verdict on a claim", "N=VERDICT", many="append")
    undo: str = option("", "withdraw the reviews of these claims", "N,N")
    note: str = option("", "why; kept with the verdicts")
    by: str = option("", "the reviewer", "NAME")


class AuditAnswer(Slim):
    """Answer of ``audit``."""

    corpus: str
    day: str
    text: str = Field(description="the text that was checked")
    claims: list[dict[str, Any]] = Field(
        description="each claim with its finding, why, its citations, and the sources that were compared"
    )
    citations_outside_claims: list[dict[str, Any]]
    wrong_citations: list[dict[str, Any]] = Field(description="citations of what the corpus has not")
    below_minimum_grade: list[int] = Field(description="numbers of claims")
    notes: list[str]
    verification_log: dict[str, Any] | None = Field(description="every claim with its verdict, for a file")


def audit_here(caller: Caller, request: AuditOptions) -> Response:
    """Audit a text on the command line; record reviews of its verdicts, and write reports."""
    from engine.answers.audit import Auditor, Step
    from engine.answers.audit.export import annotated, audit_to_json, markdown
    from engine.answers.audit.log import verification_log
    from engine.answers.audit.page import html_page

    text = _read_text(request.text)
    corpus = caller.corpus(request.corpus)
    auditor = Auditor(corpus, day=request.as_of, minimum=request.grade, model=caller.model(request))
    for step in auditor.steps(text):
        if not isinstance(step, Step):
            found = step
        elif sys.stderr.isatty():
            print(f"\r{step.doing}: {step.done} of {step.total} ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    _review_verdicts(request, found, corpus)
    log = verification_log(found, corpus)
    for path, make in (
        (request.markdown, markdown),
        (request.html, html_page),
        (request.annotated, annotated),
    ):
        if path is not None:
            write_text(path, make(found, log))
    if request.log is not None:
        write_text(request.log, _log_text(request.log, log))
    return Response(audit_to_json(found, log), audit_lines(found, log))


@verb(
    "audit",
    AuditText,
    tool=Tool(
        "audit",
        "Check a text",
        "Check the claims and citations of a text against a corpus: which it supports, word for word, "
        "which are contradicted, and which citations lead to nothing.",
        AuditAnswer,
    ),
    options=AuditOptions,
    command=audit_here,
    audit="check",
)
def audit_text(caller: Caller, request: AuditText) -> Response:
    """Check the claims and citations of a text against a corpus.

    Raises InputError for an empty text, CancelledError.
    """
    from engine.access.users import Action
    from engine.answers.audit.export import audit_to_json
    from engine.answers.audit.log import verification_log

    is_reviewer = caller.may(Action.JUDGE, request.corpus)
    corpus = caller.corpus(request.corpus)
    with meter_of_caller(caller) as meter:
        found = audit_in(corpus, request, meter)
    return Response(audit_to_json(found, verification_log(found, corpus, reviews=is_reviewer)))


@contextmanager
def meter_of_caller(caller: Caller) -> Iterator[Meter]:
    """Yield a meter that ends an audit if its caller hangs up, or after ``LONGEST_CHECK`` seconds."""
    from engine.llm import Meter

    hung_up, end = Event(), time.monotonic() + LONGEST_CHECK
    with caller.waiting(hung_up.set):
        yield Meter(cancelled=lambda: hung_up.is_set() or time.monotonic() > end)


def audit_in(corpus: Corpus, request: Any, meter: Meter | None) -> Audit:
    """Return the audit of the text, on the day and with the lowest grade of a request."""
    from engine.answers.audit import Auditor, audit

    return audit(request.text, Auditor(corpus, day=request.day, minimum=request.grade, meter=meter))


def _read_text(name: str) -> str:
    from engine.ingestion.reading import read_text

    if name != FROM_INPUT:
        return read_text(Path(name))
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("standard input is no UTF-8 text") from error


def _review_verdicts(request: AuditOptions, found: Audit, corpus: Corpus) -> None:
    from engine.answers.audit.log import ReviewAction, record_reviews, verification_log

    sayings = [ReviewAction("confirm", number) for number in _numbers(request.confirm)]
    for one in request.overrule:
        number, sign, instead = one.partition("=")
        if not sign:
            raise InputError(f"--overrule {one[:40]!r}: write the claim and the right verdict, 4=related")
        sayings.append(ReviewAction("overrule", number.strip(), instead))
    sayings += [ReviewAction("undo", number) for number in _numbers(request.undo)]
    if sayings:
        record_reviews(
            corpus, verification_log(found, corpus), sayings, note=request.note, reviewer=request.by
        )


def _numbers(text: str) -> list[str]:
    return [number.strip() for number in text.split(",") if number.strip()]


def _log_text(path: Path, log: Log) -> str:
    """Return a log in the format of the suffix. Raises InputError for an unknown one."""
    from engine.answers.audit.export import log_markdown, log_page, log_to_json

    form = path.suffix.lower()
    if form == ".json":
        return orjson.dumps(log_to_json(log), option=orjson.OPT_INDENT_2).decode() + "\n"
    if form not in (".md", ".html"):
        raise InputError(f"{path}: a log is written as .md, .html or .json")
    return log_page(log) if form == ".html" else log_markdown(log)


def audit_lines(found: Audit, log: Log | None = None) -> Iterator[str]:
    """Yield an audit for a terminal."""
    from engine.answers.audit import Finding
    from engine.answers.audit.export import review_words
    from engine.answers.audit.log import axes, summary, tally, verdict_words
    from engine.answers.audit.record import citation_of, remarks
    from engine.corpus.grades import words_of

    counted = tally(found, log)
    words = verdict_words(counted)
    yield f"{summary(counted)} ({found.corpus}, as of {found.day.isoformat()})"
    yield from axes(counted)
    if found.model:
        changed = ", ".join(str(one.claim.number) for one in found.changed_by_model) or "none"
        yield f"Second reading by {found.model}: {found.spent.calls} calls; findings it changed: {changed}"
    yield from (f"Note: {note}" for note in found.notes)
    for one in found.checked:
        yield ""
        yield f"{one.claim.number}. {words[one.claim.number].upper()}: {' '.join(one.claim.text.split())}"
        yield f"   {one.reason}"
        if one.sources and one.finding is not Finding.NOT_IN_CORPUS:
            best = one.sources[0]
            quote = " ".join(best.quote.split())
            yield f"   {citation_of(best)} [{best.passage.id}], {words_of(best.grade)}: “{quote}”"
        yield from (f"   {remark}" for remark in remarks(one))
        review = "" if log is None else review_words(log.entry(str(one.claim.number)))
        yield from ([f"   {review}"] if review else [])


def write_text(path: Path, content: str) -> None:
    """Write a file. Raises InputError if that is not possible."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
