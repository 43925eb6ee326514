"""From a ranking to readable passages: a limit per document, neighbours put together.

What ranks well is joined only inside one section and one provision, so that its citation holds for all of
it, and only from consecutive passages, so that what is shown is still a span of the source. If asked,
passages grow further, to the length at which they can be understood (see ``growth``).
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
    for place, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= settings.top_k:
            break
        document = int(documents[place])
        full = per_document[document] >= settings.per_document_limit and row not in first
        if row in taken or full:
            continue
        rows = _joined(row, blocks, taken) if settings.assemble else (row,)
        taken.update(rows)
        per_document[document] += 1
        chosen.append(Assembled(place, rows))
    if settings.assemble and settings.full_passages and chosen:
        return _full(chosen, ranking, corpus, reading, settings, allowed, barred)
    return chosen


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
