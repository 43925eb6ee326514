"""From a ranking to readable passages: neighbours are joined, trails and score addends attached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.language.detection import token_estimate
from engine.model import Passage, RankedPassage, RetrieverHit

# Assembly of neighbours
#
# A hit is joined with its whole provision if that is short enough to read, else with the neighbours that rank
# well. Joined passages are in one section and one provision, so that the citation applies to all of them, and
# are consecutive, so that the result is still a span of the source. A bare heading is joined with the text
# below it, or left out if that is shown already.

# A neighbour is joined if it is in this many times the requested number of ranks.
JOINING_DEPTH = 2
LONGEST_TEXT = 2_500
# Passages of a provision that are read on each side of a hit.
MOST_PARAGRAPHS = 30
# Passages that are joined below a heading.
MOST_BELOW = 4


@dataclass(frozen=True, slots=True)
class Assembled:
    """One readable passage: its ``position`` in the ranking, and the ``rows`` it joins in reading order."""

    position: int
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
    per_document: int = 0,
) -> list[Assembled]:
    """Join neighbours and return at most ``top_k`` passages, at most ``per_document`` of one document.

    Rows outside ``allowed``, shape (passages,), and ``barred`` rows are not joined. The ``first`` rows, which
    the question names or a user pinned, always stay. A limit of 0 is none.
    """
    best = ranking.rows[: JOINING_DEPTH * top_k]
    near = set(best.tolist())
    sections = _Sections(corpus)
    around = [sections.around(row) for row in sections.read(best)[:top_k]]
    # Read all passages that are likely to be joined at once.
    reading.passages(np.unique(np.concatenate([best[:0], *around])))
    chosen: list[Assembled] = []
    taken: set[int] = set()
    headings, shut = corpus.bare_headings(ranking.rows), set(barred)
    documents, shown = corpus.document_numbers(ranking.rows).tolist(), Counter[int]()
    for position, row in enumerate(ranking.rows.tolist()):
        if len(chosen) >= top_k:
            break
        is_full = 0 < per_document <= shown[documents[position]] and row not in first
        if row in taken or is_full:
            continue
        run = _provision(row, sections, reading, allowed, shut | taken)
        rows = _join(row, run, near, reading)
        if headings[position]:
            below = _text_below(row, sections, corpus, reading, allowed, shut)
            if any(other in taken for other in below) and row not in first:
                # Its text is shown already.
                continue
            rows = tuple(sorted({*rows, *below}))
        taken.update(rows)
        shown[documents[position]] += 1
        chosen.append(Assembled(position, rows))
    return chosen


class _Sections:
    """The extents of the sections of rows; each is read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._extents: dict[int, tuple[int, int]] = {}

    def read(self, rows: Rows) -> list[int]:
        """Read the sections of rows that are not read yet, and return these rows."""
        corpus, new = self._corpus, [row for row in rows.tolist() if row not in self._extents]
        numbers = corpus.section_numbers(np.array(new, np.int32)).tolist()
        distinct = sorted({number for number in numbers if number >= 0})
        sections = corpus.sections(distinct)
        begins = [
            int(of_document[0]) for of_document in corpus.by_document([s.document_id for s in sections])
        ]
        extents = {
            number: (begin + section.first, begin + section.stop)
            for number, section, begin in zip(distinct, sections, begins, strict=True)
        }
        for row, number in zip(new, numbers, strict=True):
            self._extents[row] = extents.get(number, (row, row + 1))
        return new

    def of(self, row: int) -> tuple[int, int]:
        """Return the range of rows of a row's section; without a section, that of the row alone."""
        if row not in self._extents:
            self.read(np.array([row], np.int32))
        return self._extents[row]

    def around(self, row: int) -> Rows:
        """Return the rows of a row's section near it, in reading order."""
        begin, end = self.of(row)
        return np.arange(
            max(begin, row - MOST_PARAGRAPHS), min(end, row + MOST_PARAGRAPHS + 1), dtype=np.int32
        )


def _provision(
    row: int, sections: _Sections, reading: Reading, allowed: Mask | None, barred: Collection[int]
) -> list[int]:
    """Return the passages of a row's provision in reading order.

    These are consecutive rows of its section with the same number, up to a barred one.
    """
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


def _join(row: int, run: Sequence[int], near: Collection[int], reading: Reading) -> tuple[int, ...]:
    """Return the whole of a numbered provision if it is short enough to read.

    Otherwise the row with adjacent rows that rank well (``near``), up to the longest text.
    """
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


def _text_below(
    row: int,
    sections: _Sections,
    corpus: Corpus,
    reading: Reading,
    allowed: Mask | None,
    barred: Collection[int],
) -> tuple[int, ...]:
    """Return the text below a heading in its section: consecutive rows, as long as they are readable.

    Headings at the end are left out.
    """
    after = np.arange(row + 1, min(sections.of(row)[1], row + 1 + MOST_BELOW), dtype=np.int32)
    found: list[int] = []
    total = 0
    heading = corpus.bare_headings(after).tolist()
    for index, passage in enumerate(reading.passages(after)):
        other = int(after[index])
        total += len(passage.text)
        hidden = other in barred or (allowed is not None and not allowed[other])
        if hidden or (found and total > LONGEST_TEXT):
            break
        found.append(other)
    while found and heading[len(found) - 1]:
        found.pop()
    return tuple(found)


# Expansion of passages to a length at which they can be understood
#
# A passage grows by the text right before and after it, within its section, so that the result is a span of
# the source under one heading. Ranked neighbours are joined up to the maximum length, other ones only up to
# the minimum: first the passage's own provision, then the rest of its section. Lengths are estimated tokens
# (``token_estimate``). A passage that is longer than the maximum stays whole.

# Neighbours that are considered on each side.
REACH = 24
JOINT = "\n"
BEFORE, AFTER = -1, 1


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A passage that may be joined: its section, provision and tokens."""

    section: int
    provision: tuple[str | None, str | None]
    tokens: int


class ContextExpansion:
    """Expands passages of one ranking; no passage is joined twice.

    ``rows``: the passages that may grow; ``ranked``: the position of each row in the ranking. ``allowed``:
    mask of rows that may be joined, shape (passages,), None for all; ``barred``: rows that may not.
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
        near = [row for row in _rows_in_reach(corpus, rows, allowed) if row not in barred_rows]
        self._neighbours = _describe(corpus, reading, near)
        bare = corpus.bare_headings(np.asarray(near, np.int32))
        self._headings = {row for row, is_bare in zip(near, bare.tolist(), strict=True) if is_bare}

    def take(self, rows: Iterable[int]) -> None:
        """Mark rows as joined, so that no other passage is joined with them."""
        self._taken.update(rows)

    def tokens(self, rows: Sequence[int]) -> int:
        """Return the number of tokens of joined rows."""
        return sum(self._neighbours[row].tokens for row in rows)

    def expanded(self, rows: Sequence[int], minimum: int, maximum: int) -> tuple[int, ...]:
        """Expand ``rows`` to consecutive rows of at most ``maximum`` tokens, and mark them as joined.

        They have fewer than ``minimum`` tokens if the section has no more or its next passage is too long.
        """
        joined = sorted(rows)
        total = self.tokens(joined)
        open_sides = [AFTER, BEFORE]
        while open_sides:
            candidates = [
                (self._rank(joined, side), side)
                for side in open_sides
                if self._joins(joined, side, total < minimum)
            ]
            if not candidates:
                break
            side = min(candidates, key=lambda pair: pair[0])[1]
            row = _next_row(joined, side)
            if total + self._neighbours[row].tokens > maximum:
                open_sides.remove(side)
                continue
            total += self._neighbours[row].tokens
            joined = [*joined, row] if side == AFTER else [row, *joined]
            self._taken.add(row)
        # A heading at the end belongs to the text after it.
        while joined[-1] in self._headings and joined[-1] not in rows:
            self._taken.discard(joined.pop())
        return tuple(joined)

    def _joins(self, joined: Sequence[int], side: int, short: bool) -> bool:
        """Return whether the next passage on a side may be joined, and is ranked or needed for the length."""
        row = _next_row(joined, side)
        other, own = self._neighbours.get(row), self._neighbours[joined[0]]
        if other is None or row in self._taken or own.section < 0 or other.section != own.section:
            return False
        return short or row in self._ranked

    def _rank(self, joined: Sequence[int], side: int) -> tuple[bool, bool, int, int]:
        """Return a sort key: ranked passages first, then the same provision, then the passage after."""
        row = _next_row(joined, side)
        own = {self._neighbours[other].provision for other in joined}
        position = self._ranked.get(row)
        foreign = self._neighbours[row].provision not in own
        return position is None, foreign, 0 if position is None else position, -side


def text_of(passages: Sequence[Passage]) -> str:
    """Join the text of consecutive passages without the overlap that a part repeats."""
    first, *rest = passages
    return JOINT.join((first.text, *(passage.text[passage.overlap :] for passage in rest)))


def _next_row(joined: Sequence[int], side: int) -> int:
    return joined[-1] + 1 if side == AFTER else joined[0] - 1


def _rows_in_reach(corpus: Corpus, rows: Sequence[int], allowed: Mask | None) -> list[int]:
    """Return the rows and the rows within reach that follow them without a gap in the same section."""
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
            other = row + side
            while (
                sections.get(other) == sections[row]
                and documents[other] == documents[row]
                and (allowed is None or allowed[other])
            ):
                found.add(other)
                other += side
    return sorted(found)


def _describe(corpus: Corpus, reading: Reading, rows: Sequence[int]) -> dict[int, Neighbour]:
    every: Rows = np.asarray(rows, np.int32)
    passages, sections = reading.passages(every), corpus.section_numbers(every).tolist()
    return {
        row: Neighbour(
            section,
            (passage.document_id, passage.number),
            token_estimate(len(passage.text) - passage.overlap, passage.language),
        )
        for row, passage, section in zip(rows, passages, sections, strict=True)
    }


# Presentation: ranked passages with text, trails, score breakdown and hits

TRAILS_SHOWN = 5
# Shorter texts ("Deleted.", "See Article 3.") are equal by chance.
SHORTEST_SAME = 40


def present(
    ranking: Ranking,
    pool: Pool,
    corpus: Corpus,
    reading: Reading,
    hits: Mapping[int, tuple[RetrieverHit, ...]],
    top_k: int,
    allowed: Mask | None = None,
    first: Collection[int] = (),
    per_document: int = 0,
) -> tuple[RankedPassage, ...]:
    """Return the top of the ranking as passages with their explanation, at most ``per_document`` of one
    document.

    ``hits`` by row. ``allowed``: mask of rows that may be joined, shape (passages,), None for all. ``first``:
    rows that the question names.
    """
    barred = corpus.rows(sorted(pool.dismissed)).tolist()
    assembled = assemble(
        ranking, corpus, reading, top_k,
        allowed=allowed, barred=barred, first=first, per_document=per_document,
    )  # fmt: skip
    same = group_identical(reading.passages(ranking.rows[: JOINING_DEPTH * top_k]))
    every = np.unique(np.array([row for item in assembled for row in item.rows], np.int32))
    passages = dict(zip(every.tolist(), reading.passages(every), strict=True))
    documents = corpus.documents()
    numbers = dict(zip(every.tolist(), corpus.document_numbers(every).tolist(), strict=True))
    trails = pool.telling_trails(
        [passages[int(ranking.rows[item.position])].id for item in assembled], TRAILS_SHOWN
    )
    shown = []
    for number, item in enumerate(assembled, 1):
        row = int(ranking.rows[item.position])
        passage = passages[row]
        shown.append(
            RankedPassage(
                rank=number,
                passage=passage,
                document=documents[numbers[row]],
                text=text_of([passages[other] for other in item.rows]),
                score=float(ranking.scores[item.position]),
                breakdown=ranking.breakdown(item.position),
                trails=trails[passage.id],
                hits=hits.get(row, ()),
                assembled_ids=tuple(passages[other].id for other in item.rows),
                pinned=passage.id in pool.pinned,
                same_words=tuple(other for other in same.get(passage.id, ()) if other != passage.id),
            )
        )
    return tuple(shown)


def group_identical(passages: Iterable[Passage]) -> dict[str, tuple[str, ...]]:
    """Group passages with the same text, apart from spacing and case; return each one's group of ids.

    Passages without a duplicate are left out. Duplicates stay in the ranking: the same words in two acts are
    two passages.
    """
    groups: dict[str, list[str]] = {}
    for passage in passages:
        words = " ".join(passage.text.split()).casefold()
        if len(words) >= SHORTEST_SAME:
            groups.setdefault(words, []).append(passage.id)
    return {passage: tuple(group) for group in groups.values() if len(group) > 1 for passage in group}
