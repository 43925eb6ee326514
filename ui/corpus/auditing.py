"""The retrieval audit of a corpus on its page: its examples or one's own questions, asked as a job, and what
verdicts on one's own cases say of its rankings."""

from __future__ import annotations

from datetime import date
from typing import Any

from engine.access.users import Person
from engine.answers.case_audit import body_html
from engine.answers.retrieval_audit import (
    RetrievalAudit,
    retrieval_audit,
    retrieval_audit_html,
    retrieval_audit_markdown,
)
from engine.corpus.protocol import Corpus
from engine.errors import InputError, ResourceError
from engine.records.store.fingerprint import fingerprint_of
from engine.review.quality import Quality, qualities
from engine.settings import preset
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.found import MOST_ASKED, Found
from ui.jobs.job import Job

Answer = dict[str, Any]
PRESET = "balanced"


def questions(desk: CorpusDesk, ask: Ask) -> Answer:
    """The questions that a corpus comes with, and the job that runs already, if there is one."""
    shelved = desk.shelved(ask)
    rows = shelved.info.metadata.get("examples", ()) if shelved.info else ()
    texts = [" ".join(str(row["text"]).split()) for row in rows if row.get("text")]
    going = desk.audits.going(ask.visitor)
    return {"questions": texts[:MOST_ASKED], "most": MOST_ASKED, "job": going.id if going else ""}


def start(desk: CorpusDesk, ask: Ask) -> Answer:
    """Begin to ask. Raises InputError where nobody says who asks, or one's own is under way."""
    if not ask.visitor:
        raise InputError("the page did not say who is asking; load it again")
    corpus = desk.browser(ask).corpus
    asked = [text for text in (" ".join(one.split()) for one in ask.questions) if text]

    def work(job: Job[Found]) -> None:
        def tell(done: int, total: int) -> None:
            job.tell("asking", done, total)

        experts, unread = _experts(desk, ask, corpus)
        job.payload.audit = retrieval_audit(
            corpus, asked, preset(PRESET), date.today(), tell, experts=experts, experts_unread=unread
        )

    return {"job": desk.audits.start(ask.owner, Found(), work).id}


def _experts(desk: CorpusDesk, ask: Ask, corpus: Corpus) -> tuple[list[Quality] | None, str]:
    """What verdicts say of the rankings of a corpus in the cases of whoever asks, None for those whose cases
    are not kept; and why that could not be read."""
    owner = desk.cases.owner_of(Person(ask.visitor, ask.role))
    if owner is None:
        return None, ""
    try:
        return qualities(desk.cases.reviews(), owner, corpus.name, fingerprint_of(corpus)), ""
    except (InputError, ResourceError) as error:
        # Of what the corpus itself tells nothing depends on the database of cases.
        return None, str(error)


def poll(desk: CorpusDesk, ask: Ask) -> Answer:
    """How far it is; at its end the report and the files that hold it."""
    job = desk.audits.get(ask.job, ask.visitor)
    state = job.state
    told: Answer = {
        "state": state,
        "before": desk.audits.before(job),
        "done": job.done,
        "total": job.total,
        "message": job.message,
    }
    found = job.payload.audit
    return told | _report(found) if state == "done" and found is not None else told


def stop(desk: CorpusDesk, ask: Ask) -> Answer:
    """End it."""
    desk.audits.cancel(ask.job, ask.visitor)
    return {}


def _report(found: RetrievalAudit) -> Answer:
    report = retrieval_audit_markdown(found)
    return {"html": body_html(report), "files": {"md": report, "html": retrieval_audit_html(found)}}
