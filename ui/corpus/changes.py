"""Calls that change corpora: create, add, remove, apply, delete, and their progress."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder
from pydantic import Field

from engine.access.audit_log import delete as delete_all
from engine.access.users import Action, may
from engine.errors import AccessError, InputError
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm, DocumentForm, JobForm
from ui.corpus.ingestion import Ingestion, ingest, report_html, stored_report
from ui.corpus.orders import READING, Order
from ui.server.jobs import Ended, Job, State
from ui.server.process import DOCUMENTS
from ui.server.reading import Uploaded, check_files, read_mapping, stage

# Maximum of files in a list: no request may have more values.
MOST_FILES = 2500


class FilesForm(CorpusForm):
    """Files that have arrived, the passwords of encrypted ones, and a field mapping for tables."""

    files: tuple[Uploaded, ...] = Field(default=(), max_length=MOST_FILES)
    passwords: str = Field(default="", max_length=4000, repr=False)
    mapping: str = Field(default="", max_length=200_000)


class NewCorpusForm(FilesForm):
    """A corpus to be created under a name."""

    name: str = Field(default="", max_length=500)


class LogForm(JobForm):
    """A job, and the first line of its log that the page does not have yet."""

    first: int = Field(default=0, ge=0)


def create(access: CorpusAccess, form: NewCorpusForm) -> Answer:
    """Create a corpus from the files. Raises InputError for a name, a file or a limit."""
    if not may(access.caller.person.role, Action.ADD, own=access.desk.books.new_belong):
        raise AccessError("corpora here belong to everybody: an operator makes them")
    folder = access.desk.books.place_for(form.name, access.caller.key)
    name = " ".join(form.name.split())
    order = _order(form, "create", folder).model_copy(update={"name": name})
    return _start(access, name, order, (), form.files)


def add(access: CorpusAccess, form: FilesForm) -> Answer:
    """Add the files to a corpus; they replace documents with the same ids."""
    return _change(access, _order(form, "add", access.entry.folder), form.files)


def remove(access: CorpusAccess, form: DocumentForm) -> Answer:
    """Remove a document from a corpus."""
    browser = access.browser()
    if len(browser.documents) < 2:
        raise InputError("the last document cannot be removed; delete the corpus instead")
    documents = (browser.document(form.document).id,)
    return _change(access, Order(kind="remove", folder=access.entry.folder.absolute(), documents=documents))


def apply(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Apply the decisions on the references of a corpus."""
    return _change(access, Order(kind="apply", folder=access.entry.folder.absolute()))


def poll(access: CorpusAccess, form: LogForm) -> Answer:
    """Return the progress of a job: its state, its step, the lines of its log from the ``first`` on."""
    job = access.desk.jobs.get(form.job, access.caller.key)
    message = "Cancelled; the corpus is as it was." if job.state is State.CANCELLED else job.message
    return {
        "state": job.state,
        "kind": job.payload.order.kind,
        "corpus": job.name,
        "before": access.desk.jobs.before(job),
        "step": job.step,
        "done": job.done,
        "total": job.total,
        "lines": job.payload.lines[form.first :],
        "message": message,
    }


def cancel(access: CorpusAccess, form: JobForm) -> Answer:
    """Cancel a job; its corpus stays as it was."""
    access.desk.jobs.cancel(form.job, access.caller.key)
    return {}


def delete(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Delete a corpus. Raises InputError while it is being changed."""
    shelved = access.entry
    access.desk.vectors.forget(shelved.folder.absolute())
    with access.desk.changing.taken(shelved.folder.absolute(), shelved.name):
        access.desk.books.remove(shelved.name, access.caller.key)
    return {}


def forget_me(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Delete every corpus of the caller, with verdicts and reports. Raises InputError while one changes."""
    corpora = access.desk.books.of(access.caller.key)
    if access.desk.jobs.going(access.caller.key) is not None:
        raise InputError("an ingestion of yours is under way; wait until it is done")
    with ExitStack() as stack:
        for one in corpora:
            access.desk.vectors.forget(one.folder.absolute())
            stack.enter_context(access.desk.changing.taken(one.folder.absolute(), "a corpus of yours"))
        delete_all(corpora)
    return {}


def report(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the report of the last ingestion of a corpus."""
    shelved = access.entry
    assert shelved.info is not None
    stored = stored_report(shelved.folder)
    deletable = access.may(shelved, Action.DELETE) and shelved.made_here
    return {"html": report_html(shelved.info, stored, deletable=deletable)}


def _order(form: FilesForm, kind: Any, folder: Path) -> Order:
    passwords = tuple(dict.fromkeys(form.passwords.split()))
    return Order(kind=kind, folder=folder.absolute(), passwords=passwords, mapping=read_mapping(form.mapping))


def _change(access: CorpusAccess, order: Order, files: Sequence[Uploaded] = ()) -> Answer:
    info = access.entry.info
    assert info is not None
    order = order.model_copy(update={"embedding": info.embedding})
    return _start(access, access.entry.name, order, (info.embedding, info.sparse), files)


def _start(
    access: CorpusAccess, name: str, order: Order, models: tuple[str, ...], files: Sequence[Uploaded]
) -> Answer:
    settings = access.desk.books.settings
    if not access.caller.key:
        raise InputError("this page has no token yet: load it again")
    access.desk.jobs.check(access.caller.owner)
    uploads = Path(get_upload_folder())
    if order.kind in READING:
        check_files(files, settings, uploads)
    workspace = access.desk.workspaces.new()

    def cleanup() -> None:
        shutil.rmtree(workspace, ignore_errors=True)

    try:
        if order.kind in READING:
            stage(files, uploads, workspace / DOCUMENTS)
    except (InputError, OSError):
        cleanup()
        raise

    def work(job: Job[Ingestion]) -> Ended:
        ended = ingest(job, settings)
        access.desk.vectors.written(order.folder, access.caller.owner)
        return ended

    job = access.desk.jobs.start(
        access.caller.owner,
        Ingestion(order, workspace, models),
        work,
        folder=order.folder,
        name=name,
        cleanup=cleanup,
    )
    return {"job": job.id}


CALLS = (
    Call("create", NewCorpusForm, create, audit="create"),
    Call("add", FilesForm, add, audit="add", needs=Action.ADD),
    Call("remove", DocumentForm, remove, audit="remove", needs=Action.ADD),
    Call("apply", CorpusForm, apply, audit="apply", needs=Action.RESOLVE),
    Call("delete", CorpusForm, delete, audit="delete", needs=Action.DELETE),
    Call("forget-me", CorpusForm, forget_me, audit="forget-me"),
    Call("poll", LogForm, poll),
    Call("cancel", JobForm, cancel),
    Call("report", CorpusForm, report),
)
