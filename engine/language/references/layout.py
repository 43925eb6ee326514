"""Where the documents of a corpus stand among its sections and passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.model import Document, Passage, Section

# The rows and the sections where each number of a document stands, ascending, as
# ``engine.corpus.protocol.Texts.printed_numbers`` tells them.
Numbers = Mapping[str, tuple[Sequence[int], Sequence[int]]]


def _untold(document: int) -> Numbers | None:
    """What is at hand as a whole is looked through."""
    return None


@dataclass(frozen=True, slots=True)
class Layout:
    """``rows`` and ``section_numbers``: by id. ``document_of``: by row. ``rows_of`` and ``sections_of``: by
    document, in ascending order; a document may have none. ``numbers``: of a document, None where they are
    not told without a look at all of it."""

    rows: Mapping[str, int]
    section_numbers: Mapping[str, int]
    document_of: Sequence[int]
    rows_of: Sequence[Sequence[int]]
    sections_of: Sequence[Sequence[int]]
    numbers: Callable[[int], Numbers | None] = _untold


def layout_of(
    documents: Sequence[Document], sections: Sequence[Section], passages: Sequence[Passage]
) -> Layout:
    """The layout of a corpus that is given whole."""
    numbers = {document.id: number for number, document in enumerate(documents)}
    document_of = [numbers[passage.document_id] for passage in passages]
    rows_of: list[list[int]] = [[] for _ in documents]
    for row, number in enumerate(document_of):
        rows_of[number].append(row)
    sections_of: list[list[int]] = [[] for _ in documents]
    for place, section in enumerate(sections):
        sections_of[numbers[section.document_id]].append(place)
    rows = {passage.id: row for row, passage in enumerate(passages)}
    section_numbers = {section.id: number for number, section in enumerate(sections)}
    return Layout(rows, section_numbers, document_of, rows_of, sections_of)
