"""The sentences that a brief chooses from: ranked passages, named provisions, limits, definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.answers.record import Citations
from engine.answers.relevance import Bearing
from engine.answers.selection import Candidate, overlap
from engine.answers.units import Piece, Unit, is_whole, units_of, word_count
from engine.corpus.contents import is_bare_heading
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.definitions import defined_terms
from engine.investigation.record import Investigation
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.languages import law
from engine.model import Direction, Naming, Passage, QueryPlan, RankedPassage, Relation, Span
from engine.retrieval.planning import LITERAL
from engine.retrieval.planning.named import asks_for_nothing_else
from engine.retrieval.retrievers.dense import DENSE

# What the provisions say that a question names: by their number, or by the term that they define.

# Passages of a named provision that are read, words that are told of it where it alone is asked for, and how
# many of its sentences at most.
NAMED_READ, LONGEST_NAMED, MOST_NAMED = 12, 120, 8
# Definitions of the term that is asked for.
MOST_DEFINITIONS = 3


def asks_for_named_alone(plan: QueryPlan) -> bool:
    """Whether the question asks for the text of what it names and for nothing else."""
    words = [view.text for view in plan.views if view.name == LITERAL][:1]
    named = [named.words for named in plan.named]
    return bool(words) and asks_for_nothing_else(words[0], plan.language, named)


def told_of_named(
    investigation: Investigation, corpus: Corpus, citations: Citations, best: Callable[[Sequence[Unit]], Unit]
) -> list[Unit]:
    """What the provisions that the question names say: the beginning of each where nothing else is asked,
    else the ``best`` of its sentences for the question."""
    plan, found = investigation.plan, list[Unit]()
    alone = asks_for_named_alone(plan)
    for named in plan.named:
        if named.status is not Naming.FOUND:
            continue
        rows = corpus.rows(list(named.passage_ids)[:NAMED_READ])
        rows = rows[rows >= 0]
        by_row = not alone or named.relation is Relation.DEFINES
        every = units_of(rows.tolist(), corpus, citations.reading, lambda text: 0.0, by_row=by_row)
        units = list(every)
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
            found.append(best(units))
    return found[:MOST_NAMED]


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


# What the links of the corpus say of a rule: its exceptions, and what prevails over it.

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


# The sentences that a brief chooses from: those of the passages that rank first, and of the
# provisions in the pool whose own heading says what the question says.

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


# The definitions of terms that a brief uses, told with it.

# Definitions that are told with a brief, and how long one may be, in words.
MOST_TERMS, LONGEST_TERM = 2, 45


def terms_of(
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
    row, _ = pairs[0]
    # "Has the meaning given in Article 2" says nothing by itself.
    if len(corpus.neighbours(np.array([row], np.int32), [Relation.DEFINES], Direction.OUT).rows):
        return None
    quoted = re.compile(rf"[\"“„«‘'‚]\s?{re.escape(name)}", re.IGNORECASE)
    for unit in units_of([row], corpus, citations.reading, lambda text: 0.0):
        piece = unit.pieces[-1]
        at = quoted.search(piece.text)
        if at is not None and at.start() < 12 and word_count(piece.text) <= LONGEST_TERM:
            return piece
    return None
