"""Verdicts as a table with a row each: CSV of RFC 4180 in UTF-8 with a byte order mark, for spreadsheets.

A text that a spreadsheet would read as a formula gets an apostrophe in front, also one with apostrophes
before such a text: so reading can remove exactly the apostrophe that writing added.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from engine.errors import SourceError
from engine.exports.formats.table import Cell, defused
from engine.review.exchange.drafts import MOST, Draft, Format, bounded, draft, text_of, verdict_fields
from engine.review.model import Assessment, current_assessments

COLUMNS = (
    *("case_id", "question_id", "question", "kind", "key", "passage_id", "document_id", "source_id"),
    *("relation", "strategy", "round", "distance", "rank", "score", "language", "document_type"),
    *("verdict", "approved", "reason", "note", "reviewer", "source", "at", "seconds", "settles"),
    *("criteria", "sha256", "fingerprint", "engine"),
)
_NEEDED = "verdict"


def write(assessments: Iterable[Assessment]) -> bytes:
    """Return the table; only its header if there are no verdicts."""
    file = io.StringIO(newline="")
    lines = csv.writer(file, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    for one in current_assessments(assessments):
        fields = verdict_fields(one)
        lines.writerow([_cell(fields[name]) for name in COLUMNS])
    return file.getvalue().encode("utf-8-sig")


def read(path: Path, most: int = MOST) -> list[Draft]:
    """Read the verdicts of a table with these columns; ``verdict`` and one of ``key`` and ``passage_id`` are
    required, other columns are ignored. Semicolons may separate columns, as some spreadsheets write them.
    Raises SourceError naming the line on which a row ends."""
    text = text_of(path)
    header = text.partition("\n")[0]
    separator = ";" if ";" in header and "," not in header else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    found = []
    try:
        if _NEEDED not in (rows.fieldnames or ()):
            raise SourceError(f"{path}, line 1: no column {_NEEDED!r}; a table begins with its column names")
        for number, row in enumerate(rows, 1):
            bounded(number, path, most)
            where = f"{path}, line {rows.line_num}"
            if None in row:
                raise SourceError(f"{where}: more fields than columns")
            found.append(draft({name: _plain(value) for name, value in row.items() if value}, where))
    except csv.Error as error:
        raise SourceError(f"{path}, line {rows.reader.line_num}: not CSV ({error})") from error
    return found


def _cell(value: Cell) -> Cell:
    if not isinstance(value, str):
        return value
    bare = value.lstrip("'")
    return value[: len(value) - len(bare)] + defused(bare)


def _plain(text: str) -> str:
    """Remove the apostrophe that ``_cell`` added."""
    bare = text.lstrip("'")
    return text[1:] if text.startswith("'") and defused(bare).startswith("'") else text


FORMAT = Format(
    "csv",
    "Table (CSV)",
    "a spreadsheet, or any program that counts: a row for each verdict",
    ".csv",
    "text/csv",
    read,
    write,
)
