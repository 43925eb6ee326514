"""Tables (CSV and TSV) whose rows are passages, by a mapping or by a guess."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine.errors import SourceError
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.decoding import decoded, looks_like_text
from engine.ingestion.readers.mapping import FieldMapping, records_mapping_of
from engine.ingestion.readers.records.flat import documents_of_records
from engine.ingestion.readers.records.guess import SAMPLE, guessed

SUFFIXES = (".csv", ".tsv", ".tab")
# A cell may hold a whole law; the library's own limit is 128 KiB.
LARGEST_CELL = 16 * 1024 * 1024
_SEPARATORS = (",", ";", "\t", "|")
# So many rows with a wrong number of cells are named one by one.
_NAMED = 20

Numbered = tuple[int, Mapping[str, Any]]


class TableReader:
    """Reads a table with a row of names at its top."""

    name = "CSV"

    def accepts(self, path: Path, head: bytes) -> bool:
        """Text that is called a table."""
        return path.suffix.lower() in SUFFIXES and looks_like_text(head)

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        """The documents of a table."""
        text, problem, line = decoded(source.content())
        if problem:
            yield Problem(source.name, problem, line)
        csv.field_size_limit(LARGEST_CELL)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        try:
            header = next(rows, [])
        except csv.Error as error:
            yield Problem(source.name, f"not a table: {error}", 1)
            return
        names = [name.strip() for name in header]
        if (fault := _header_fault(names)) is not None:
            yield Problem(source.name, fault, 1)
            return
        records = _records(rows, names, source)
        sample = list(islice(records, SAMPLE))
        mapping = _mapping(source, names, [item[1] for item in sample if not isinstance(item, Problem)])
        if isinstance(mapping, Problem):
            yield from (item for item in sample if isinstance(item, Problem))
            yield mapping
        else:
            yield from documents_of_records(chain(sample, records), mapping, source)


def _separator(text: str) -> str:
    """The sign that most often stands in the first line, outside of quotes."""
    first = text.lstrip("\n").split("\n", 1)[0]
    outside = "".join(first.split('"')[::2])
    counts = Counter({sign: outside.count(sign) for sign in _SEPARATORS})
    return max(_SEPARATORS, key=lambda sign: counts[sign])


def _header_fault(names: list[str]) -> str | None:
    if len(names) < 2:
        return "a table must have at least two columns, and their names in its first row"
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    return f"the column {twice[0]!r} is there twice" if twice else None


def _records(rows: Iterator[list[str]], names: list[str], source: SourceFile) -> Iterator[Numbered | Problem]:
    uneven, number = 0, 1
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            yield Problem(source.name, f"not a table from here on: {error}", number + 1)
            return
        if cells is None:
            break
        number += 1
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            uneven += 1
            if uneven <= _NAMED:
                reason = f"a row of {len(cells)} cells in a table of {len(names)} columns: left out"
                yield Problem(source.name, reason, number)
            continue
        yield number, {name: cell for name, cell in zip(names, cells, strict=True) if name}
    if uneven > _NAMED:
        yield Problem(source.name, f"{uneven - _NAMED} more rows of a wrong number of cells: left out")


def _mapping(source: SourceFile, names: list[str], sample: list[Mapping[str, Any]]) -> FieldMapping | Problem:
    shown = ", ".join(name for name in names[:12] if name)
    if source.mapping is None:
        found = guessed(sample)
        if found is None or found.items is not None:
            return Problem(
                source.name, f"no column holds text (columns: {shown}); say in a mapping which does"
            )
        return found
    try:
        mapping = records_mapping_of(source.mapping)
    except SourceError as error:
        return Problem(source.name, str(error))
    if mapping.records or mapping.items:
        return Problem(source.name, "mapping: records and items are for JSON; a table has rows only")
    for group in (mapping.passage, mapping.document):
        for field, where in group.model_dump(exclude_none=True).items():
            for name in where if isinstance(where, list) else [where]:
                if isinstance(name, str) and name not in names:
                    reason = f"mapping: {field}: there is no column {name!r} (columns: {shown})"
                    return Problem(source.name, reason)
    return mapping
