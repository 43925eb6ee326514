"""Extraction from a visitor's corpus by a language model: cost, consent, run in the background."""

from __future__ import annotations

from pydantic import Field

from engine.access.users import Action
from engine.corpus.extracted import stamp_of
from engine.errors import CancelledError, InputError
from engine.extraction import Expected, ExtractionReport, Plan, expected, extract, make_plan
from engine.extraction.export import expected_lines, report_lines
from engine.language.characters import escape, marked
from engine.llm import Budget, LanguageModel, Meter
from engine.verbs.requests import Request
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, Extraction, JobForm
from ui.jobs.jobs import Ended, Job, State

# Maximum of documents to choose from; larger corpora are read as a whole, or by command.
MOST_LISTED = 500
# Factor on the announced usage, for answers that have to be repaired.
REPAIRS = 2


class Reading(Request):
    """The document to read (None: all), a limit of calls, and the number of windows whose cost the caller
    has agreed to."""

    document: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=1)
    agreed: int = Field(default=0, ge=0)


class ReadingForm(CorpusForm):
    """The documents for a model to read."""

    reading: Reading = Reading()


def extraction(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Report whether a model may read this corpus here, and whether one is reading it."""
    shelved = access.entry
    going = access.desk.extractions.going(access.caller.key, shelved.folder.absolute())
    model = access.desk.connections.model(access.caller.session)
    if not access.may(shelved, Action.EXTRACT):
        why = "Only in a corpus of your own: this one is for everybody."
    elif model is None:
        why = (
            "No language model is connected. Without one, the links here are those that the texts themselves "
            "state, and everything of this panel works."
        )
    else:
        why = ""
    documents = access.browser().documents[:MOST_LISTED] if not why else []
    named = enumerate(marked(document.title or document.id) for document in documents)
    return {
        "may": not why,
        "why": why,
        "run": going.id if going else "",
        "model": _name(model),
        "documents": [[number, title] for number, title in named],
    }


def cost(access: CorpusAccess, form: ReadingForm) -> Answer:
    """Return the maximum cost of reading; nothing is sent to the model."""
    plan, model, _ = _planned(access, form)
    found = expected(plan, model)
    lines = "".join(f"<p>{escape(line)}</p>" for line in expected_lines(found))
    return {"html": f'<div class="cost">{lines}</div>', "windows": found.windows}


def read(access: CorpusAccess, form: ReadingForm) -> Answer:
    """Start the reading that the caller agreed to. Raises InputError if the windows to read have changed
    since."""
    plan, model, wanted = _planned(access, form)
    shelved = access.entry
    if not wanted.agreed or wanted.agreed != plan.open:
        raise InputError("what is to be read has changed: look at the cost again")
    found = expected(plan, model)
    budget = _budget(found, wanted)

    def work(job: Job[Extraction]) -> Ended:
        def progress(step: str, done: int, total: int) -> None:
            job.done, job.total = done, total

        job.total = plan.open
        return _ended(job, extract(plan, model, Meter(budget, job.stop.is_set), progress))

    job = access.desk.extractions.start(
        access.caller.owner, Extraction(), work, folder=shelved.folder.absolute(), name=shelved.name
    )
    return {"run": job.id}


def reading(access: CorpusAccess, form: JobForm) -> Answer:
    """Return the progress of a run."""
    run = access.desk.extractions.get(form.job, access.caller.key)
    lines = "".join(f"<p>{escape(line)}</p>" for line in run.payload.lines)
    return {
        "state": run.state,
        "done": run.done,
        "total": run.total,
        "message": run.message,
        "html": f'<div class="cost">{lines}</div>' if lines else "",
    }


def stop(access: CorpusAccess, form: JobForm) -> Answer:
    """Stop a run after the windows in flight; the results so far are kept."""
    access.desk.extractions.cancel(form.job, access.caller.key)
    return {}


def _ended(job: Job[Extraction], report: ExtractionReport) -> Ended:
    job.payload.lines = tuple(report_lines(report))
    if report.cancelled:
        raise CancelledError("cancelled")
    return Ended(State.STOPPED if report.stopped else State.DONE, report.stopped)


def _planned(access: CorpusAccess, form: ReadingForm) -> tuple[Plan, LanguageModel, Reading]:
    shelved, browser = access.entry, access.browser()
    model = access.desk.connections.model(access.caller.session)
    if model is None:
        raise InputError("no language model is connected on this page")
    wanted = form.reading
    documents = () if wanted.document is None else (browser.document(wanted.document).id,)
    key = (shelved.folder, shelved.state, model.spec, documents, stamp_of(shelved.folder))
    plan = access.desk.plans.made(key, lambda: make_plan(browser.corpus, model, documents))
    return plan, model, wanted


def _budget(found: Expected, wanted: Reading) -> Budget:
    """Return the budget: the announced cost plus repairs, or the user's lower limit of calls."""
    usage = found.usage
    money = None if usage.money is None else REPAIRS * usage.money
    return Budget(wanted.calls or REPAIRS * usage.calls, REPAIRS * usage.tokens, None, money or None)


def _name(model: LanguageModel | None) -> str:
    return "" if model is None else model.spec.removeprefix("openai:").partition("@http")[0].partition("?")[0]


CALLS = (
    Call("extraction", CorpusForm, extraction),
    Call("extract-cost", ReadingForm, cost, needs=Action.EXTRACT),
    Call("extract", ReadingForm, read, audit="extract", needs=Action.EXTRACT),
    Call("extract-poll", JobForm, reading),
    Call("extract-stop", JobForm, stop),
)
