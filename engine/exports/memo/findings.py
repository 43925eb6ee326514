"""Findings of a memo, missing evidence, and the history of the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from engine.answers.answer import answer
from engine.answers.case_audit import CaseAudit
from engine.answers.export import MISSING, WHAT_TO_TRY
from engine.answers.record import Answer, Method, Sentence, Support
from engine.corpus.protocol import Corpus
from engine.exports.memo.content import Area, Finding, Findings, Listed, Notes, Step, Words
from engine.investigation.record import Investigation
from engine.model import AreaCoverage, AreaState, EvidenceStatus, counted
from engine.records.phrases import PART_WORDS, Name, area_facts
from engine.records.plain import convert
from engine.records.record import CaseRecord
from engine.records.replaying import (
    STEPS,
    Dismiss,
    EditPlan,
    Follow,
    Need,
    Pin,
    Reject,
    Unreject,
    standing,
    step_of,
)
from engine.records.store.chain import BEGINNING, DESCRIBED, JUDGED, OPENED, RAN, UNDONE, Event, digest, seal
from engine.records.store.database import CaseSummary
from engine.strategy_registry import strategy_title

# Findings are sentences chosen from the sources if the corpus is open and has the case's texts, else the
# passages ranked first, as they are in the record.

# Most passages quoted without an answer, and most of the closest if nothing was found.
MOST_QUOTED, MOST_CLOSE = 8, 3
OWN_SENTENCES = (
    "The sentences are the sources' own. The engine chose them from the passages of the case when this memo "
    "was written; no language model wrote them."
)
RECORDED = (
    "The passages that the case ranks first, as its record has them. No sentences were chosen from them: "
    "{why}."
)
CLOSEST = "The passages that came closest; they do not answer the question."
NONE_RANKED = "The case ranks no passage."


def make_brief(investigation: Investigation, corpus: Corpus) -> Answer:
    """Return the brief: an answer in sentences of the sources."""
    return answer(investigation, corpus)


def findings_of_answer(answer: Answer, notes: Notes) -> Findings:
    """Return an answer as findings: sentences, limits, further reading."""
    lead = []
    if answer.missing:
        lead.append(" ".join(part for part in (MISSING, answer.unanswered, WHAT_TO_TRY) if part))
    else:
        lead += [OWN_SENTENCES] if answer.sentences and answer.method is Method.BRIEF else []
        lead += [answer.unanswered] if answer.unanswered else []
    sentences = tuple(_of_sentence(one, answer, notes) for one in answer.sentences)
    limits = tuple(
        Finding(
            Words(one.words),
            tuple(notes.of_citation(answer.citation(number)) for number in one.citations),
            own=False,
        )
        for one in answer.conflicts
    )
    to_read = tuple(
        Finding(
            Words(answer.citation(number).quote, answer.citation(number).language),
            (notes.of_citation(answer.citation(number)),),
        )
        for number in answer.to_read
    )
    shown = [one.words.text for one in (*sentences, *to_read)]
    return Findings((*lead, *answer.notes), sentences, notes.made(shown), limits, to_read, composed=True)


def findings_of_record(case: CaseRecord, notes: Notes, why: str) -> Findings:
    """Return the first passages of a record as findings; ``why`` explains the lack of an answer.

    If nothing was found they are shown as the closest passages.
    """
    if not case.passages:
        return Findings((NONE_RANKED,), (), ())
    none = case.evidence.status is EvidenceStatus.NONE
    chosen = case.passages[: MOST_CLOSE if none else MOST_QUOTED]
    quoted = tuple(Finding(Words(one.text, one.language), (notes.of_passage(one),)) for one in chosen)
    made = notes.made([one.words.text for one in quoted])
    if none:
        return Findings((CLOSEST,), (), made, to_read=quoted)
    return Findings((RECORDED.format(why=why),), quoted, made)


def _of_sentence(sentence: Sentence, answer: Answer, notes: Notes) -> Finding:
    numbers = tuple(notes.of_citation(answer.citation(number)) for number in sentence.citations)
    doubts: Sequence[str] = ()
    if sentence.support is not Support.FULL:
        doubts = (sentence.support.value, *sentence.doubts)
    return Finding(Words(sentence.text, sentence.language), numbers, area=sentence.area, doubts=tuple(doubts))


# Lists of missing evidence, from the retrieval audit.

# Most lines of a list.
MOST_LISTED = 12


def lacking_of(case: CaseRecord, audit: CaseAudit | None) -> tuple[Listed, ...]:
    """Return lists of terms and areas without evidence and, with an ``audit``, of gaps in the corpus."""
    evidence = case.evidence
    missing = [f"“{word}”" for word in evidence.missing]
    missing += [
        f"{part.text}: {PART_WORDS[part.status]}"
        for part in evidence.parts
        if part.status is not EvidenceStatus.FOUND
    ]
    lacking = [area for area in _needed(case) if area.state is not AreaState.COVERED]
    lists = [
        make_list("Terms and parts of the question without evidence", missing),
        make_list("Areas with weak or no evidence", [_lacks(area) for area in lacking]),
    ]
    if audit is not None:
        lists += _of_audit(audit)
    lists.append(make_list("What was switched off, shortened or left out", case.notes))
    return tuple(one for one in lists if one.lines)


def areas_of(case: CaseRecord) -> Iterator[Area]:
    """Yield the coverage of each required area in words."""
    for area in _needed(case):
        yield Area(area.name, area.state.value, _covered(area))


def _needed(case: CaseRecord) -> list[AreaCoverage]:
    return counted([convert(AreaCoverage, area) for area in case.coverage])


def make_list(title: str, lines: Sequence[str], most: int = MOST_LISTED) -> Listed:
    """Return the first lines under a title, with the number of the others."""
    return Listed(title, tuple(lines[:most]), max(0, len(lines) - most))


def _of_audit(audit: CaseAudit) -> list[Listed]:
    queries = [
        f"{one.purpose}: “{one.text}”, "
        + ("no passage has its words" if one.hits == 0 else "nothing that was not found before")
        for one in audit.zero_hits
    ]
    return [
        make_list("Queries without a hit", queries),
        make_list("References that lead nowhere", [f"“{text}”, in {by}" for text, by in audit.dead]),
        make_list("Referred to and not in the pool", audit.outside),
        make_list("Documents that nothing was found of", audit.unreached),
    ]


def _lacks(area: AreaCoverage) -> str:
    return f"{area.name}: {area.state.value}, {_covered(area)}"


def _covered(area: AreaCoverage) -> str:
    return "; ".join(area_facts(area))


# The history of a case, and the seals of its events.


def steps_of(events: Sequence[Event], name: Name) -> list[Step]:
    """Return each event as a step, with a remark if it was undone."""
    valid = {event.number for event in standing(events)}
    return [
        Step(
            event.at[:19].replace("T", " "),
            event.who,
            _describe_event(event, name) + ("" if event.number in valid else " (undone later)"),
        )
        for event in events
    ]


def check_seals(events: Sequence[Event], case: CaseSummary, record: Mapping[str, Any]) -> list[str]:
    """Return the results of checking the seals of events and of the record."""
    before, wrong = BEGINNING, []
    for place, event in enumerate(events):
        if event.number != place or seal(event, case.id, before).hash != event.hash:
            wrong.append(str(event.number))
        before = event.hash
    if wrong or len(events) != case.events:
        where = f"at event {', '.join(wrong)}" if wrong else "at its end"
        return [f"THE CHAIN OF EVENTS IS BROKEN {where}: the case was changed."]
    lines = [f"Each of the {len(events):,} events fits the one before it."]
    states = [event for event in events if event.state is not None]
    if states:
        own = digest(orjson.dumps(record, option=orjson.OPT_SORT_KEYS))
        lines.append(
            f"The record is the one that event {states[-1].number} sealed."
            if own == states[-1].state
            else f"THE RECORD IS NOT THE ONE that event {states[-1].number} sealed."
        )
    return lines


def _describe_event(event: Event, name: Name) -> str:
    data = event.data
    match event.kind:
        case kind if kind == OPENED:
            return "asked the question"
        case kind if kind == RAN:
            return "the engine investigated"
        case kind if kind == UNDONE:
            return f"undid event {data.get('event')} ({data.get('kind', 'a step')})"
        case kind if kind == DESCRIBED:
            named = [f"named the case “{data['name']}”"] if data.get("name") else []
            noted = ["wrote notes"] if "notes" in data else []
            return " and ".join([*named, *noted]) or "described the case"
        case kind if kind == JUDGED:
            return _verdict(data)
        case kind if kind in STEPS:
            return _step(event, name)
        case _:
            values = ", ".join(f"{key} {value}" for key, value in data.items())
            return " ".join(part for part in (event.kind.replace("_", " "), values) if part)


def _step(event: Event, name: Name) -> str:
    match step_of(event):
        case Pin(passage=passage):
            return f"pinned {name(passage)}"
        case Dismiss(passage=passage, reason=reason):
            return f"dismissed {name(passage)}" + (f": {reason}" if reason else ", without a reason")
        case Follow(passage=passage, strategies=strategies):
            return f"followed {name(passage)} by {', '.join(map(strategy_title, strategies))}"
        case Need(area=area, name=words, needed=needed):
            return f"marked “{words or area}” as {'needed after all' if needed else 'not needed'}"
        case EditPlan():
            return "edited the plan and ran the case again"
        case Reject(source=source, target=target, relation=relation, note=note):
            words = f"called the link “{relation.value}” from {name(source)} to {name(target)} wrong"
            return f"{words}: {note}" if note else words
        case Unreject(source=source, target=target, relation=relation):
            return f"called the link “{relation.value}” from {name(source)} to {name(target)} right after all"
        case _:
            return event.kind


def _verdict(data: Mapping[str, Any]) -> str:
    if data.get("verdict") is None:
        return "withdrew the verdict"
    words, right = f"verdict “{data['verdict']}”", data.get("verdict_right")
    return words if right is None else f"{words}; the engine was {'right' if right else 'wrong'}"
