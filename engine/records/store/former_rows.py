"""The queries of a record of format 1, which tells of what they found only by the hits of ranked passages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from engine.records.wording import GAP_STRATEGY
from engine.retrieval.retrievers.dense import DENSE

Row = dict[str, Any]
HYPOTHETICAL, GAP = "hypothetical", "gap"


def former_queries(
    record: Mapping[str, Any],
) -> tuple[list[Row], list[Row], dict[str, tuple[int | None, float | None]]]:
    """The rows of the queries, no hits, and for each passage of the pool the query that found it and its
    similarity."""
    rows: list[Row] = []
    views, gaps = _views(record, rows), _gaps(record, rows)
    asked: dict[str, int] = {}
    for edge in record["pool"]["edges"]:
        if edge["source"] is None and edge["strategy"] == GAP_STRATEGY and edge["quote"] in gaps:
            asked.setdefault(edge["target"], gaps[edge["quote"]])
    ranked = {passage["id"]: passage for passage in record["passages"]}
    found = {}
    for node in record["pool"]["nodes"]:
        name = node["id"]
        hits = sorted(ranked.get(name, {}).get("hits", ()), key=lambda hit: hit["rank"])
        similar = [hit["score"] for hit in hits if hit["retriever"] == DENSE]
        query = views.get(hits[0]["view"]) if hits else None
        query = asked.get(name, query) if node["round"] else query
        found[name] = query, max(similar, default=None)
    return rows, [], found


def _views(record: Mapping[str, Any], rows: list[Row]) -> dict[str, int]:
    """Add the views of the question; their numbers by name."""
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
    """Add the queries for gaps; their numbers by text."""
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
