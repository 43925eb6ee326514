"""Run a case that is shown from its record again, before a user continues it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import InputError
from engine.investigation.events import Event as CaseEvent
from engine.records.replaying import rerun
from ui.open_case import OpenCase, Replay

WITH_MODEL = "this case was asked with a language model: ask its question again to go on with it"


def prepare_replay(opened: OpenCase) -> None:
    """Read the record, steps and weights of a case that is shown from its record.

    They are large, so they are read only when a user continues the case. Raises InputError if it cannot be
    run again, and as ``CaseStore``.
    """
    keeping = opened.keeping
    if keeping is None or opened.replay is None:
        return
    store = keeping.store
    record = store.record(keeping.case_id, keeping.owner)
    if record.get("model"):
        raise InputError(WITH_MODEL)
    matter = store.summary(keeping.case_id, keeping.owner).matter
    steps = tuple(store.events(keeping.case_id, keeping.owner))
    opened.replay = Replay(record, steps, keeping.cases.learned_of(matter, record))


def run_again(opened: OpenCase) -> Iterator[CaseEvent]:
    """Run a prepared case again; yields no event. Raises InputError if its record cannot be read."""
    replay = opened.replay
    if replay is not None and replay.record is not None:
        case = rerun(replay.record, opened.corpus, events=replay.steps, learned=replay.learned)
        # The replay judged links in an in-memory corpus. The open corpus has these and all later verdicts.
        case.corpus = opened.corpus
        opened.case, opened.replay = case, None
    yield from ()
