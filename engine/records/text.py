"""A case as text for a terminal: entities, queries, references, passages."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus, CorpusInfo
from engine.corpus.related import RelatedEntity, entity_graph
from engine.corpus.verifying import Verified
from engine.errors import SettingsError
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
from engine.language.amendments import changes_of
from engine.model import Evidence, GapQuery, Hop, RankedPassage, Reference, Relation, RoundReport, TargetKind
from engine.records.context import badge
from engine.records.plain import plan_line
from engine.records.wording import (
    completeness_words,
    evidence_words,
    gap_query,
    part_texts,
    part_words,
    plural,
    retriever_words,
    short_citation,
    status_words,
    stop_words,
    sufficiency_words,
    trail_sentence,
)

# The queries for gaps that a case has sent, and their names as nodes beside the passages.


@dataclass(frozen=True, slots=True)
class Sent:
    """A query and the round that sent it."""

    round: int
    query: GapQuery


def sent_by(hop: Hop) -> Sent | None:
    """The query at which a hop starts; None for a hop from a passage or from the question itself."""
    query = gap_query(hop)
    return None if query is None else Sent(hop.round, query)


def sent_queries(hops: Iterable[Hop], rounds: Iterable[RoundReport]) -> dict[Sent, str]:
    """All queries that the rounds sent, or that brought one of the hops before them, with the ids of their
    nodes, by round. No passage has such an id."""
    told = [Sent(report.number, query) for report in rounds for query in report.queries]
    others = {sent for hop in hops if (sent := sent_by(hop)) is not None} - {*told}
    told += sorted(others, key=lambda sent: (sent.query.area, sent.query.text))
    ordered = sorted(dict.fromkeys(told), key=lambda sent: sent.round)
    return {sent: f"? {place}" for place, sent in enumerate(ordered)}


# An entity of a corpus with what it is related to, as text and as plain values.


def entities_named(corpus: Corpus, name: str) -> list[dict[str, Any]]:
    """The entities of a name or alias, each with its relations. Raises SettingsError where there is none."""
    graph = entity_graph(corpus)
    numbers = graph.numbers(" ".join(name.split()))
    if not numbers:
        raise SettingsError(f"{corpus.name} has no entity named {name!r}; names are looked for whole")
    found = []
    for number in numbers:
        entity = graph.entity(number)
        found.append(
            {
                "id": entity.id,
                "name": entity.name,
                "kind": entity.kind.value,
                "language": entity.language,
                "score": entity.score,
                "aliases": list(entity.aliases),
                "roles": [{"role": role.name, "passage": role.source_id} for role in entity.roles],
                "definitions": list(entity.definitions),
                "passages": len(graph.passages(number)),
                "related": [_plain(one) for one in graph.related(number)],
            }
        )
    return found


def entity_lines(corpus: Corpus, name: str) -> Iterator[str]:
    """The same for a person to read."""
    for one in entities_named(corpus, name):
        kind = one["kind"].replace("_", " ")
        yield f"{one['name']}: {kind}, score {one['score']:.2f}, {plural(one['passages'], 'passage')}"
        if one["aliases"]:
            yield f"Also: {', '.join(one['aliases'])}"
        yield from (f"Role: {role['role']} ({role['passage']})" for role in one["roles"])
        if one["definitions"]:
            yield f"Defined by: {', '.join(one['definitions'])}"
        for other in one["related"]:
            detail = f" ({other['detail']})" if other["detail"] else ""
            where = f" [{', '.join(other['passages'])}]" if other["passages"] else ""
            yield f"  {other['relation']} {other['name']}{detail} {other['confidence']:.2f}{where}"


def _plain(one: RelatedEntity) -> dict[str, Any]:
    return {
        "relation": one.relation.value,
        "name": one.entity.name,
        "id": one.entity.id,
        "kind": one.entity.kind.value,
        "detail": one.detail,
        "confidence": round(one.confidence, 3),
        "passages": list(one.passages),
    }


# The references of a corpus as rows of text: from passage to passage, by the ids of the source.


def reference_rows(corpus: Corpus, relation: Relation | None = None) -> Iterator[tuple[str, ...]]:
    """Source id, target id or nothing, relation, status and quoted text of each reference; of one that amends
    also the replaced and the new words, where the text says them.

    A reference to a section is told by the section's first passage, one to a whole document by the
    document's id. Parts of a line that was cut count as the line.
    """
    sources = source_ids(corpus)
    heads = section_heads(corpus)
    for reference in corpus.all_references():
        if relation in (None, reference.relation):
            target = _target(reference, heads)
            yield (
                sources.get(reference.source_id, reference.source_id),
                sources.get(target, target),
                reference.relation.value,
                reference.status.value,
                " ".join(reference.text.split()),
                *_changes(corpus, reference),
            )


def _changes(corpus: Corpus, reference: Reference) -> Iterator[str]:
    """The words that a reference changes of its target."""
    if reference.relation is not Relation.AMENDS:
        return
    rows = corpus.rows([reference.source_id])
    (passage,) = corpus.passages(rows)
    others = corpus.references(corpus.references_from(rows).numbers.tolist())
    spans = sorted({one.span for one in others if one.relation is Relation.AMENDS}, key=lambda one: one.start)
    found = changes_of(passage.text, reference.span, spans, passage.language)
    if found:
        yield "; ".join(" ".join(one.summary.split()) for one in found)


def source_ids(corpus: Corpus) -> dict[str, str]:
    """The id by which the source knows a passage, for each passage where it is another one."""
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    return {passage.id: passage.source_id for passage in passages if passage.id != passage.source_id}


def section_heads(corpus: Corpus) -> dict[str, str]:
    """The id of each section's first passage, by section id."""
    numbers = corpus.section_numbers(np.arange(len(corpus), dtype=np.int32))
    count = int(corpus.info().metadata.get("sections", numbers.max(initial=-1) + 1))
    sections = corpus.sections(range(count))
    documents = sorted({section.document_id for section in sections})
    rows = dict(zip(documents, corpus.by_document(documents), strict=True))
    first = np.array([rows[section.document_id][section.first] for section in sections], np.int32)
    ids = [passage.id for passage in corpus.passages(first)]
    return {section.id: passage_id for section, passage_id in zip(sections, ids, strict=True)}


def _target(reference: Reference, heads: dict[str, str]) -> str:
    if reference.target_id is None:
        return ""
    if reference.target_kind is TargetKind.SECTION:
        return heads.get(reference.target_id, reference.target_id)
    return reference.target_id


# Reports and investigations as plain text for a terminal.

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
