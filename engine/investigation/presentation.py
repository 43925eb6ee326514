"""From a ranking to readable passages: neighbours joined, context added, trails and addends attached."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.language.detection import token_estimate
from engine.model import Passage, RankedPassage, RetrieverHit

# From a ranking to readable passages: neighbours put together.
#
# A hit brings the whole of its provision, where that can be read as one text, else the neighbours
# that rank well. What is joined stands in one section and one provision, so that its citation
# holds for all of it, and is consecutive, so that what is shown is still a span of the source. A
# hit that is nothing but a heading brings the text below it along, or makes room for it.

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


# Passages grown with their neighbours to a length at which they can be understood.
#
# A passage grows over the text right before and after it, inside its section only, so that what
# comes of it is a span of the source under one heading. What ranks itself is joined as far as
# there is room; the rest only until the passage is long enough: its own provision first, then the
# rest of its section. Lengths are in tokens, estimated (see ``token_estimate``); a passage that
# is longer by itself stays whole.

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


# From rows to what a person reads: ranked passages with text, trails, breakdown and hits.

TRAILS_SHOWN = 5
# Shorter texts ("Deleted.", "See Article 3.") are alike by chance.
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
) -> tuple[RankedPassage, ...]:
    """The top of the ranking as passages with everything that explains them.

    ``allowed`` limits what may be joined to them, shape (passages,); None for all. ``first`` are the rows
    that the question names.
    """
    barred = corpus.rows(sorted(pool.dismissed)).tolist()
    assembled = assemble(ranking, corpus, reading, top_k, allowed=allowed, barred=barred, first=first)
    same = same_words(reading.passages(ranking.rows[: JOINING_DEPTH * top_k]))
    wanted = np.unique(np.array([row for item in assembled for row in item.rows], np.int32))
    passages = dict(zip(wanted.tolist(), reading.passages(wanted), strict=True))
    documents = corpus.documents()
    numbers = dict(zip(wanted.tolist(), corpus.document_numbers(wanted).tolist(), strict=True))
    trails = pool.trails_of([passages[int(ranking.rows[item.place])].id for item in assembled], TRAILS_SHOWN)
    shown = []
    for number, item in enumerate(assembled, 1):
        row = int(ranking.rows[item.place])
        passage = passages[row]
        shown.append(
            RankedPassage(
                rank=number,
                passage=passage,
                document=documents[numbers[row]],
                text=text_of([passages[other] for other in item.rows]),
                score=float(ranking.scores[item.place]),
                breakdown=ranking.breakdown(item.place),
                trails=trails[passage.id],
                hits=hits.get(row, ()),
                assembled_ids=tuple(passages[other].id for other in item.rows),
                pinned=passage.id in pool.pinned,
                same_words=tuple(other for other in same.get(passage.id, ()) if other != passage.id),
            )
        )
    return tuple(shown)


def same_words(passages: Iterable[Passage]) -> dict[str, tuple[str, ...]]:
    """For each passage whose words others have too: the ids of all that have them, in the order given.

    Spacing and case do not count. Both stay in the ranking: the same words in two acts are two passages.
    """
    groups: dict[str, list[str]] = {}
    for passage in passages:
        words = " ".join(passage.text.split()).casefold()
        if len(words) >= SHORTEST_SAME:
            groups.setdefault(words, []).append(passage.id)
    return {one: tuple(group) for group in groups.values() if len(group) > 1 for one in group}
