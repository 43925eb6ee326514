"""From a ranking to readable passages: a limit per document, neighbours put together.

Text is joined only inside one section and only from consecutive passages, so what is shown is still
a span of the source.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from engine.corpus.protocol import Corpus, Rows
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
    ranking: Ranking, corpus: Corpus, reading: Reading, settings: InvestigationSettings
) -> list[Assembled]:
    """At most ``top_k`` passages, ``per_document_limit`` of a document, neighbours joined if asked."""
    documents = corpus.document_numbers(ranking.rows)
    sections = corpus.section_numbers(ranking.rows)
    near = ranking.rows[: JOINING_DEPTH * settings.top_k]
    joinable = {int(row): int(section) for row, section in zip(near, sections, strict=False)}
    lengths = _lengths(reading, near) if settings.assemble else {}
    chosen: list[Assembled] = []
    taken: set[int] = set()
    per_document: Counter[int] = Counter()
    for place, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= settings.top_k:
            break
        document = int(documents[place])
        if row in taken or per_document[document] >= settings.per_document_limit:
            continue
        rows = _joined(row, joinable, lengths, taken) if settings.assemble else (row,)
        taken.update(rows)
        per_document[document] += 1
        chosen.append(Assembled(place, rows))
    return chosen


def _lengths(reading: Reading, rows: Rows) -> dict[int, int]:
    return {int(row): len(p.text) for row, p in zip(rows, reading.passages(rows), strict=True)}


def _joined(row: int, sections: dict[int, int], lengths: dict[int, int], taken: set[int]) -> tuple[int, ...]:
    """The row with consecutive free neighbours of its section, as far as the text stays readable."""
    section = sections.get(row, -1)
    if section < 0:
        return (row,)
    rows, total = [row], lengths.get(row, LONGEST_TEXT)
    for step in (-1, 1):
        other = row + step
        while sections.get(other, -1) == section and other not in taken:
            total += lengths.get(other, LONGEST_TEXT)
            if total > LONGEST_TEXT:
                break
            rows.append(other)
            other += step
    return tuple(sorted(rows))
