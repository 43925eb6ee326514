"""Answer the question of a case; every sentence cites the exact words of a source.

A language model writes the answer and the engine checks it (``writing``). Without a model, or if it fails,
the answer is a brief: whole sentences of the sources in their own language. The words of the question
decide whether the pool contains an answer (``investigation.evidence``), or the model does if none of its
sentences is supported.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from engine.answers.audit.matching import is_supported_verbatim
from engine.answers.changes import find_changes
from engine.answers.conflicts import CHANGING, find_conflicts, quote_sentence
from engine.answers.record import Answer, Changes, Citations, Located, Method, Sentence, Support, with_links
from engine.answers.relevance import (
    SPECIFIC,
    WORDS,
    Asks,
    QuestionMatcher,
    answer_kinds,
    departs,
    states_consequence,
)
from engine.answers.selection import (
    CLOSE,
    LONGEST_BRIEF,
    NEAR_BEST,
    STATED,
    Candidate,
    Compared,
    choose_additions,
    compare_units,
    is_sure,
    join_equal_rows,
    overlap,
    rank_answers,
    rule_before,
    shares_by_chance,
)
from engine.answers.sources import (
    asks_for_named_alone,
    find_amendments,
    find_candidates,
    find_definitions,
    find_figures,
    find_governing,
    find_limits,
    is_repealed,
    units_of_named,
)
from engine.answers.units import Piece, Unit, is_whole
from engine.answers.writing import Written, write
from engine.corpus.protocol import Corpus
from engine.errors import BudgetError, ModelError
from engine.investigation.assistance.cost import AGAIN_TASK, TASK
from engine.investigation.evidence import QuestionWords, weigh_words
from engine.investigation.graph.subgraph import find_path, named_places
from engine.investigation.record import Investigation
from engine.language.analysis import analyzer
from engine.llm import LanguageModel, Meter
from engine.model import RELATION_VERBS, AreaState, Direction, EvidenceStatus, Naming, Relation, Span, Status
from engine.records.phrases import plural, short_citation, status_words
from engine.retrieval.planning.plan import day_of_law
from engine.retrieval.planning.prose import asks_for_relation, changes_asked, documents_in_prose

# A brief starts with the provision that the question names, or with the sentence that answers. Exceptions
# and prevailing provisions follow by the links of the corpus, then further sentences that serve the question
# as well, and the consequences of a breach. If no sentence surely answers, the brief reports this with the
# closest rule and passages to read.

# Words of a list that is shown as a whole if a part of it would say something else.
LONGEST_LIST = 250
# Passages to read that are listed if no sentence answers.
MOST_TO_READ = 3
# Amending passages to read that are listed with changes.
MOST_ACTS = 5
# Kinds of answers for which a sentence often names the provision that has the figure.
TIMES = frozenset((Asks.PERIOD, Asks.DEADLINE, Asks.WHEN))
NOT_IN_WORDS = "None of the passages answers this in these words."
NOT_SURE = "No sentence answers this directly. Closest:"


@dataclass(frozen=True, slots=True)
class Brief:
    """Sentences of the sources.

    ``unanswered`` is the kind of answer that no sentence certainly gives, empty if one does. If it is set,
    the sentences are those of the closest rule (none if no rule is close), and ``to_read`` has the citation
    numbers of further passages.
    """

    sentences: tuple[Sentence, ...]
    unanswered: str = ""
    to_read: tuple[int, ...] = ()


def make_brief(
    investigation: Investigation, corpus: Corpus, asked: QuestionWords, citations: Citations
) -> Brief:
    """Choose the sentences that answer, those that limit them, and more, by area of the question."""
    bearing = QuestionMatcher(asked, investigation.question)
    kinds = answer_kinds(investigation.question, asked.language)

    def best(units: Sequence[Unit]) -> Unit:
        complete = [unit for unit in units if is_whole(unit) and _is_supported(unit)] or units
        compared = compare_units(
            [Candidate(unit, 1.0, place=number) for number, unit in enumerate(complete)], bearing, kinds
        )
        specific = [one for one in compared if one.gives & kinds & SPECIFIC] or compared
        return join_equal_rows(max(specific, key=lambda one: one.worth), specific).candidate.unit

    named = units_of_named(investigation, corpus, citations, best)
    if named and asks_for_named_alone(investigation.plan):
        units = [*named, *_terms(named, corpus, citations, investigation)]
        return Brief(tuple(_sentence(unit, citations, "") for unit in units))
    compared = compare_units(find_candidates(investigation, corpus, bearing, citations), bearing, kinds)
    compared = [one for one in compared if not any(overlap(one.candidate.unit, unit) for unit in named)]
    compared = _in_force(compared, corpus, investigation.day or date.today())
    ordered = rank_answers(compared, kinds)
    first = next(
        filter(None, (_complete_list(one, ordered) for one in ordered if _answers(one, ordered))), None
    )
    first = first and _join_whole_list(join_equal_rows(first, ordered), ordered, bearing)
    taken = _rules(first, compared, kinds)
    governing = None
    if first is not None and not kinds:
        governing = find_governing(first.candidate.unit, first.focus, corpus, bearing, citations)
    if governing is not None and _is_supported(governing):
        ruling = compare_units([Candidate(governing, 1.0)], bearing, kinds)
        return _composed(named, ruling, ordered, False, bearing, kinds, investigation, corpus, citations)
    rivals = [] if first is None else _without_changes(first, compared, corpus)
    sure = (
        first is not None
        and is_sure(first, rivals, kinds)
        and not shares_by_chance(first, bearing)
        and not _is_left_open(first, kinds, corpus, citations)
    )
    if first is None or not sure or _only_departs(taken[0]):
        if not named:
            close = first is not None and (first.coverage >= CLOSE or not _by_words(investigation, asked))
            return _unsure(taken if close else [], compared, kinds, citations)
        first, taken = None, []
    leads = any(one.leads for one in investigation.plan.named)
    leads = leads or _worth(named, bearing, kinds) >= NEAR_BEST * (first.worth if first else 0.0)
    return _composed(named, taken, ordered, leads, bearing, kinds, investigation, corpus, citations)


def _join_whole_list(first: Compared, ordered: Sequence[Compared], bearing: QuestionMatcher) -> Compared:
    """Return a unit with all items of its list if the question is about the list: its head has the words."""
    head, *items = first.candidate.unit.pieces
    terms = analyzer(head.passage.language).terms(head.text)
    if not items or bearing.share(terms) < STATED * first.own:
        return first
    lists = [one for one in ordered if one.candidate.unit.pieces[0] == head and one.words <= LONGEST_BRIEF]
    whole = max([first, *lists], key=lambda one: len(one.candidate.unit.pieces))
    return replace(whole, worth=max(whole.worth, first.worth))


def _complete_list(one: Compared, others: Sequence[Compared]) -> Compared | None:
    """Return a unit that the claim check finds supported: itself, or its list with all items; else None."""
    if _is_supported(one.candidate.unit):
        return one
    head = one.candidate.unit.pieces[0]
    lists = [
        other for other in others if other.candidate.unit.pieces[0] == head and other.words <= LONGEST_LIST
    ]
    whole = max(lists, key=lambda other: len(other.candidate.unit.pieces), default=None)
    if whole is None or whole is one or not _is_supported(whole.candidate.unit):
        return None
    return replace(whole, worth=max(whole.worth, one.worth))


# Units, best first, that are checked for a later repeal.
CHECKED = 12


def _in_force(compared: Sequence[Compared], corpus: Corpus, day: date) -> list[Compared]:
    """Leave out the best units that a later text repeals or replaces, if any other is left."""
    best = sorted(compared, key=lambda one: -one.worth)[:CHECKED]
    rows = {one.candidate.unit.main for one in best}
    repealed = {row for row in rows if is_repealed(row, corpus, day)}
    return [one for one in compared if one.candidate.unit.main not in repealed] or list(compared)


def _without_changes(first: Compared, compared: Sequence[Compared], corpus: Corpus) -> list[Compared]:
    """Return the units that neither change the provision of a unit nor are changed by it."""
    row = np.array([first.candidate.unit.main], np.int32)
    tied = {
        other
        for direction in (Direction.IN, Direction.OUT)
        for other in corpus.neighbours(row, CHANGING, direction).rows.tolist()
    }
    return [one for one in compared if one.candidate.unit.main not in tied]


def _rules(first: Compared | None, compared: Sequence[Compared], kinds: frozenset[Asks]) -> list[Compared]:
    """Return the unit that answers, after the rule that it varies."""
    if first is None:
        return []
    rule = rule_before(first, compared, kinds)
    rule = rule and _complete_list(rule, compared)
    return [rule, first] if rule is not None else [first]


def _is_left_open(one: Compared, kinds: frozenset[Asks], corpus: Corpus, citations: Citations) -> bool:
    """True if a unit leaves the answer to a provision that does not give it or is not in the corpus: "in the
    form that Article 9 requires"."""
    if one.elsewhere and not find_figures([one.candidate.unit], corpus, citations, kinds & TIMES):
        return True
    piece = one.candidate.unit.pieces[0]
    document = int(corpus.document_numbers(np.array([piece.row], np.int32))[0])
    numbers = corpus.reference_numbers(statuses=[Status.UNRESOLVED], document=document)
    return not one.figures and any(
        reference.source_id == piece.passage.id
        and piece.span.overlaps(reference.span)
        and reference.relation is Relation.CITES
        for reference in corpus.references(numbers.tolist())
    )


def _only_departs(one: Compared) -> bool:
    """True if a unit without a rule before it begins as an exception: it covers a special case only."""
    return departs(one.candidate.unit.text, one.candidate.unit.pieces[-1].passage.language)


def _worth(units: Sequence[Unit], bearing: QuestionMatcher, kinds: frozenset[Asks]) -> float:
    """Return the highest score among units, as if their passage ranked first."""
    return max(
        (one.worth for one in compare_units([Candidate(unit, 1.0) for unit in units], bearing, kinds)),
        default=0.0,
    )


def _composed(
    named: Sequence[Unit],
    first: Sequence[Compared],
    ordered: Sequence[Compared],
    leads: bool,
    bearing: QuestionMatcher,
    kinds: frozenset[Asks],
    investigation: Investigation,
    corpus: Corpus,
    citations: Citations,
) -> Brief:
    """Put the sentences in order: named provisions if they lead, the rule, its limits, more rules,
    consequences; within this by area of the question. Definitions come last."""
    answers = [one.candidate.unit for one in first]
    main = [*named, *answers] if leads else [*answers, *named]
    limits = [
        *find_figures(answers[:1], corpus, citations, kinds & TIMES),
        *find_amendments(main[:1], corpus, citations, investigation.day or date.today()),
        *find_limits(main[:1], corpus, bearing, citations),
    ]
    used = [*named, *answers, *limits]
    more = [
        one
        for one in choose_additions(first, ordered, bearing)
        if _is_supported(one.candidate.unit) and not any(overlap(one.candidate.unit, unit) for unit in used)
    ]
    areas = first[0].candidate.areas if first else ()
    candidates = [one.candidate for one in first]
    if not leads:
        candidates += [Candidate(unit, 1.0, areas) for unit in named]
    candidates += [
        Candidate(unit, 1.0, areas)
        for unit in limits
        if _is_supported(unit) and not any(overlap(unit, other) for other in (*named, *answers))
    ]
    candidates += [
        one.candidate for one in sorted(more, key=lambda one: _has_consequence(one.candidate.unit))
    ]
    in_order = _in_source_order(_best_first(_with_areas(candidates)))
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
    closest: Sequence[Compared], compared: Sequence[Compared], kinds: frozenset[Asks], citations: Citations
) -> Brief:
    """Report that no sentence surely answers, with the closest rule and passages of other provisions."""
    lacking = sorted(kinds & SPECIFIC) if not any(one.gives & kinds & SPECIFIC for one in compared) else []
    words = " or ".join(WORDS[kind] for kind in lacking)
    if closest:
        text = f"No sentence of the passages gives {words}; the closest:" if lacking else NOT_SURE
    else:
        text = f"No sentence of the passages gives {words}." if lacking else NOT_IN_WORDS
    shown = {one.candidate.provision for one in closest}
    best: dict[int, Compared] = {}
    for one in compared:
        known = best.get(one.candidate.unit.main)
        if one.candidate.provision not in shown and (known is None or one.worth > known.worth):
            best[one.candidate.unit.main] = one
    chosen = sorted(best.values(), key=lambda one: -one.worth)[:MOST_TO_READ]
    sentences = tuple(_sentence(one.candidate.unit, citations, "") for one in closest)
    numbers = [citations.of(located(one.candidate.unit.pieces[-1])).number for one in chosen]
    return Brief(sentences, text, tuple(dict.fromkeys(numbers)))


def _by_words(investigation: Investigation, asked: QuestionWords) -> bool:
    """True if the question's words can be compared with a passage: one has the question's language."""
    base = asked.language.split("-")[0]
    return any(found.passage.language.split("-")[0] == base for found in investigation.passages)


def _has_consequence(unit: Unit) -> bool:
    """True if a unit states the consequence of a breach."""
    return states_consequence(unit.text, unit.pieces[-1].passage.language)


def _terms(
    units: Sequence[Unit], corpus: Corpus, citations: Citations, investigation: Investigation
) -> list[Unit]:
    return [unit for unit in find_definitions(units, corpus, citations, investigation) if _is_supported(unit)]


def _answers(one: Compared, ordered: Sequence[Compared]) -> bool:
    """True if a unit may answer: a table row only if it is the best or gives the kind of answer."""
    return not one.candidate.unit.in_table or one is ordered[0] or bool(one.gives & SPECIFIC)


def _is_supported(unit: Unit) -> bool:
    """True if the claim check finds a unit supported: an unsupported sentence is worse than none."""
    passages = {piece.passage.id: piece.passage for piece in unit.pieces}
    return unit.in_table or is_supported_verbatim(unit.text, list(passages.values()))


def find_missing_areas(investigation: Investigation) -> tuple[str, ...]:
    """Return the names of required areas without evidence."""
    return tuple(
        area.name for area in investigation.areas if area.required and area.state is AreaState.MISSING
    )


def _with_areas(taken: Sequence[Candidate]) -> list[Candidate]:
    """Give candidates without an area that of another candidate of the same provision, or document."""
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
    """Sort by area, in the order of their best sentences; keep the order within an area."""
    areas: dict[str, int] = {}
    for number, candidate in enumerate(taken):
        areas.setdefault(next(iter(candidate.areas), ""), number)
    return sorted(taken, key=lambda one: areas[next(iter(one.areas), "")])


def _in_source_order(taken: Sequence[Candidate]) -> list[Candidate]:
    """Put sentences of the first one's passage that precede it in the source before it."""
    first = taken[0] if taken else None
    if first is None or first.unit.in_table:
        return list(taken)
    piece = first.unit.pieces[0]
    before = [
        one
        for one in taken[1:]
        if one.unit.pieces[0].row == piece.row and one.unit.pieces[-1].span.end <= piece.span.start
    ]
    return [*before, *(one for one in taken if one not in before)]


def _sentence(unit: Unit, citations: Citations, area: str) -> Sentence:
    """Make a sentence from a unit; it cites each of its pieces."""
    numbers = [citations.of(located(piece)).number for piece in unit.pieces]
    language = unit.pieces[-1].passage.language
    return Sentence(unit.text, tuple(dict.fromkeys(numbers)), area=area, language=language)


def located(piece: Piece) -> Located:
    """Return a piece as a quote."""
    return Located(piece.text, ((piece.passage.id, piece.span),))


OUT_OF_FORCE_ONLY = "None of these sources was in force on that date."


def answer(
    investigation: Investigation,
    corpus: Corpus,
    *,
    model: LanguageModel | None = None,
    meter: Meter | None = None,
    unsupported: bool = True,
) -> Answer:
    """Answer the question of an investigation from its ranked passages.

    ``meter`` counts the model's usage and enforces its budget. ``unsupported`` keeps sentences of the model
    without a supporting quote, marked as such; otherwise they are left out. If the model fails, the answer is
    a brief and a note gives the reason. Raises CancelledError if the meter is cancelled.
    """
    started = time.perf_counter()
    meter = meter or Meter()
    asked = weigh_words(investigation.question, investigation.plan.language, corpus)
    lacking = _lacking(asked, investigation)
    notes: list[str] = []
    written: Written | None = None
    brief = Brief(())
    path, connecting = tuple[str, ...](), tuple[Sentence, ...]()
    changes = _changes(investigation, corpus)
    if changes is not None:
        return _answer_of_changes(investigation, corpus, changes, started)
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
        path, connecting = _path(investigation, corpus, citations)
        missing = bool(lacking)
        brief = brief if missing else make_brief(investigation, corpus, asked, citations)
        sentences = with_links(brief.sentences, citations.made, corpus)
    if connecting:
        quoted = " ".join(sentence.text for sentence in connecting)
        sentences = (*connecting, *(one for one in sentences if one.text not in quoted))
        missing, lacking, brief = False, "", replace(brief, unanswered="")
    today = "" if missing else _day_of_law(investigation)
    conflicts = () if missing else find_conflicts(investigation, corpus, citations)
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
        gaps=() if missing else find_missing_areas(investigation),
        notes=(*_in_part(investigation), *notes, *_of_force(sentences, citations)),
        model=model.spec if written is not None and model is not None else "",
        usage={task: used for task, used in meter.tasks.items() if task in TASKS},
        milliseconds=1000 * (time.perf_counter() - started),
        parts=investigation.evidence.parts,
        path=path,
    )


def _path(
    investigation: Investigation, corpus: Corpus, citations: Citations
) -> tuple[tuple[str, ...], tuple[Sentence, ...]]:
    """Return how two provisions or documents of a question are connected: in words, and the words themselves.

    Both are empty for a question that does not ask for a relation.
    """
    plan = investigation.plan
    text = plan.views[0].text if plan.views else ""
    if not asks_for_relation(text, plan.language):
        return (), ()
    places = named_places(corpus, text, plan.language, investigation.day)
    if len(places) < 2:
        return (), ()
    steps = find_path(corpus, places[0].rows, places[1].rows)
    if not steps:
        return (f"No reference leads from {places[0].words} to {places[1].words}, nor back.",), ()
    lines, sentences = [], []
    for step in steps:
        (reference,) = corpus.references([step.evidence])
        quote = quote_sentence(step.source, reference.span, corpus, citations)
        target = _citation_at(corpus, step.target)
        words = f" (“{' '.join(reference.text.split())}”)" if reference.text else ""
        lines.append(f"{quote.short} {RELATION_VERBS[step.relation]} {target}{words}")
        sentences.append(Sentence(quote.quote, (quote.number,), language=quote.language))
    return tuple(lines), tuple(sentences)


def _changes(investigation: Investigation, corpus: Corpus) -> Changes | None:
    """Return what changed between the days of a question, provisions in its language first.

    None for another question. If nothing changed on its topic, the changes are those of everything.
    """
    plan = investigation.plan
    today = investigation.day or investigation.started.date()
    asked = changes_asked(plan.views[0].text, plan.language, today) if plan.views else None
    if asked is None:
        return None
    documents = documents_in_prose(corpus, asked.topic, plan.language) if asked.topic else ()
    document = documents[0] if len(documents) == 1 else ""
    found = find_changes(corpus, asked.first, asked.last, document=document, question=asked.topic)
    if not found.changes and found.others:
        found = find_changes(corpus, asked.first, asked.last, document=document)
    base = plan.language.split("-")[0]
    ordered = sorted(found.changes, key=lambda one: (not one.provision, one.language.split("-")[0] != base))
    return replace(found, changes=tuple(ordered))


def _answer_of_changes(
    investigation: Investigation, corpus: Corpus, changes: Changes, started: float
) -> Answer:
    """Return the list of changes as an answer, with the amending passages to read."""
    citations = Citations(investigation, corpus)
    acts = list(dict.fromkeys(one.passage_id for change in changes.changes for one in change.by))
    for name in acts[:MOST_ACTS]:
        (passage,) = citations.passages([name])
        citations.of(Located(passage.text, ((name, Span(0, len(passage.text))),)))
    nothing = f"Nothing differs between the law of {changes.first} and that of {changes.last}."
    return Answer(
        question=investigation.question,
        language=investigation.plan.language,
        method=Method.BRIEF,
        sentences=(),
        citations=citations.made,
        unanswered="" if changes.changes else nothing,
        to_read=tuple(one.number for one in citations.made),
        milliseconds=1000 * (time.perf_counter() - started),
        changes=changes,
    )


# Model tasks of an answer; other tasks on the same meter belong to the case.
TASKS = (TASK, AGAIN_TASK)


def _day_of_law(investigation: Investigation) -> str:
    """Note the day whose law the answer states, for a question about another time (legal corpora)."""
    if not any(found.passage.number for found in investigation.passages):
        return ""
    day = investigation.day or investigation.started.date()
    return day_of_law(investigation.plan, investigation.settings, day)


def _lacking(asked: QuestionWords, investigation: Investigation) -> str:
    """Explain why the pool has no answer; empty if it may contain one.

    A pool with the provision that the question asks for by number contains one. If that provision does not
    exist, or the question fits several, no other passage answers."""
    named = investigation.plan.named
    shown = {one for found in investigation.passages for one in (found.passage.id, *found.assembled_ids)}
    if any(one.status is Naming.FOUND and not shown.isdisjoint(one.passage_ids) for one in named):
        return ""
    if named and asks_for_named_alone(investigation.plan):
        text = "; ".join(one.note for one in named)
        return f"{text[:1].upper()}{text[1:]}."
    if not investigation.passages:
        text = "Nothing was found for this question."
    elif investigation.evidence.status is EvidenceStatus.NONE:
        share = investigation.evidence.numbers.get("best", 0.0)
        text = f"The best passage contains {100 * share:.0f} % of what the question asks about."
    else:
        return ""
    if not asked.unknown:
        return text
    words = ", ".join(f"“{word}”" for word in asked.unknown[:6])
    verb = "does" if len(asked.unknown) == 1 else "do"
    return f"{text} {words} {verb} not occur in {investigation.corpus}."


def _in_part(investigation: Investigation) -> tuple[str, ...]:
    """Name the parts of the question without evidence if only some have it."""
    if investigation.evidence.status is not EvidenceStatus.PARTIAL:
        return ()
    return (f"{status_words(investigation.evidence)}.",)


def _of_force(sentences: Sequence[Sentence], citations: Citations) -> tuple[str, ...]:
    """Name the cited sources that are not in force."""
    made = citations.made
    cited = [made[number - 1] for number in sorted({n for one in sentences for n in one.citations})]
    old = [citation for citation in cited if citation.old]
    if not old:
        return ()
    if len(old) == len(cited):
        return (OUT_OF_FORCE_ONLY,)
    names = dict.fromkeys(f"{citation.short} ({citation.validity})" for citation in old)
    return (f"{plural(len(names), 'source')} of this answer not in force: {', '.join(names)}.",)


def _citation_at(corpus: Corpus, row: int) -> str:
    rows = np.array([row], np.int32)
    (passage,) = corpus.passages(rows)
    return short_citation(passage, corpus.documents()[int(corpus.document_numbers(rows)[0])])
