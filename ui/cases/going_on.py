"""To go on with a case that is shown from its record, it is run anew."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import InputError
from engine.investigation.events import Event
from engine.records.replaying import rerun
from ui.session import OpenCase

WITH_MODEL = "this case was asked with a language model: ask its question again to go on with it"


def prepare(opened: OpenCase) -> None:
    """Read of a case that is shown from its record what it takes to run it anew; not before somebody goes on
    with it, for it is large. Raises InputError where that cannot be done, and as ``CaseStore``."""
    keeping = opened.keeping
    if keeping is None or not opened.reopen_case:
        return
    store = keeping.store
    record = store.record(keeping.case_id, keeping.owner)
    if record.get("model"):
        raise InputError(WITH_MODEL)
    matter = store.summary(keeping.case_id, keeping.owner).matter
    opened.learned = keeping.cases.learned_of(matter, record)
    opened.record, opened.steps = record, tuple(store.events(keeping.case_id, keeping.owner))


def going_on(opened: OpenCase) -> Iterator[Event]:
    """Run a prepared case anew; tells nothing. Raises InputError where its record cannot be read."""
    if opened.record is not None:
        case = rerun(opened.record, opened.corpus, events=opened.steps, learned=opened.learned)
        # Where links were judged on the way, that was on a corpus in memory; what is said of links from now
        # on is said of the one that is kept, where all of it stands.
        case.corpus = opened.corpus
        opened.case, opened.record, opened.steps, opened.reopen_case = case, None, (), False
    yield from ()
