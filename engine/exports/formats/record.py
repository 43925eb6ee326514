"""The complete record as sealed JSON, the format of ``cases import``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from engine.errors import InputError
from engine.exports.registry import Export, ExportableCase
from engine.records.case_file import case_bytes
from engine.records.record import FORMAT
from engine.records.store.chain import SealedCase, begin_case, digest, record_bytes
from engine.records.store.rows import summary_of
from engine.review.case_verdicts import verdicts_to_json

# Characters of the digest used as the id of a case that was not stored.
_DIGITS = 22


def write(case: ExportableCase) -> bytes:
    """Write the record with its chain, indented.

    A case that was not stored gets a new chain, always the same; a record of a former format without a chain
    is unchanged.
    """
    record: dict[str, Any] = orjson.loads(orjson.dumps(dict(case.record)))
    sealed = case.case or _stored_chain(case)
    if sealed is None and record["format"] != FORMAT:
        return orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    sealed = sealed or _new_chain(record)
    return case_bytes(
        record, replace(sealed, verdicts=verdicts_to_json(case.verdicts)) if case.verdicts else sealed
    )


def _new_chain(record: dict[str, Any]) -> SealedCase:
    state = record_bytes(record)
    try:
        ended = str(summary_of(record)["completed"])
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError(f"this record cannot be sealed: it is damaged ({error})") from error
    case_id = digest(state)[:_DIGITS]
    return begin_case(record, application="export", who="export", case_id=case_id, at=ended, state=state)


def _stored_chain(case: ExportableCase) -> SealedCase | None:
    """Return the chain of a stored case, without former states of its record."""
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


_MEANING = "complete record, machine-readable"
EXPORT = Export("json", "Record (JSON)", _MEANING, ".json", "application/json", write)
