"""An answer without a language model: the best sentences of the sources, by area of the question.

Every sentence is the source's own, whole, in its language. What is chosen and why: see ``choosing``; what
can be read alone: see ``units``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.answers.audit.own import stands
from engine.answers.choosing import Candidate, chosen
from engine.answers.citing import Citations
from engine.answers.quotes import Located
from engine.answers.record import Sentence
from engine.answers.units import Piece, Unit, is_whole, units_of, word_count
from engine.corpus.headings import is_bare_heading
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.asked import Asked
from engine.investigation.defined_terms import defined_terms
from engine.investigation.record import Investigation
from engine.language.analyzer import analyzer
from engine.model import AreaState, Direction, Naming, QueryPlan, RankedPassage, Relation, Span
from engine.retrieval.planning import LITERAL
from engine.retrieval.planning.named import asks_for_nothing_else

# Passages of the ranking that sentences are taken from.
PASSAGES_READ = 12
# A text in another language than the question's is read only where none of so many is in it.
LANGUAGE_LOOKED_AT = 8
# So many passages are the closest evidence of an area.
CLOSE = 10
# Passages of a named provision that are read, words that are told of it where it alone is asked for, and how
# many of its sentences at most.
NAMED_READ, LONGEST_NAMED, MOST_NAMED = 12, 120, 8
# Definitions of the term that is asked for.
MOST_DEFINITIONS = 3
# Definitions that are told with a brief, and how long one may be, in words.
MOST_TERMS, LONGEST_TERM = 2, 45


def brief_sentences(
    investigation: Investigation, corpus: Corpus, asked: Asked, citations: Citations
) -> tuple[Sentence, ...]:
    """The sentences of a brief, area by area, inside of an area what serves the question best first."""
    areas = investigation.areas
    places = {area.id: {passage: place for place, passage in enumerate(area.evidence)} for area in areas}
    named = _of_named(investigation, corpus, asked, citations)
    told = {piece.row for unit in named for piece in unit.pieces}
    candidates = (
        candidate
        for candidate in _candidates(investigation, corpus, asked, citations, places)
        if told.isdisjoint(piece.row for piece in candidate.unit.pieces) and is_whole(candidate.unit)
    )
    alone = bool(named) and asks_for_named_alone(investigation.plan)
    taken = [] if alone else chosen(candidates, asked, [area.id for area in areas])
    names = {area.id: area.name for area in areas}
    # What the check of claims would not find said is worse than no sentence.
    taken = [one for one in taken if _stands(one.unit)]
    ordered = _best_first(_with_areas(taken))
    several = len({candidate.areas[:1] for candidate in ordered}) > 1
    first = [_sentence(unit, citations, "") for unit in named]
    sentences = [
        _sentence(candidate.unit, citations, names[candidate.areas[0]] if several and candidate.areas else "")
        for candidate in ordered
    ]
    units = [*named, *(candidate.unit for candidate in taken)]
    terms = [unit for unit in _terms(units, corpus, citations, investigation) if _stands(unit)]
    return (*first, *sentences, *(_sentence(unit, citations, "") for unit in terms))


def _stands(unit: Unit) -> bool:
    passages = {piece.passage.id: piece.passage for piece in unit.pieces}
    return stands(unit.text, list(passages.values()))


def asks_for_named_alone(plan: QueryPlan) -> bool:
    """Whether the question asks for the text of what it names and for nothing else."""
    words = [view.text for view in plan.views if view.name == LITERAL][:1]
    named = [named.words for named in plan.named]
    return bool(words) and asks_for_nothing_else(words[0], plan.language, named)


def _of_named(investigation: Investigation, corpus: Corpus, asked: Asked, citations: Citations) -> list[Unit]:
    """What the provisions that the question names say: the beginning of each where nothing else is asked,
    else the sentence of it that serves the question best."""
    plan, found = investigation.plan, list[Unit]()
    reader, alone = analyzer(asked.language), asks_for_named_alone(plan)
    for named in plan.named:
        if named.status is not Naming.FOUND:
            continue
        rows = corpus.rows(list(named.passage_ids)[:NAMED_READ])
        rows = rows[rows >= 0]
        units = list(units_of(rows.tolist(), corpus, citations.reading, lambda text: 0.0))
        units = units or list(_whole(rows, citations))
        if named.relation is Relation.DEFINES:
            found.extend(_defining(units, named.words))
        elif alone:
            room = LONGEST_NAMED
            for unit in units:
                if found and word_count(unit.text) > room:
                    break
                found.append(unit)
                room -= word_count(unit.text)
        elif units:
            found.append(max(units, key=lambda unit: asked.share(reader.terms(unit.text))))
    return found[:MOST_NAMED]


def missing_areas(investigation: Investigation) -> tuple[str, ...]:
    """Required areas of the question without any evidence."""
    return tuple(
        area.name for area in investigation.areas if area.required and area.state is AreaState.MISSING
    )


def _whole(rows: Rows, citations: Citations) -> Iterator[Unit]:
    """The texts of passages as they stand, where nothing in them can be read alone; headings only where there
    is nothing else."""
    passages = citations.reading.passages(rows)
    texts = [pair for pair in zip(rows.tolist(), passages, strict=True) if not is_bare_heading(pair[1].text)]
    for row, passage in texts or list(zip(rows.tolist(), passages, strict=True))[:1]:
        yield Unit((Piece(row, passage, Span(0, len(passage.text))),), row)


def _defining(units: Sequence[Unit], term: str) -> list[Unit]:
    """Of each passage the unit that has the term, and has it first."""
    best: dict[int, tuple[int, Unit]] = {}
    for unit in units:
        at = unit.text.casefold().find(term.casefold())
        if at >= 0 and (unit.main not in best or at < best[unit.main][0]):
            best[unit.main] = (at, unit)
    return [unit for _, unit in best.values()][:MOST_DEFINITIONS]


def _candidates(
    investigation: Investigation,
    corpus: Corpus,
    asked: Asked,
    citations: Citations,
    places: dict[str, dict[str, int]],
) -> Iterator[Candidate]:
    ranking = _in_language(investigation.passages, asked.language)[:PASSAGES_READ]
    best = max((found.score for found in ranking), default=1.0) or 1.0
    reader = analyzer(asked.language)
    for found in ranking:
        ids = found.assembled_ids or (found.passage.id,)
        rows = corpus.rows(list(ids)).tolist()
        for unit in units_of(rows, corpus, citations.reading, lambda text: asked.share(reader.terms(text))):
            own = [piece.passage.id for piece in unit.pieces]
            found_in = [
                # Among those that are close to it, the area that the question touches most.
                (max(0, min(place[one] for one in own if one in place) - CLOSE), number, area)
                for number, (area, place) in enumerate(places.items())
                if not place.keys().isdisjoint(own)
            ]
            areas = tuple(area for _, _, area in sorted(found_in))
            yield Candidate(unit, found.score / best, areas)


def _in_language(ranking: Sequence[RankedPassage], language: str) -> list[RankedPassage]:
    """The passages in the question's language, all where none of the best is."""
    base = language.split("-")[0]
    own = [found for found in ranking if found.passage.language.split("-")[0] == base]
    near = any(found.rank <= LANGUAGE_LOOKED_AT for found in own)
    return own if near else list(ranking)


def _with_areas(taken: Sequence[Candidate]) -> list[Candidate]:
    """The chosen candidates; one that is evidence of no area goes with one of its provision, or document."""
    by_place: dict[object, tuple[str, ...]] = {}
    for candidate in taken:
        passage = candidate.unit.pieces[-1].passage
        if candidate.areas:
            by_place.setdefault((passage.document_id, passage.number), candidate.areas)
            by_place.setdefault(passage.document_id, candidate.areas)
    found = []
    for candidate in taken:
        passage = candidate.unit.pieces[-1].passage
        near = by_place.get((passage.document_id, passage.number)) or by_place.get(passage.document_id, ())
        found.append(candidate if candidate.areas else replace(candidate, areas=near))
    return found


def _best_first(taken: Sequence[Candidate]) -> list[Candidate]:
    """Areas in the order of their best sentence, and each area's sentences as they serve the question."""
    areas: dict[str, int] = {}
    for number, candidate in enumerate(taken):
        areas.setdefault(next(iter(candidate.areas), ""), number)
    return sorted(taken, key=lambda one: areas[next(iter(one.areas), "")])


def _sentence(unit: Unit, citations: Citations, area: str) -> Sentence:
    """A unit as a sentence that cites each of its pieces; adjacent pieces of a passage are one quote."""
    numbers = [citations.of(located(piece)).number for piece in unit.pieces]
    language = unit.pieces[-1].passage.language
    return Sentence(unit.text, tuple(dict.fromkeys(numbers)), area=area, language=language)


def located(piece: Piece) -> Located:
    """A piece as a quote."""
    return Located(piece.text, ((piece.passage.id, piece.span),))


def _terms(
    units: Sequence[Unit], corpus: Corpus, citations: Citations, investigation: Investigation
) -> list[Unit]:
    """Short definitions of terms that both the question and a chosen sentence use, or that the sentence
    writes as a name; from the sentence's own document, or the only one that defines the term."""
    known = defined_terms(corpus)
    if not units or not len(known):
        return []
    of_question = {use.term for use in known.used_in(investigation.question, investigation.plan.language)}
    told = {piece.passage.id for unit in units for piece in unit.pieces}
    found: dict[int, Unit] = {}
    for unit in units:
        passage = unit.pieces[-1].passage
        for use in known.used_in(unit.text, passage.language):
            if use.term in found or use.term not in of_question:
                continue
            definition = _definition(known.definitions(use.term), known.names[use.term], passage.document_id,
                                     corpus, citations)  # fmt: skip
            if definition is not None and definition.passage.id not in told:
                found[use.term] = Unit((definition,), definition.row)
    return list(found.values())[:MOST_TERMS]


def _definition(
    rows: Rows, name: str, document_id: str, corpus: Corpus, citations: Citations
) -> Piece | None:
    """The sentence that defines a term: in a document, else where there is only one."""
    passages = citations.reading.passages(rows)
    own = [pair for pair in zip(rows.tolist(), passages, strict=True) if pair[1].document_id == document_id]
    pairs = own or list(zip(rows.tolist(), passages, strict=True))
    if len(pairs) != 1:
        return None
    row, passage = pairs[0]
    # "Has the meaning given in Article 2" says nothing by itself.
    if len(corpus.neighbours(np.array([row], np.int32), [Relation.DEFINES], Direction.OUT).rows):
        return None
    quoted = re.compile(rf"[\"“„«‘'‚]\s?{re.escape(name)}", re.IGNORECASE)
    for unit in units_of([row], corpus, citations.reading, lambda text: 0.0):
        piece = unit.pieces[-1]
        at = quoted.search(piece.text)
        if at is not None and at.start() < 12 and word_count(piece.text) <= LONGEST_TERM:
            return Piece(row, passage, Span(piece.span.start, piece.span.end))
    return None
