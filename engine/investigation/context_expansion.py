"""Passages grown with their neighbours to a length at which they can be understood.

A passage grows over the text right before and after it, inside its section only, so that what comes of
it is a span of the source under one heading. What ranks itself is joined as far as there is room; the
rest only until the passage is long enough: its own provision first, then the rest of its section.
Lengths are in tokens, estimated (see ``token_estimate``); a passage that is longer by itself stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.reading import Reading
from engine.language.detection import token_estimate
from engine.model import Passage

# Neighbours looked at on each side.
REACH = 24
JOINT = "\n"
BEFORE, AFTER = -1, 1


@dataclass(frozen=True, slots=True)
class Around:
    """A passage that may be joined: where it stands, its provision, its tokens."""

    section: int
    provision: tuple[str | None, str | None]
    tokens: int


class ContextExpansion:
    """Expands passages of one ranking; no passage is joined twice.

    ``rows`` are the passages that may grow; ``ranked`` gives the place of each row of the ranking.
    ``allowed`` limits what may be joined, shape (passages,), None for all; ``barred`` rows never are.
    """

    def __init__(
        self,
        corpus: Corpus,
        reading: Reading,
        rows: Sequence[int],
        ranked: Mapping[int, int],
        *,
        allowed: Mask | None = None,
        barred: Iterable[int] = (),
    ) -> None:
        self._ranked = ranked
        self._taken = set(rows)
        barred_rows = set(barred)
        near = [row for row in _near(corpus, rows, allowed) if row not in barred_rows]
        self._around = _read(corpus, reading, near)
        bare = corpus.bare_headings(np.asarray(near, np.int32))
        self._headings = {row for row, is_bare in zip(near, bare.tolist(), strict=True) if is_bare}

    def take(self, rows: Iterable[int]) -> None:
        """Keep these from being joined to anything else."""
        self._taken.update(rows)

    def tokens(self, rows: Sequence[int]) -> int:
        """Tokens of joined rows."""
        return sum(self._around[row].tokens for row in rows)

    def expanded(self, rows: Sequence[int], minimum: int, maximum: int) -> tuple[int, ...]:
        """Consecutive rows in reading order, ``rows`` among them, of at most ``maximum`` tokens.

        Fewer than ``minimum`` where the section has no more, or its next passage is too long. What was
        joined is taken.
        """
        joined = sorted(rows)
        total = self.tokens(joined)
        open_sides = [AFTER, BEFORE]
        while open_sides:
            wanted = [
                (self._rank(joined, side), side)
                for side in open_sides
                if self._joins(joined, side, total < minimum)
            ]
            if not wanted:
                break
            side = min(wanted, key=lambda pair: pair[0])[1]
            row = _next(joined, side)
            if total + self._around[row].tokens > maximum:
                open_sides.remove(side)
                continue
            total += self._around[row].tokens
            joined = [*joined, row] if side == AFTER else [row, *joined]
            self._taken.add(row)
        # A heading at the end names what comes after it.
        while joined[-1] in self._headings and joined[-1] not in rows:
            self._taken.discard(joined.pop())
        return tuple(joined)

    def _joins(self, joined: Sequence[int], side: int, short: bool) -> bool:
        """Whether the next passage on a side may be joined, and is wanted."""
        row = _next(joined, side)
        other, own = self._around.get(row), self._around[joined[0]]
        if other is None or row in self._taken or own.section < 0 or other.section != own.section:
            return False
        return short or row in self._ranked

    def _rank(self, joined: Sequence[int], side: int) -> tuple[bool, bool, int, int]:
        """Sort key: what ranks first, then the same provision, then what follows."""
        row = _next(joined, side)
        own = {self._around[one].provision for one in joined}
        place = self._ranked.get(row)
        foreign = self._around[row].provision not in own
        return place is None, foreign, 0 if place is None else place, -side


def text_of(passages: Sequence[Passage]) -> str:
    """The text of consecutive passages; what a part repeats of the part before is said once."""
    first, *rest = passages
    return JOINT.join((first.text, *(passage.text[passage.overlap :] for passage in rest)))


def _next(joined: Sequence[int], side: int) -> int:
    return joined[-1] + 1 if side == AFTER else joined[0] - 1


def _near(corpus: Corpus, rows: Sequence[int], allowed: Mask | None) -> list[int]:
    """The rows, and those within reach that stand in the same section without a gap."""
    own = np.asarray(rows, np.int32)
    window = own[:, None] + np.arange(-REACH, REACH + 1, dtype=np.int32)[None, :]
    inside = np.unique(window[(window >= 0) & (window < len(corpus))]).astype(np.int32)
    sections = dict(zip(inside.tolist(), corpus.section_numbers(inside).tolist(), strict=True))
    documents = dict(zip(inside.tolist(), corpus.document_numbers(inside).tolist(), strict=True))
    found = set(own.tolist())
    for row in own.tolist():
        if sections[row] < 0:
            continue
        for side in (BEFORE, AFTER):
            place = row + side
            while (
                sections.get(place) == sections[row]
                and documents[place] == documents[row]
                and (allowed is None or allowed[place])
            ):
                found.add(place)
                place += side
    return sorted(found)


def _read(corpus: Corpus, reading: Reading, rows: Sequence[int]) -> dict[int, Around]:
    wanted: Rows = np.asarray(rows, np.int32)
    passages, sections = reading.passages(wanted), corpus.section_numbers(wanted).tolist()
    return {
        row: Around(
            section,
            (passage.document_id, passage.number),
            token_estimate(len(passage.text) - passage.overlap, passage.language),
        )
        for row, passage, section in zip(rows, passages, sections, strict=True)
    }
