"""Saving and restoring of investigations."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from engine.corpus import with_documents
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.pool import Entry, Pool, restore_pool
from engine.investigation.presentation import text_of
from engine.investigation.record import Investigation
from engine.model import AreaCoverage, Document, Evidence, FoundBy, PartEvidence, Passage, RankedPassage
from engine.records.case_file import CASE, case_bytes
from engine.records.export import investigation_to_json
from engine.records.phrases import plural
from engine.records.plain import check_strategy, convert, first_fault
from engine.records.record import READ, RECORD, CaseRecord, EvidencePart, PassagePart, read_record
from engine.records.store.chain import begin_case
from engine.settings import InvestigationSettings

# Files of saved investigations.


def save(
    investigation: Investigation,
    path: Path,
    *,
    application: str = "python",
    who: str = "python",
    fingerprint: str = "",
) -> None:
    """Write an investigation as sealed JSON, atomically.

    ``application`` is the kind of caller, ``who`` its user, ``fingerprint`` the state of its corpus. Raises
    InputError.
    """
    record = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    case = begin_case(record, application=application, who=who, fingerprint=fingerprint)
    write_whole(path, case_bytes(record, case))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically; a link is replaced by the file.

    Raises InputError if it cannot be written, or if the path is a folder, device or pipe.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: the path exists and is not a file")
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def load_record(path: Path) -> CaseRecord:
    """Return the record of a saved investigation. Raises InputError for any other file."""
    return read_record(record_of(path), path)


def record_of(path: Path) -> dict[str, Any]:
    """Return the record of a saved investigation as plain values. Raises InputError for any other file."""
    return {name: value for name, value in values_of(path).items() if name != CASE}


def values_of(path: Path) -> dict[str, Any]:
    """Return the contents of a saved investigation's file. Raises InputError for any other file."""
    none = f"{path}: not a saved investigation"
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{none}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{none}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{none}: it contains no object")
    for name in ("format", "pool"):
        if name not in record:
            raise InputError(f"{none}: it has no field {name!r}")
    if record["format"] not in READ:
        known = " and ".join(map(str, READ))
        raise InputError(f"{path}: saved in format {record['format']}, this program reads {known}")
    return record


# Restoring an investigation from a record, with its passages as they are in the corpus now.


def load_investigation(path: Path, corpus: Corpus) -> Investigation:
    """Load a saved investigation with its passages as they are in the corpus now.

    If their text has changed since, a note reports it. Raises InputError with file and field for an invalid
    file, or for one that does not fit the corpus.
    """
    return investigation_of(record_of(path), corpus, path)


def load_pool(path: Path, corpus: Corpus, limit: int) -> Pool:
    """Load the pool of a saved investigation. Raises InputError if the file does not fit the corpus."""
    return pool_of(load_record(path), corpus, limit, path)


def investigation_of(values: Mapping[str, Any], corpus: Corpus, where: object = RECORD) -> Investigation:
    """Return the investigation of a record, as ``load_investigation``; ``where`` is named in errors."""
    return restore(read_record(values, where), corpus, where)


def restore(record: CaseRecord, corpus: Corpus, where: object = RECORD) -> Investigation:
    """Return the investigation of a validated record. Raises InputError if it does not fit the corpus."""
    settings = settings_of(record, where)
    pool = pool_of(record, corpus, settings.pool_size, where)
    passages = tuple(_ranked(one, corpus, where) for one in record.passages)
    changed = sum(_changed(one, corpus) for one in passages)
    since = f"the text of {plural(changed, 'passage')} has changed since the case was saved"
    return Investigation(
        question=record.question,
        corpus=record.corpus,
        settings=settings,
        plan=check_strategy(record.plan, f"{where}: plan"),
        rounds=tuple(one.report() for one in record.rounds),
        areas=tuple(convert(AreaCoverage, one) for one in record.coverage),
        stop=record.stop,
        passages=passages,
        pool=pool,
        milliseconds=record.milliseconds,
        started=record.begun,
        day=record.as_of,
        notes=(*record.notes, *([since] if changed else [])),
        model=record.model,
        evidence=_evidence(record.evidence, corpus, where),
        metrics=record.metrics,
        transaction=record.transaction,
        usage=record.used(),
        found={node.id: convert(FoundBy, node) for node in record.pool.nodes},
        weights=record.weights,
    )


def settings_of(record: CaseRecord, where: object = RECORD) -> InvestigationSettings:
    """Return the settings of a record. Raises InputError with the invalid setting."""
    try:
        return InvestigationSettings.model_validate(record.settings)
    except ValidationError as error:
        raise InputError(f"{where}: damaged: settings.{first_fault(error)}") from error


def pool_of(record: CaseRecord, corpus: Corpus, limit: int, where: object = RECORD) -> Pool:
    """Return the pool of a record. Raises InputError if it does not fit the corpus."""
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
    return with_documents(corpus, _rows(ids, corpus, where))


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
    """Return whether the text of a ranked passage changed in the corpus."""
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
