"""The ranked passages as CSV (RFC 4180) for a spreadsheet, one row each, with the trail in words.

UTF-8 with a byte order mark for Excel. A text that a spreadsheet would treat as a formula gets an apostrophe
in front (https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from engine.exports.cases import Names, names_of, record_in
from engine.exports.registry import Export, ExportableCase
from engine.records.phrases import GAP_STRATEGY
from engine.records.record import CaseRecord, PassagePart
from engine.review.exchange import Cell, defused

COLUMNS = (
    *("rank", "citation", "document", "title", "label", "page", "language", "validity", "score"),
    *("found by", "round", "trail", "quote", "quoted from", "pinned", "text", "id"),
)


def write(case: ExportableCase) -> bytes:
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


EXPORT = Export(
    "csv",
    "Table (CSV)",
    "spreadsheet: one row per passage, with how it was found",
    ".csv",
    "text/csv",
    write,
)
