"""A saved investigation read back whole, to be audited: what was asked, how, what happened, what came of it.

Its passages are as the corpus has them now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, field_validator

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.presentation import text_of
from engine.investigation.record import Investigation
from engine.model import (
    AreaCoverage,
    Document,
    Evidence,
    EvidenceStatus,
    FoundBy,
    Metrics,
    PartEvidence,
    Passage,
    RankedPassage,
    RetrieverHit,
    RoundReport,
    ScorePart,
    Stop,
    Transaction,
)
from engine.records.planned import plan_from_json
from engine.records.saved import hop_of, pool_of, record_of, rows_of
from engine.records.spending import usage_from_json
from engine.records.wording import plural
from engine.settings import InvestigationSettings

# What errors name where a record comes from no file.
RECORD = Path("record of the case")


class RankedFile(BaseModel):
    """A ranked passage as a record has it; ``text`` is that of its ``assembled`` passages."""

    rank: int
    id: str
    text: str
    score: float
    breakdown: tuple[ScorePart, ...]
    trails: tuple[tuple[dict[str, Any], ...], ...]
    hits: tuple[RetrieverHit, ...]
    assembled: tuple[str, ...]
    pinned: bool
    same_words: tuple[str, ...]


class IdFile(BaseModel):
    """A passage that a record names."""

    id: str


class PartFile(BaseModel):
    """What was found for a part of a question."""

    text: str
    status: EvidenceStatus
    missing: tuple[str, ...]
    passages: tuple[IdFile, ...]


class EvidenceFile(BaseModel):
    """Whether the corpus bears the question."""

    status: EvidenceStatus
    missing: tuple[str, ...]
    numbers: dict[str, float]
    parts: tuple[PartFile, ...]


class CaseFile(BaseModel):
    """What of a saved investigation is neither its plan nor its pool."""

    question: str
    corpus: str
    started: datetime
    day: date | None
    settings: InvestigationSettings
    evidence: EvidenceFile
    passages: tuple[RankedFile, ...]
    transaction: Transaction | None
    weights: str = ""
    metrics: Metrics
    coverage: tuple[AreaCoverage, ...]
    rounds: tuple[RoundReport, ...]
    stop: Stop
    notes: tuple[str, ...]
    model: str
    milliseconds: float

    @field_validator("rounds", mode="before")
    @classmethod
    def _states(cls, value: Any) -> Any:
        """Rounds with the states of the areas around them where a report has them."""
        if not isinstance(value, list):
            return value
        return [
            one | one["coverage"] if isinstance(one, dict) and isinstance(one.get("coverage"), dict) else one
            for one in value
        ]


class _NodeFile(BaseModel):
    id: str
    search: int | None = None
    similarity: float | None = None


class _PoolFile(BaseModel):
    nodes: tuple[_NodeFile, ...]


class _WholeFile(CaseFile):
    """The same with how the passages of the pool were found."""

    pool: _PoolFile


File = TypeVar("File", bound=CaseFile)


def load_investigation(path: Path, corpus: Corpus) -> Investigation:
    """A saved investigation as it was, its passages as the corpus has them now; where the corpus has other
    words since, a note says so. Raises InputError, naming file and field, for a file that is no such thing
    or does not fit the corpus."""
    return investigation_of(record_of(path), corpus, path)


def case_file(record: Mapping[str, Any], kind: type[File], where: Path = RECORD) -> File:
    """A record as it is read, ``kind`` or one that reads more of it. Raises InputError naming ``where`` and
    the field that is damaged."""
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: damaged: {field}: {' '.join(first['msg'].split())}") from error


def investigation_of(record: Mapping[str, Any], corpus: Corpus, path: Path = RECORD) -> Investigation:
    """The investigation of a record as ``load_investigation`` reads one; ``path`` is named in errors."""
    file = case_file(record, _WholeFile, path)
    pool = pool_of(path, dict(record), corpus, file.settings.pool_size)
    try:
        passages = tuple(_ranked(path, one, corpus) for one in file.passages)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: damaged: passages: {error}") from error
    changed = sum(_changed(one, corpus) for one in passages)
    since = f"the words of {plural(changed, 'passage')} have changed since the case was saved"
    return Investigation(
        file.question,
        file.corpus,
        file.settings,
        plan_from_json(record.get("plan"), f"{path}: plan"),
        file.rounds,
        file.coverage,
        file.stop,
        passages,
        pool,
        file.milliseconds,
        file.started,
        file.day,
        (*file.notes, *([since] if changed else [])),
        file.model,
        _evidence(path, file.evidence, corpus),
        file.metrics,
        file.transaction,
        usage_from_json(record.get("usage"), str(path)),
        {node.id: FoundBy(node.search, node.similarity) for node in file.pool.nodes},
        file.weights,
    )


def _found(path: Path, ids: Sequence[str], corpus: Corpus) -> list[tuple[Passage, Document]]:
    rows = rows_of(path, ids, corpus)
    documents = corpus.documents()
    numbers = corpus.document_numbers(rows).tolist()
    return [(one, documents[number]) for one, number in zip(corpus.passages(rows), numbers, strict=True)]


def _ranked(path: Path, file: RankedFile, corpus: Corpus) -> RankedPassage:
    [(passage, document), *_] = _found(path, [file.id, *file.assembled, *file.same_words], corpus)
    return RankedPassage(
        file.rank,
        passage,
        document,
        file.text,
        file.score,
        file.breakdown,
        tuple(tuple(map(hop_of, trail)) for trail in file.trails),
        file.hits,
        file.assembled,
        file.pinned,
        file.same_words,
    )


def _changed(ranked: RankedPassage, corpus: Corpus) -> bool:
    """Whether the corpus has other words for a ranked passage now than it had."""
    return text_of(corpus.passages(corpus.rows(ranked.assembled_ids))) != ranked.text


def _evidence(path: Path, file: EvidenceFile, corpus: Corpus) -> Evidence:
    parts = tuple(
        PartEvidence(
            part.text,
            part.status,
            part.missing,
            tuple(_found(path, [one.id for one in part.passages], corpus)),
        )
        for part in file.parts
    )
    return Evidence(file.status, file.missing, file.numbers, parts)
