"""The sentences that a brief chooses from: ranked passages, named provisions, limits, definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

import numpy as np

from engine.answers.conflicts import apply_amendments
from engine.answers.record import Citations
from engine.answers.relevance import SPECIFIC, Asks, QuestionMatcher, answer_kinds, measures
from engine.answers.selection import Candidate, overlap
from engine.answers.units import Piece, Unit, is_whole, make_units, word_count
from engine.corpus.contents import is_bare_heading
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.definitions import defined_terms
from engine.investigation.record import Investigation
from engine.investigation.round import LINKED
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.languages import law
from engine.model import Direction, Naming, Passage, QueryPlan, RankedPassage, Relation, Span
from engine.retrieval.planning import LITERAL
from engine.retrieval.planning.named import asks_only_for
from engine.retrieval.retrievers.registry import DENSE

# Passages read of a named provision; maximum words and sentences quoted of it if only its text is asked for.
NAMED_READ, LONGEST_NAMED, MOST_NAMED = 12, 120, 8
# Definitions of the term that is asked for.
MOST_DEFINITIONS = 3


def asks_for_named_alone(plan: QueryPlan) -> bool:
    """True if the question asks for the text of the provisions it names and for nothing else."""
    words = [view.text for view in plan.views if view.name == LITERAL][:1]
    named = [named.words for named in plan.named]
    return bool(words) and asks_only_for(words[0], plan.language, named)


def units_of_named(
    investigation: Investigation, corpus: Corpus, citations: Citations, best: Callable[[Sequence[Unit]], Unit]
) -> list[Unit]:
    """Return the sentences of the provisions that the question names: the beginning of each if nothing else
    is asked, otherwise the ``best`` one for the question."""
    plan, found = investigation.plan, list[Unit]()
    alone = asks_for_named_alone(plan)
    for named in plan.named:
        if named.status is not Naming.FOUND:
            continue
        rows = corpus.rows(list(named.passage_ids)[:NAMED_READ])
        rows = rows[rows >= 0]
        by_row = not alone or named.relation is Relation.DEFINES
        every = make_units(rows.tolist(), corpus, citations.reading, lambda text: 0.0, by_row=by_row)
        units = list(every)
        units = units or list(_complete(rows, citations))
        if named.relation is Relation.DEFINES:
            found.extend(_defining([*units, *_units_referred_to(rows, corpus, citations)], named.words))
        elif alone:
            budget = LONGEST_NAMED
            for unit in units:
                if found and word_count(unit.text) > budget:
                    break
                found.append(unit)
                budget -= word_count(unit.text)
        elif units:
            found.append(best(units))
    return found[:MOST_NAMED]


def _units_referred_to(rows: Rows, corpus: Corpus, citations: Citations) -> Iterator[Unit]:
    """Yield the sentences of the provisions to which definitions refer: "has the meaning given in Article
    11"."""
    meant = corpus.neighbours(rows, (Relation.DEFINES,), Direction.OUT).rows
    yield from make_units(np.unique(meant).tolist(), corpus, citations.reading, lambda text: 0.0)


def _complete(rows: Rows, citations: Citations) -> Iterator[Unit]:
    """Yield whole passages as units if nothing in them can be read alone; a heading only if there is no other
    text."""
    passages = citations.reading.passages(rows)
    texts = [pair for pair in zip(rows.tolist(), passages, strict=True) if not is_bare_heading(pair[1].text)]
    for row, passage in texts or list(zip(rows.tolist(), passages, strict=True))[:1]:
        yield Unit((Piece(row, passage, Span(0, len(passage.text))),), row)


def _defining(units: Sequence[Unit], term: str) -> list[Unit]:
    """Return the unit of each passage in which the term occurs earliest."""
    best: dict[int, tuple[int, Unit]] = {}
    for unit in units:
        at = unit.text.casefold().find(term.casefold())
        if at >= 0 and (unit.main not in best or at < best[unit.main][0]):
            best[unit.main] = (at, unit)
    return [unit for _, unit in best.values()][:MOST_DEFINITIONS]


# Limits quoted, the minimum share of the question in each (with headings), and its maximum words.
MOST, FEW, LONGEST = 2, 0.3, 80
_LINKS = (
    (Direction.IN, (Relation.EXCEPTION_TO,)),
    (Direction.OUT, (Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO)),
)


def find_limits(
    rules: Sequence[Unit], corpus: Corpus, bearing: QuestionMatcher, citations: Citations
) -> list[Unit]:
    """Return the sentences on the question's subject that make an exception to a rule or prevail over it."""
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


def find_amendments(rules: Sequence[Unit], corpus: Corpus, citations: Citations, day: date) -> list[Unit]:
    """Return the sentences of the texts that change the provisions of a rule, in the order of their days."""
    rows = sorted({piece.row for unit in rules for piece in unit.pieces})
    found: dict[int, Unit] = {}
    for row in rows:
        changed = apply_amendments(corpus, row, day)
        for one in (*changed.by, *changed.doubts) if changed is not None else ():
            start = one.reference.span.start
            units = make_units([one.row], corpus, citations.reading, lambda text: 0.0)
            for unit in units:
                if any(
                    piece.row == one.row and piece.span.start <= start < piece.span.end
                    for piece in unit.pieces
                ):
                    found.setdefault(one.row, unit)
    return list(found.values())[:MOST]


def find_governing(
    rule: Unit, focus: float, corpus: Corpus, bearing: QuestionMatcher, citations: Citations
) -> Unit | None:
    """Return the beginning of a provision that a rule cites if its heading is what the question asks for ("in
    the form required by Article 9 [Form]") and the rule's own heading is not."""
    for piece in rule.pieces:
        links = corpus.neighbours(np.array([piece.row], np.int32), (Relation.CITES,), Direction.OUT)
        evidence = corpus.references(links.evidence.tolist())
        for row, reference in zip(links.rows.tolist(), evidence, strict=True):
            [passage] = citations.reading.passages(np.array([row], np.int32))
            inside = piece.span.start <= reference.span.start < piece.span.end
            if inside and bearing.focus(passage) >= max(GOVERNS, focus + GOVERNS / 2):
                units = make_units([row], corpus, citations.reading, lambda text: 0.0)
                return next(filter(is_whole, units), None)
    return None


def is_repealed(row: int, corpus: Corpus, day: date) -> bool:
    """True if a later text repeals a passage as a whole, whether or not its day is known."""
    changed = apply_amendments(corpus, row, day)
    return changed is not None and any(
        one.reference.relation is Relation.REPEALS for one in (*changed.by, *changed.doubts)
    )


def find_figures(
    rules: Sequence[Unit], corpus: Corpus, citations: Citations, kinds: frozenset[Asks]
) -> list[Unit]:
    """Return the sentence with the figure that a rule leaves to another provision ("the period under Article
    26"); none if the rule has a figure itself."""
    pieces = [piece for unit in rules for piece in unit.pieces]
    if not pieces or any(measures(unit.text, pieces[-1].passage.language, kinds) for unit in rules):
        return []
    for piece in pieces:
        links = corpus.neighbours(np.array([piece.row], np.int32), (Relation.CITES,), Direction.OUT)
        evidence = corpus.references(links.evidence.tolist())
        for row, reference in zip(links.rows.tolist(), evidence, strict=True):
            if not piece.span.start <= reference.span.start < piece.span.end:
                continue
            for unit in make_units([row], corpus, citations.reading, lambda text: 0.0):
                if is_whole(unit) and measures(unit.text, piece.passage.language, kinds):
                    return [unit]
    return []


def _linked(rows: np.ndarray, corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Yield the rows of limiting passages with the character at which an exception names the rule, -1 for
    provisions that prevail."""
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
    bearing: QuestionMatcher,
    citations: Citations,
) -> Unit | None:
    """Return the limiting sentence of a passage: the one with the reference, else the one that shares
    most."""
    reader = analyzer(bearing.asked.language)

    def share(unit: Unit) -> float:
        return bearing.share(reader.terms(" ".join((unit.text, *unit.pieces[-1].passage.headings))))

    units = [
        unit
        for unit in make_units(
            [row], corpus, citations.reading, lambda text: bearing.share(reader.terms(text))
        )
        if is_whole(unit)
        and word_count(unit.text) <= LONGEST
        and share(unit) >= FEW
        and not any(overlap(unit, rule) for rule in rules)
        and (start < 0 or any(piece.span.start <= start < piece.span.end for piece in unit.pieces))
    ]
    return max(units, key=share, default=None)


# Focus on the question by which the heading of a cited provision governs.
GOVERNS = 0.6
# Passages of the ranking whose sentences are candidates.
PASSAGES_READ = 12
# Texts in other languages than the question's are read only if the first passages have none in it.
LANGUAGE_LOOKED_AT = 8
# This many first passages are the closest evidence of an area.
CLOSE = 10
# Further provisions of the pool, found by heading: how many, minimum focus on the question, and their prior
# as a constant plus a share of the focus.
MOST_HEADED, HEADED, PRIOR, OF_FOCUS = 8, 0.45, 0.5, 0.35
# A form has blanks to be filled in; it states no rule.
BLANK = "…"
# Type of documents that bind only their parties.
CONTRACT = "contract"
# Passages on either side that are searched for the rest of a provision.
REACH = 8


def find_candidates(
    investigation: Investigation, corpus: Corpus, bearing: QuestionMatcher, citations: Citations
) -> Iterator[Candidate]:
    """Yield the units of the best passages; units of definitions only if a definition is asked for."""
    places = {
        area.id: {passage: rank for rank, passage in enumerate(area.evidence)} for area in investigation.areas
    }
    defines = any(named.relation is Relation.DEFINES for named in investigation.plan.named)
    reader = analyzer(bearing.asked.language)
    figures = answer_kinds(bearing.question, bearing.asked.language) & SPECIFIC
    contracts = _contracts_not_asked_for(corpus, bearing)
    for rows, prior, near in _read(investigation, corpus, bearing, citations):
        passages = citations.reading.passages(rows)
        around = " ".join(passage.text for passage in passages)
        units = make_units(
            rows.tolist(), corpus, citations.reading, lambda text: bearing.share(reader.terms(text))
        )
        for number, unit in enumerate(units):
            last = unit.pieces[-1]
            if not is_whole(unit) or BLANK in unit.pieces[0].text:
                continue
            # "Three quarters of the votes" may be only in a definition.
            defined = not defines and _is_definition(last.passage)
            if defined and (len(unit.pieces) > 2 or not measures(last.text, last.passage.language, figures)):
                continue
            own = [piece.passage.id for piece in unit.pieces]
            of_parties = last.passage.document_id in contracts
            yield Candidate(unit, prior, _areas(places, own), number, around, near, of_parties)


def _contracts_not_asked_for(corpus: Corpus, bearing: QuestionMatcher) -> frozenset[str]:
    """Return the ids of contracts, next to law, of whose titles a question has no word of their own."""
    titles: dict[bool, set[str]] = {True: set(), False: set()}
    terms: dict[str, set[str]] = {}
    for document in corpus.documents():
        read = set(analyzer(document.language).terms(document.title))
        titles[document.type == CONTRACT].update(read)
        if document.type == CONTRACT:
            terms[document.id] = read
    asked = {*bearing.terms} - titles[False]
    return frozenset(one for one, read in terms.items() if titles[False] and asked.isdisjoint(read))


def _own_score(found: RankedPassage) -> float:
    """Return the score of a passage without the gain for following the passage that cites it."""
    return found.score - sum(part.value for part in found.breakdown if part.name == LINKED)


def _read(
    investigation: Investigation, corpus: Corpus, bearing: QuestionMatcher, citations: Citations
) -> Iterator[tuple[Rows, float, float | None]]:
    """Yield rows of passages that are read together, their prior 0..1, and their cosine similarity to the
    question by the packaged model (None if unknown)."""
    ranking = _in_language(investigation.passages, bearing.asked.language)
    best = max((_own_score(found) for found in ranking), default=1.0) or 1.0
    seen: set[int] = set()
    for found in ranking[:PASSAGES_READ]:
        rows = corpus.rows(list(found.assembled_ids or (found.passage.id,)))
        rows = rows[[row not in seen for row in rows.tolist()]]
        if not len(rows):
            continue
        near = [hit.score for hit in found.hits if hit.retriever == DENSE]
        has_cosine = near and corpus.embedding == PACKAGED_SPEC
        rows = _provision(rows, corpus, bearing, citations)
        rows = rows[[row not in seen for row in rows.tolist()]]
        seen.update(rows.tolist())
        yield rows, _own_score(found) / best, max(near) if has_cosine else None
    pool = [entry.row for entry in investigation.pool.entries() if entry.row not in seen]
    rows = np.array(pool, np.int32)
    base = bearing.asked.language.split("-")[0]
    headed = [
        (bearing.focus(passage), -index)
        for index, passage in enumerate(citations.reading.passages(rows))
        if passage.language.split("-")[0] == base
    ]
    for focus, index in sorted(headed, reverse=True)[:MOST_HEADED]:
        if focus >= HEADED and int(rows[-index]) not in seen:
            provision = _provision(rows[[-index]], corpus, bearing, citations)
            provision = provision[[row not in seen for row in provision.tolist()]]
            seen.update(provision.tolist())
            yield provision, PRIOR + OF_FOCUS * focus, None


def _provision(rows: Rows, corpus: Corpus, bearing: QuestionMatcher, citations: Citations) -> Rows:
    """Add the other passages of the provision if its heading matches the question: the rule is stated at its
    beginning."""
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
    provision: Rows = near[np.array(same, np.bool_) | np.isin(near, rows)]
    return provision


def _areas(places: dict[str, dict[str, int]], own: Sequence[str]) -> tuple[str, ...]:
    """Return the areas that passages are evidence of; of those they are close to, the one that the question
    touches most first."""
    found_in = [
        (max(0, min(place[one] for one in own if one in place) - CLOSE), number, area)
        for number, (area, place) in enumerate(places.items())
        if not place.keys().isdisjoint(own)
    ]
    return tuple(area for _, _, area in sorted(found_in))


def _is_definition(passage: Passage) -> bool:
    """True if a passage is under a heading of definitions."""
    known = law(passage.language).definitions
    words = {word for heading in passage.headings[-1:] for word in heading.casefold().split()}
    return known is not None and not words.isdisjoint(known.headings)


def _in_language(ranking: Sequence[RankedPassage], language: str) -> list[RankedPassage]:
    """Return the passages in the question's language, or all if none of the best is."""
    base = language.split("-")[0]
    own = [found for found in ranking if found.passage.language.split("-")[0] == base]
    near = any(found.rank <= LANGUAGE_LOOKED_AT for found in own)
    return own if near else list(ranking)


# Definitions added to a brief, and the maximum words of one.
MOST_TERMS, LONGEST_TERM = 2, 45


def find_definitions(
    units: Sequence[Unit], corpus: Corpus, citations: Citations, investigation: Investigation
) -> list[Unit]:
    """Return short definitions of terms that the question and a chosen sentence share, from the sentence's
    own document or the only one that defines the term."""
    known = defined_terms(corpus)
    if not units or not len(known):
        return []
    of_question = {use.term for use in known.used_in(investigation.question, investigation.plan.language)}
    quoted = {piece.passage.id for unit in units for piece in unit.pieces}
    found: dict[int, Unit] = {}
    for unit in units:
        passage = unit.pieces[-1].passage
        for use in known.used_in(unit.text, passage.language):
            if use.term in found or use.term not in of_question:
                continue
            definition = _definition(known.definitions(use.term), known.names[use.term], passage.document_id,
                                     corpus, citations)  # fmt: skip
            if definition is not None and definition.passage.id not in quoted:
                found[use.term] = Unit((definition,), definition.row)
    return list(found.values())[:MOST_TERMS]


def _definition(
    rows: Rows, name: str, document_id: str, corpus: Corpus, citations: Citations
) -> Piece | None:
    """Return the sentence that defines a term: in the document, else in the only one that does."""
    passages = citations.reading.passages(rows)
    own = [pair for pair in zip(rows.tolist(), passages, strict=True) if pair[1].document_id == document_id]
    pairs = own or list(zip(rows.tolist(), passages, strict=True))
    if len(pairs) != 1:
        return None
    row, _ = pairs[0]
    # "Has the meaning given in Article 2" is not useful alone.
    if len(corpus.neighbours(np.array([row], np.int32), [Relation.DEFINES], Direction.OUT).rows):
        return None
    quoted = re.compile(rf"[\"“„«‘'‚]\s?{re.escape(name)}", re.IGNORECASE)
    for unit in make_units([row], corpus, citations.reading, lambda text: 0.0):
        piece = unit.pieces[-1]
        at = quoted.search(piece.text)
        if at is not None and at.start() < 12 and word_count(piece.text) <= LONGEST_TERM:
            return piece
    return None
