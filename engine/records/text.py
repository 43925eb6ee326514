"""Reports and investigations as plain text for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date

from engine.corpus.protocol import Corpus, CorpusInfo
from engine.corpus.verifying import Verified
from engine.ingestion.report import IngestionReport
from engine.investigation.events import (
    CoverageChanged,
    Event,
    PlanMade,
    Ranked,
    RoundFinished,
    ScanFinished,
    Stopped,
    SufficiencyJudged,
)
from engine.model import Evidence, RankedPassage
from engine.records.citation import short_citation
from engine.records.planned import plan_line
from engine.records.validity import badge
from engine.records.wording import (
    completeness_words,
    evidence_words,
    part_texts,
    part_words,
    plural,
    retriever_words,
    status_words,
    stop_words,
    sufficiency_words,
    trail_sentence,
)

WIDTH = 100
MOST_PROBLEMS = 20


def event_line(event: Event) -> str | None:
    """One line of the story, None for an event that has nothing to add to it."""
    match event:
        case PlanMade(plan):
            return plan_line(plan)
        case ScanFinished(report, _, notes):
            finders = retriever_words(report.retrievers)
            told = f"Scan: {plural(report.admitted, 'candidate')}" + (f"; {finders}" if finders else "")
            return "\n".join((told, *(f"Note: {note}" for note in notes)))
        case RoundFinished(report, _):
            brought = ", ".join(f"{count.strategy} +{count.admitted}" for count in report.strategies)
            told = f"Round {report.number}: +{report.admitted} ({brought}); {report.refused:,} leads refused"
            return f"{told}\n  {report.purpose}" if report.purpose else told
        case Stopped(stop):
            numbers = ", ".join(f"{name} {value:g}" for name, value in stop.numbers.items())
            told = " · ".join(part for part in (stop_words(stop), numbers, completeness_words(stop)) if part)
            return "\n".join(part for part in (told, evidence_words(stop)) if part)
        case SufficiencyJudged(number, by, sufficient, missing):
            return sufficiency_words(number, by, sufficient, missing)
        case Ranked(notes=notes) if notes:
            return "\n".join(f"Note: {note}" for note in notes)
        case CoverageChanged() | Ranked() | _:
            return None


def evidence_line(evidence: Evidence) -> str:
    """Whether the corpus bears the question, in one line: "Evidence: none. Nothing was found on this"."""
    words = status_words(evidence)
    return f"Evidence: {evidence.status.value}." + (f" {words}." if words else "")


def parts_lines(evidence: Evidence) -> Iterator[str]:
    """What was found for each part of a question that asks several things; nothing for one that asks one."""
    if evidence.parts:
        yield f"The question has {len(evidence.parts)} parts:"
    for number, (text, part) in enumerate(zip(part_texts(evidence.parts), evidence.parts, strict=True), 1):
        told = f"{number}. {text}: {part_words(part)}"
        yield textwrap.fill(told, WIDTH, initial_indent="  ", subsequent_indent="     ")
        for passage, document in part.passages:
            yield f"     - {short_citation(passage, document)}  [{passage.id}]"


def passages_text(
    passages: tuple[RankedPassage, ...], corpus: Corpus, day: date | None = None
) -> Iterator[str]:
    """The ranked passages, each with its citation, its text and why it is here.

    With a ``day``, what was not in force on it says so behind its citation.
    """
    names = trail_names(passages, corpus)
    for ranked in passages:
        citation = short_citation(ranked.passage, ranked.document)
        validity = badge(ranked.passage, ranked.document, day) if day is not None else None
        old = f"  *** {validity.words.upper()} ***" if validity is not None and validity.old else ""
        yield f"\n{ranked.rank}. {citation}  [{ranked.passage.id}]  score {ranked.score:.3f}{old}"
        for line in ranked.text.splitlines():
            yield textwrap.fill(line, WIDTH, initial_indent="   ", subsequent_indent="   ")
        for other in ranked.same_words:
            yield f"   = the same words as {names.get(other, other)}"
        for trail in ranked.trails[:2]:
            yield textwrap.fill(
                trail_sentence(trail, lambda passage_id: names.get(passage_id, passage_id)),
                WIDTH,
                initial_indent="   > ",
                subsequent_indent="     ",
            )


def trail_names(passages: tuple[RankedPassage, ...], corpus: Corpus) -> Mapping[str, str]:
    """Short citations of all passages that the trails pass through, and of those with the same words."""
    ids = {hop.source_id for p in passages for trail in p.trails for hop in trail if hop.source_id}
    ids |= {other for ranked in passages for other in ranked.same_words}
    rows = corpus.rows(sorted(ids))
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    return {
        passage.id: short_citation(passage, documents[number])
        for passage, number in zip(corpus.passages(rows), numbers, strict=True)
    }


def ingestion_text(report: IngestionReport) -> Iterator[str]:
    """The report of an ingestion."""
    yield (
        f"{report.name}: {plural(report.documents, 'document')}, {plural(report.sections, 'section')}, "
        f"{plural(report.passages, 'passage')}, {plural(report.entities, 'entity', 'entities')}"
    )
    yield f"Languages: {_counts(report.languages)}"
    yield f"References by status: {_counts(report.references_by_status)}"
    yield f"References by relation: {_counts(report.references_by_relation)}"
    unread = (
        f"; {report.not_embedded:,} not embedded (a language it does not read)" if report.not_embedded else ""
    )
    yield f"Embedding: {report.embedding}{unread}{_sparse_model(report.sparse)}"
    steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in report.seconds.items())
    yield f"Time: {report.total_seconds:.1f} s ({steps})"
    if report.files:
        states = Counter(str(file.status) for file in report.files)
        unchanged = sum(file.reused for file in report.files)
        yield f"Files: {_counts(states)}" + (f"; {unchanged:,} unchanged" if unchanged else "")
    if report.problems:
        yield f"{plural(len(report.problems), 'problem')}:"
        yield from (f"  {problem}" for problem in report.problems[:MOST_PROBLEMS])
        if len(report.problems) > MOST_PROBLEMS:
            yield f"  and {len(report.problems) - MOST_PROBLEMS:,} more (all of them with --json)"


def info_text(info: CorpusInfo) -> Iterator[str]:
    """What a corpus holds."""
    yield f"{info.name}: {plural(info.documents, 'document')}, {plural(info.passages, 'passage')}"
    yield f"Languages: {_counts(info.languages)}"
    yield f"References by status: {_counts(info.references_by_status)}"
    yield f"References by relation: {_counts(info.references_by_relation)}"
    yield f"Entities: {info.entities:,}"
    yield f"Embedding: {info.embedding}{_sparse_model(info.sparse)}"


def verified_text(found: Verified) -> Iterator[str]:
    """What came of looking at every byte of a corpus."""
    yield f"{found.name}: {plural(found.files, 'file')}, {found.bytes:,} bytes, published {found.created}"
    if found.entries:
        journals = ", ".join(f"{name} {plural(count, 'line')}" for name, count in found.entries.items())
        yield f"Beside them: {journals}"
    yield f"SHA-256 of all: {found.digest} (kept elsewhere, it tells later whether anything was changed)"
    yield from (f"  {problem}" for problem in found.problems)
    if not found.problems:
        yield "Every file is as it was published."


def _sparse_model(spec: str) -> str:
    return "" if spec == "none" else f"; learned sparse: {spec}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
