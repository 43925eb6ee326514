"""Answers to a page that changes corpora: create, add, remove, delete, and how far that is."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from engine.access.audit_log import delete as delete_all
from engine.access.users import Action, may
from engine.errors import AccessError, InputError
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.ingesting import Ingestion, ingest, report_html, stored_report
from ui.corpus.intake import check_files, read_mapping, stage
from ui.corpus.orders import READING, Order
from ui.jobs.jobs import Ended, Job, State
from ui.jobs.process import DOCUMENTS
from ui.shelf import Shelved

Answer = dict[str, Any]


def create(desk: CorpusDesk, ask: Ask) -> Answer:
    """Make a new corpus of what was uploaded. Raises InputError for a name, a file or a limit."""
    if not may(ask.role, Action.ADD, own=desk.books.new_belong):
        raise AccessError("corpora here belong to everybody: an operator makes them")
    folder = desk.books.place_for(ask.name, ask.visitor)
    name = " ".join(ask.name.split())
    return _start(desk, ask, name, _order(ask, "create", folder).model_copy(update={"name": name}), ())


def add(desk: CorpusDesk, ask: Ask) -> Answer:
    """Add what was uploaded to a corpus; a document that is already there is replaced."""
    shelved = desk.writable(ask)
    return _change(desk, ask, shelved, _order(ask, "add", shelved.folder))


def remove(desk: CorpusDesk, ask: Ask) -> Answer:
    """Take a document out of a corpus."""
    shelved, browser = desk.writable(ask), desk.browser(ask)
    if len(browser.documents) < 2:
        raise InputError("the last document cannot be removed; delete the corpus instead")
    order = Order(
        kind="remove", folder=shelved.folder.absolute(), documents=(browser.document(ask.document).id,)
    )
    return _change(desk, ask, shelved, order)


def apply(desk: CorpusDesk, ask: Ask) -> Answer:
    """Put in force what people have decided about the references of a corpus."""
    shelved = desk.writable(ask)
    order = Order(kind="apply", folder=shelved.folder.absolute())
    return _change(desk, ask, shelved, order)


def poll(desk: CorpusDesk, ask: Ask) -> Answer:
    """How far a job is: its state, its step, the lines of its log from the ``first`` on."""
    job = desk.jobs.get(ask.job, ask.visitor)
    message = "Cancelled; the corpus is as it was." if job.state is State.CANCELLED else job.message
    return {
        "state": job.state,
        "kind": job.payload.order.kind,
        "corpus": job.name,
        "before": desk.jobs.before(job),
        "step": job.step,
        "done": job.done,
        "total": job.total,
        "lines": job.payload.lines[ask.first :],
        "message": message,
    }


def cancel(desk: CorpusDesk, ask: Ask) -> Answer:
    """End a job; its corpus stays as it was."""
    desk.jobs.cancel(ask.job, ask.visitor)
    return {}


def delete(desk: CorpusDesk, ask: Ask) -> Answer:
    """Delete a whole corpus. Raises InputError while it is being changed."""
    shelved = desk.writable(ask)
    desk.vectors.forget(shelved.folder.absolute())
    with desk.changing.taken(shelved.folder.absolute(), shelved.name):
        desk.books.remove(shelved.name, ask.visitor)
    return {}


def forget_me(desk: CorpusDesk, ask: Ask) -> Answer:
    """Delete every corpus of whoever asks, with verdicts and reports. Raises InputError while one changes."""
    corpora = desk.books.of(ask.visitor)
    if desk.jobs.going(ask.visitor) is not None:
        raise InputError("an ingestion of yours is under way; wait until it is done")
    with ExitStack() as stack:
        for one in corpora:
            desk.vectors.forget(one.folder.absolute())
            stack.enter_context(desk.changing.taken(one.folder.absolute(), "a corpus of yours"))
        delete_all(corpora)
    return {}


def report(desk: CorpusDesk, ask: Ask) -> Answer:
    """What the last ingestion of a corpus said."""
    shelved = desk.shelved(ask)
    assert shelved.info is not None
    told = stored_report(shelved.folder)
    deletable = desk.may(ask, shelved, Action.DELETE) and shelved.made_here
    return {"html": report_html(shelved.info, told, deletable=deletable)}


def _order(ask: Ask, kind: Any, folder: Path) -> Order:
    passwords = tuple(dict.fromkeys(ask.passwords.split()))
    return Order(kind=kind, folder=folder.absolute(), passwords=passwords, mapping=read_mapping(ask.mapping))


def _change(desk: CorpusDesk, ask: Ask, shelved: Shelved, order: Order) -> Answer:
    info = desk.books.info(shelved.name, ask.visitor)
    order = order.model_copy(update={"embedding": info.embedding})
    return _start(desk, ask, shelved.name, order, (info.embedding, info.sparse))


def _start(desk: CorpusDesk, ask: Ask, name: str, order: Order, models: tuple[str, ...]) -> Answer:
    settings = desk.books.settings
    if not ask.visitor:
        raise InputError("this page has no token yet: load it again")
    desk.jobs.check(ask.owner)
    uploads = Path(get_upload_folder())
    if order.kind in READING:
        check_files(ask.files, settings, uploads)
    workspace = desk.workspaces.new()

    def cleanup() -> None:
        shutil.rmtree(workspace, ignore_errors=True)

    try:
        if order.kind in READING:
            stage(ask.files, uploads, workspace / DOCUMENTS)
    except (InputError, OSError):
        cleanup()
        raise

    def work(job: Job[Ingestion]) -> Ended:
        ended = ingest(job, settings)
        desk.vectors.written(order.folder, ask.owner)
        return ended

    job = desk.jobs.start(
        ask.owner,
        Ingestion(order, workspace, models),
        work,
        folder=order.folder,
        name=name,
        cleanup=cleanup,
    )
    return {"job": job.id}
