"""The case as documents: the page, the memo, the sealed record, and the ranked passages as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson

from engine.errors import InputError
from engine.exports.cases import Export, ExportableCase, Names, names_of, record_in
from engine.records.case_file import case_bytes
from engine.records.phrases import GAP_STRATEGY
from engine.records.record import FORMAT, CaseRecord, PassagePart
from engine.records.store.chain import SealedCase, begin_case, digest, record_bytes
from engine.records.store.rows import summary_of
from engine.review.case_verdicts import verdicts_to_json
from engine.review.exchange import Cell, defused

# The case as documents for readers: a page of HTML, and the memo as Markdown and Word.

# The case as one page of HTML.


def write_page(case: ExportableCase) -> bytes:
    """Write the page in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.case_page import case_page

    return case_page(case).encode()


PAGE = Export(
    "html", "Page (HTML)", "a browser: board, cards and log in one file", ".html", "text/html", write_page
)


# The memo as Markdown.


def write_markdown(case: ExportableCase) -> bytes:
    """Write the memo in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.markdown import memo_markdown

    return memo_markdown(compose(case)).encode()


MARKDOWN = Export("md", "Memo (Markdown)", "a memo as plain text", ".md", "text/markdown", write_markdown)


# The memo as a Word file.


def write_word(case: ExportableCase) -> bytes:
    """Write the memo as .docx. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.word import memo_word

    return memo_word(compose(case))


WORD = Export(
    "docx",
    "Memo (Word)",
    "a memo for clients: findings, pinpoints, how they were found and checked",
    ".docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    write_word,
)


# The complete record as sealed JSON, the format of ``cases import``.

# Characters of the digest used as the id of a case that was not stored.
_DIGITS = 22


def write_record(case: ExportableCase) -> bytes:
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
RECORD_EXPORT = Export("json", "Record (JSON)", _MEANING, ".json", "application/json", write_record)


# The ranked passages as CSV (RFC 4180) for a spreadsheet, one row each, with the trail in words.
#
# UTF-8 with a byte order mark for Excel. A text that a spreadsheet would treat as a formula gets
# an apostrophe in front (https://owasp.org/www-community/attacks/CSV_Injection).

COLUMNS = (
    *("rank", "citation", "document", "title", "label", "page", "language", "validity", "score"),
    *("found by", "round", "trail", "quote", "quoted from", "pinned", "text", "id"),
)


def write_table(case: ExportableCase) -> bytes:
    """Write the table, only its header if nothing was found."""
    record = record_in(case)
    file = io.StringIO(newline="")
    lines = csv.writer(file, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    lines.writerows([_cell(value) for value in row] for row in _rows(record, names_of(record, case.corpus)))
    return file.getvalue().encode("utf-8-sig")


def _cell(value: Cell) -> Cell:
    return defused(value) if isinstance(value, str) else value


def _rows(record: CaseRecord, names: Names) -> Iterator[list[Cell]]:
    rounds = {node.id: node.round for node in record.pool.nodes}
    for one in record.passages:
        yield _row(one, rounds.get(one.id), names)


def _row(one: PassagePart, round_number: int | None, names: Names) -> list[Cell]:
    last = [trail[-1] for trail in one.trails if trail]
    found_by = ", ".join(dict.fromkeys(step.strategy for step in last))
    first = one.trails[0] if one.trails else ()
    # The quote of a query for a gap is the query, not a source.
    quote = next((step for step in reversed(first) if step.quote and step.strategy != GAP_STRATEGY), None)
    return [
        one.rank,
        names.full(one.id),
        one.document,
        one.title,
        one.label,
        one.page,
        one.language,
        one.validity or "",
        one.score,
        found_by,
        round_number,
        names.sentence(first),
        "" if quote is None else quote.quote,
        "" if quote is None or quote.quoted_from is None else names.short(quote.quoted_from),
        "yes" if one.pinned else "no",
        one.text,
        one.id,
    ]


TABLE_EXPORT = Export(
    "csv",
    "Table (CSV)",
    "spreadsheet: one row per passage, with how it was found",
    ".csv",
    "text/csv",
    write_table,
)
