"""An investigation as plain JSON values: one form for the command line, the page's API and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from engine.investigation.record import Investigation
from engine.model import (
    AreaCoverage,
    Evidence,
    Metrics,
    PartEvidence,
    RankedPassage,
    RetrieverCount,
    RoundJudgement,
    RoundReport,
    Stop,
)
from engine.records.citation import short_citation
from engine.records.planned import plan_to_json
from engine.records.pooled import gaps_of, hop_to_json, pool_to_json, searches_to_json
from engine.records.record import FORMAT
from engine.records.spending import usage_to_json
from engine.records.validity import badge, edition
from engine.retrieval.scan import in_ranking
from engine.threads import Thread, threads

DIGITS = 6


def investigation_to_json(investigation: Investigation) -> dict[str, Any]:
    """Everything about an investigation. Numbers are rounded to six digits.

    Keys: question, corpus, started, day, settings, evidence (whether the corpus bears the question), plan,
    threads (what the strategies that were followed say of themselves),
    passages, transaction, metrics, coverage, rounds, retrievers (what each gave to the passages), stop, pool,
    notes, model and usage (of the language model, by task), milliseconds. ``message``: nothing was found;
    ``weights``: by which learned weights it was ranked.
    """
    day = investigation.day
    searches = searches_to_json(investigation.rounds)
    result: dict[str, Any] = {
        "format": FORMAT,
        "question": investigation.question,
        "corpus": investigation.corpus,
        "started": investigation.started.isoformat(timespec="seconds"),
        "day": _day(day),
        "settings": investigation.settings.model_dump(mode="json"),
        "evidence": evidence_to_json(investigation.evidence),
        "plan": plan_to_json(investigation.plan),
        "passages": [passage_to_json(ranked, day) for ranked in investigation.passages],
        "transaction": None if investigation.transaction is None else asdict(investigation.transaction),
        "metrics": metrics_to_json(investigation.metrics),
        "coverage": [area_to_json(area) for area in investigation.areas],
        "rounds": [
            {**round_to_json(report), "searches": sent}
            for report, sent in zip(investigation.rounds, searches, strict=True)
        ],
        "threads": [
            thread_to_json(thread)
            for name, thread in threads().items()
            if name in investigation.settings.strategies
        ],
        "retrievers": [
            retriever_to_json(count)
            for report in investigation.rounds[:1]
            for count in in_ranking(investigation.passages, report.retrievers)
        ],
        "stop": stop_to_json(investigation.stop),
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


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """Whether the corpus bears the question, what of it nothing bears, the numbers, and the parts of a
    question that asks several things."""
    return {
        "status": evidence.status.value,
        "missing": list(evidence.missing),
        "numbers": {name: round(value, DIGITS) for name, value in evidence.numbers.items()},
        "parts": [part_to_json(part) for part in evidence.parts],
    }


def part_to_json(part: PartEvidence) -> dict[str, Any]:
    """What was found for a part of a question, with its best passages, best first."""
    return {
        "text": part.text,
        "status": part.status.value,
        "missing": list(part.missing),
        "passages": [
            {"id": passage.id, "citation": short_citation(passage, document)}
            for passage, document in part.passages
        ],
    }


def metrics_to_json(metrics: Metrics) -> dict[str, float | None]:
    """The figures of a case; null where there is nothing to measure."""
    return {name: None if value is None else round(value, DIGITS) for name, value in asdict(metrics).items()}


def passage_to_json(ranked: RankedPassage, day: date | None = None) -> dict[str, Any]:
    """A ranked passage with its score breakdown and trails; ``validity`` says what it was on a day."""
    passage, document = ranked.passage, ranked.document
    validity = badge(passage, document, day) if day is not None else None
    return {
        "rank": ranked.rank,
        "id": passage.id,
        "document": document.id,
        "title": document.title,
        "label": passage.label,
        "headings": list(passage.headings),
        "language": passage.language,
        "page": passage.page,
        "status": passage.status or document.status,
        "valid_from": _day(passage.valid_from or document.valid_from),
        "valid_to": _day(passage.valid_to or document.valid_to),
        "validity": None if validity is None else validity.words,
        "out_of_force": validity is not None and validity.old,
        "edition": edition(document) or None,
        "text": ranked.text,
        "assembled": list(ranked.assembled_ids),
        "score": round(ranked.score, DIGITS),
        "breakdown": [
            {"name": part.name, "value": round(part.value, DIGITS), "detail": part.detail}
            for part in ranked.breakdown
        ],
        "hits": [
            {
                "retriever": hit.retriever,
                "view": hit.view,
                "rank": hit.rank,
                "score": round(hit.score, DIGITS),
            }
            for hit in ranked.hits
        ],
        "trails": [[hop_to_json(hop) for hop in trail] for trail in ranked.trails],
        "pinned": ranked.pinned,
        "same_words": list(ranked.same_words),
    }


def area_to_json(area: AreaCoverage) -> dict[str, Any]:
    """Coverage of one area."""
    return {
        "id": area.id,
        "name": area.name,
        "state": area.state.value,
        "required": area.required,
        "passages": len(area.evidence),
        "minimum": area.minimum,
        "score": round(area.score, DIGITS),
        "closed_in": area.closed_in,
        "query": area.query,
        "evidence": list(area.evidence),
    }


def round_to_json(report: RoundReport) -> dict[str, Any]:
    """One round with what each strategy brought; ``gaps`` are the areas that lacked evidence behind it."""
    return {
        "number": report.number,
        "kinds": [kind.value for kind in report.kinds],
        "purpose": report.purpose,
        "seeds": list(report.seeds),
        "admitted": report.admitted,
        "refused": report.refused,
        "pool_size": report.pool_size,
        "efficiency": None if report.efficiency is None else round(report.efficiency, DIGITS),
        "milliseconds": round(report.milliseconds, 2),
        "queries": [asdict(query) for query in report.queries],
        "coverage": {
            "before": {area: state.value for area, state in report.before.items()},
            "after": {area: state.value for area, state in report.after.items()},
        },
        "gaps": gaps_of(report),
        "strategies": [
            {
                "strategy": count.strategy,
                "proposed": count.proposed,
                "admitted": count.admitted,
                "refused": _plain(count.refused),
                "milliseconds": round(count.milliseconds, 2),
            }
            for count in report.strategies
        ],
        "retrievers": [retriever_to_json(count) for count in report.retrievers],
        "judged": None if report.judged is None else judgement_to_json(report.judged),
    }


def judgement_to_json(judged: RoundJudgement) -> dict[str, Any]:
    """Whether enough was found after a round, who says so, and why."""
    return {
        "by": judged.by,
        "sufficient": judged.sufficient,
        "missing": list(judged.missing),
        "confidence": judged.confidence,
        "reasons": judged.reasons,
    }


def thread_to_json(thread: Thread) -> dict[str, Any]:
    """What a strategy says of itself; its colours are those of the page, light and dark."""
    return {
        "name": thread.name,
        "title": thread.title,
        "meaning": thread.meaning,
        "trust": thread.trust,
        "colour": asdict(thread.colour),
    }


def retriever_to_json(count: RetrieverCount) -> dict[str, Any]:
    """What a retriever gave; ``off`` says why it did not search."""
    return {
        "retriever": count.retriever,
        "found": count.found,
        "alone": count.alone,
        "first": count.first,
        "off": count.off,
        "milliseconds": None if count.milliseconds is None else round(count.milliseconds, 2),
    }


def stop_to_json(stop: Stop) -> dict[str, Any]:
    """The reason, the numbers behind it and the estimate of completeness."""
    estimate = stop.completeness
    return {
        "reason": stop.reason.value,
        "numbers": _plain(stop.numbers),
        "completeness": None
        if estimate is None
        else {
            "estimate": round(estimate.estimate, 4),
            "low": round(estimate.low, 4),
            "high": round(estimate.high, 4),
            "method": estimate.method,
            "best": estimate.best,
            "alone": estimate.alone,
            "evidence": {name: round(value, 4) for name, value in estimate.evidence.items()},
        },
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    # Reasons are enums: a JSON writer wants keys that are plain strings.
    return {str(key): value for key, value in values.items()}


def _day(day: Any) -> str | None:
    return None if day is None else str(day.isoformat())
