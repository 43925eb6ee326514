"""The sentences that a brief chooses from: those of the passages that rank first, and of the provisions in
the pool whose own heading says what the question says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.answers.bearing import Bearing
from engine.answers.choosing import Candidate
from engine.answers.citing import Citations
from engine.answers.units import is_whole, units_of
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.record import Investigation
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.languages import law
from engine.model import Passage, RankedPassage, Relation
from engine.retrieval.retrievers.dense import DENSE

# Passages of the ranking that sentences are taken from.
PASSAGES_READ = 12
# A text in another language than the question's is read only where none of so many is in it.
LANGUAGE_LOOKED_AT = 8
# So many passages are the closest evidence of an area.
CLOSE = 10
# Provisions behind those that are read by their headings, how far one must be on the question alone, and what
# their rank is worth, without a focus and for it.
MOST_HEADED, HEADED, PRIOR, OF_FOCUS = 8, 0.45, 0.5, 0.35
# Passages of a provision that are looked for on either side.
REACH = 8


def candidates_of(
    investigation: Investigation, corpus: Corpus, bearing: Bearing, citations: Citations
) -> Iterator[Candidate]:
    """The units of the best passages, those of definitions only where a definition is asked for."""
    places = {
        area.id: {passage: place for place, passage in enumerate(area.evidence)}
        for area in investigation.areas
    }
    defines = any(named.relation is Relation.DEFINES for named in investigation.plan.named)
    reader = analyzer(bearing.asked.language)
    for rows, prior, near in _read(investigation, corpus, bearing, citations):
        passages = citations.reading.passages(rows)
        around = " ".join(passage.text for passage in passages)
        units = units_of(
            rows.tolist(), corpus, citations.reading, lambda text: bearing.share(reader.terms(text))
        )
        for number, unit in enumerate(units):
            if not is_whole(unit) or (not defines and _is_definition(unit.pieces[-1].passage)):
                continue
            own = [piece.passage.id for piece in unit.pieces]
            yield Candidate(unit, prior, _areas(places, own), number, around, near)


def _read(
    investigation: Investigation, corpus: Corpus, bearing: Bearing, citations: Citations
) -> Iterator[tuple[Rows, float, float | None]]:
    """Rows of passages that are read together, what their rank is worth, 0..1, and how near they are to the
    question by the packaged model."""
    ranking = _in_language(investigation.passages, bearing.asked.language)
    best = max((found.score for found in ranking), default=1.0) or 1.0
    seen: set[int] = set()
    for found in ranking[:PASSAGES_READ]:
        rows = corpus.rows(list(found.assembled_ids or (found.passage.id,)))
        rows = rows[[row not in seen for row in rows.tolist()]]
        if not len(rows):
            continue
        near = [hit.score for hit in found.hits if hit.retriever == DENSE]
        known = near and corpus.embedding == PACKAGED_SPEC
        rows = _provision(rows, corpus, bearing, citations)
        rows = rows[[row not in seen for row in rows.tolist()]]
        seen.update(rows.tolist())
        yield rows, found.score / best, max(near) if known else None
    pool = [entry.row for entry in investigation.pool.entries() if entry.row not in seen]
    rows = np.array(pool, np.int32)
    base = bearing.asked.language.split("-")[0]
    headed = [
        (bearing.focus(passage), -place)
        for place, passage in enumerate(citations.reading.passages(rows))
        if passage.language.split("-")[0] == base
    ]
    for focus, place in sorted(headed, reverse=True)[:MOST_HEADED]:
        if focus >= HEADED and int(rows[-place]) not in seen:
            whole = _provision(rows[[-place]], corpus, bearing, citations)
            whole = whole[[row not in seen for row in whole.tolist()]]
            seen.update(whole.tolist())
            yield whole, PRIOR + OF_FOCUS * focus, None


def _provision(rows: Rows, corpus: Corpus, bearing: Bearing, citations: Citations) -> Rows:
    """Passages, with the other passages of their provision where its heading says what is asked: the rule
    stands at its beginning."""
    [passage] = citations.reading.passages(rows[:1])
    if passage.number is None or bearing.focus(passage) < HEADED:
        return rows
    first, last = int(rows.min()), int(rows.max())
    around = np.arange(max(0, first - REACH), min(len(corpus), last + REACH + 1), dtype=np.int32)
    sections = corpus.section_numbers(around)
    own = sections == corpus.section_numbers(rows[:1])[0]
    own &= corpus.document_numbers(around) == corpus.document_numbers(rows[:1])[0]
    near: Rows = around[own | np.isin(around, rows)]
    same = [one.number == passage.number for one in citations.reading.passages(near)]
    whole: Rows = near[np.array(same, np.bool_) | np.isin(near, rows)]
    return whole


def _areas(places: dict[str, dict[str, int]], own: Sequence[str]) -> tuple[str, ...]:
    """The areas that passages are evidence of; among those that are close to it, the one that the question
    touches most comes first."""
    found_in = [
        (max(0, min(place[one] for one in own if one in place) - CLOSE), number, area)
        for number, (area, place) in enumerate(places.items())
        if not place.keys().isdisjoint(own)
    ]
    return tuple(area for _, _, area in sorted(found_in))


def _is_definition(passage: Passage) -> bool:
    """Whether a passage stands under a heading of definitions."""
    known = law(passage.language).definitions
    words = {word for heading in passage.headings[-1:] for word in heading.casefold().split()}
    return known is not None and not words.isdisjoint(known.headings)


def _in_language(ranking: Sequence[RankedPassage], language: str) -> list[RankedPassage]:
    """The passages in the question's language, all where none of the best is."""
    base = language.split("-")[0]
    own = [found for found in ranking if found.passage.language.split("-")[0] == base]
    near = any(found.rank <= LANGUAGE_LOOKED_AT for found in own)
    return own if near else list(ranking)
