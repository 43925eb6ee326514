"""A case that is kept, as formats read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import Enum

from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.exports.registry import HandedOver
from engine.records.store import Owner
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import case_verdicts, finished_judgements, passage_gains
from engine.review.model import Assessment
from engine.review.store import ReviewStore


class Verdicts(Enum):
    """What of its verdicts a case is handed over with."""

    NONE = "none"
    UNNAMED = "unnamed"
    NAMED = "named"


def handed_over(
    store: CaseStore,
    case_id: str,
    owner: Owner,
    corpus_of: Callable[[str], Corpus | None],
    reviews: ReviewStore,
    verdicts: Verdicts = Verdicts.NONE,
) -> HandedOver:
    """A case of ``owner`` with all that is known of it. ``corpus_of`` opens a corpus by its name; where it
    cannot, words are not checked against it. Of ``reviews`` it has the verdicts that are asked for; where
    none are, judgements that name nobody, once the review is over. Raises as ``CaseStore``."""
    handed, summary = store.handed(case_id, owner), store.summary(case_id, owner)
    said: Sequence[Assessment] = ()
    if verdicts is not Verdicts.NONE:
        said = case_verdicts(reviews, case_id, owner, named=verdicts is Verdicts.NAMED)
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
        said,
        passage_gains(said) if said else finished_judgements(reviews, case_id, owner),
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
