"""The requests of the Check view, and its frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gradio as gr
import orjson
from pydantic import BaseModel, Field

from engine.access.audit_log import record
from engine.access.users import Action, Person, may
from engine.answers.audit import Audit, Auditor, Finding
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.export import annotated, audit_to_json, log_markdown, markdown
from engine.answers.audit.log import ReviewAction, record_reviews, tally, verification_log
from engine.answers.audit.page import html_page
from engine.answers.audit.record import FINDING_WORDS, key_of
from engine.corpus.grades import meanings
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.language.characters import escape, hidden_marks
from engine.llm import Budget, Meter
from engine.verbs.requests import parse_request
from ui.access.entrance import by_token
from ui.check.checking import MOST_CALLS, RULES, Ask, Checking, check, shown_claim, shown_log, shown_tally
from ui.connections import Connections
from ui.corpus.intake import put
from ui.jobs.jobs import Job, Jobs
from ui.jobs.reading import Reading, read_apart
from ui.jobs.reading import cancel as cancel_reading
from ui.panels import build_panel
from ui.shelf import Library

# One door for all requests of the Check view: checked, answered, and every error a calm line.

Answer = dict[str, Any]


class SentText(BaseModel):
    """The beginning of the text of a file, and the length of all of it."""

    text: str = Field(max_length=LONGEST_TEXT)
    length: int


class CheckDesk:
    """What every answer starts from: the library, the models, and the audits under way."""

    def __init__(self, library: Library, connections: Connections) -> None:
        self.books, self.connections = library, connections
        self.jobs: Jobs[Checking] = Jobs(RULES)


def answer(desk: CheckDesk, request: object, who: Callable[[str], Person] = by_token) -> Answer:
    """The answer to a request; ``error`` says in one line what was wrong with it. ``who`` tells who sent it,
    given the token of their browser."""
    try:
        ask = parse_request(Ask, request)
        person = who(ask.visitor)
        signed = {"visitor": person.key, "address": person.address, "role": person.role}
        ask = ask.model_copy(update={**signed, "reviewer": person.name})
        desk.connections.seen(ask.session, trusted=may(person.role, Action.USE_MODEL))
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        told = handler(desk, ask)
        if ask.do == "start":
            record(person, "check", desk.books.find(ask.corpus, ask.visitor).logged_as, "done")
        if ask.do == "review":
            record(person, f"review: {ask.act}", told.pop("folder"), "done")
        return told
    except RedstringError as error:
        return {"error": for_visitors(error)}


def offer(desk: CheckDesk, ask: Ask) -> Answer:
    """What can be chosen: corpora, whether there is a model; what runs already; the findings in words."""
    shelf = [shelved for shelved in desk.books.shelf(ask.visitor) if shelved.info is not None]
    job = desk.jobs.going(ask.visitor)
    model = desk.connections.describe(ask.session)
    return {
        "corpora": [shelved.name for shelved in shelf],
        "model": model.spec,
        "findings": [
            {
                "key": key_of(one),
                "word": FINDING_WORDS[one].word,
                "sign": FINDING_WORDS[one].sign,
                "meaning": FINDING_WORDS[one].meaning,
            }
            for one in Finding
        ],
        "job": job.id if job else "",
        "text": job.payload.text if job else "",
        "hidden": hidden_marks(job.payload.text) if job else [],
    }


def read_file(desk: CheckDesk, ask: Ask) -> Answer:
    """The text of a file that was dropped."""
    if ask.file is None:
        raise InputError("no file came; choose one")
    take, given = SentText.model_validate_json, {"longest": LONGEST_TEXT}
    (found,) = read_apart(Reading("text", partial(put, [ask.file]), take, 1, given), ask.owner)
    cut = f"only the first {LONGEST_TEXT:,} of its {found.length:,} characters are taken here"
    return {"text": found.text, "note": f"{ask.file.name}: {cut}" if found.length > LONGEST_TEXT else ""}


def start(desk: CheckDesk, ask: Ask) -> Answer:
    """Start an audit."""
    if not ask.visitor:
        raise InputError("the page did not say who is asking; load it again")
    if not ask.text.strip():
        raise InputError("there is no text: paste one, or drop a file")
    corpus = desk.books.corpus(ask.corpus, ask.visitor)
    model = desk.connections.model(ask.session) if ask.model else None

    def work(job: Job[Checking]) -> None:
        meter = Meter(Budget(calls=MOST_CALLS), job.stop.is_set)
        check(job, Auditor(corpus, day=ask.day, minimum=ask.grade, model=model, meter=meter))

    job = desk.jobs.start(ask.owner, Checking(ask.text, ask.corpus, corpus), work)
    # Where characters stand in the text that nobody sees: the page shows them by their numbers.
    return {"job": job.id, "hidden": hidden_marks(ask.text)}


def poll(desk: CheckDesk, ask: Ask) -> Answer:
    """How far an audit is, with the claims checked since the page looked last; at its end all of it."""
    job = desk.jobs.get(ask.job, ask.visitor)
    # The state is read first: what is over has all its results.
    state = job.state
    told: Answer = {
        "state": state,
        "step": job.step or "loading",
        "before": desk.jobs.before(job),
        "done": job.done,
        "total": job.total,
        "message": job.message,
        "claims": [shown_claim(one) for one in job.payload.claims[ask.seen :]],
    }
    return told | _outcome(desk, ask, job.payload) if state == "done" else told


def _outcome(desk: CheckDesk, ask: Ask, checked: Checking) -> Answer:
    audit = checked.audit
    if audit is None:
        return {}
    return {
        "audit": audit_to_json(audit),
        # The second reading may have changed what was told of a claim.
        "final": [shown_claim(one) for one in audit.checked],
        **_logged(desk, ask, checked, audit),
    }


def _logged(desk: CheckDesk, ask: Ask, checked: Checking, audit: Audit) -> Answer:
    """The verification log of an audit as it stands, and the files that hold it. What people said of verdicts
    is told to those who may say something themselves, and to nobody else."""
    reviewing = _may_review(desk, ask, checked)
    log = verification_log(audit, checked.corpus, reviews=reviewing)
    whole = audit_to_json(audit, log)
    return {
        "reviewing": reviewing,
        "signed": bool(ask.reviewer),
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


def _may_review(desk: CheckDesk, ask: Ask, checked: Checking) -> bool:
    """Whether whoever asks may say something of verdicts against a corpus: who may judge its links."""
    if checked.corpus.journals is None:
        return False
    own = desk.books.belongs(desk.books.find(checked.name, ask.visitor))
    return may(ask.role, Action.JUDGE, own=own)


def reviewed(desk: CheckDesk, ask: Ask) -> Answer:
    """Keep what a person says of a verdict; the log and the files as they are then.

    Raises AccessError where the person may not, InputError for a claim or a verdict that there is none of.
    """
    job = desk.jobs.get(ask.job, ask.visitor)
    checked, audit = job.payload, job.payload.audit
    if audit is None:
        raise InputError("the check has not come to its end")
    if not _may_review(desk, ask, checked):
        raise AccessError("verdicts against this corpus are confirmed by its reviewers")
    if not ask.act:
        raise InputError("what is said of the verdict was not sent: confirm, overrule or undo")
    log = verification_log(audit, checked.corpus)
    said = [ReviewAction(ask.act, ask.claim, ask.instead)]
    record_reviews(checked.corpus, log, said, note=ask.note, reviewer=ask.reviewer or ask.name)
    folder = desk.books.find(checked.name, ask.visitor).logged_as
    return {**_logged(desk, ask, checked, audit), "folder": folder}


def cancel(desk: CheckDesk, ask: Ask) -> Answer:
    """End an audit, of which what it checked stays; without its id, end the reading of a file."""
    if ask.job:
        desk.jobs.cancel(ask.job, ask.visitor)
    else:
        cancel_reading(ask.visitor)
    return {}


HANDLERS: Mapping[str, Callable[[CheckDesk, Ask], Answer]] = {
    "offer": offer,
    "read": read_file,
    "start": start,
    "poll": poll,
    "cancel": cancel,
    "review": reviewed,
}


# The Check view: its frame, and the one door to the server that its script knocks at.


def build_check(desk: CheckDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.check(element, server)"
    return build_panel("check", partial(answer, desk), desk.books.settings, _FRAME, script)


_GRADES = "".join(
    f'<option value="{grade.value}" title="{escape(words)}">{grade.value} or better</option>'
    for grade, words in meanings().items()
)
_FORM = (
    '<form class="chk-form" data-chk="form" autocomplete="off">'
    '<label class="field chk-paste"><span>Text to check</span><textarea data-chk="text" rows="12" dir="auto" '
    'placeholder="Paste a memo, an opinion, an answer of a chat bot …"></textarea></label>'
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
    '<div class="empty" data-chk="waiting"><b>Is it true, and is it cited right?</b><p>Every claim of '
    "the text gets a verdict, the words of the source, and what differs.</p></div>"
    f"{_RESULT}</div></div>"
)
