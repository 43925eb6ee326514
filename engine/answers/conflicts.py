"""Where the sources of an answer do not say the same: versions, exceptions, different numbers.

Each conflict is told in words and cites both sides. Versions and exceptions come from the links of the
corpus, so they are as exact as its references; numbers from statements about the same thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np

from engine.answers.citing import Citations
from engine.answers.quotes import Located
from engine.answers.record import Citation, Conflict, ConflictKind
from engine.corpus.protocol import Corpus, Rows
from engine.ingestion.sentences import sentence_starts
from engine.investigation.record import Investigation
from engine.language.statements import Kind, Match, Statement, compare, quantities_in, read
from engine.model import Direction, Passage, Relation, Span

# Conflicts of a kind that are told at most.
MOST = 3
# Passages of the ranking that are looked at besides those cited.
TOP = 6
_REPLACING = {
    Relation.SUPERSEDES: "{later} takes the place of {earlier}",
    Relation.AMENDS: "{later} amends {earlier}",
    Relation.REPEALS: "{later} repeals {earlier}",
}
_WORDS = {
    **_REPLACING,
    Relation.EXCEPTION_TO: "{later} makes an exception to {earlier}",
    # Said by the earlier of itself.
    Relation.SUBJECT_TO: "{earlier} is subject to {later}",
}
_LIMITING = frozenset({Relation.EXCEPTION_TO, Relation.SUBJECT_TO})
# Two sentences are about the same where each holds so much of the other's content.
ALIKE = 0.5
# Characters; a longer sentence is a list, and measures many things.
LONGEST_MEASURED = 600
_MEASURES = (Kind.DURATION, Kind.AMOUNT, Kind.SHARE)


def conflicts_of(investigation: Investigation, corpus: Corpus, citations: Citations) -> tuple[Conflict, ...]:
    """The conflicts among what is cited and the best passages, and between them and what limits them."""
    if not citations.made:
        return ()
    top = corpus.rows([found.passage.id for found in investigation.passages[:TOP]])
    cited = np.array(sorted(citations.rows()), np.int32)
    linked = tuple(_linked(cited, top, corpus, citations))
    return (*linked, *_differences(top, citations))


def _linked(cited: Rows, top: Rows, corpus: Corpus, citations: Citations) -> Iterator[Conflict]:
    """Versions and exceptions of what is cited; an exception, and what prevails over a source by its own
    words, only where it ranks high or is cited itself."""
    known = {*cited.tolist(), *top.tolist()}
    counts: Counter[ConflictKind] = Counter()
    told: set[tuple[int, int]] = set()
    by_row = citations.rows()
    for origin, row, relation, evidence in (
        *_links(corpus, cited, (*_REPLACING, Relation.EXCEPTION_TO), Direction.IN),
        *_links(corpus, cited, (Relation.SUBJECT_TO,), Direction.OUT),
    ):
        target, said = int(cited[origin]), tuple(Relation)[relation]
        kind = ConflictKind.EXCEPTION if said in _LIMITING else ConflictKind.REPLACED
        if row == target or (row, target) in told or (kind is ConflictKind.EXCEPTION and row not in known):
            continue
        told.add((row, target))
        replaced = kind is ConflictKind.REPLACED
        if counts[kind] >= MOST or (replaced and _is_incorporated(row, target, citations)):
            continue
        counts[kind] += 1
        [reference] = corpus.references([evidence])
        # What prevails is quoted from its beginning: the words that say so are not its own.
        span = Span(0, 0) if said is Relation.SUBJECT_TO else reference.span
        source, against = _quoted(row, span, corpus, citations), by_row[target]
        words = _WORDS[said].format(later=_named(source), earlier=_named(against))
        named = (source.number, against.number)
        yield Conflict(kind, f"{words}.", named[::-1] if said is Relation.SUBJECT_TO else named)


def _links(
    corpus: Corpus, rows: Rows, relations: Sequence[Relation], direction: Direction
) -> Iterator[tuple[int, int, int, int]]:
    """Origin, row, relation and evidence of each link."""
    links = corpus.neighbours(rows, relations, direction)
    columns = (links.origins, links.rows, links.relations, links.evidence)
    yield from zip(*(column.tolist() for column in columns), strict=True)


def _is_incorporated(row: int, target: int, citations: Citations) -> bool:
    """Whether a text is younger than what changes it: it is the changed text."""
    later, earlier = citations.reading.passages(np.array([row, target], np.int32))
    since = later.valid_from or citations.document(later).valid_from
    return earlier.valid_from is not None and since is not None and earlier.valid_from >= since


def _quoted(row: int, span: Span, corpus: Corpus, citations: Citations) -> Citation:
    """The sentence of a passage that makes a reference."""
    [passage] = citations.reading.passages(np.array([row], np.int32))
    starts = sentence_starts(passage.text, passage.language)
    first = max(start for start in starts if start <= max(span.start, 0))
    last = next((start for start in starts if start >= max(span.end, first + 1)), len(passage.text))
    said = passage.text[first:last]
    begin = first + len(said) - len(said.lstrip())
    whole = Span(begin, max(begin, first + len(said.rstrip())))
    return citations.of(Located(passage.text[whole.start : whole.end], ((passage.id, whole),)))


def _named(citation: Citation) -> str:
    """What a source is called, with what is known of its force: versions have the same name."""
    return f"{citation.short} ({citation.validity})" if citation.validity else citation.short


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence that measures something, with its passage."""

    statement: Statement
    passage: Passage
    span: Span


def _differences(top: Rows, citations: Citations) -> Iterator[Conflict]:
    """Where two documents give different durations, amounts or shares for the same thing."""
    cited_rows = np.array(sorted(citations.rows()), np.int32)
    cited = list(_measuring(citations.reading.passages(cited_rows)))
    own = {said.passage.id for said in cited}
    others = [said for said in _measuring(citations.reading.passages(top)) if said.passage.id not in own]
    told = 0
    for one, other in (*combinations(cited, 2), *product(cited, others)):
        if told >= MOST:
            return
        words = _difference(one, other)
        if words is None:
            continue
        told += 1
        first, second = (citations.of(_located(said)) for said in (one, other))
        named = f"{_named(first)} says {words[0]}, {_named(second)} says {words[1]}"
        yield Conflict(ConflictKind.DIFFERENCE, f"{named}.", (first.number, second.number))


def _measuring(passages: Sequence[Passage]) -> Iterator[_Said]:
    """The sentences of passages that measure something."""
    for passage in passages:
        starts = [*sentence_starts(passage.text, passage.language), len(passage.text)]
        for start, end in pairwise(starts):
            said = passage.text[start:end]
            begin = start + len(said) - len(said.lstrip())
            span = Span(begin, max(begin, start + len(said.rstrip())))
            words = passage.text[span.start : span.end]
            if len(words) > LONGEST_MEASURED:
                continue
            measures = [one for one in quantities_in(words, passage.language) if one.kind in _MEASURES]
            if measures:
                yield _Said(read(words, passage.language), passage, span)


def _difference(one: _Said, other: _Said) -> tuple[str, str] | None:
    """The two quantities that differ, where both sentences are about the same thing."""
    if one.passage.document_id == other.passage.document_id:
        return None
    if one.statement.language != other.statement.language:
        return None
    compared = compare(one.statement, other.statement)
    if min(compared.agreement, compared.coverage) < ALIKE or compared.equal:
        return None
    for pairing in compared.quantities:
        if pairing.match is Match.DIFFERENT and pairing.source and pairing.claim.kind in _MEASURES:
            return f"“{pairing.claim.text}”", f"“{pairing.source.text}”"
    return None


def _located(said: _Said) -> Located:
    words = said.passage.text[said.span.start : said.span.end]
    return Located(words, ((said.passage.id, said.span),))
