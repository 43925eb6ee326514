"""Verdicts as files: exports for their readers, imports for the owner of a matter."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson
from gradio.utils import get_upload_folder

from engine.errors import AccessError, InputError
from engine.operator_settings import MEGABYTE
from engine.records.store import EVERYBODY
from engine.records.store.database import Matter
from engine.review.drafts import Draft, draft
from engine.review.exchange import FORMATS, format_of, writer_of
from engine.review.importing import find_cases, import_summary, match_verdicts
from engine.review.model import Item, ItemKind
from engine.review.queues import Queue
from engine.review.sampling import iterate_items
from engine.verbs.requests import Key
from ui.calls import Answer, Call
from ui.corpus.uploads import Uploaded, check_files, stage
from ui.jobs.jobs import Owner
from ui.jobs.reading import Reading, read_files
from ui.review.access import MatterForm, QueueForm, ReviewAccess, shown

# Limits of an upload and of an export; the command line has higher ones.
MOST_BYTES, MOST_VERDICTS = 4 * MEGABYTE, 20_000
NOT_YOURS = "verdicts are imported by the owner of the matter"


class VerdictsForm(MatterForm, QueueForm):
    """The verdicts of a queue, or of a matter, and the format of their file."""

    format: Key = ""


class ImportForm(VerdictsForm):
    """A file of verdicts that has arrived."""

    file: Uploaded | None = None


@dataclass(frozen=True, slots=True)
class _Scope:
    """A queue, or a whole matter; ``is_own``: it belongs to the caller."""

    queue: Queue | None
    matter: Matter | None
    is_own: bool


def files_html(access: ReviewAccess, *, queue: Queue | None = None, matter: Matter | None = None) -> str:
    """Return the panel to export and import verdicts of a queue or a matter."""
    scope = _Scope(queue, matter, queue is None or access.owns(queue))
    named = {"queue": queue.id} if queue is not None else {"matter": matter.id if matter is not None else ""}
    return shown(
        "files",
        scope=named,
        matter=matter,
        only_own=_only_own(access, scope),
        takes=scope.is_own and access.desk.library.settings.uploads,
        written=[one for one in FORMATS.values() if one.write is not None],
        read=list(FORMATS.values()),
        suffixes=",".join(sorted({one.suffix for one in FORMATS.values()} | {".txt"})),
        most=MOST_BYTES,
    )


def hand_out(access: ReviewAccess, form: VerdictsForm) -> Answer:
    """Return a file of current verdicts: only the caller's own if they have items left or do not own the
    matter. Raises InputError if the format does not support them, or for too many."""
    scope, write = _scope(access, form), writer_of(form.format)
    owner = EVERYBODY if scope.queue is not None else access.owner
    found = access.store.assessments(scope.matter, owner, queue=form.queue, is_current=True)
    if _only_own(access, scope):
        found = [one for one in found if one.reviewer == access.reviewer]
    if len(found) > MOST_VERDICTS:
        raise InputError(f"{len(found):,} verdicts are more than is handed out here: the command line does")
    chosen = format_of(form.format)
    name = f"verdicts-{(form.queue or form.matter)[:8]}-{chosen.name}{chosen.suffix}"
    return {
        "file": {"name": name, "type": chosen.media_type, "data": base64.b64encode(write(found)).decode()}
    }


def take_in(access: ReviewAccess, form: ImportForm) -> tuple[str, Queue | None]:
    """Store the verdicts of an uploaded file, all or none; returns the result in words, and the queue that
    they count in. Raises AccessError for a queue or matter of another, InputError naming the line."""
    scope, by = _scope(access, form), access.reviewer
    if not scope.is_own:
        raise AccessError(NOT_YOURS)
    drafts = _read(access, form)
    items = _of_matter(access, scope.matter, drafts) if scope.queue is None else _queued(access, scope.queue)
    found = match_verdicts(drafts, items)
    # With login on, a name belongs to its user: verdicts of others in a file are stored under the file.
    taken = access.store.import_verdicts(
        found.found, by=by, queue=form.queue, owner=access.owner, signed=by if access.person.name else ""
    )
    return "; ".join(import_summary(taken, found.missing)), scope.queue


def _scope(access: ReviewAccess, form: VerdictsForm) -> _Scope:
    if form.queue:
        queue = access.queue(form.queue)
        return _Scope(queue, None, access.owns(queue))
    return _Scope(None, access.matter(form.matter), is_own=True)


def _only_own(access: ReviewAccess, scope: _Scope) -> bool:
    """Return whether the caller sees only their own verdicts: they have items left, or do not own the
    scope."""
    if not scope.is_own:
        return True
    queues = [scope.queue] if scope.queue is not None else access.store.queues(scope.matter, access.owner)
    try:
        return any(access.store.progress(one.id, access.reviewer).left for one in queues)
    except InputError:
        # The caller has no name yet.
        return bool(queues)


def _read(access: ReviewAccess, form: ImportForm) -> list[Draft]:
    """Read the verdicts of the file."""
    if form.file is None:
        raise InputError("there is no file yet: choose one")
    file, uploads, chosen = form.file, Path(get_upload_folder()), format_of(form.format)
    check_files([file], access.desk.library.settings, uploads)

    def put(documents: Path) -> list[Path]:
        stage([file], uploads, documents)
        (path,) = (one for one in documents.rglob("*") if one.is_file())
        if path.stat().st_size > MOST_BYTES:
            most = f"{MOST_BYTES / MEGABYTE:g} MB"
            raise InputError(f"{path.name}: larger than the {most} taken here: the command line takes it")
        return [path]

    given = {"format": chosen.name, "most": MOST_VERDICTS}
    reading = Reading("verdicts", put, _taken, MOST_VERDICTS, given)
    return read_files(reading, Owner(access.asker, access.person.address))


def _taken(line: bytes) -> Draft:
    values = orjson.loads(line)
    return draft(values, str(values["where"]))


def _queued(access: ReviewAccess, queue: Queue) -> Iterator[tuple[Item, str]]:
    items = [one.item for one in access.store.items(queue.id).values()]
    questions = {
        one: access.cases.summary(one, access.owner).question for one in {item.case_id for item in items}
    }
    return ((item, questions[item.case_id]) for item in items)


def _of_matter(
    access: ReviewAccess, matter: Matter | None, drafts: Sequence[Draft]
) -> Iterator[tuple[Item, str]]:
    """Yield the items of the named cases; none for a case whose corpus was removed."""
    library, hops = access.desk.library, any(one.kind is ItemKind.HOP for one in drafts)
    ids = access.cases.ids(matter, access.owner)
    questions = {one: access.cases.summary(one, access.owner).question for one in ids}
    for case in find_cases(drafts, questions):
        record = access.cases.record(case, access.owner)
        with suppress(InputError):
            corpus = library.open(library.find(record["corpus"], access.person.key))
            yield from iterate_items([(case, questions[case], record)], corpus, hops=hops)


CALLS = (Call("verdicts-out", VerdictsForm, hand_out, audit="export verdicts"),)
