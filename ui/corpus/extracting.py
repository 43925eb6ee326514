"""A language model reads a visitor's corpus: first the cost, then, once agreed to, in the background."""

from __future__ import annotations

from typing import Any

from engine.access.users import Action
from engine.corpus.extracted.graph import stamp_of
from engine.errors import CancelledError, InputError
from engine.extraction import Expected, ExtractionReport, Plan, expected, extract, planned
from engine.extraction.export import expected_lines, report_lines
from engine.language.characters import escape, marked
from engine.llm import Budget, LanguageModel, Meter
from ui.corpus.desk import Ask, CorpusDesk, Extraction, Reading
from ui.jobs.jobs import Ended, Job, State

Answer = dict[str, Any]
# Documents to choose from; more are read all together, or from the command line.
MOST_LISTED = 500
# A run may use so much more than was told, for answers that have to be repaired.
REPAIRS = 2


def extraction(desk: CorpusDesk, ask: Ask) -> Answer:
    """Whether a model may read this corpus here, and whether one is."""
    shelved = desk.shelved(ask)
    going = desk.extractions.going(ask.visitor, shelved.folder.absolute())
    model = desk.connections.model(ask.session)
    if not desk.may(ask, shelved, Action.EXTRACT):
        why = "Only in a corpus of your own: this one is for everybody."
    elif model is None:
        why = (
            "No language model is connected. Without one, the links here are those that the texts themselves "
            "state, and everything of this panel works."
        )
    else:
        why = ""
    documents = desk.browser(ask).documents[:MOST_LISTED] if not why else []
    named = enumerate(marked(document.title or document.id) for document in documents)
    return {
        "may": not why,
        "why": why,
        "run": going.id if going else "",
        "model": _name(model),
        "documents": [[number, title] for number, title in named],
    }


def cost(desk: CorpusDesk, ask: Ask) -> Answer:
    """What reading would cost at most; nothing is sent."""
    plan, model, _ = _planned(desk, ask)
    found = expected(plan, model)
    lines = "".join(f"<p>{escape(line)}</p>" for line in expected_lines(found))
    return {"html": f'<div class="cost">{lines}</div>', "windows": found.windows}


def read(desk: CorpusDesk, ask: Ask) -> Answer:
    """Begin to read what was agreed to. Raises InputError where that is no longer what there is to read."""
    plan, model, wanted = _planned(desk, ask)
    shelved = desk.writable(ask)
    if not wanted.agreed or wanted.agreed != plan.open:
        raise InputError("what is to be read has changed: look at the cost again")
    found = expected(plan, model)
    budget = _budget(found, wanted)

    def work(job: Job[Extraction]) -> Ended:
        def progress(step: str, done: int, total: int) -> None:
            job.done, job.total = done, total

        job.total = plan.open
        return _ended(job, extract(plan, model, Meter(budget, job.stop.is_set), progress))

    job = desk.extractions.start(
        ask.owner, Extraction(), work, folder=shelved.folder.absolute(), name=shelved.name
    )
    return {"run": job.id}


def reading(desk: CorpusDesk, ask: Ask) -> Answer:
    """How far a run is."""
    run = desk.extractions.get(ask.job, ask.visitor)
    lines = "".join(f"<p>{escape(line)}</p>" for line in run.payload.lines)
    return {
        "state": run.state,
        "done": run.done,
        "total": run.total,
        "message": run.message,
        "html": f'<div class="cost">{lines}</div>' if lines else "",
    }


def stop(desk: CorpusDesk, ask: Ask) -> Answer:
    """End a run after the windows in flight; what was read is kept."""
    desk.extractions.cancel(ask.job, ask.visitor)
    return {}


def _ended(job: Job[Extraction], report: ExtractionReport) -> Ended:
    job.payload.lines = tuple(report_lines(report))
    if report.cancelled:
        raise CancelledError("cancelled")
    return Ended(State.STOPPED if report.stopped else State.DONE, report.stopped)


def _planned(desk: CorpusDesk, ask: Ask) -> tuple[Plan, LanguageModel, Reading]:
    shelved, browser = desk.writable(ask), desk.browser(ask)
    model = desk.connections.model(ask.session)
    if model is None:
        raise InputError("no language model is connected on this page")
    wanted = ask.reading or Reading()
    documents = () if wanted.document is None else (browser.document(wanted.document).id,)
    key = (shelved.folder, shelved.state, model.spec, documents, stamp_of(shelved.folder))
    plan = desk.plans.made(key, lambda: planned(browser.corpus, model, documents))
    return plan, model, wanted


def _budget(found: Expected, wanted: Reading) -> Budget:
    """Never more than what was told, with what repairs may take; fewer calls where the person said so."""
    usage = found.usage
    money = None if usage.money is None else REPAIRS * usage.money
    return Budget(wanted.calls or REPAIRS * usage.calls, REPAIRS * usage.tokens, None, money or None)


def _name(model: LanguageModel | None) -> str:
    return "" if model is None else model.spec.removeprefix("openai:").partition("@http")[0].partition("?")[0]
