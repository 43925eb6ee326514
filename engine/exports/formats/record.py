"""The whole record as JSON, sealed: what ``cases import`` takes in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from engine.errors import InputError
from engine.exports.registry import Export, HandedOver
from engine.records.filed import case_bytes
from engine.records.record import FORMAT
from engine.records.store.chain import SealedCase, begun, digest, written
from engine.records.store.rows import summary_of
from engine.review.case_verdicts import verdicts_to_json

# Of a record that was not kept, so much of its digest is the id of its case.
_DIGITS = 22


def write(case: HandedOver) -> bytes:
    """The record with its chain, in lines that a person can read. A case that was not kept begins one, which
    is the same whenever it is written; a record of a former format that has none stays as it was."""
    record: dict[str, Any] = orjson.loads(orjson.dumps(dict(case.record)))
    sealed = case.case or _kept(case)
    if sealed is None and record["format"] != FORMAT:
        return orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    sealed = sealed or _begun(record)
    return case_bytes(
        record, replace(sealed, verdicts=verdicts_to_json(case.verdicts)) if case.verdicts else sealed
    )


def _begun(record: dict[str, Any]) -> SealedCase:
    state = written(record)
    try:
        ended = str(summary_of(record)["completed"])
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"this record cannot be sealed: it is damaged ({error})") from error
    case_id = digest(state)[:_DIGITS]
    return begun(record, application="export", who="export", case_id=case_id, at=ended, state=state)


def _kept(case: HandedOver) -> SealedCase | None:
    """The chain of a case that is kept, without the records that steps have changed since."""
    kept = case.summary
    if kept is None or not case.events:
        return None
    return SealedCase(
        kept.id,
        kept.application,
        kept.fingerprint,
        kept.engine,
        tuple(case.events),
        kept.name,
        case.notes,
        kept.verdict,
        kept.verdict_right,
    )


EXPORT = Export("json", "Record (JSON)", "everything, for a program", ".json", "application/json", write)
