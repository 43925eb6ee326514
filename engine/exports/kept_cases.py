"""Stored cases loaded for export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import Enum

from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.exports.registry import ExportableCase
from engine.records.store import Owner
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import case_verdicts, finished_judgements, passage_gains
from engine.review.model import Assessment
from engine.review.store import ReviewStore


class Verdicts(Enum):
    """Which verdicts an export includes."""

    NONE = "none"
    UNNAMED = "unnamed"
    NAMED = "named"


def load_for_export(
    store: CaseStore,
    case_id: str,
    owner: Owner,
    corpus_of: Callable[[str], Corpus | None],
    reviews: ReviewStore,
    verdicts: Verdicts = Verdicts.NONE,
) -> ExportableCase:
    """Load a case of ``owner`` for export.

    ``corpus_of`` opens a corpus by name; if it fails, quotes are not checked. ``verdicts`` selects the
    verdicts from ``reviews``; without any, the export has anonymous judgements once the review is complete.
    Raises as ``CaseStore``.
    """
    handed, summary = store.handed(case_id, owner), store.summary(case_id, owner)
    assessments: Sequence[Assessment] = ()
    if verdicts is not Verdicts.NONE:
        assessments = case_verdicts(reviews, case_id, owner, named=verdicts is Verdicts.NAMED)
    matters = {one.id: one.name for one in store.matters(owner)}
    return ExportableCase(
        handed.record,
        summary,
        handed.case.events,
        handed.case.notes,
        _corpus(corpus_of, handed.record["corpus"]),
        matters.get(summary.matter, ""),
        datetime.now(UTC).date(),
        handed.case,
        assessments,
        passage_gains(assessments) if assessments else finished_judgements(reviews, case_id, owner),
    )


def load_shared(store: CaseStore, case_id: str, corpus_of: Callable[[str], Corpus | None]) -> ExportableCase:
    """Load a shared case: its record, without notes and events. Raises as ``CaseStore``."""
    summary, record = store.shared(case_id)
    corpus = _corpus(corpus_of, record["corpus"])
    return ExportableCase(record, summary, corpus=corpus, today=datetime.now(UTC).date())


def _corpus(corpus_of: Callable[[str], Corpus | None], name: str) -> Corpus | None:
    try:
        return corpus_of(name)
    except RedstringError:
        return None
