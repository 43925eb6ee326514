"""From a ranking to readable passages: a limit per document, neighbours put together.

What ranks well is joined only inside one section and one provision, so that its citation holds for all of
it, and only from consecutive passages, so that what is shown is still a span of the source. A hit that is
nothing but a heading brings the text below it along, or makes room for it. If asked, passages grow further,
to the length at which they can be understood (see ``growth``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.growth import Growth
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from engine.settings import InvestigationSettings

# A neighbour is joined if it ranks among this many times the passages asked for.
JOINING_DEPTH = 2
LONGEST_TEXT = 2_500
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
    settings: InvestigationSettings,
    *,
    allowed: Mask | None = None,
    barred: Iterable[int] = (),
    first: Collection[int] = (),
) -> list[Assembled]:
    """At most ``top_k`` passages, ``per_document_limit`` of a document, neighbours joined if asked.

    The limit of a document does not hold for the ``first`` rows, which the question names. Nothing outside
    of ``allowed``, shape (passages,), and none of the ``barred`` rows is joined.
    """
    documents = corpus.document_numbers(ranking.rows)
    sections = corpus.section_numbers(ranking.rows)
    near = ranking.rows[: JOINING_DEPTH * settings.top_k]
    blocks = _blocks(near, sections, reading) if settings.assemble else {}
    chosen: list[Assembled] = []
    taken: set[int] = set()
    per_document: Counter[int] = Counter()
    headings, shut = corpus.bare_headings(ranking.rows), set(barred)
    for place, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= settings.top_k:
            break
        document = int(documents[place])
        full = per_document[document] >= settings.per_document_limit and row not in first
        if row in taken or full:
            continue
        rows = _joined(row, blocks, taken) if settings.assemble else (row,)
        if settings.assemble and headings[place]:
            below = _below(row, int(sections[place]), corpus, reading, allowed, shut)
            if any(other in taken for other in below) and row not in first:
                # Its text is there already: the heading makes room.
                continue
            rows = tuple(sorted({*rows, *below}))
        taken.update(rows)
        per_document[document] += 1
        chosen.append(Assembled(place, rows))
    if settings.assemble and settings.full_passages and chosen:
        return _full(chosen, ranking, corpus, reading, settings, allowed, shut)
    return chosen


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


def _full(
    chosen: list[Assembled],
    ranking: Ranking,
    corpus: Corpus,
    reading: Reading,
    settings: InvestigationSettings,
    allowed: Mask | None,
    barred: Iterable[int],
) -> list[Assembled]:
    """The passages, grown best first."""
    ranked = {row: place for place, row in enumerate(ranking.rows.tolist())}
    shown = [row for item in chosen for row in item.rows]
    growth = Growth(corpus, reading, shown, ranked, allowed=allowed, barred=barred)
    shortest, longest = settings.shortest_passage, settings.longest_passage
    return [Assembled(item.place, growth.grown(item.rows, shortest, longest)) for item in chosen]


@dataclass(frozen=True, slots=True)
class Block:
    """What may be joined: passages of one section and one provision, which share a citation."""

    section: int
    number: str | None
    length: int


def _blocks(rows: Rows, sections: NDArray[np.int32], reading: Reading) -> dict[int, Block]:
    """The block of each row that stands in a section; ``sections`` are those of the ranking's rows."""
    return {
        int(row): Block(int(section), passage.number, len(passage.text))
        for row, section, passage in zip(rows, sections, reading.passages(rows), strict=False)
        if section >= 0
    }


def _joined(row: int, blocks: dict[int, Block], taken: set[int]) -> tuple[int, ...]:
    """The row with consecutive free neighbours of its provision, as far as the text stays readable."""
    own = blocks.get(row)
    if own is None:
        return (row,)
    rows, total = [row], own.length
    for step in (-1, 1):
        place = row + step
        while (other := blocks.get(place)) is not None and place not in taken:
            total += other.length
            if (other.section, other.number) != (own.section, own.number) or total > LONGEST_TEXT:
                break
            rows.append(place)
            place += step
    return tuple(sorted(rows))
