"""From a ranking to readable passages: neighbours put together.

A hit brings the whole of its provision, where that can be read as one text, else the neighbours that rank
well. What is joined stands in one section and one provision, so that its citation holds for all of it, and
is consecutive, so that what is shown is still a span of the source. A hit that is
nothing but a heading brings the text below it along, or makes room for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading

# A neighbour is joined if it ranks among this many times the passages asked for.
JOINING_DEPTH = 2
LONGEST_TEXT = 2_500
# Passages of a provision that are read on each side of a hit.
MOST_PARAGRAPHS = 30
# Passages that a heading brings along at most.
MOST_BELOW = 4


@dataclass(frozen=True, slots=True)
class Assembled:
    """One readable passage: its ``place`` in the ranking, and the ``rows`` it joins in reading order."""

    place: int
    rows: tuple[int, ...]


def assemble(
    ranking: Ranking,
    corpus: Corpus,
    reading: Reading,
    top_k: int,
    *,
    allowed: Mask | None = None,
    barred: Iterable[int] = (),
    first: Collection[int] = (),
) -> list[Assembled]:
    """At most ``top_k`` passages, neighbours joined.

    Nothing outside of ``allowed``, shape (passages,), and none of the ``barred`` rows is joined; a heading
    among the ``first`` rows, which the question names, stays.
    """
    best = ranking.rows[: JOINING_DEPTH * top_k]
    near = set(best.tolist())
    sections = _Sections(corpus)
    around = [sections.around(row) for row in sections.read(best)[:top_k]]
    # All that is likely to be joined, at once.
    reading.passages(np.unique(np.concatenate([best[:0], *around])))
    chosen: list[Assembled] = []
    taken: set[int] = set()
    headings, shut = corpus.bare_headings(ranking.rows), set(barred)
    for place, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= top_k:
            break
        if row in taken:
            continue
        run = _provision(row, sections, reading, allowed, shut | taken)
        rows = _joined(row, run, near, reading)
        if headings[place]:
            below = _below(row, sections, corpus, reading, allowed, shut)
            if any(other in taken for other in below) and row not in first:
                # Its text is there already: the heading makes room.
                continue
            rows = tuple(sorted({*rows, *below}))
        taken.update(rows)
        chosen.append(Assembled(place, rows))
    return chosen


class _Sections:
    """Where the sections of some rows begin and end; each is asked for once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._extents: dict[int, tuple[int, int]] = {}

    def read(self, rows: Rows) -> list[int]:
        """Ask for the sections of rows, in two sets; returns the rows."""
        corpus, asked = self._corpus, [row for row in rows.tolist() if row not in self._extents]
        numbers = corpus.section_numbers(np.array(asked, np.int32)).tolist()
        distinct = sorted({number for number in numbers if number >= 0})
        sections = corpus.sections(distinct)
        begins = [
            int(of_document[0]) for of_document in corpus.by_document([s.document_id for s in sections])
        ]
        extents = {
            number: (begin + section.first, begin + section.stop)
            for number, section, begin in zip(distinct, sections, begins, strict=True)
        }
        for row, number in zip(asked, numbers, strict=True):
            self._extents[row] = extents.get(number, (row, row + 1))
        return asked

    def of(self, row: int) -> tuple[int, int]:
        """The first row of a row's section and the one behind its last; of a row without one itself alone."""
        if row not in self._extents:
            self.read(np.array([row], np.int32))
        return self._extents[row]

    def around(self, row: int) -> Rows:
        """The rows of its section near a row, in reading order."""
        begin, end = self.of(row)
        return np.arange(
            max(begin, row - MOST_PARAGRAPHS), min(end, row + MOST_PARAGRAPHS + 1), dtype=np.int32
        )


def _provision(
    row: int, sections: _Sections, reading: Reading, allowed: Mask | None, barred: Collection[int]
) -> list[int]:
    """The passages of the provision that a row belongs to, in reading order: consecutive rows of its section
    with its number, as far as none of them is barred."""
    around = sections.around(row)
    passages = dict(zip(around.tolist(), reading.passages(around), strict=True))
    found = [row]
    for step in (-1, 1):
        other = row + step
        while other in passages and passages[other].number == passages[row].number:
            if other in barred or (allowed is not None and not allowed[other]):
                break
            found.append(other)
            other += step
    return sorted(found)


def _joined(row: int, run: Sequence[int], near: Collection[int], reading: Reading) -> tuple[int, ...]:
    """The whole of a provision that has a number, where it can be read as one text; else the row with the
    neighbours that rank ``near`` it, as far as that can."""
    passages = reading.passages(np.array(run, np.int32))
    length = {other: len(passage.text) for other, passage in zip(run, passages, strict=True)}
    if passages[0].number is not None and sum(length.values()) <= LONGEST_TEXT:
        return tuple(run)
    rows, total = [row], length[row]
    for step in (-1, 1):
        other = row + step
        while other in length and other in near and total + length[other] <= LONGEST_TEXT:
            total += length[other]
            rows.append(other)
            other += step
    return tuple(sorted(rows))


def _below(
    row: int,
    sections: _Sections,
    corpus: Corpus,
    reading: Reading,
    allowed: Mask | None,
    barred: Collection[int],
) -> tuple[int, ...]:
    """The text that stands below a heading in its section: consecutive rows, up to the first text and as far
    as they stay readable; none where there is none."""
    after = np.arange(row + 1, min(sections.of(row)[1], row + 1 + MOST_BELOW), dtype=np.int32)
    found: list[int] = []
    total = 0
    heading = corpus.bare_headings(after).tolist()
    for place, passage in enumerate(reading.passages(after)):
        other = int(after[place])
        total += len(passage.text)
        hidden = other in barred or (allowed is not None and not allowed[other])
        if hidden or (found and total > LONGEST_TEXT):
            break
        found.append(other)
    while found and heading[len(found) - 1]:
        found.pop()
    return tuple(found)
