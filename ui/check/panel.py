"""The Check view: its calls and its frame."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Literal

import gradio as gr
import orjson
from pydantic import BaseModel, Field

from engine.access.users import Action, may
from engine.answers.audit import Audit, Auditor, Finding
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import annotated, audit_to_json, log_markdown, markdown
from engine.answers.audit.log import ReviewAction, record_reviews, tally, verification_log
from engine.answers.audit.page import html_page
from engine.answers.audit.record import FINDING_WORDS, LOW_GRADE, LOW_GRADE_WORDS, key_of
from engine.corpus.grades import meanings
from engine.corpus.journal import LONGEST_NAME, LONGEST_NOTE
from engine.errors import AccessError, InputError
from engine.language.characters import escape, hidden_marks
from engine.llm import Budget, Meter
from engine.verbs.requests import CorpusName, Key, LowestGrade, SentFile
from ui.calls import Access, Answer, Call, Caller, Form, build_panel, by_name
from ui.check.audits import MOST_CALLS, RULES, Checking, check, shown_claim, shown_log, shown_tally
from ui.corpus.uploads import put
from ui.jobs.jobs import Job, Jobs
from ui.jobs.reading import Reading, read_files
from ui.jobs.reading import cancel as cancel_reading
from ui.models.connections import Connections
from ui.shelf import Library


class SentText(BaseModel):
    """The beginning of the text of a file, and the length of all of it."""

    text: str = Field(max_length=LONGEST_TEXT)
    length: int


class ReadForm(Form):
    """A file whose text is to be read."""

    file: SentFile | None = None


class StartForm(Form):
    """A text to check. ``day`` None is today, ``grade`` the lowest grade of sources, None for any; ``model``:
    use the language model if there is one."""

    corpus: CorpusName = ""
    text: str = Field(default="", max_length=LONGEST_TEXT)
    day: date | None = None
    grade: LowestGrade = None
    model: bool = False


class JobForm(Form):
    """A check, by its id; empty for the reading of a file."""

    job: Key = ""


class PollForm(JobForm):
    """A check, and how many of its claims the page has."""

    seen: int = Field(default=0, ge=0)


class ReviewForm(JobForm):
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


def start(access: CheckAccess, form: StartForm) -> Answer:
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


def cancel(access: CheckAccess, form: JobForm) -> Answer:
    """Cancel an audit, whose checked claims stay; without an id, cancel the reading of a file."""
    if form.job:
        access.desk.jobs.cancel(form.job, access.caller.key)
    else:
        cancel_reading(access.caller.key)
    return {}


CALLS = by_name((
    Call("offer", Form, offer),
    Call("read", ReadForm, read_file),
    Call("start", StartForm, start, audit="check"),
    Call("poll", PollForm, poll),
    Call("cancel", JobForm, cancel),
    Call("review", ReviewForm, review, audit=lambda form, _: f"review: {form.act}"),
))  # fmt: skip


def build_check(desk: CheckDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.check(element, server)"
    return build_panel("check", desk, CALLS, desk.books.settings, _FRAME, script)


_GRADES = "".join(
    f'<option value="{grade.value}" title="{escape(words)}">{grade.value} or better</option>'
    for grade, words in meanings().items()
)
_FORM = (
    '<form class="chk-form" data-chk="form" autocomplete="off">'
    '<label class="field chk-paste"><span>Text to check</span><textarea data-chk="text" rows="12" dir="auto" '
    'placeholder="Paste a memo, an opinion or a chatbot’s answer …"></textarea></label>'
    '<label class="chk-drop"><input type="file" data-chk="file" '
    'accept=".txt,.md,.docx,.pdf,.html,.htm"><span>or drop a file: .txt, .md, .docx, .pdf</span></label>'
    '<label class="field"><span>Against</span><select data-chk="corpus"></select></label>'
    '<div class="chk-pair"><label class="field"><span>Law as of</span>'
    '<input type="date" data-chk="day"></label><label class="field"><span>Lowest grade</span>'
    f'<select data-chk="grade"><option value="">any</option>{_GRADES}</select></label></div>'
    '<label class="chk-model" data-chk="model-row" hidden><input type="checkbox" data-chk="model">'
    "<span>Second reading by the language model</span></label>"
    '<label class="field" data-chk="name-row" hidden><span>Your name, for the log</span>'
    '<input type="text" data-chk="name" maxlength="100" placeholder="optional" autocomplete="off" '
    'dir="auto"></label>'
    '<button type="submit" class="primary" data-chk="go">Check</button>'
    '<button type="button" class="second" data-chk="stop" hidden>Cancel</button>'
    '<p class="hint">Each claim is held against the sources: does one in force say so, and is it the one '
    "that is cited? Works without a language model.</p></form>"
)
_RESULT = (
    '<section class="chk-result" data-chk="result" hidden aria-label="What was found">'
    '<div class="chk-sum"><div class="chk-axes" data-chk="axes"></div>'
    '<div class="chk-filters" data-chk="filters" role="group" aria-label="Show only"></div>'
    '<div class="chk-files" data-chk="files" role="group" aria-label="Download"></div></div>'
    '<div class="chk-notes" data-chk="notes"></div>'
    '<div class="chk-both"><article class="chk-text" data-chk="shown" dir="auto" tabindex="0" '
    'aria-label="The text with its claims"></article>'
    '<ol class="chk-list" data-chk="list" aria-label="Claims"></ol></div></section>'
)
_FRAME = (
    f'<div class="lib chk"><aside class="lib-rail" aria-label="What is checked">{_FORM}</aside>'
    '<div class="lib-stage"><div data-chk="banner" class="banner-slot" aria-live="polite"></div>'
    '<div class="progress" data-chk="progress" hidden><div class="bar" role="progressbar" aria-valuemin="0" '
    'aria-valuemax="100" aria-label="Progress"><u></u></div><p data-chk="step" aria-live="polite"></p></div>'
    '<div class="empty" data-chk="waiting"><b>Is each statement true and correctly cited?</b><p>'
    "Every claim of the text gets a verdict, the words of the source, and what differs.</p></div>"
    f"{_RESULT}</div></div>"
)
