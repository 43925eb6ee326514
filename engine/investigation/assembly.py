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

from engine.corpus.protocol import Corpus, Mask
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
    sections = corpus.section_numbers(ranking.rows)
    near = set(ranking.rows[: JOINING_DEPTH * top_k].tolist())
    chosen: list[Assembled] = []
    taken: set[int] = set()
    headings, shut = corpus.bare_headings(ranking.rows), set(barred)
    for place, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= top_k:
            break
        if row in taken:
            continue
        section = int(sections[place])
        run = _provision(row, section, corpus, reading, allowed, shut | taken)
        rows = _joined(row, run, near, reading)
        if headings[place]:
            below = _below(row, section, corpus, reading, allowed, shut)
            if any(other in taken for other in below) and row not in first:
                # Its text is there already: the heading makes room.
                continue
            rows = tuple(sorted({*rows, *below}))
        taken.update(rows)
        chosen.append(Assembled(place, rows))
    return chosen


def _provision(
    row: int, section: int, corpus: Corpus, reading: Reading, allowed: Mask | None, barred: Collection[int]
) -> list[int]:
    """The passages of the provision that a row belongs to, in reading order: consecutive rows of its section
    with its number, as far as none of them is barred."""
    if section < 0:
        return [row]
    (own,) = corpus.sections([section])
    (rows,) = corpus.by_document([own.document_id])
    begin, end = int(rows[0]) + own.first, int(rows[0]) + own.stop
    around = np.arange(max(begin, row - MOST_PARAGRAPHS), min(end, row + MOST_PARAGRAPHS + 1), dtype=np.int32)
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
    row: int, section: int, corpus: Corpus, reading: Reading, allowed: Mask | None, barred: Collection[int]
) -> tuple[int, ...]:
    """The text that stands below a heading in its section: consecutive rows, up to the first text and as far
    as they stay readable; none where there is none."""
    if section < 0:
        return ()
    (own,) = corpus.sections([section])
    (rows,) = corpus.by_document([own.document_id])
    after = np.arange(row + 1, min(int(rows[0]) + own.stop, row + 1 + MOST_BELOW), dtype=np.int32)
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
