"""A case as text for a terminal: entities, queries, references, passages; its settings in words."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus, CorpusInfo
from engine.corpus.related import RelatedEntity, entity_graph
from engine.corpus.verifying import Verified
from engine.errors import SettingsError
from engine.ingestion.report import IngestionReport
from engine.investigation.record import (
    CoverageChanged,
    Event,
    PlanMade,
    Ranked,
    RoundFinished,
    ScanFinished,
    Stopped,
    SufficiencyJudged,
)
from engine.language.amendments import find_changes
from engine.model import Evidence, GapQuery, Hop, RankedPassage, Reference, Relation, RoundReport, TargetKind
from engine.records.context import badge
from engine.records.phrases import (
    completeness_words,
    evidence_words,
    gap_query,
    part_texts,
    part_words,
    plural,
    retriever_words,
    short_citation,
    status_words,
    stop_coverage_words,
    stop_words,
    sufficiency_words,
    trail_sentence,
)
from engine.records.plain import plan_line
from engine.settings import InvestigationSettings, Preset, preset, presets

# Settings in words: the nearest preset and the changed fields.

MOST_CHANGES = 3


def nearest(settings: InvestigationSettings) -> Preset:
    """Return the preset with the fewest changed fields; among equals the default, then the fastest."""
    available = presets()
    return min(
        available,
        key=lambda name: (len(list(changed_fields(settings, available[name]))), name != Preset.AUTO),
    )


def changed_fields(settings: InvestigationSettings, base: InvestigationSettings) -> Iterator[str]:
    """Yield the names of fields that differ; the order of lists does not matter."""
    for name in InvestigationSettings.model_fields:
        ours, theirs = getattr(settings, name), getattr(base, name)
        if isinstance(ours, tuple) and isinstance(theirs, tuple):
            ours, theirs = sorted(ours), sorted(theirs)
        if ours != theirs:
            yield name


def settings_words(settings: InvestigationSettings) -> str:
    """Return settings as a phrase: "Balanced", or "Balanced, changed: rounds 4, pool size 800 and 2 more"."""
    name = nearest(settings)
    names = list(changed_fields(settings, preset(name)))
    title = name.value.capitalize()
    if not names:
        return title
    shown = names[:MOST_CHANGES]
    changes = ", ".join(f"{field_words(one)} {value_words(getattr(settings, one))}" for one in shown)
    rest = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"{title}, changed: {changes}{rest}"


def field_words(name: str) -> str:
    """Return the name of a setting as words: "pool size"."""
    return name.replace("_", " ")


def value_words(value: object) -> str:
    """Return a value as words: "on", "4", "0.14", "none", "bm25, dense", "“power of attorney”; “proxy”"."""
    match value:
        case None | () | "":
            return "none"
        case bool():
            return "on" if value else "off"
        case date():
            return value.isoformat()
        case float() if value.is_integer():
            return str(int(value))
        case tuple():
            spaced = any(" " in one or "," in one for one in value)
            return "; ".join(f"“{one}”" for one in value) if spaced else ", ".join(value)
        case _:
            return str(value)


def day_words(day: date) -> str:
    """Return a day as words: "22 Nov 2026"."""
    return f"{day.day} {day:%b} {day.year}"


# Text for a terminal: entities, references, passages, reports.

# Queries for gaps that a case sent, with the ids of their nodes in the expansion tree.


@dataclass(frozen=True, slots=True)
class Sent:
    """A query and the round that sent it."""

    round: int
    query: GapQuery


def sent_by(hop: Hop) -> Sent | None:
    """Return the query at which a hop starts; None if it starts at a passage or at the question."""
    query = gap_query(hop)
    return None if query is None else Sent(hop.round, query)


def sent_queries(hops: Iterable[Hop], rounds: Iterable[RoundReport]) -> dict[Sent, str]:
    """Return all queries of the rounds, or of earlier hops, each with its node id, by round.

    Node ids of queries never equal a passage id.
    """
    queries = [Sent(report.number, query) for report in rounds for query in report.queries]
    others = {sent for hop in hops if (sent := sent_by(hop)) is not None} - {*queries}
    queries += sorted(others, key=lambda sent: (sent.query.area, sent.query.text))
    ordered = sorted(dict.fromkeys(queries), key=lambda sent: sent.round)
    return {sent: f"? {number}" for number, sent in enumerate(ordered)}


# Entities of a corpus with their relations.


def entities_named(corpus: Corpus, name: str) -> list[dict[str, Any]]:
    """Return the entities with a name or alias as plain values. Raises SettingsError if there are none."""
    graph = entity_graph(corpus)
    numbers = graph.numbers(" ".join(name.split()))
    if not numbers:
        raise SettingsError(f"{corpus.name} has no entity named {name!r}; use the full name")
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
    """Yield the lines of ``entities_named`` for a terminal."""
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


# References of a corpus as rows of text.


def reference_rows(corpus: Corpus, relation: Relation | None = None) -> Iterator[tuple[str, ...]]:
    """Yield the source id, target id (or empty), relation, status and quote of each reference.

    Amendments add the replaced and new words if the text states them. A reference to a section has the id of
    the section's first passage, one to a document the document's id. Parts of a divided provision have the
    provision's id.
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
    """Yield the changes that an amendment makes, if the text states them."""
    if reference.relation is not Relation.AMENDS:
        return
    rows = corpus.rows([reference.source_id])
    (passage,) = corpus.passages(rows)
    others = corpus.references(corpus.references_from(rows).numbers.tolist())
    spans = sorted({one.span for one in others if one.relation is Relation.AMENDS}, key=lambda one: one.start)
    found = find_changes(passage.text, reference.span, spans, passage.language)
    if found:
        yield "; ".join(" ".join(one.summary.split()) for one in found)


def source_ids(corpus: Corpus) -> dict[str, str]:
    """Return the id that the source uses for each passage whose own id differs."""
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    return {passage.id: passage.source_id for passage in passages if passage.id != passage.source_id}


def section_heads(corpus: Corpus) -> dict[str, str]:
    """Return the id of each section's first passage, by section id."""
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


# Reports and events of investigations.

WIDTH = 100
MOST_PROBLEMS = 20


def event_line(event: Event) -> str | None:
    """Return the line for an event, None for one without a line."""
    match event:
        case PlanMade(plan):
            return plan_line(plan)
        case ScanFinished(report, _, notes):
            finders = retriever_words(report.retrievers)
            line = f"Scan: {plural(report.admitted, 'candidate')}" + (f"; {finders}" if finders else "")
            return "\n".join((line, *(f"Note: {note}" for note in notes)))
        case RoundFinished(report, _):
            brought = ", ".join(f"{count.strategy} +{count.admitted}" for count in report.strategies)
            line = f"Round {report.number}: +{report.admitted} ({brought}); {report.refused:,} leads refused"
            return f"{line}\n  {report.purpose}" if report.purpose else line
        case Stopped(stop):
            given = {} if stop.condition else stop.numbers
            numbers = ", ".join(f"{name} {value:g}" for name, value in given.items())
            facts = (stop_words(stop), numbers, stop_coverage_words(stop), completeness_words(stop))
            line = " · ".join(filter(None, facts))
            return "\n".join(part for part in (line, evidence_words(stop)) if part)
        case SufficiencyJudged(number, by, sufficient, missing):
            return sufficiency_words(number, by, sufficient, missing)
        case Ranked(notes=notes) if notes:
            return "\n".join(f"Note: {note}" for note in notes)
        case CoverageChanged() | Ranked() | _:
            return None


def evidence_line(evidence: Evidence) -> str:
    """Return the evidence status in one line: "Evidence: none. Nothing was found on this"."""
    words = status_words(evidence)
    return f"Evidence: {evidence.status.value}." + (f" {words}." if words else "")


def parts_lines(evidence: Evidence) -> Iterator[str]:
    """Yield the evidence for each part of a question that asks several things."""
    if evidence.parts:
        yield f"The question has {len(evidence.parts)} parts:"
    for number, (text, part) in enumerate(zip(part_texts(evidence.parts), evidence.parts, strict=True), 1):
        line = f"{number}. {text}: {part_words(part)}"
        yield textwrap.fill(line, WIDTH, initial_indent="  ", subsequent_indent="     ")
        for passage, document in part.passages:
            yield f"     - {short_citation(passage, document)}  [{passage.id}]"


def passages_text(
    passages: tuple[RankedPassage, ...], corpus: Corpus, day: date | None = None
) -> Iterator[str]:
    """Yield ranked passages with citation, text and trails; with a ``day``, mark those not in force."""
    names = trail_names(passages, corpus)
    for ranked in passages:
        citation = short_citation(ranked.passage, ranked.document)
        validity = badge(ranked.passage, ranked.document, day) if day is not None else None
        old = f"  *** {validity.words.upper()} ***" if validity is not None and validity.old else ""
        yield f"\n{ranked.rank}. {citation}  [{ranked.passage.id}]  score {ranked.score:.3f}{old}"
        for line in ranked.text.splitlines():
            yield textwrap.fill(line, WIDTH, initial_indent="   ", subsequent_indent="   ")
        for other in ranked.same_words:
            yield f"   = same text as {names.get(other, other)}"
        for trail in ranked.trails[:2]:
            yield textwrap.fill(
                trail_sentence(trail, lambda passage_id: names.get(passage_id, passage_id)),
                WIDTH,
                initial_indent="   > ",
                subsequent_indent="     ",
            )


def trail_names(passages: tuple[RankedPassage, ...], corpus: Corpus) -> Mapping[str, str]:
    """Return short citations of all passages that trails pass through or that have the same text."""
    ids = {hop.source_id for p in passages for trail in p.trails for hop in trail if hop.source_id}
    ids |= {other for ranked in passages for other in ranked.same_words}
    return {name: short_citation(*found) for name, found in find_passages(corpus, sorted(ids)).items()}


def ingestion_text(report: IngestionReport) -> Iterator[str]:
    """Yield the report of an ingestion."""
    yield (
        f"{report.name}: {plural(report.documents, 'document')}, {plural(report.sections, 'section')}, "
        f"{plural(report.passages, 'passage')}, {plural(report.entities, 'entity', 'entities')}"
    )
    yield f"Languages: {_counts(report.languages)}"
    yield f"References by status: {_counts(report.references_by_status)}"
    yield f"References by relation: {_counts(report.references_by_relation)}"
    unread = f"; {report.not_embedded:,} not embedded (unsupported language)" if report.not_embedded else ""
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
    """Yield the summary of a corpus."""
    yield f"{info.name}: {plural(info.documents, 'document')}, {plural(info.passages, 'passage')}"
    yield f"Languages: {_counts(info.languages)}"
    yield f"References by status: {_counts(info.references_by_status)}"
    yield f"References by relation: {_counts(info.references_by_relation)}"
    yield f"Entities: {info.entities:,}"
    yield f"Embedding: {info.embedding}{_sparse_model(info.sparse)}"


def verified_text(found: Verified) -> Iterator[str]:
    """Yield the result of an integrity check of a corpus."""
    yield f"{found.name}: {plural(found.files, 'file')}, {found.bytes:,} bytes, published {found.created}"
    if found.entries:
        journals = ", ".join(f"{name} {plural(count, 'line')}" for name, count in found.entries.items())
        yield f"Journals: {journals}"
    yield f"SHA-256 of all: {found.digest} (note it elsewhere to detect later changes)"
    yield from (f"  {problem}" for problem in found.problems)
    if not found.problems:
        yield "Every file is as it was published."


def _sparse_model(spec: str) -> str:
    return "" if spec == "none" else f"; learned sparse: {spec}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
