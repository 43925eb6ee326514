"""A case that is kept, as formats read it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.exports.registry import HandedOver
from engine.records.store import Owner
from engine.records.store.store import CaseStore


def handed_over(
    store: CaseStore, case_id: str, owner: Owner, corpus_of: Callable[[str], Corpus | None]
) -> HandedOver:
    """A case of ``owner`` with all that is known of it. ``corpus_of`` opens a corpus by its name; where it
    cannot, words are not checked against it. Raises as ``CaseStore``."""
    handed, summary = store.handed(case_id, owner), store.summary(case_id, owner)
    matters = {one.id: one.name for one in store.matters(owner)}
    return HandedOver(
        handed.record,
        summary,
        handed.case.events,
        handed.case.notes,
        _corpus(corpus_of, handed.record["corpus"]),
        matters.get(summary.matter, ""),
        datetime.now(UTC).date(),
        handed.case,
    )


def handed_to_read(store: CaseStore, case_id: str, corpus_of: Callable[[str], Corpus | None]) -> HandedOver:
    """A case that is shared: its record, neither its notes nor who did what. Raises as ``CaseStore``."""
    summary, record = store.shared(case_id)
    corpus = _corpus(corpus_of, record["corpus"])
    return HandedOver(record, summary, corpus=corpus, today=datetime.now(UTC).date())


def _corpus(corpus_of: Callable[[str], Corpus | None], name: str) -> Corpus | None:
    try:
        return corpus_of(name)
    except RedstringError:
        return None
