"""What the links of the corpus say of a rule: its exceptions, and what prevails over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.answers.bearing import Bearing
from engine.answers.choosing import overlap
from engine.answers.citing import Citations
from engine.answers.units import Unit, is_whole, units_of, word_count
from engine.corpus.protocol import Corpus
from engine.language.analysis import analyzer
from engine.model import Direction, Relation

# Limits that are told, how much of the question each bears, headings included, and how many words it has.
MOST, FEW, LONGEST = 2, 0.3, 80
_LINKS = (
    (Direction.IN, (Relation.EXCEPTION_TO,)),
    (Direction.OUT, (Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO)),
)


def limits_of(rules: Sequence[Unit], corpus: Corpus, bearing: Bearing, citations: Citations) -> list[Unit]:
    """The sentences that make an exception to a rule, and those of what it is subject to, as far as they are
    about what is asked."""
    rows = np.array(sorted({piece.row for unit in rules for piece in unit.pieces}), np.int32)
    if not len(rows):
        return []
    found: dict[int, Unit] = {}
    for row, start in _linked(rows, corpus):
        if row in found or len(found) >= MOST:
            continue
        unit = _limiting(row, start, rules, corpus, bearing, citations)
        if unit is not None:
            found[row] = unit
    return list(found.values())


def _linked(rows: np.ndarray, corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Rows of the passages that limit some, with the character at which an exception names what it is one to,
    -1 for what prevails."""
    for direction, relations in _LINKS:
        links = corpus.neighbours(rows, relations, direction)
        evidence = corpus.references(links.evidence.tolist()) if direction is Direction.IN else []
        starts = [reference.span.start for reference in evidence] or [-1] * len(links.rows)
        yield from zip(links.rows.tolist(), starts, strict=True)


def _limiting(
    row: int,
    start: int,
    rules: Sequence[Unit],
    corpus: Corpus,
    bearing: Bearing,
    citations: Citations,
) -> Unit | None:
    """The sentence of a passage that limits: the one with the reference, else the one that bears most."""
    reader = analyzer(bearing.asked.language)

    def share(unit: Unit) -> float:
        return bearing.share(reader.terms(" ".join((unit.text, *unit.pieces[-1].passage.headings))))

    units = [
        unit
        for unit in units_of([row], corpus, citations.reading, lambda text: bearing.share(reader.terms(text)))
        if is_whole(unit)
        and word_count(unit.text) <= LONGEST
        and share(unit) >= FEW
        and not any(overlap(unit, rule) for rule in rules)
        and (start < 0 or any(piece.span.start <= start < piece.span.end for piece in unit.pieces))
    ]
    return max(units, key=share, default=None)
