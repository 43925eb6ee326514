"""The time in which each passage of a corpus is in force, as far as only the whole corpus can tell.

A version of a work ends where the next one begins, and what a later text repeals or supersedes ends on
the day that text names, or on which it came into force itself. What a source states of a passage is never
made longer or overwritten, only ended earlier where it had no end.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.documents import BEGINNING, END_OF_TIME, day_number, day_of
from engine.corpus.embedded.references import KIND_NUMBERS, RELATION_NUMBERS, STATUS_NUMBERS, ReferenceColumns
from engine.ingestion.linking import DECLARED_GRAMMAR, EDGES_GRAMMAR, VERSIONS_GRAMMAR
from engine.ingestion.readers import fields
from engine.ingestion.validity import ENDING, Ender, ending_clauses, last_day
from engine.ingestion.view import CorpusView
from engine.language.dates import takes_the_place
from engine.model import FAMILY, Relation, Span, Status, TargetKind

Days = NDArray[np.int32]
# A reference that a grammar is less sure of ends nothing.
SURE = 0.5
# Where the source itself states that one text replaces another, no words have to say it.
_DECLARED = frozenset({DECLARED_GRAMMAR, EDGES_GRAMMAR, VERSIONS_GRAMMAR})


def row_intervals(view: CorpusView, references: ReferenceColumns) -> tuple[Days, Days]:
    """The first and the last day of each passage as day numbers, shapes (passages,).

    Unknown days are ``BEGINNING`` and ``END_OF_TIME``, as in the store.
    """
    begins = np.concatenate([np.zeros(0, np.int32), *(block["passages.valid_from"] for block in view.blocks)])
    ends = np.concatenate([np.zeros(0, np.int32), *(block["passages.valid_to"] for block in view.blocks)])
    for number in sorted(view.versions):
        document = view.documents[number]
        rows = slice(int(view.document_rows[number]), int(view.document_rows[number + 1]))
        begins[rows] = np.maximum(begins[rows], day_number(document.valid_from, BEGINNING))
        ends[rows] = np.minimum(ends[rows], day_number(document.valid_to, END_OF_TIME))
    for rows, last in _ended(view, references, begins):
        open_end = ends[rows] == END_OF_TIME
        ends[rows] = np.where(open_end, last, ends[rows])
    return begins, ends


def _ended(view: CorpusView, references: ReferenceColumns, begins: Days) -> Iterator[tuple[slice, int]]:
    """The rows that references end, and their last day."""
    columns = references.columns
    relations = [RELATION_NUMBERS[relation] for relation in sorted(ENDING)]
    superseding = RELATION_NUMBERS[Relation.SUPERSEDES]
    chosen = np.flatnonzero(
        np.isin(columns["relation"], relations)
        & (columns["status"] == STATUS_NUMBERS[Status.RESOLVED])
        & (columns["confidence"] >= SURE)
        & (columns["target"] >= 0)
    )
    for number in chosen.tolist():
        row, target = int(columns["source"][number]), int(columns["target"][number])
        code = int(columns["grammar"][number])
        grammar = references.grammars[code] if code >= 0 else ""
        versions = grammar == VERSIONS_GRAMMAR
        rows = _rows_of(view, int(columns["kind"][number]), target)
        source, owner = view.document_of(row), view.document_of(rows.start)
        if source == owner and not versions:
            # "Section 5 is repealed", said by the act of itself, is a history note or a schedule.
            continue
        if not versions and _is_one_text(view, source, owner):
            # What a version says of another one is what it says of itself.
            continue
        if view.documents[owner].status is not None and not versions:
            # The source itself says what became of the document: a link that was read is less sure.
            continue
        span = Span(int(columns["start"][number]), int(columns["end"][number]))
        text, language = view.text(row), view.documents[source].language
        read = int(columns["relation"][number]) == superseding and grammar not in _DECLARED
        if read and not takes_the_place(text, span, language):
            # "In place of section 5, section 9 applies": section 5 itself goes on.
            continue
        starts = day_of(int(begins[row])) or view.documents[source].valid_from
        clauses = ending_clauses(text, language)
        last = last_day(Ender(span, starts, clauses))
        if last is not None and not _is_consolidated(view, owner, last):
            yield rows, last.toordinal()


def _is_one_text(view: CorpusView, one: int, other: int) -> bool:
    family = view.documents[one].metadata.get(FAMILY)
    return family is not None and family == view.documents[other].metadata.get(FAMILY)


def _is_consolidated(view: CorpusView, number: int, last: date) -> bool:
    """Whether a document is a version of a later day: then its text knows of the repeal already."""
    version = fields.day_of(view.documents[number].version)
    return version is not None and version > last


def _rows_of(view: CorpusView, kind: int, target: int) -> slice:
    """The rows that a target of a reference covers."""
    if kind == KIND_NUMBERS[TargetKind.PASSAGE]:
        return slice(target, target + 1)
    if kind == KIND_NUMBERS[TargetKind.DOCUMENT]:
        return slice(int(view.document_rows[target]), int(view.document_rows[target + 1]))
    first, stop = _section_rows(view, target)
    return slice(first, stop)


def _section_rows(view: CorpusView, section: int) -> tuple[int, int]:
    number = int(np.searchsorted(view.first_section, section, side="right")) - 1
    block, place = view.blocks[number], section - int(view.first_section[number])
    base = int(view.first_row[number])
    return base + int(block["sections.first"][place]), base + int(block["sections.stop"][place])
