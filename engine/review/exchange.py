"""The formats for exchanging verdicts: a table (CSV), JSON lines, and qrels with two or three grades."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import median_low
from typing import Any, Final

import orjson

from engine.errors import InputError, SourceError
from engine.evaluation.questions import judged_lines, one_word, topic_of
from engine.review.drafts import MOST, Draft, Format, bounded, draft, json_lines, text_of, verdict_fields
from engine.review.model import Assessment, ItemKind, Verdict, current_assessments

# Verdicts as JSON lines: one object for each verdict, with the fields of the CSV table that have
# a value.


def write_lines(assessments: Iterable[Assessment]) -> bytes:
    """Return one object per current verdict and line; no bytes if there are no verdicts."""
    return b"".join(
        orjson.dumps(_values(one), option=orjson.OPT_APPEND_NEWLINE)
        for one in current_assessments(assessments)
    )


def read_lines(path: Path, most: int = MOST) -> list[Draft]:
    """Return the verdicts of a file; unknown fields are ignored. Raises SourceError naming the line."""
    return [draft(values, where) for where, values in json_lines(path, most)]


def _values(one: Assessment) -> dict[str, Any]:
    return {name: value for name, value in verdict_fields(one).items() if value not in ("", None)}


LINES = Format(
    "jsonl",
    "JSON lines",
    "programs: an object for each verdict, with the fields of the table",
    ".jsonl",
    "application/x-ndjson",
    read_lines,
    write_lines,
)


# Relevance judgements of TREC: a line ``question 0 passage gain`` for each judged passage.
#
# Relevant is 2, partly relevant 1, not relevant 0 (graded judgements as in the TREC Deep Learning
# tracks). The format has neither reviewers nor notes: if several people judged a passage for a
# question, in one case or several, the lower median of their gains is written, which is above 0
# only if most of them approve.

GAINS: Final[Mapping[Verdict, int]] = {Verdict.RELEVANT: 2, Verdict.PARTLY: 1, Verdict.IRRELEVANT: 0}


def write_qrels(assessments: Iterable[Assessment]) -> bytes:
    """Return the judgements of passages by question. Raises InputError if no passage was judged, or for an id
    with a space."""
    found = gains(assessments)
    if not found:
        raise InputError("no passage has been judged: qrels would be empty")
    lines = (f"{question} 0 {one_word(passage)} {gain}\n" for (question, passage), gain in found.items())
    return "".join(lines).encode()


def gains(assessments: Iterable[Assessment]) -> dict[tuple[str, str], int]:
    """Return the gain of each judged passage, by topic and passage."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for one in current_assessments(assessments):
        if one.item.kind is ItemKind.PASSAGE:
            # A reviewer who judged a passage in two cases of a question counts once, with the last verdict.
            voices = found.setdefault((topic_of(one.question), one.item.passage_id), {})
            voices[one.reviewer] = GAINS[one.verdict]
    return {judged: median_low(voices.values()) for judged, voices in found.items()}


def read_qrels(path: Path, most: int = MOST) -> list[Draft]:
    """Read graded judgements in four columns (TREC) or three (BEIR): 2 is relevant, 1 partly, 0 not. Raises
    SourceError, naming the line, for any other gain."""
    return read_gains(path, {gain: verdict for verdict, gain in GAINS.items()}, most)


def read_gains(path: Path, verdicts: Mapping[int, Verdict], most: int) -> list[Draft]:
    """Read judgements; ``verdicts`` maps gains to verdicts."""
    found = []
    for number, line in enumerate(judged_lines(io.StringIO(text_of(path)), str(path)), 1):
        bounded(number, path, most)
        verdict = verdicts.get(int(line.gain)) if line.gain.is_integer() else None
        if verdict is None:
            known = ", ".join(f"{gain} ({word.value})" for gain, word in sorted(verdicts.items()))
            raise SourceError(f"{line.where}: unknown gain {line.gain:g}; known: {known}")
        fields = {"question_id": line.question, "passage_id": line.passage, "verdict": verdict.value}
        found.append(draft(fields, line.where))
    return found


QRELS = Format(
    "qrels",
    "Judgements (TREC qrels)",
    "trec_eval, ranx and other programs that measure rankings: relevant 2, partly 1, not relevant 0",
    ".qrels",
    "text/plain",
    read_qrels,
    write_qrels,
)


# Relevance judgements with two grades, as in most collections of TREC and BEIR: 1 is relevant, 0
# is not.


def read_binary_qrels(path: Path, most: int = MOST) -> list[Draft]:
    """Read judgements in four columns (TREC) or three (BEIR). Raises SourceError, naming the line, for a gain
    other than 0 and 1: such a file has more grades."""
    return read_gains(path, {1: Verdict.RELEVANT, 0: Verdict.IRRELEVANT}, most)


BINARY_QRELS = Format(
    "binary-qrels",
    "Judgements of two grades (TREC, BEIR)",
    "judgements that others made: 1 is relevant, 0 is not",
    ".tsv",
    "text/tab-separated-values",
    read_binary_qrels,
)


# Verdicts as a table with a row each: CSV of RFC 4180 in UTF-8 with a byte order mark, for
# spreadsheets.
#
# A text that a spreadsheet would read as a formula gets an apostrophe in front, also one with
# apostrophes before such a text: so reading can remove exactly the apostrophe that writing added.

COLUMNS = (
    *("case_id", "question_id", "question", "kind", "key", "passage_id", "document_id", "source_id"),
    *("relation", "strategy", "round", "distance", "rank", "score", "language", "document_type"),
    *("verdict", "approved", "reason", "note", "reviewer", "source", "at", "seconds", "settles"),
    *("criteria", "sha256", "fingerprint", "engine"),
)
# Also after blanks, which some programs skip, and in full width, which some treat alike.
_FORMULA = re.compile("[\\s\ufeff\u200b]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
Cell = str | int | float | None
_NEEDED = "verdict"


def write_table(assessments: Iterable[Assessment]) -> bytes:
    """Return the table; only its header if there are no verdicts."""
    file = io.StringIO(newline="")
    lines = csv.writer(file, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    for one in current_assessments(assessments):
        fields = verdict_fields(one)
        lines.writerow([_cell(fields[name]) for name in COLUMNS])
    return file.getvalue().encode("utf-8-sig")


def read_table(path: Path, most: int = MOST) -> list[Draft]:
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


def defused(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula, without control characters."""
    clean = _CONTROL.sub("\ufffd", text)
    return f"'{clean}" if _FORMULA.match(clean) else clean


def _cell(value: Cell) -> Cell:
    if not isinstance(value, str):
        return value
    bare = value.lstrip("'")
    return value[: len(value) - len(bare)] + defused(bare)


def _plain(text: str) -> str:
    """Remove the apostrophe that ``_cell`` added."""
    bare = text.lstrip("'")
    return text[1:] if text.startswith("'") and defused(bare).startswith("'") else text


TABLE = Format(
    "csv",
    "Table (CSV)",
    "a spreadsheet, or any program that counts: a row for each verdict",
    ".csv",
    "text/csv",
    read_table,
    write_table,
)


# All formats by name.

FORMATS: Final[Mapping[str, Format]] = {one.name: one for one in (TABLE, LINES, QRELS, BINARY_QRELS)}


def format_of(name: str) -> Format:
    """Return a format by name. Raises InputError for an unknown one."""
    found = FORMATS.get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return found


def writer_of(name: str) -> Callable[[Iterable[Assessment]], bytes]:
    """Return the writer of a format. Raises InputError for an unknown one, and for one that is only read."""
    found = format_of(name)
    if found.write is None:
        written = ", ".join(one.name for one in FORMATS.values() if one.write is not None)
        raise InputError(f"{name} can only be read; formats that can be written: {written}")
    return found.write
