"""An answer to the question of a case, every sentence bound to the exact words of a source."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.answers.audit.matching import stands
from engine.answers.conflicts import conflicts_of
from engine.answers.record import Answer, Citations, Located, Method, Sentence, Support, with_links
from engine.answers.relevance import TELLING, WORDS, Asks, Bearing, departs, kinds_of, tells_consequence
from engine.answers.selection import (
    CLOSE,
    NEAR_BEST,
    Candidate,
    Read,
    added,
    answering,
    is_sure,
    overlap,
    read,
    rule_before,
    with_like_rows,
)
from engine.answers.sources import asks_for_named_alone, candidates_of, limits_of, terms_of, told_of_named
from engine.answers.units import Piece, Unit, is_whole
from engine.answers.writing import Written, write
from engine.corpus.protocol import Corpus
from engine.errors import BudgetError, ModelError
from engine.investigation.assistance.cost import AGAIN_TASK, TASK
from engine.investigation.evidence import Asked, asked_of
from engine.investigation.record import Investigation
from engine.llm import LanguageModel, Meter
from engine.model import AreaState, EvidenceStatus, Naming
from engine.records.wording import plural, status_words
from engine.retrieval.planning.plan import day_of_law

# An answer without a language model: the sentences of the sources that answer, what limits them,
# and more.
#
# Every sentence is the source's own, whole, in its language. First comes the provision that the
# question names, or the sentence that answers; then what the links of the corpus say of it, its
# exceptions and what prevails; then more that serves the question as well, and what follows from
# a breach. Where no sentence surely answers, that is told, with the closest rule and the passages
# to read. What is chosen and why: see ``choosing``; the kinds of answers: ``kinds``; what can be
# read alone: ``units``.

# Passages that are shown to be read where no sentence answers.
MOST_TO_READ = 3
NOT_IN_WORDS = "No sentence of the passages answers in the words of the question."
NOT_SURE = "No sentence is sure to answer this; the closest:"


@dataclass(frozen=True, slots=True)
class Brief:
    """``unanswered`` says what no sentence surely gives, empty where one does. Then the sentences are those
    of the closest rule, none where nothing is close, and ``to_read`` the numbers of the citations of more
    passages to be read."""

    sentences: tuple[Sentence, ...]
    unanswered: str = ""
    to_read: tuple[int, ...] = ()


def brief_of(investigation: Investigation, corpus: Corpus, asked: Asked, citations: Citations) -> Brief:
    """The brief of a case: what answers, what limits it, and more, by area of the question."""
    bearing = Bearing(asked, investigation.question)
    kinds = kinds_of(investigation.question, asked.language)

    def best(units: Sequence[Unit]) -> Unit:
        whole = [unit for unit in units if is_whole(unit) and _stands(unit)] or units
        compared = read(
            [Candidate(unit, 1.0, place=number) for number, unit in enumerate(whole)], bearing, kinds
        )
        telling = [one for one in compared if one.gives & kinds & TELLING] or compared
        return with_like_rows(max(telling, key=lambda one: one.worth), telling).candidate.unit

    named = told_of_named(investigation, corpus, citations, best)
    if named and asks_for_named_alone(investigation.plan):
        units = [*named, *_terms(named, corpus, citations, investigation)]
        return Brief(tuple(_sentence(unit, citations, "") for unit in units))
    compared = read(candidates_of(investigation, corpus, bearing, citations), bearing, kinds)
    compared = [one for one in compared if not any(overlap(one.candidate.unit, unit) for unit in named)]
    ordered = answering(compared, kinds)
    first = next((one for one in ordered if _answers(one, ordered) and _stands(one.candidate.unit)), None)
    first = first and with_like_rows(first, ordered)
    taken = _rules(first, compared, kinds)
    if first is None or not is_sure(first, compared, kinds) or _only_departs(taken[0]):
        if not named:
            close = first is not None and (first.bears >= CLOSE or not _by_words(investigation, asked))
            return _unsure(taken if close else [], compared, kinds, citations)
        first, taken = None, []
    leads = any(one.leads for one in investigation.plan.named)
    leads = leads or _worth(named, bearing, kinds) >= NEAR_BEST * (first.worth if first else 0.0)
    return _composed(named, taken, ordered, leads, bearing, investigation, corpus, citations)


def _rules(first: Read | None, compared: Sequence[Read], kinds: frozenset[Asks]) -> list[Read]:
    """The unit that answers, behind the rule that it varies."""
    if first is None:
        return []
    rule = rule_before(first, compared, kinds)
    return [rule, first] if rule is not None and _stands(rule.candidate.unit) else [first]


def _only_departs(one: Read) -> bool:
    """Whether a unit that no rule stands before begins as an exception to one: that is a special case."""
    return departs(one.candidate.unit.text, one.candidate.unit.pieces[-1].passage.language)


def _worth(units: Sequence[Unit], bearing: Bearing, kinds: frozenset[Asks]) -> float:
    """What the best of some units is worth, as if its passage ranked first."""
    return max(
        (one.worth for one in read([Candidate(unit, 1.0) for unit in units], bearing, kinds)), default=0.0
    )


def _composed(
    named: Sequence[Unit],
    first: Sequence[Read],
    ordered: Sequence[Read],
    leads: bool,
    bearing: Bearing,
    investigation: Investigation,
    corpus: Corpus,
    citations: Citations,
) -> Brief:
    """The sentences in their order: what is named where it ``leads``, the rule, what limits it, more rules,
    consequences; inside of it by area of the question, and the definitions at the end."""
    answers = [one.candidate.unit for one in first]
    main = [*named, *answers] if leads else [*answers, *named]
    limits = limits_of(main[:1], corpus, bearing, citations)
    told = [*named, *answers, *limits]
    more = [
        one
        for one in added(first, ordered, bearing)
        if _stands(one.candidate.unit) and not any(overlap(one.candidate.unit, unit) for unit in told)
    ]
    areas = first[0].candidate.areas if first else ()
    candidates = [one.candidate for one in first]
    if not leads:
        candidates += [Candidate(unit, 1.0, areas) for unit in named]
    candidates += [
        Candidate(unit, 1.0, areas)
        for unit in limits
        if _stands(unit) and not any(overlap(unit, other) for other in (*named, *answers))
    ]
    candidates += [one.candidate for one in sorted(more, key=lambda one: _tells(one.candidate.unit))]
    in_order = _best_first(_with_areas(candidates))
    names = {area.id: area.name for area in investigation.areas}
    several = len({candidate.areas[:1] for candidate in in_order}) > 1
    sentences = [_sentence(unit, citations, "") for unit in named] if leads else []
    sentences += [
        _sentence(candidate.unit, citations, names[candidate.areas[0]] if several and candidate.areas else "")
        for candidate in in_order
    ]
    units = [*named, *(candidate.unit for candidate in in_order)]
    terms = _terms(units, corpus, citations, investigation)
    return Brief((*sentences, *(_sentence(unit, citations, "") for unit in terms)))


def _unsure(
    closest: Sequence[Read], compared: Sequence[Read], kinds: frozenset[Asks], citations: Citations
) -> Brief:
    """What no sentence surely gives, the closest rule, and the best passages of other provisions to read."""
    lacking = sorted(kinds & TELLING) if not any(one.gives & kinds & TELLING for one in compared) else []
    words = " or ".join(WORDS[kind] for kind in lacking)
    if closest:
        told = f"No sentence of the passages gives {words}; the closest:" if lacking else NOT_SURE
    else:
        told = f"No sentence of the passages gives {words}." if lacking else NOT_IN_WORDS
    shown = {one.candidate.provision for one in closest}
    best: dict[int, Read] = {}
    for one in compared:
        known = best.get(one.candidate.unit.main)
        if one.candidate.provision not in shown and (known is None or one.worth > known.worth):
            best[one.candidate.unit.main] = one
    chosen = sorted(best.values(), key=lambda one: -one.worth)[:MOST_TO_READ]
    sentences = tuple(_sentence(one.candidate.unit, citations, "") for one in closest)
    numbers = [citations.of(located(one.candidate.unit.pieces[-1])).number for one in chosen]
    return Brief(sentences, told, tuple(dict.fromkeys(numbers)))


def _by_words(investigation: Investigation, asked: Asked) -> bool:
    """Whether the passages can be compared with the question by words: one is in its language."""
    base = asked.language.split("-")[0]
    return any(found.passage.language.split("-")[0] == base for found in investigation.passages)


def _tells(unit: Unit) -> bool:
    """Whether a unit tells what follows from a breach."""
    return tells_consequence(unit.text, unit.pieces[-1].passage.language)


def _terms(
    units: Sequence[Unit], corpus: Corpus, citations: Citations, investigation: Investigation
) -> list[Unit]:
    return [unit for unit in terms_of(units, corpus, citations, investigation) if _stands(unit)]


def _answers(one: Read, ordered: Sequence[Read]) -> bool:
    """Whether a unit may answer: a row of a table if it is the best or gives the kind of answer."""
    return not one.candidate.unit.in_table or one is ordered[0] or bool(one.gives & TELLING)


def _stands(unit: Unit) -> bool:
    """Whether the check of claims finds a unit said: what it would not is worse than no sentence."""
    passages = {piece.passage.id: piece.passage for piece in unit.pieces}
    return unit.in_table or stands(unit.text, list(passages.values()))


def missing_areas(investigation: Investigation) -> tuple[str, ...]:
    """Required areas of the question without any evidence."""
    return tuple(
        area.name for area in investigation.areas if area.required and area.state is AreaState.MISSING
    )


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


# An answer to the question of a case, every sentence bound to the exact words of a source.
#
# With a language model it writes and the engine checks (see ``writing``); without one, or where
# it fails, the answer is a brief of the sources' own sentences (see ``brief``). That the pool
# does not contain an answer is decided by the words of the question (see ``asked``), or said by
# the model where no sentence of it holds.

OUT_OF_FORCE_ONLY = "Every source of this answer is out of force on the day of the question."


def answer(
    investigation: Investigation,
    corpus: Corpus,
    *,
    model: LanguageModel | None = None,
    meter: Meter | None = None,
    unsupported: bool = True,
) -> Answer:
    """Answer the question of an investigation from its ranked passages.

    ``meter`` counts what the model uses and keeps its budget. ``unsupported``: whether sentences of the model
    that no quote supports are kept, marked, or left out. Where the model fails a note says so and the brief
    takes its place. Raises CancelledError where the meter was cancelled.
    """
    started = time.perf_counter()
    meter = meter or Meter()
    asked = asked_of(investigation.question, investigation.plan.language, corpus)
    lacking = _lacking(asked, investigation)
    notes: list[str] = []
    written: Written | None = None
    brief = Brief(())
    if model is not None and investigation.passages:
        try:
            written = write(investigation, corpus, model, meter, unsupported=unsupported)
        except (ModelError, BudgetError) as error:
            notes.append(f"the answer is a brief of the sources' own sentences: {error}")
    if written is not None:
        sentences, citations = written.sentences, written.citations
        notes.extend(written.notes)
        carried = any(one.support is not Support.NONE for one in sentences)
        missing = not carried and (written.missing or bool(lacking) or not sentences)
        lacking = lacking or "The language model found no answer in the passages." if missing else ""
    else:
        citations = Citations(investigation, corpus)
        missing = bool(lacking)
        brief = brief if missing else brief_of(investigation, corpus, asked, citations)
        sentences = with_links(brief.sentences, citations.made, corpus)
    today = "" if missing else _day_of_law(investigation)
    conflicts = () if missing else conflicts_of(investigation, corpus, citations)
    return Answer(
        question=investigation.question,
        language=investigation.plan.language,
        method=Method.BRIEF if written is None else Method.MODEL,
        sentences=sentences,
        citations=citations.made,
        conflicts=conflicts,
        missing=missing,
        unanswered=" ".join(filter(None, (today, lacking or brief.unanswered))),
        to_read=brief.to_read,
        gaps=() if missing else missing_areas(investigation),
        notes=(*_in_part(investigation), *notes, *_of_force(sentences, citations)),
        model=model.spec if written is not None and model is not None else "",
        usage={task: used for task, used in meter.tasks.items() if task in TASKS},
        milliseconds=1000 * (time.perf_counter() - started),
        parts=investigation.evidence.parts,
    )


# What an answer asks a model for; other tasks of the same meter are the case's.
TASKS = (TASK, AGAIN_TASK)


def _day_of_law(investigation: Investigation) -> str:
    """That the answer is the law of today though the question is about another time, of a corpus of law."""
    if not any(found.passage.number for found in investigation.passages):
        return ""
    day = investigation.day or investigation.started.date()
    return day_of_law(investigation.plan, investigation.settings, day)


def _lacking(asked: Asked, investigation: Investigation) -> str:
    """What the pool lacks of the question, in words; empty where it may hold an answer. Where it holds the
    provision that the question asks for by its number, it does; where there is no such provision, or the
    question does not tell which of several, nothing else answers."""
    named = investigation.plan.named
    shown = {one for found in investigation.passages for one in (found.passage.id, *found.assembled_ids)}
    if any(one.status is Naming.FOUND and not shown.isdisjoint(one.passage_ids) for one in named):
        return ""
    if named and asks_for_named_alone(investigation.plan):
        told = "; ".join(one.note for one in named)
        return f"{told[:1].upper()}{told[1:]}."
    if not investigation.passages:
        told = "Nothing was found for this question."
    elif investigation.evidence.status is EvidenceStatus.NONE:
        held = investigation.evidence.numbers.get("best", 0.0)
        told = f"The best passage holds {100 * held:.0f} % of what the question asks about."
    else:
        return ""
    if not asked.unknown:
        return told
    words = ", ".join(f"“{word}”" for word in asked.unknown[:6])
    stand = "stands" if len(asked.unknown) == 1 else "stand"
    return f"{told} {words} {stand} nowhere in {investigation.corpus}."


def _in_part(investigation: Investigation) -> tuple[str, ...]:
    """What of the question nothing bears, where the rest is found."""
    if investigation.evidence.status is not EvidenceStatus.PARTIAL:
        return ()
    return (f"{status_words(investigation.evidence)}.",)


def _of_force(sentences: Sequence[Sentence], citations: Citations) -> tuple[str, ...]:
    """What is to be said of the force of the sources that the sentences cite."""
    made = citations.made
    cited = [made[number - 1] for number in sorted({n for one in sentences for n in one.citations})]
    old = [citation for citation in cited if citation.old]
    if not old:
        return ()
    if len(old) == len(cited):
        return (OUT_OF_FORCE_ONLY,)
    names = dict.fromkeys(f"{citation.short} ({citation.validity})" for citation in old)
    return (f"{plural(len(names), 'source')} of this answer not in force: {', '.join(names)}.",)
