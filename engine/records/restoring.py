"""Saved cases restored from their record."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.pool import Entry, Pool, restore_pool
from engine.investigation.presentation import text_of
from engine.investigation.record import Investigation
from engine.model import (
    AreaCoverage,
    Document,
    Evidence,
    FoundBy,
    Metrics,
    PartEvidence,
    Passage,
    RankedPassage,
    Stop,
    Transaction,
)
from engine.records.export import investigation_to_json
from engine.records.filed import CASE, case_bytes
from engine.records.plain import convert, plan_of
from engine.records.record import (
    READ,
    RECORD,
    CaseRecord,
    EvidencePart,
    PassagePart,
    first_fault,
    read_record,
)
from engine.records.store.chain import begun
from engine.records.wording import plural
from engine.settings import InvestigationSettings

# Saved investigations: files that are written whole, and the records in them.


def save(
    investigation: Investigation,
    path: Path,
    *,
    application: str = "python",
    who: str = "python",
    fingerprint: str = "",
) -> None:
    """Write an investigation as JSON, sealed; the file is either whole or not there. ``application`` says by
    what it was asked, ``who`` by whom, ``fingerprint`` is the state of its corpus. Raises InputError."""
    record = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    case = begun(record, application=application, who=who, fingerprint=fingerprint)
    write_whole(path, case_bytes(record, case))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is either whole or not there; in the place of a link stands the file then. Raises
    InputError, also where a folder, a device or a pipe is there."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: what is there is no file")
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def load_record(path: Path) -> CaseRecord:
    """The record of a saved investigation. Raises InputError for a file that is none."""
    return read_record(record_of(path), path)


def record_of(path: Path) -> dict[str, Any]:
    """The record of a saved investigation as plain values. Raises InputError for a file that is none."""
    return {name: value for name, value in values_of(path).items() if name != CASE}


def values_of(path: Path) -> dict[str, Any]:
    """All that stands in the file of a saved investigation. Raises InputError for a file that is none."""
    none = f"{path}: not a saved investigation"
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{none}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{none}: no JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{none}: it holds no object")
    for name in ("format", "pool"):
        if name not in record:
            raise InputError(f"{none}: it has no field {name!r}")
    if record["format"] not in READ:
        known = " and ".join(map(str, READ))
        raise InputError(f"{path}: saved in format {record['format']}, this program reads {known}")
    return record


# A record as an investigation again: what was asked, how, what happened, what came of it.
#
# Its passages are as the corpus has them now.


def load_investigation(path: Path, corpus: Corpus) -> Investigation:
    """A saved investigation as it was, its passages as the corpus has them now; where the corpus has other
    words since, a note says so. Raises InputError, naming file and field, for a file that is no such thing
    or does not fit the corpus."""
    return investigation_of(record_of(path), corpus, path)


def load_pool(path: Path, corpus: Corpus, limit: int) -> Pool:
    """The pool of a saved investigation. Raises InputError where the file does not fit the corpus."""
    return pool_of(load_record(path), corpus, limit, path)


def investigation_of(values: Mapping[str, Any], corpus: Corpus, where: object = RECORD) -> Investigation:
    """The investigation of a record as ``load_investigation`` reads one; ``where`` is named in errors."""
    return restore(read_record(values, where), corpus, where)


def restore(record: CaseRecord, corpus: Corpus, where: object = RECORD) -> Investigation:
    """The investigation of a record that was read. Raises InputError where it does not fit the corpus."""
    settings = settings_of(record, where)
    pool = pool_of(record, corpus, settings.pool_size, where)
    passages = tuple(_ranked(one, corpus, where) for one in record.passages)
    changed = sum(_changed(one, corpus) for one in passages)
    since = f"the words of {plural(changed, 'passage')} have changed since the case was saved"
    return Investigation(
        question=record.question,
        corpus=record.corpus,
        settings=settings,
        plan=plan_of(record.plan, f"{where}: plan"),
        rounds=tuple(one.report() for one in record.rounds),
        areas=tuple(convert(AreaCoverage, one) for one in record.coverage),
        stop=convert(Stop, record.stop),
        passages=passages,
        pool=pool,
        milliseconds=record.milliseconds,
        started=record.begun,
        day=record.as_of,
        notes=(*record.notes, *([since] if changed else [])),
        model=record.model,
        evidence=_evidence(record.evidence, corpus, where),
        metrics=convert(Metrics, record.metrics),
        transaction=None if record.transaction is None else convert(Transaction, record.transaction),
        usage=record.used(),
        found={node.id: convert(FoundBy, node) for node in record.pool.nodes},
        weights=record.weights,
    )


def settings_of(record: CaseRecord, where: object = RECORD) -> InvestigationSettings:
    """The settings of a record. Raises InputError naming the one that is wrong."""
    try:
        return InvestigationSettings.model_validate(record.settings)
    except ValidationError as error:
        raise InputError(f"{where}: damaged: settings.{first_fault(error)}") from error


def pool_of(record: CaseRecord, corpus: Corpus, limit: int, where: object = RECORD) -> Pool:
    """The pool of a record. Raises InputError where it does not fit the corpus."""
    pool = record.pool
    rows = _rows([node.id for node in pool.nodes], corpus, where)
    entries = [
        Entry(node.id, int(row), node.round, node.strategy, node.score, order)
        for order, (node, row) in enumerate(zip(pool.nodes, rows, strict=True))
    ]
    try:
        return restore_pool(
            max(limit, len(entries)),
            entries,
            [edge.hop() for edge in pool.edges],
            pinned=pool.pinned,
            dismissed=pool.dismissed,
            explored=pool.explored,
        )
    except (KeyError, ValueError) as error:
        raise InputError(f"{where}: damaged: {error}") from error


def _rows(ids: Sequence[str], corpus: Corpus, where: object) -> Rows:
    rows = corpus.rows(ids)
    if (rows < 0).any():
        missing = ids[int((rows < 0).argmax())]
        raise InputError(f"{where}: passage {missing!r} is not in the corpus {corpus.name!r}")
    return rows


def _found(ids: Sequence[str], corpus: Corpus, where: object) -> list[tuple[Passage, Document]]:
    rows = _rows(ids, corpus, where)
    documents = corpus.documents()
    numbers = corpus.document_numbers(rows).tolist()
    return [(one, documents[number]) for one, number in zip(corpus.passages(rows), numbers, strict=True)]


def _ranked(part: PassagePart, corpus: Corpus, where: object) -> RankedPassage:
    [(passage, document), *_] = _found([part.id, *part.assembled, *part.same_words], corpus, where)
    return convert(
        RankedPassage,
        part,
        passage=passage,
        document=document,
        trails=part.hops(),
        assembled_ids=tuple(part.assembled),
    )


def _changed(ranked: RankedPassage, corpus: Corpus) -> bool:
    """Whether the corpus has other words for a ranked passage now than it had."""
    return text_of(corpus.passages(corpus.rows(ranked.assembled_ids))) != ranked.text


def _evidence(part: EvidencePart, corpus: Corpus, where: object) -> Evidence:
    parts = tuple(
        PartEvidence(
            one.text,
            one.status,
            tuple(one.missing),
            tuple(_found([passage.id for passage in one.passages], corpus, where)),
        )
        for one in part.parts
    )
    return convert(Evidence, part, parts=parts)
