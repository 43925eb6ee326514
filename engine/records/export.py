"""A finished investigation as its record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Any

from engine.extraction.judging import UNWRITTEN
from engine.investigation.record import Investigation
from engine.llm import Usage
from engine.llm.cost import cache_words, currency_of, usage_values, usage_words
from engine.model import (
    AreaState,
    FoundBy,
    Metrics,
    PartEvidence,
    RankedPassage,
    Relation,
    RetrieverCount,
    RoundReport,
    Stop,
    Transaction,
)
from engine.records.context import badge, edition
from engine.records.phrases import short_citation
from engine.records.plain import plain, plan_to_json
from engine.records.record import (
    DIGITS,
    FORMAT,
    AreaPart,
    EvidencePart,
    EvidencePartPart,
    HopPart,
    NodePart,
    PassagePart,
    RoundPart,
    SearchPart,
    ThreadPart,
)
from engine.retrieval.scan import in_ranking
from engine.strategy_registry import load_strategies

# Use of language models, as plain values and in words.


def usage_to_json(usage: Mapping[str, Usage]) -> dict[str, Any]:
    """Return the use of each task; money is null if the price is unknown."""
    return {task: usage_values(used) for task, used in usage.items()}


def usage_lines(usage: Mapping[str, Usage], spec: str = "", head: str = "Language model") -> Iterator[str]:
    """Yield the total, a line for each task, and the savings by the provider's cache; nothing without use.

    ``spec`` is the model's; it determines the currency of prices.
    """
    if not usage:
        return
    currency = currency_of(spec)
    total = sum(usage.values(), Usage())
    yield f"{head}: {usage_words(total, currency)}"
    for task, used in usage.items():
        yield f"  {task}: {usage_words(used, currency)}"
    if cached := cache_words(total, currency):
        yield f"  {cached}"


# The record: one JSON form for the command line, the page's API and files.

# Relations that the text of a passage states; all others are computed.
WRITTEN = frozenset(relation.value for relation in Relation if relation not in UNWRITTEN)
_NOT_FOUND = FoundBy()


def investigation_to_json(investigation: Investigation) -> dict[str, Any]:
    """Return the record of an investigation, with numbers rounded to six digits.

    Keys: question, corpus, started, day, settings, evidence, plan, threads (descriptions of the strategies),
    passages, transaction, metrics, coverage, rounds, retrievers (contribution of each to the ranking), stop,
    pool, notes, model, usage (of the language model by task), milliseconds; ``message`` if no passage was
    found, ``weights`` (id) if learned weights were used.
    """
    day, rounds = investigation.day, investigation.rounds
    numbers = accumulate((len(report.searches) for report in rounds), initial=0)
    transaction = investigation.transaction
    evidence = investigation.evidence
    result: dict[str, Any] = {
        "format": FORMAT,
        "question": investigation.question,
        "corpus": investigation.corpus,
        "started": investigation.started.isoformat(timespec="seconds"),
        "day": _day(day),
        "settings": investigation.settings.model_dump(mode="json"),
        "evidence": plain(EvidencePart, evidence, parts=[part_to_json(part) for part in evidence.parts]),
        "plan": plan_to_json(investigation.plan),
        "passages": [passage_to_json(ranked, day) for ranked in investigation.passages],
        "transaction": None if transaction is None else plain(Transaction, transaction),
        "metrics": plain(Metrics, investigation.metrics),
        "coverage": [plain(AreaPart, area, passages=len(area.evidence)) for area in investigation.areas],
        "rounds": [round_to_json(report, first) for report, first in zip(rounds, numbers, strict=False)],
        "threads": [
            plain(ThreadPart, thread)
            for name, thread in load_strategies().items()
            if name in investigation.settings.strategies
        ],
        "retrievers": [
            plain(RetrieverCount, count)
            for report in rounds[:1]
            for count in in_ranking(investigation.passages, report.retrievers)
        ],
        "stop": plain(Stop, investigation.stop),
        "pool": pool_to_json(investigation),
        "notes": list(investigation.notes),
        "model": investigation.model,
        "usage": usage_to_json(investigation.usage),
        "milliseconds": round(investigation.milliseconds, 2),
    }
    if investigation.weights:
        result["weights"] = investigation.weights
    if not investigation.passages:
        result["message"] = f"nothing in {investigation.corpus} answers this question"
    return result


def part_to_json(part: PartEvidence) -> dict[str, Any]:
    """Return the evidence for a part of the question, with its best passages first."""
    named = [
        {"id": passage.id, "citation": short_citation(passage, document)}
        for passage, document in part.passages
    ]
    return plain(EvidencePartPart, part, passages=named)


def passage_to_json(ranked: RankedPassage, day: date | None = None) -> dict[str, Any]:
    """Return a ranked passage with its score breakdown and trails; ``validity`` refers to ``day``."""
    passage, document = ranked.passage, ranked.document
    validity = badge(passage, document, day) if day is not None else None
    return plain(
        PassagePart,
        ranked,
        id=passage.id,
        document=document.id,
        title=document.title,
        label=passage.label,
        headings=list(passage.headings),
        language=passage.language,
        page=passage.page,
        status=passage.status or document.status,
        valid_from=_day(passage.valid_from or document.valid_from),
        valid_to=_day(passage.valid_to or document.valid_to),
        validity=None if validity is None else validity.words,
        out_of_force=validity is not None and validity.old,
        edition=edition(document) or None,
        trails=[list(map(HopPart.plain, trail)) for trail in ranked.trails],
    )


def round_to_json(report: RoundReport, first: int) -> dict[str, Any]:
    """Return a round; ``gaps`` are areas without evidence after it. Queries are numbered from ``first``."""
    states = {"before": report.before, "after": report.after}
    return plain(
        RoundPart,
        report,
        coverage={when: {area: state.value for area, state in of.items()} for when, of in states.items()},
        gaps=sorted(area for area, state in report.after.items() if state is not AreaState.COVERED),
        searches=[plain(SearchPart, one, number=number) for number, one in enumerate(report.searches, first)],
    )


def pool_to_json(investigation: Investigation) -> dict[str, Any]:
    """Return the passages of a pool with how each was found, all hops, and the user's decisions.

    ``search`` is the number of the query that found a passage, ``similarity`` its cosine to the question,
    ``referenced_by`` the pool passages that refer to it, ``areas`` those that it is evidence for.
    """
    pool = investigation.pool
    edges = list(map(HopPart.plain, pool.hops()))
    referring, areas = referring_passages(edges), defaultdict[str, list[str]](list)
    for area in investigation.areas:
        for passage in area.evidence:
            areas[passage].append(area.id)
    nodes = []
    for entry in pool.entries():
        name = entry.passage_id
        found = investigation.found.get(name, _NOT_FOUND)
        similarity = None if found.similarity is None else round(found.similarity, DIGITS)
        nodes.append(
            plain(
                NodePart,
                entry,
                search=found.search,
                similarity=similarity,
                referenced_by=referring.get(name, []),
                areas=areas.get(name, []),
            )
        )
    return {
        "nodes": nodes,
        "edges": edges,
        "pinned": sorted(pool.pinned),
        "dismissed": sorted(pool.dismissed),
        "explored": sorted(pool.explored),
    }


def referring_passages(edges: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return for each passage those whose text refers to it, in the order of the hops."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for edge in edges:
        if edge["source"] is not None and edge["relation"] in WRITTEN:
            # A hop may follow a reference backwards.
            source, target = edge["source"], edge["target"]
            if edge["direction"] == "in":
                source, target = target, source
            found[target][source] = None
    return {target: list(source) for target, source in found.items()}


def _day(day: Any) -> str | None:
    return None if day is None else str(day.isoformat())
