"""Answers to a page that changes corpora: create, add, remove, delete, and how far that is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from engine.errors import InputError
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.intake import empty_workspace, read_mapping, stage
from ui.corpus.orders import Order
from ui.corpus.report import report_html, stored_report
from ui.embeddings import spec_of

Answer = dict[str, Any]


def create(desk: CorpusDesk, ask: Ask) -> Answer:
    """Make a new corpus of what was uploaded. Raises InputError for a name, a file or a limit."""
    folder = desk.books.place_for(ask.name, ask.visitor)
    # An embedding that is not on offer is refused before anything is moved.
    spec = spec_of(ask.embedding)
    name = " ".join(ask.name.split())
    order = _order(ask, "create", folder).model_copy(update={"name": name, "embedding": spec})
    return _start(desk, ask, name, order)


def add(desk: CorpusDesk, ask: Ask) -> Answer:
    """Add what was uploaded to a corpus; a document that is already there is replaced."""
    shelved = desk.writable(ask)
    return _start(desk, ask, shelved.name, _order(ask, "add", shelved.folder))


def remove(desk: CorpusDesk, ask: Ask) -> Answer:
    """Take a document out of a corpus."""
    shelved, browser = desk.writable(ask), desk.browser(ask)
    if len(browser.documents) < 2:
        raise InputError("the last document cannot be removed; delete the corpus instead")
    order = Order(
        kind="remove", folder=shelved.folder.absolute(), documents=(browser.document(ask.document).id,)
    )
    job = desk.jobs.start(ask.visitor, shelved.name, order, empty_workspace())
    return {"job": job.id}


def apply(desk: CorpusDesk, ask: Ask) -> Answer:
    """Put in force what people have decided about the references of a corpus."""
    shelved = desk.writable(ask)
    order = Order(kind="apply", folder=shelved.folder.absolute())
    return {"job": desk.jobs.start(ask.visitor, shelved.name, order, empty_workspace()).id}


def poll(desk: CorpusDesk, ask: Ask) -> Answer:
    """How far a job is: its state, its step, the lines of its log from the ``first`` on."""
    job = desk.job(ask)
    return {
        "state": job.state,
        "kind": job.order.kind,
        "corpus": job.corpus,
        "step": job.step,
        "done": job.done,
        "total": job.total,
        "lines": job.lines[ask.first :],
        "message": job.message,
    }


def cancel(desk: CorpusDesk, ask: Ask) -> Answer:
    """End a job; its corpus stays as it was."""
    desk.jobs.cancel(ask.job, ask.visitor)
    return {}


def delete(desk: CorpusDesk, ask: Ask) -> Answer:
    """Delete a whole corpus. Raises InputError while it is being changed."""
    shelved = desk.writable(ask)
    if desk.jobs.busy(shelved.folder) or desk.extractions.busy(shelved.folder):
        raise InputError(f"{shelved.name!r} is being changed; wait until that is done")
    desk.books.remove(shelved.name, ask.visitor)
    return {}


def report(desk: CorpusDesk, ask: Ask) -> Answer:
    """What the last ingestion of a corpus said."""
    shelved = desk.shelved(ask)
    assert shelved.corpus is not None
    told = stored_report(shelved.folder)
    deletable = shelved.writable and shelved.made_here
    return {"html": report_html(shelved.corpus.info(), told, deletable=deletable)}


def _order(ask: Ask, kind: Any, folder: Path) -> Order:
    passwords = tuple(dict.fromkeys(ask.passwords.split()))
    return Order(kind=kind, folder=folder.absolute(), passwords=passwords, mapping=read_mapping(ask.mapping))


def _start(desk: CorpusDesk, ask: Ask, name: str, order: Order) -> Answer:
    if not ask.visitor:
        raise InputError("this page has no token yet: load it again")
    if desk.jobs.going(ask.visitor) is not None:
        raise InputError("another ingestion of yours is under way; wait until it is done")
    workspace = stage(ask.files, desk.books.settings, Path(get_upload_folder()))
    return {"job": desk.jobs.start(ask.visitor, name, order, workspace).id}
