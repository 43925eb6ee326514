"""The Check view: its calls and its frame, and its audits as jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, Literal

import gradio as gr
import orjson
from pydantic import BaseModel, Field

from engine.access.users import Action, may
from engine.answers.audit import Audit, Auditor, Checked, Finding
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import (
    annotated,
    audit_to_json,
    checked_to_json,
    log_markdown,
    markdown,
    pieces,
    review_words,
    source_to_json,
)
from engine.answers.audit.log import (
    Log,
    ReviewAction,
    Tally,
    record_reviews,
    tally,
    verdict_words,
    verification_log,
)
from engine.answers.audit.page import html_page
from engine.answers.audit.record import FINDING_WORDS, LOW_GRADE, LOW_GRADE_WORDS, Source, key_of, remarks
from engine.corpus.grades import meanings
from engine.corpus.journal import LONGEST_NAME, LONGEST_NOTE
from engine.corpus.protocol import Corpus
from engine.errors import AccessError, InputError
from engine.language.characters import hidden_marks, marked
from engine.llm import Budget, Meter
from engine.verbs.verb import CorpusName, Key, LowestGrade, SentFile
from ui.calls import Access, Answer, Call, Caller, Form, build_panel, by_name
from ui.models.connections import Connections
from ui.server.jobs import Job, Jobs, Rules
from ui.server.reading import Reading, put, read_files
from ui.server.reading import cancel as cancel_reading
from ui.shelf import Library
from ui.templating import rendered

# Limits of audits: running at a time for all visitors, waiting, and timeout, s.
RUNNING, WAITING, LONGEST = 3, 12, 900.0
# Retention of finished audits, s, so that a page that is loaded again still finds them.
REMEMBERED = 1800.0
# Limit of language model calls for one audit, if the model is the operator's.
MOST_CALLS = 200


# An audit as a job: its subject, and the claims checked so far.

RULES = Rules("check", RUNNING, WAITING, LONGEST, REMEMBERED)


@dataclass(slots=True)
class Checking:
    """An audit of a text against the ``corpus`` that the library has as ``name``. A cancelled audit keeps the
    claims checked so far."""

    text: str
    name: str
    corpus: Corpus
    claims: list[Checked] = field(default_factory=list)
    audit: Audit | None = None


def check(job: Job[Checking], auditor: Auditor) -> None:
    """Do the work of the job. Raises CancelledError, and the errors of the auditor."""
    for step in auditor.steps(job.payload.text):
        if isinstance(step, Audit):
            job.payload.audit = step
            continue
        if step.checked is not None:
            job.payload.claims.append(step.checked)
        job.tell(step.doing, step.done, step.total)


# A claim and its quotes in the form of the page: invisible characters of untrusted texts are marked.

Shown = dict[str, Any]


def shown_claim(one: Checked) -> Shown:
    """Return a claim in the form of the page; the files for download have the unmarked texts."""
    return checked_to_json(one) | {
        "text": marked(one.claim.text),
        "reason": marked(one.reason),
        "remarks": [marked(remark) for remark in remarks(one)],
        "sources": [_source(source) for source in one.sources],
        "successor": None if one.successor is None else _source(one.successor),
    }


def shown_log(log: Log) -> list[Shown]:
    """Return people's verdicts on each claim, and the citations outside the claims, in the form of the
    page."""
    return [
        {
            "number": one.number,
            "finding": one.finding,
            "word": log.heading(one),
            "words": marked(one.words),
            "reason": marked(one.reason),
            "said": marked(review_words(one)),
            "review": "" if one.review is None else one.review.review.value,
            "before": one.before is not None,
            "passage": "" if one.compared is None else one.compared.passage_id,
            "citation": "" if one.compared is None else marked(one.compared.citation),
        }
        for one in log.entries
    ]


def shown_tally(counted: Tally) -> Shown:
    """Return the totals of a text: its axes in numbers and words, and by claim the verdicts that people gave
    instead, with the wording for them."""
    words = verdict_words(counted)
    axes = (("Correct", counted.correct), ("Grounded", counted.grounded), ("To be read", counted.undecided))
    return {
        "axes": [
            {"name": name, "claims": one.claims, "of": one.of, "words": one.words} for name, one in axes
        ],
        "overruled": {
            str(one.claim.number): {"finding": key_of(one.finding), "words": words[one.claim.number]}
            for one in counted.overruled
        },
    }


def _source(source: Source) -> Shown:
    values = source_to_json(source)
    quote = [[marked(text), kind] for text, kind in pieces(source)]
    return values | {"quote": quote, "citation": marked(values["citation"])}


# The Check view: its calls and its frame.


class SentText(BaseModel):
    """The beginning of the text of a file, and the length of all of it."""

    text: str = Field(max_length=LONGEST_TEXT)
    length: int


class ReadForm(Form):
    """A file whose text is to be read."""

    file: SentFile | None = None


class AuditForm(Form):
    """A text to check. ``day`` None is today, ``grade`` the lowest grade of sources, None for any; ``model``:
    use the language model if there is one."""

    corpus: CorpusName = ""
    text: str = Field(default="", max_length=LONGEST_TEXT)
    day: date | None = None
    grade: LowestGrade = None
    model: bool = False


class AuditJobForm(Form):
    """A check, by its id; empty for the reading of a file."""

    job: Key = ""


class PollForm(AuditJobForm):
    """A check, and how many of its claims the page has."""

    seen: int = Field(default=0, ge=0)


class ReviewForm(AuditJobForm):
    """A verdict on a claim: the action, the right finding, and a name if login is off."""

    act: Literal["", "confirm", "overrule", "undo"] = ""
    claim: Key = ""
    instead: Key = ""
    note: str = Field(default="", max_length=LONGEST_NOTE)
    name: str = Field(default="", max_length=LONGEST_NAME)


class CheckDesk:
    """The library, the language models, and the checks under way."""

    def __init__(self, library: Library, connections: Connections) -> None:
        self.books, self.connections = library, connections
        self.jobs: Jobs[Checking] = Jobs(RULES)

    def access(self, caller: Caller, form: Form) -> CheckAccess:
        """Return the checks and reviews that the caller may use."""
        self.connections.seen(caller.session, trusted=caller.is_trusted)
        return CheckAccess(self, caller)


@dataclass(frozen=True, slots=True)
class CheckAccess(Access):
    """The checks of a caller."""

    desk: CheckDesk
    caller: Caller

    def subject(self, form: Any) -> str:
        """Return the folder of the corpus that a text is checked against."""
        if isinstance(form, ReviewForm):
            name = self.desk.jobs.get(form.job, self.caller.key).payload.name
        else:
            name = form.corpus
        return self.desk.books.find(name, self.caller.key).logged_as


def offer(access: CheckAccess, form: Form) -> Answer:
    """Return the corpora, the model, the running check, and the findings in words."""
    shelf = [shelved for shelved in access.desk.books.shelf(access.caller.key) if shelved.info is not None]
    job = access.desk.jobs.going(access.caller.key)
    model = access.desk.connections.describe(access.caller.session)
    return {
        "corpora": [shelved.name for shelved in shelf],
        "model": model.spec,
        "findings": [
            {"key": key, "word": words.word, "sign": words.sign, "meaning": words.meaning}
            for key, words in (
                *((key_of(one), FINDING_WORDS[one]) for one in Finding),
                (LOW_GRADE, LOW_GRADE_WORDS),
            )
        ],
        "job": job.id if job else "",
        "text": job.payload.text if job else "",
        "hidden": hidden_marks(job.payload.text) if job else [],
    }


def read_file(access: CheckAccess, form: ReadForm) -> Answer:
    """Return the text of a file."""
    if form.file is None:
        raise InputError("no file came; choose one")
    take, given = SentText.model_validate_json, {"longest": LONGEST_TEXT}
    (found,) = read_files(Reading("text", partial(put, [form.file]), take, 1, given), access.caller.owner)
    cut = f"only the first {LONGEST_TEXT:,} of its {found.length:,} characters are taken here"
    return {"text": found.text, "note": f"{form.file.name}: {cut}" if found.length > LONGEST_TEXT else ""}


def start(access: CheckAccess, form: AuditForm) -> Answer:
    """Start an audit."""
    if not access.caller.key:
        raise InputError("the page did not say who is asking; load it again")
    if not form.text.strip():
        raise InputError("there is no text: paste one, or drop a file")
    corpus = access.desk.books.corpus(form.corpus, access.caller.key)
    model = access.desk.connections.model(access.caller.session) if form.model else None

    def work(job: Job[Checking]) -> None:
        meter = Meter(Budget(calls=MOST_CALLS), job.stop.is_set)
        check(job, Auditor(corpus, day=form.day, minimum=form.grade, model=model, meter=meter))

    job = access.desk.jobs.start(access.caller.owner, Checking(form.text, form.corpus, corpus), work)
    # Positions of invisible characters: the page shows them by their numbers.
    return {"job": job.id, "hidden": hidden_marks(form.text)}


def poll(access: CheckAccess, form: PollForm) -> Answer:
    """Return the progress of an audit with the new claims; at its end the whole audit."""
    job = access.desk.jobs.get(form.job, access.caller.key)
    # The state is read first: a finished job has all its results.
    state = job.state
    answer: Answer = {
        "state": state,
        "step": job.step or "loading",
        "before": access.desk.jobs.before(job),
        "done": job.done,
        "total": job.total,
        "message": job.message,
        "claims": [shown_claim(one) for one in job.payload.claims[form.seen :]],
    }
    return answer | _outcome(access, job.payload) if state == "done" else answer


def _outcome(access: CheckAccess, checked: Checking) -> Answer:
    audit = checked.audit
    if audit is None:
        return {}
    return {
        "audit": audit_to_json(audit),
        # The second reading may have changed a finding.
        "final": [shown_claim(one) for one in audit.checked],
        **_logged(access, checked, audit),
    }


def _logged(access: CheckAccess, checked: Checking, audit: Audit) -> Answer:
    """Return the current verification log of an audit, and its files. Only callers who may review see the
    reviews of others."""
    reviewing = _may_review(access, checked)
    log = verification_log(audit, checked.corpus, reviews=reviewing)
    whole = audit_to_json(audit, log)
    return {
        "reviewing": reviewing,
        "signed": bool(access.caller.person.name),
        "log": shown_log(log),
        "tally": shown_tally(tally(audit, log)),
        "files": {
            "md": markdown(audit, log),
            "html": html_page(audit, log),
            "txt": annotated(audit, log),
            "json": orjson.dumps(whole, option=orjson.OPT_INDENT_2).decode(),
            "log": log_markdown(log),
        },
    }


def _may_review(access: CheckAccess, checked: Checking) -> bool:
    """Return whether the caller may review verdicts against a corpus: the right to judge its links."""
    if checked.corpus.journals is None:
        return False
    own = access.desk.books.belongs(access.desk.books.find(checked.name, access.caller.key))
    return may(access.caller.person.role, Action.JUDGE, own=own)


def review(access: CheckAccess, form: ReviewForm) -> Answer:
    """Store a review of a verdict; returns the new log and files.

    Raises AccessError if the caller may not, InputError for an unknown claim or verdict.
    """
    job = access.desk.jobs.get(form.job, access.caller.key)
    checked, audit = job.payload, job.payload.audit
    if audit is None:
        raise InputError("the check has not come to its end")
    if not _may_review(access, checked):
        raise AccessError("verdicts against this corpus are confirmed by its reviewers")
    if not form.act:
        raise InputError("the action is missing: confirm, overrule or undo")
    log = verification_log(audit, checked.corpus)
    actions = [ReviewAction(form.act, form.claim, form.instead)]
    record_reviews(
        checked.corpus, log, actions, note=form.note, reviewer=access.caller.person.name or form.name
    )
    return _logged(access, checked, audit)


def cancel(access: CheckAccess, form: AuditJobForm) -> Answer:
    """Cancel an audit, whose checked claims stay; without an id, cancel the reading of a file."""
    if form.job:
        access.desk.jobs.cancel(form.job, access.caller.key)
    else:
        cancel_reading(access.caller.key)
    return {}


CALLS = by_name((
    Call("offer", Form, offer),
    Call("read", ReadForm, read_file),
    Call("start", AuditForm, start, audit="check"),
    Call("poll", PollForm, poll),
    Call("cancel", AuditJobForm, cancel),
    Call("review", ReviewForm, review, audit=lambda form, _: f"review: {form.act}"),
))  # fmt: skip


def build_check(desk: CheckDesk) -> gr.HTML:
    """Build the view."""
    frame = rendered("check.html", grades=meanings())
    return build_panel("check", desk, CALLS, desk.books.settings, frame, "redstring.check(element, server)")
