"""A case record as rows of the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from sqlalchemy import Table

from engine.model import AreaState
from engine.records.phrases import GAP_STRATEGY
from engine.records.plain import referring_passages
from engine.records.store.chain import in_utc
from engine.records.store.tables import COSTS, HITS, HOPS, PASSAGES, QUERIES, ROUNDS
from engine.retrieval.retrievers.registry import DENSE

# Queries of records of format 1, which contain only the hits of ranked passages.

Row = dict[str, Any]
HYPOTHETICAL, GAP = "hypothetical", "gap"


def former_queries(
    record: Mapping[str, Any],
) -> tuple[list[Row], list[Row], dict[str, tuple[int | None, float | None]]]:
    """Return rows of queries, no hits, and by passage the query that found it with its similarity."""
    rows: list[Row] = []
    views, gaps = _views(record, rows), _gaps(record, rows)
    gap_queries: dict[str, int] = {}
    for edge in record["pool"]["edges"]:
        if edge["source"] is None and edge["strategy"] == GAP_STRATEGY and edge["quote"] in gaps:
            gap_queries.setdefault(edge["target"], gaps[edge["quote"]])
    ranked = {passage["id"]: passage for passage in record["passages"]}
    found = {}
    for node in record["pool"]["nodes"]:
        name = node["id"]
        hits = sorted(ranked.get(name, {}).get("hits", ()), key=lambda hit: hit["rank"])
        similar = [hit["score"] for hit in hits if hit["retriever"] == DENSE]
        query = views.get(hits[0]["view"]) if hits else None
        query = gap_queries.get(name, query) if node["round"] else query
        found[name] = query, max(similar, default=None)
    return rows, [], found


def _views(record: Mapping[str, Any], rows: list[Row]) -> dict[str, int]:
    """Append the views of the question to the rows; return their numbers by name."""
    found: dict[str, list[float]] = defaultdict(list)
    hits: Counter[str] = Counter()
    for passage in record["passages"]:
        for hit in passage["hits"]:
            hits[hit["view"]] += 1
            if hit["retriever"] == DENSE:
                found[hit["view"]].append(hit["score"])
    views: dict[str, int] = {}
    for view in record["plan"]["views"]:
        if not view["enabled"]:
            continue
        views.setdefault(view["name"], len(rows))
        scores = found[view["name"]]
        rows.append(
            {
                "number": len(rows),
                "round": 0,
                "kind": view["name"],
                "language": record["plan"]["language"],
                "text": view["text"],
                "is_hypothetical": view["name"].startswith(HYPOTHETICAL),
                "weight": view["weight"],
                "area": "",
                "hits": hits[view["name"]],
                "top_similarity": max(scores, default=None),
                "mean_similarity": sum(scores) / len(scores) if scores else None,
                "milliseconds": None,
            }
        )
    return views


def _gaps(record: Mapping[str, Any], rows: list[Row]) -> dict[str, int]:
    """Append the queries for gaps to the rows; return their numbers by text."""
    answers = Counter(edge["quote"] for edge in record["pool"]["edges"] if edge["strategy"] == GAP_STRATEGY)
    gaps: dict[str, int] = {}
    for report in record["rounds"]:
        for query in report["queries"]:
            gaps.setdefault(query["text"], len(rows))
            rows.append(
                {
                    "number": len(rows),
                    "round": report["number"],
                    "kind": GAP,
                    "language": record["plan"]["language"],
                    "text": query["text"],
                    "is_hypothetical": False,
                    "weight": 1.0,
                    "area": query["name"],
                    "hits": answers[query["text"]],
                    "top_similarity": None,
                    "mean_similarity": None,
                    "milliseconds": None,
                }
            )
    return gaps


# Rows of a record.

Values = tuple[Any, ...]
# By passage: the number of the query that found it, and its similarity.
FoundBy = Mapping[str, tuple[int | None, float | None]]
# Records up to this format contain no searches.
WITHOUT_SEARCHES = 1


def rows_of(record: Mapping[str, Any]) -> dict[Table, list[Values]]:
    """Return the rows of a record by table: values in column order, without the number of the case."""
    former = record["format"] <= WITHOUT_SEARCHES
    queries, hits, by_query = former_queries(record) if former else _queries(record)
    passages, numbers = _passages(record, by_query)
    costs = [
        {"number": number, "task": task, **{name: used[name] for name in _USED}}
        for number, (task, used) in enumerate(record["usage"].items())
    ]
    return {
        ROUNDS: _values(ROUNDS, [_round(one, record["coverage"]) for one in record["rounds"]]),
        QUERIES: _values(QUERIES, queries),
        HITS: _values(HITS, hits),
        PASSAGES: _values(PASSAGES, passages),
        HOPS: list(_hops(record["pool"]["edges"], numbers)),
        COSTS: _values(COSTS, costs),
    }


def _values(table: Table, rows: Sequence[Row]) -> list[Values]:
    return list(map(itemgetter(*[column.name for column in table.c][1:]), rows))


_USED = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "milliseconds", "money")


def summary_of(record: Mapping[str, Any]) -> Row:
    """Return the columns of a case's row that come from its record."""
    metrics, estimate = record["metrics"], record["stop"]["completeness"]
    usage = list(record["usage"].values())
    paid = [used["money"] for used in usage]
    started = datetime.fromisoformat(record["started"]).astimezone(UTC)
    return {
        "started": in_utc(started),
        "completed": in_utc(started + timedelta(milliseconds=record["milliseconds"])),
        "question": record["question"],
        "parts": [part["text"] for part in record["evidence"]["parts"]],
        "language": record["plan"]["language"],
        "corpus": record["corpus"],
        "settings": record["settings"],
        "day": record["day"],
        "rounds": sum(one["number"] > 0 for one in record["rounds"]),
        "stop_reason": record["stop"]["reason"],
        "passages": len(record["passages"]),
        "pool": len(record["pool"]["nodes"]),
        "completeness": None if estimate is None else estimate["estimate"],
        "mean_similarity": metrics["similarity"],
        "top_similarity": metrics["similarity_top"],
        "coverage_score": metrics["coverage"],
        "reference_coverage": metrics["references"],
        "round_efficiency": metrics["efficiency"],
        "coherence": metrics["coherence"],
        "milliseconds": record["milliseconds"],
        "model": record["model"],
        "model_calls": sum(used["calls"] for used in usage),
        "tokens": sum(used["prompt_tokens"] + used["completion_tokens"] for used in usage),
        # One task without a known price makes the sum unknown.
        "money": None if None in paid else sum(paid),
        "evidence": record["evidence"]["status"],
    }


def search_text(question: str, name: str, notes: str) -> str:
    """Return the text that word search matches: question, name and notes in folded case."""
    return "\n".join((question, name, notes)).casefold()


def _round(report: Mapping[str, Any], areas: Sequence[Mapping[str, Any]]) -> Row:
    refusals: Counter[str] = Counter()
    for strategy in report["strategies"]:
        refusals.update(strategy["refused"])
    after, judged = report["coverage"]["after"], report["judged"] or {}
    names = {area["id"]: area["name"] for area in areas}
    return {
        "number": report["number"],
        "kinds": report.get("kinds", []),
        "purpose": report["purpose"],
        "seeds": len(report["seeds"]),
        "admitted": report["admitted"],
        "refused": report["refused"],
        "refusals": dict(refusals),
        "pool": report["pool_size"],
        "efficiency": report["efficiency"],
        "milliseconds": report["milliseconds"],
        "coverage_before": report["coverage"]["before"],
        "coverage_after": after,
        "gaps": [names.get(area, area) for area, state in after.items() if state != AreaState.COVERED],
        "judged_by": judged.get("by"),
        "is_sufficient": judged.get("sufficient"),
        "missing": list(judged.get("missing", ())),
        "confidence": judged.get("confidence"),
        "reasons": judged.get("reasons"),
    }


def _queries(record: Mapping[str, Any]) -> tuple[list[Row], list[Row], FoundBy]:
    """Return rows of queries and hits, and by passage the query that found it with its similarity."""
    queries: list[Row] = []
    hits: list[Row] = []
    for report in record["rounds"]:
        for search in report["searches"]:
            similar = [hit["similarity"] for hit in search["hits"] if hit["similarity"] is not None]
            queries.append(
                {
                    "number": search["number"],
                    "round": report["number"],
                    "kind": search["kind"],
                    "language": search["language"],
                    "text": search["text"],
                    "is_hypothetical": search["is_hypothetical"],
                    "weight": search["weight"],
                    "area": search["name"],
                    "hits": search["found"],
                    "top_similarity": max(similar, default=None),
                    "mean_similarity": sum(similar) / len(similar) if similar else None,
                    "milliseconds": search["milliseconds"],
                }
            )
            hits += [
                {
                    "number": len(hits) + place,
                    "query": search["number"],
                    "rank": place + 1,
                    "passage_id": hit["passage_id"],
                    "similarity": hit["similarity"],
                    "ranks": hit["ranks"],
                }
                for place, hit in enumerate(search["hits"])
            ]
    found = {node["id"]: (node["search"], node["similarity"]) for node in record["pool"]["nodes"]}
    return queries, hits, found


def _passages(record: Mapping[str, Any], found: FoundBy) -> tuple[list[Row], dict[str, int]]:
    pool = record["pool"]
    numbers: dict[str, int] = {node["id"]: number for number, node in enumerate(pool["nodes"])}
    ranked = {passage["id"]: passage for passage in record["passages"]}
    pinned, dismissed = set(pool["pinned"]), set(pool["dismissed"])
    areas: dict[str, list[str]] = defaultdict(list)
    for area in record["coverage"]:
        for one in area["evidence"]:
            areas[one].append(area["name"])
    # Counted from the hops, so that the two tables cannot disagree.
    referring = referring_passages(pool["edges"])
    rows = []
    for node, number in zip(pool["nodes"], numbers.values(), strict=True):
        name = node["id"]
        shown = ranked.get(name, {})
        query, similarity = found.get(name, (None, None))
        rows.append(
            {
                "number": number,
                "passage_id": name,
                "document_id": shown.get("document"),
                "rank": shown.get("rank"),
                "round": node["round"],
                "strategy": node["strategy"],
                "query": query,
                "gate_score": node["score"],
                "score": shown.get("score"),
                "similarity": similarity,
                "referenced_by": len(referring.get(name, ())),
                "areas": areas.get(name, []),
                "is_pinned": name in pinned,
                "is_dismissed": name in dismissed,
            }
        )
    return rows, numbers


def _hops(edges: Sequence[Mapping[str, Any]], numbers: Mapping[str, int]) -> Iterator[Values]:
    """Yield the rows of hops. There are thousands, so no dicts are made."""
    rest = itemgetter(*[column.name for column in HOPS.c][4:])
    for number, edge in enumerate(edges):
        source = edge["source"]
        yield number, None if source is None else numbers[source], numbers[edge["target"]], *rest(edge)
