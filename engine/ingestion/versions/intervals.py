"""Compute the days on which each passage is in force, and find added versions of texts in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, block_name, open_block
from engine.corpus.embedded.documents import BEGINNING, END_OF_TIME, RELATION_NUMBERS, day_number, day_of
from engine.corpus.embedded.links import KIND_NUMBERS, STATUS_NUMBERS, ReferenceColumns
from engine.ingestion.ledger import Entry, Previous
from engine.ingestion.linking import DECLARED_GRAMMAR, EDGES_GRAMMAR, VERSIONS_GRAMMAR
from engine.ingestion.readers import fields
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.fields import DayKind
from engine.ingestion.structure.headings import slug_of
from engine.ingestion.versions.validity import (
    ENDING,
    EndingReference,
    choose_days,
    ending_clauses,
    kind_of_day,
    last_day,
    named_file,
    stated_days,
)
from engine.ingestion.view import CorpusView
from engine.language.dates import takes_the_place
from engine.model import FAMILY, Document, Relation, Span, Status, TargetKind

# A version ends where the next one begins. A repealed or superseded text ends on the day that the repealing
# text names, or on which that text came into force. Stated dates are never extended or replaced: a passage
# without an end can only get one.

Days = NDArray[np.int32]
# References with less confidence end nothing.
SURE = 0.5
# If the source itself states the replacement, the wording is not checked.
_DECLARED = frozenset({DECLARED_GRAMMAR, EDGES_GRAMMAR, VERSIONS_GRAMMAR})


def row_intervals(view: CorpusView, references: ReferenceColumns) -> tuple[Days, Days]:
    """Return the first and the last day of each passage as day numbers, shapes (passages,).

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
    """Yield the rows that references end, and their last day."""
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
            # "Section 5 is repealed" in the act itself is a history note or a schedule.
            continue
        if not versions and _is_one_text(view, source, owner):
            # A reference between two versions of one text refers to the text itself.
            continue
        if view.documents[owner].status is not None and not versions:
            # The stated status of the document is more reliable than a recognised link.
            continue
        span = Span(int(columns["start"][number]), int(columns["end"][number]))
        text, language = view.text(row), view.documents[source].language
        read = int(columns["relation"][number]) == superseding and grammar not in _DECLARED
        if read and not takes_the_place(text, span, language):
            # "In place of section 5, section 9 applies": section 5 stays in force.
            continue
        starts = day_of(int(begins[row])) or view.documents[source].valid_from
        clauses = ending_clauses(text, language)
        last = last_day(EndingReference(span, starts, clauses))
        if last is not None and not _is_consolidated(view, owner, last):
            yield rows, last.toordinal()


def _is_one_text(view: CorpusView, one: int, other: int) -> bool:
    family = view.documents[one].metadata.get(FAMILY)
    return family is not None and family == view.documents[other].metadata.get(FAMILY)


def _is_consolidated(view: CorpusView, number: int, last: date) -> bool:
    """Return True if the document is a later version, whose text already reflects the repeal."""
    version = fields.day_of(view.documents[number].version)
    return version is not None and version > last


def _rows_of(view: CorpusView, kind: int, target: int) -> slice:
    """Return the rows that a target of a reference covers."""
    if kind == KIND_NUMBERS[TargetKind.PASSAGE]:
        return slice(target, target + 1)
    if kind == KIND_NUMBERS[TargetKind.DOCUMENT]:
        return slice(int(view.document_rows[target]), int(view.document_rows[target + 1]))
    first, stop = _section_rows(view, target)
    return slice(first, stop)


def _section_rows(view: CorpusView, section: int) -> tuple[int, int]:
    number = int(np.searchsorted(view.first_section, section, side="right")) - 1
    block, position = view.blocks[number], section - int(view.first_section[number])
    base = int(view.first_row[number])
    return base + int(block["sections.first"][position]), base + int(block["sections.stop"][position])


# Added files that are versions of a document in the corpus
#
# Both have the same id or file name. If their dates differ, the new document gets its own id and joins the
# family; otherwise it replaces the old document.


def find_added_versions(
    sources: Sequence[SourceFile], new: Sequence[Entry], before: Previous, generation: Path
) -> Iterator[tuple[int, SourceFile]]:
    """Yield (number, file) for each new file that is another version of a document in the corpus.

    The file has a different stem; the caller reads it again.
    """
    names = {entry.name for entry in new}
    current = {
        document: entry
        for entry in before.ledger.entries
        if entry.name not in names
        for document in entry.documents
        if document not in entry.removed
    }
    taken = {*current, *(document for entry in new for document in entry.documents)}
    for number, (source, entry) in enumerate(zip(sources, new, strict=True)):
        old = current.get(entry.documents[0]) if len(entry.documents) == 1 else None
        # Identical text is not another version: it has the same block.
        if old is None or len(old.documents) != 1 or old.blocks == entry.blocks:
            continue
        earlier = _document(before.block(block_name(old.blocks[0])))
        name = block_name(entry.blocks[0])
        path = generation / name
        later = _document(open_block(path) if path.is_file() else before.block(name))
        if earlier is None or later is None:
            continue
        chosen = choose_days(
            [stated_days(earlier, named_file(old.name)), stated_days(later, named_file(entry.name))]
        )
        if chosen.name is None or kind_of_day(chosen.name) > DayKind.FILE_NAME or None in chosen.days:
            continue
        stem = f"{later.id}-{chosen.days[1]}"
        suffix = 2
        while slug_of(stem) in taken:
            stem, suffix = f"{later.id}-{chosen.days[1]}-{suffix}", suffix + 1
        taken.add(slug_of(stem))
        yield number, replace(source, stem=stem, shares_id=True)


def find_parts(
    sources: Sequence[SourceFile],
    new: Sequence[Entry],
    others: Sequence[Entry],
    stored: Callable[[str], Block],
) -> Iterator[tuple[int, SourceFile]]:
    """Yield (number, file) for each new file with a document of another file's id but none of its passages.

    Both are parts of one text. The caller reads the file again, with separate ids.
    """
    first = {name: entry for entry in others for name in entry.documents if name not in entry.removed}
    for number, (source, entry) in enumerate(zip(sources, new, strict=True)):
        earlier = {first[name].key: first[name] for name in entry.documents if name in first}
        if earlier and not source.shares_id:
            own = _passage_keys(entry, stored)
            if own and not any(own & _passage_keys(other, stored) for other in earlier.values()):
                yield number, replace(source, shares_id=True)
                continue
        for name in entry.documents:
            first.setdefault(name, entry)


def _passage_keys(entry: Entry, stored: Callable[[str], Block]) -> set[int]:
    return {key for name in entry.blocks for key in stored(name)["passages.id_hash"].tolist()}


def _document(block: Block | None) -> Document | None:
    return None if block is None else next(iter(CorpusView([block]).documents), None)
