"""Phrases for cases: citations, statuses, trails, stop reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from engine.ingestion.structure.assembly import EID
from engine.investigation.strategies.citations import ACROSS_LANGUAGES
from engine.investigation.strategies.metadata import READ_WHOLE
from engine.language.front_page import STANDARD
from engine.languages import words
from engine.model import (
    AreaCoverage,
    AreaState,
    Direction,
    Document,
    Evidence,
    EvidenceStatus,
    GapQuery,
    Hop,
    PartEvidence,
    Passage,
    Relation,
    RetrieverCount,
    Stop,
    StopReason,
    counted,
)
from engine.strategy_registry import load_strategies, strategy_title

# Citations in the style of the language, with page or element of the source.

# Year and number after the name in a title: ", 2010", "11 of 2012", "(No. 5) 2010".
_YEAR = re.compile(r"(?:\W|\d|No|of)*\b(?:1[5-9]|2[01])\d\d\)?")


def short_citation(passage: Passage, document: Document) -> str:
    """Return the short citation of a passage in trails: its document's shortest name and its label."""
    title = document.title or document.id
    # "Ports Act" may be the act of 1980 or of 2010.
    names = [one for one in document.aliases if not _YEAR.fullmatch(title.removeprefix(one))]
    name = min((*names, title), key=len)
    if is_edition(document):
        # All editions share the shortest name.
        name = f"{document.number}:{document.year}"
    return _joined(name, passage)


def pinpoint(passage: Passage) -> str:
    """Return label and page of a passage: "Pasal 25 ayat (1), p. 14"."""
    page = f"p. {passage.page}" if passage.page is not None else ""
    return ", ".join(part for part in (passage.label, page) if part)


def full_citation(passage: Passage, document: Document) -> str:
    """Return a citation for a memo: title, number and year, else issuer and date; label, page, id."""
    number = " of ".join(str(part) for part in (document.number, document.year) if part)
    if not number and (day := document.metadata.get("date")):
        number = ", ".join(filter(None, (document.issuer, str(day))))
    if is_edition(document):
        number = f"{document.number}:{document.year}"
    title = document.title or document.id
    if is_edition(document) and str(document.number) in title and str(document.year) in title:
        number = ""
    named = f"{title} ({number})" if number and number not in title else title
    if not passage.label:
        cited = named
    elif words(passage.language).citing.joined:
        cited = _joined(named, passage)
    else:
        cited = f"{named}, {passage.label}"
    page = f"p. {passage.page}" if passage.page is not None else ""
    eid = passage.metadata.get(EID)
    place = page or (f"eId {eid}" if eid else "")
    return ", ".join(part for part in (cited, place) if part) + f" [{passage.id}]"


def is_edition(document: Document) -> bool:
    """Return whether a document is an edition of a standard."""
    return document.type == STANDARD and bool(document.number and document.year)


def _joined(name: str, passage: Passage) -> str:
    if not passage.label:
        return name
    if passage.label.startswith(name) and name.isupper():
        # "COBS 3.4.1R" contains the name.
        return passage.label
    citing = words(passage.language).citing
    numbers = name[-1:].isdigit() and passage.label[:1].isdigit()
    form = citing.joined or ("{name}, {label}" if numbers else "{name} {label}")
    return form.format(name=name.strip(citing.marks) if citing.marks else name, label=passage.label)


# Trails, stops and scores, for the page and the command line. A hop is described from the passage that it
# reaches: "cited by COBS 3.4.2", "defines a term used in Art. 12". ``name`` maps an id to a short citation.

Name = Callable[[str], str]
GAP_STRATEGY = "gaps"
LONGEST_QUOTE, LONGEST_QUERY = 90, 400

# The relation of the target to the seed, for a link from the seed to the target and for one back. Each is a
# predicate that can follow "which".
_PREDICATES: dict[Relation, tuple[str, str]] = {
    Relation.CITES: ("is cited by {seed}", "cites {seed}"),
    Relation.AMENDS: ("is amended by {seed}", "amends {seed}"),
    Relation.REPEALS: ("is repealed by {seed}", "repeals {seed}"),
    Relation.SUPERSEDES: ("is superseded by {seed}", "supersedes {seed}"),
    # "X within the meaning of Article Y": the target of the reference contains the definition.
    Relation.DEFINES: ("defines a term used in {seed}", "uses a term that {seed} defines"),
    Relation.INTERPRETS: ("uses a term that {seed} explains", "explains a term used in {seed}"),
    Relation.EXCEPTION_TO: ("has an exception in {seed}", "makes an exception to {seed}"),
    Relation.SUBJECT_TO: ("prevails over {seed}", "is subject to {seed}"),
    Relation.WITHOUT_PREJUDICE_TO: ("is left as it is by {seed}", "leaves {seed} as it is"),
    Relation.EXTENDS: ("is extended by {seed}", "extends {seed}"),
    Relation.APPLIES_TO: ("is governed by {seed}", "applies to {seed}"),
    Relation.BASED_ON: ("is the basis of {seed}", "is based on {seed}"),
    Relation.PART_OF: ("is in the same part as {seed}", "is in the same part as {seed}"),
    Relation.NEXT_TO: ("is next to {seed}", "is next to {seed}"),
    Relation.MENTIONS: ("shares a term with {seed}", "shares a term with {seed}"),
    Relation.SIMILAR_TO: ("is similar in meaning to {seed}", "is similar in meaning to {seed}"),
    Relation.MATCHES: ("matches {seed}", "matches {seed}"),
    Relation.BELONGS_TO: ("is what {seed} belongs to", "belongs to {seed}"),
    Relation.REQUIRES: ("is required by {seed}", "requires {seed}"),
    Relation.PARENT_OF: ("is narrower than {seed}", "is wider than {seed}"),
}

# Position relative to the seed in the same document, by the detail of the strategy.
_PLACES: dict[str, str] = {
    "same section": "is in the same section as {seed}",
    "same chapter": "is in the same chapter as {seed}",
    "heading above": "is above {seed}",
    "next": "comes right after {seed}",
    "previous": "comes right before {seed}",
    "preamble": "is in the preamble to {seed}",
    "recital": "is a recital to {seed}",
    "annex": "is annexed to the document of {seed}",
    "schedule": "is scheduled to the document of {seed}",
    "definitions": "is among the definitions for {seed}",
}

STOP_WORDS: dict[StopReason, str] = {
    StopReason.ROUNDS: "all rounds done",
    StopReason.NOTHING_NEW: "the last round found nothing new",
    StopReason.TOO_LITTLE_NEW: "the last round found too little new",
    StopReason.POOL_FULL: "the limit of passages was reached",
    StopReason.COVERAGE: "coverage reached",
    StopReason.CONFIDENCE: "confidence reached",
    StopReason.COMPLETENESS: "completeness reached",
    StopReason.REFERENCES: "references found",
    StopReason.EFFICIENCY: "a round found little",
    StopReason.COHERENCE: "coherence reached",
    StopReason.CONDITION: "condition met",
    StopReason.SUFFICIENCY: "enough was found",
    StopReason.TIME: "time used up",
    StopReason.CALLS: "calls used up",
    StopReason.PERSON: "cancelled",
}
# Reasons by which an investigation ends before it is finished.
LIMITS = frozenset((StopReason.POOL_FULL, StopReason.TIME, StopReason.CALLS, StopReason.PERSON))


def ordinal(number: int) -> str:
    """Return an ordinal: 1st, 2nd, 3rd, 4th, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: "1 passage", "1,204 passages"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def hop_words(hop: Hop, name: Name) -> str:
    """Return a hop as a phrase without its quote: "scan, 3rd", "cited by COBS 3.4.2"."""
    if hop.source_id is not None:
        return _predicate(hop, name(hop.source_id)).removeprefix("is ")
    if hop.relation is Relation.CITES:
        return "named in the question"
    if hop.relation is Relation.DEFINES:
        return "defines a term of the question"
    if hop.relation is Relation.APPLIES_TO:
        return hop.detail
    query = gap_query(hop)
    start = _finder(hop.strategy, "") if query is None else _mid_sentence(query_title(query))
    return f"{start}, {ordinal(hop.rank)}" if hop.rank else start


def gap_query(hop: Hop) -> GapQuery | None:
    """Return the query for a gap at which a hop starts, None if it starts elsewhere."""
    if hop.source_id is not None or hop.strategy != GAP_STRATEGY:
        return None
    return hop.query or GapQuery(hop.quote)


def query_title(query: GapQuery) -> str:
    """Return a title for a query for a gap, with its area or part: "Query for the area Agency"."""
    name = query.name or query.area
    if not name:
        return "Query for what is missing"
    return f"Query for the {'part' if query.area.startswith('part-') else 'area'} {name}"


def query_words(query: GapQuery) -> str:
    """Return a query for a gap in one line: "Query for the area Agency: “powers of an agent”"."""
    return f"{query_title(query)}: “{query.text}”"


def hop_quote(hop: Hop, limit: int = LONGEST_QUOTE) -> str:
    """Return the quote of a link in quotation marks, shortened at a word; empty without a quote."""
    words = " ".join(hop.quote.split())
    if not words:
        return ""
    if len(words) > limit:
        words = words[:limit].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
    return f"“{words}”"


@dataclass(frozen=True, slots=True)
class Clause:
    """A hop of a trail as part of a sentence.

    ``quote`` is in quotation marks, or empty; a query is quoted in full.
    """

    hop: Hop
    words: str
    quote: str

    @property
    def asks(self) -> bool:
        """True if the quote is a query, not words of a source."""
        return gap_query(self.hop) is not None

    @property
    def text(self) -> str:
        """The phrase followed by the quote."""
        if not self.quote:
            return self.words
        return f"{self.words}: {self.quote}" if self.asks else f"{self.words} ({self.quote})"


def trail_clauses(trail: Sequence[Hop], name: Name) -> tuple[Clause, ...]:
    """Return the clauses of a trail, one per hop, from the passage back to the question."""
    return tuple(
        Clause(hop, _clause_words(hop, name, first=index == 0), hop_quote(hop, _longest(hop)))
        for index, hop in enumerate(reversed(trail))
    )


def trail_sentence(trail: Sequence[Hop], name: Name) -> str:
    """Return a sentence about why a passage was found.

    "Cited by COBS 3.4.2 (“in accordance with Rule 6.2.1”), which the scan ranked 3rd."
    """
    clauses = trail_clauses(trail, name)
    if not clauses:
        return ""
    sentence = ", which ".join(clause.text for clause in clauses)
    return sentence[:1].upper() + sentence[1:] + "."


def _longest(hop: Hop) -> int:
    return LONGEST_QUOTE if gap_query(hop) is None else LONGEST_QUERY


def _predicate(hop: Hop, seed: str) -> str:
    if hop.detail.startswith(READ_WHOLE):
        return f"is {hop.detail}, from {seed}"
    if hop.relation in (Relation.PART_OF, Relation.NEXT_TO) and hop.detail in _PLACES:
        return _PLACES[hop.detail].format(seed=seed)
    outward, inward = _PREDICATES[hop.relation]
    predicate = (outward if hop.direction is Direction.OUT else inward).format(seed=seed)
    return f"{predicate}, {hop.detail}" if hop.detail.startswith(ACROSS_LANGUAGES) else predicate


def _clause_words(hop: Hop, name: Name, *, first: bool) -> str:
    if hop.source_id is not None:
        predicate = _predicate(hop, name(hop.source_id))
        return predicate.removeprefix("is ") if first else predicate
    it = " it" if first else ""
    if hop.relation is Relation.CITES:
        return f"the question names{it}"
    if hop.relation is Relation.DEFINES:
        return "defines a term of the question"
    if hop.relation is Relation.APPLIES_TO:
        return hop.detail if first else f"is {hop.detail}"
    if (query := gap_query(hop)) is not None:
        return f"{'' if first else 'was '}found by a {_mid_sentence(query_title(query))}"
    finder = _finder(hop.strategy, "the ")
    return f"{finder} ranked{it} {ordinal(hop.rank)}" if hop.rank else f"{finder} found{it}"


def _mid_sentence(title: str) -> str:
    return title[:1].lower() + title[1:]


def _finder(strategy: str, article: str) -> str:
    """Return the finder of a passage: a strategy by its title, else "the scan", "the person"."""
    return f"“{strategy_title(strategy)}”" if strategy in load_strategies() else f"{article}{strategy}"


def stop_words(stop: Stop) -> str:
    """Return why an investigation ended: "Finished: coverage reached", "Stopped: time used up".

    With a condition of the settings: "Finished: condition met: rounds >= 1 and passages >= 30 (passages 41,
    rounds 1)".
    """
    if stop.reason is StopReason.PERSON:
        return "Cancelled"
    words = f"{'Stopped' if stop.reason in LIMITS else 'Finished'}: {STOP_WORDS[stop.reason]}"
    if not stop.condition:
        return words
    values = ", ".join(f"{name} {value:g}" for name, value in stop.numbers.items() if name != "wanted")
    return f"{words}: {stop.condition} ({values})"


def is_part(area: AreaCoverage) -> bool:
    """Return whether it is a part of the question, not an area of the corpus's ontology."""
    return area.id.startswith("part-")


def is_phrase(area: AreaCoverage) -> bool:
    """Return whether it is a phrase of the question, judged by its words alone."""
    return area.id.startswith("part-words-")


def area_facts(area: AreaCoverage) -> list[str]:
    """Return what is behind the state of an area or part: "1 of 2 good passages, 8 in all"."""
    found = len(area.evidence)
    if not found:
        facts = ["no passage shown has these words" if is_phrase(area) else "no passage"]
    elif is_phrase(area):
        facts = [f"{area.score:.0%} of its words", plural(found, "passage")]
    elif area.state is AreaState.COVERED:
        facts = [plural(area.good, "good passage") if area.good else plural(found, "passage")]
    elif area.good is None:
        facts = [f"{plural(found, 'passage')} of at least {area.minimum}"]
    elif area.good:
        facts = [f"{area.good} of {plural(area.minimum, 'good passage')}, {found} in all"]
    else:
        facts = [f"{plural(found, 'passage')}, none clearly on this"]
    if area.closed_in is not None and area.closed_in > 0:
        facts.append(f"since round {area.closed_in}")
    if area.query:
        new = plural(area.gained, "new passage") if area.gained else "nothing new found"
        facts.append(f"asked: “{area.query}”" + ("" if area.gained is None else f": {new}"))
    return facts


def coverage_lines(areas: Sequence[AreaCoverage], name: Name = str) -> Iterator[str]:
    """Yield the coverage of a case for a terminal, each gap with the flags that may close it."""
    needed = counted(areas)
    if not needed:
        return
    done = sum(area.state is AreaState.COVERED for area in needed)
    yield f"Coverage: {done} of {plural(len(needed), 'area')}"
    for area in needed:
        best = f"; best: {name(area.evidence[0])}" if area.evidence else ""
        yield f"  {area.name}: {area.state.value} ({'; '.join(area_facts(area))}){best}"
    if done < len(needed):
        unneeded = "" if all(map(is_part, needed)) else "; not needed: --transaction-type none"
        yield f"  Search more: --preset thorough{unneeded}; add texts: the command “add”"


def stop_coverage_words(stop: Stop) -> str:
    """Return what the rounds did for coverage: "the rounds closed 1 of 3 gaps"; empty if unknown."""
    numbers = stop.numbers
    if "closed_by_rounds" not in numbers:
        return ""
    closed = int(numbers["closed_by_rounds"])
    gaps = int(numbers["areas"] - numbers["covered"]) + closed
    if not gaps:
        return "no gap in the coverage"
    brought = int(numbers.get("gap_passages", 0))
    sent = int(numbers.get("gap_queries", 0))
    queries = (
        f", {plural(sent, 'gap query', 'gap queries')} brought {plural(brought, 'passage')}" if sent else ""
    )
    return f"the rounds closed {closed} of {plural(gaps, 'gap')}{queries}"


def sufficiency_words(number: int, by: str, sufficient: bool, missing: Sequence[str]) -> str:
    """Return a judgement of sufficiency: "Round 2: not enough yet, by the language model; missing: ..."."""
    who = "by the language model" if by == "model" else "by coverage and gain"
    named = f"; missing: {'; '.join(missing)}" if missing else ""
    return f"Round {number}: {'enough was found' if sufficient else 'not enough yet'}, {who}{named}"


# Labels of the shares that explain the completeness estimate.
EVIDENCE_WORDS = {
    "agreement": "Overlap of the first ten by words and by meaning",
    "yield": "Score of the last round's best passage relative to the best",
    "words": "Words of the question in the best passages",
    "references": "References of the best passages with their target in the pool",
}


PART_WORDS: dict[EvidenceStatus, str] = {
    EvidenceStatus.FOUND: "found",
    EvidenceStatus.PARTIAL: "found in part",
    EvidenceStatus.NONE: "nothing was found",
}


def status_words(evidence: Evidence) -> str:
    """Return an evidence status as a sentence, empty if the question is fully supported.

    "Nothing was found on this; without evidence: “Peru”"
    """
    if evidence.status is EvidenceStatus.FOUND:
        return ""
    none = evidence.status is EvidenceStatus.NONE
    status = "Nothing was found on this" if none else "Found in part"
    named = ", ".join(f"“{word}”" for word in evidence.missing)
    return f"{status}; without evidence: {named}" if named else status


def part_texts(parts: Sequence[PartEvidence]) -> list[str]:
    """Return the parts of a question without the text that all begin with: "… Who must be notified"."""
    texts = [part.text.rstrip(" .?!؟。？") for part in parts]
    shared = "".join(
        letters[0] for letters in takewhile(lambda one: len(set(one)) == 1, zip(*texts, strict=False))
    )
    start = max(shared.rfind(mark) + len(mark) if mark in shared else 0 for mark in (". ", "! ", "。 "))
    return [f"… {text[start:]}" if start else text[:1].upper() + text[1:] for text in texts]


def part_sentences(parts: Sequence[PartEvidence]) -> list[str]:
    """Return the evidence for each part with citations: "Who may waive it: found, Harbour Act Article 4"."""
    return [
        ", ".join((f"{text}: {part_words(part)}", *(short_citation(*found) for found in part.passages)))
        for text, part in zip(part_texts(parts), parts, strict=True)
    ]


def part_words(part: PartEvidence) -> str:
    """Return the evidence for a part: "found in part; without evidence: “Peru”"."""
    named = ", ".join(f"“{word}”" for word in part.missing)
    status = PART_WORDS[part.status]
    return f"{status}; without evidence: {named}" if named else status


def completeness_words(stop: Stop) -> str:
    """Return the estimate with its interval: "estimated 93% of relevant passages found (88 to 97%)"."""
    found = stop.completeness
    if found is None:
        return "completeness unknown"
    low, high = round(found.low * 100), round(found.high * 100)
    return f"estimated {round(found.estimate * 100)}% of relevant passages found ({low} to {high}%)"


def evidence_words(stop: Stop) -> str:
    """Return the evidence for the completeness estimate, empty if none is stored.

    "On the questions it was learned from, pools with such evidence held 93% of what is relevant, 8 in 10 of
    them 88 to 100%. Found by one way only: 12 of the best 30 passages. ..."
    """
    found = stop.completeness
    if found is None or not found.best:
        return ""
    low, high = round(found.low * 100), round(found.high * 100)
    facts = [
        "On the questions it was learned from, pools with such evidence held"
        f" {round(found.estimate * 100)}% of what is relevant, 8 in 10 of them {low} to {high}%",
        f"Found by one way only: {found.alone} of the best {plural(found.best, 'passage')}",
    ]
    for name, label in EVIDENCE_WORDS.items():
        if name in found.evidence:
            facts.append(f"{label}: {round(found.evidence[name] * 100)}%")
    return ". ".join(facts) + "."


def retriever_words(counts: Sequence[RetrieverCount]) -> str:
    """Return the number of hits of each active retriever: "bm25 120 (31 alone), dense 104 (15 alone)"."""
    return ", ".join(
        f"{count.retriever} {count.found:,}" + (f" ({count.alone:,} alone)" if count.alone else "")
        for count in counts
        if count.found
    )
