"""An investigation as plain JSON values: one form for the command line, the page's API and files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Any

from engine.extraction.judging import UNWRITTEN
from engine.investigation.record import Investigation
from engine.model import AreaState, FoundBy, PartEvidence, RankedPassage, Relation, RoundReport
from engine.records.citation import short_citation
from engine.records.converting import plain
from engine.records.planned import plan_to_json
from engine.records.record import (
    DIGITS,
    FORMAT,
    AreaPart,
    EvidencePart,
    EvidencePartPart,
    HopPart,
    MetricsPart,
    NodePart,
    PassagePart,
    RetrieverPart,
    RoundPart,
    SearchPart,
    StopPart,
    ThreadPart,
    TransactionPart,
)
from engine.records.spending import usage_to_json
from engine.records.validity import badge, edition
from engine.retrieval.scan import in_ranking
from engine.threads import threads

# What the text of a passage says of another; all else is said by numbers.
WRITTEN = frozenset(relation.value for relation in Relation if relation not in UNWRITTEN)
_NOT_FOUND = FoundBy()


def investigation_to_json(investigation: Investigation) -> dict[str, Any]:
    """Everything about an investigation. Numbers are rounded to six digits.

    Keys: question, corpus, started, day, settings, evidence (whether the corpus bears the question), plan,
    threads (what the strategies that were followed say of themselves),
    passages, transaction, metrics, coverage, rounds, retrievers (what each gave to the passages), stop, pool,
    notes, model and usage (of the language model, by task), milliseconds. ``message``: nothing was found;
    ``weights``: by which learned weights it was ranked.
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
        "transaction": None if transaction is None else plain(TransactionPart, transaction),
        "metrics": plain(MetricsPart, investigation.metrics),
        "coverage": [plain(AreaPart, area, passages=len(area.evidence)) for area in investigation.areas],
        "rounds": [round_to_json(report, first) for report, first in zip(rounds, numbers, strict=False)],
        "threads": [
            plain(ThreadPart, thread)
            for name, thread in threads().items()
            if name in investigation.settings.strategies
        ],
        "retrievers": [
            plain(RetrieverPart, count)
            for report in rounds[:1]
            for count in in_ranking(investigation.passages, report.retrievers)
        ],
        "stop": plain(StopPart, investigation.stop),
        "pool": pool_to_json(investigation),
        "notes": list(investigation.notes),
        "model": investigation.model,
        "usage": usage_to_json(investigation.usage),
        "milliseconds": round(investigation.milliseconds, 2),
    }
    if investigation.weights:
        result["weights"] = investigation.weights
    if not investigation.passages:
        result["message"] = f"nothing in {investigation.corpus} answers to this question"
    return result


def part_to_json(part: PartEvidence) -> dict[str, Any]:
    """What was found for a part of a question, with its best passages, best first."""
    named = [
        {"id": passage.id, "citation": short_citation(passage, document)}
        for passage, document in part.passages
    ]
    return plain(EvidencePartPart, part, passages=named)


def passage_to_json(ranked: RankedPassage, day: date | None = None) -> dict[str, Any]:
    """A ranked passage with its score breakdown and trails; ``validity`` says what it was on a day."""
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
    """One round; ``gaps`` are the areas that lacked evidence after it. Its queries are numbered from
    ``first``."""
    states = {"before": report.before, "after": report.after}
    return plain(
        RoundPart,
        report,
        coverage={when: {area: state.value for area, state in of.items()} for when, of in states.items()},
        gaps=sorted(area for area, state in report.after.items() if state is not AreaState.COVERED),
        searches=[plain(SearchPart, one, number=number) for number, one in enumerate(report.searches, first)],
    )


def pool_to_json(investigation: Investigation) -> dict[str, Any]:
    """The passages of a pool with how each was found, all hops, and what people said of passages.

    ``search`` is the number of the query that found a passage, ``similarity`` its cosine to the question,
    ``referenced_by`` the passages of the pool whose text refers to it, ``areas`` what it is evidence for.
    """
    pool = investigation.pool
    edges = list(map(HopPart.plain, pool.hops()))
    referring, areas = referring_in(edges), defaultdict[str, list[str]](list)
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


def referring_in(edges: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For each passage that others refer to in words, those that do, in the order of the hops."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for edge in edges:
        if edge["source"] is not None and edge["relation"] in WRITTEN:
            # Whichever way it was followed, one of the two says it.
            says, said = edge["source"], edge["target"]
            if edge["direction"] == "in":
                says, said = said, says
            found[said][says] = None
    return {said: list(says) for said, says in found.items()}


def _day(day: Any) -> str | None:
    return None if day is None else str(day.isoformat())
