"""Pools of cases whose passages are numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from engine.review.model import Item
from tests.engine.review.judged import passage

RANKED, POOL = 12, 40


def pool(case_id: str = "case", ranked: int = RANKED, count: int = POOL) -> list[Item]:
    """Passages of a pool, the first of them ranked."""
    return list(_pool(case_id, ranked, count))


@cache
def _pool(case_id: str, ranked: int, count: int) -> tuple[Item, ...]:
    return tuple(
        replace(
            passage(f"p{number}", case_id=case_id),
            rank=number + 1 if number < ranked else None,
            ranking_size=ranked,
        )
        for number in range(count)
    )


def record_of(items: list[Item]) -> dict[str, Any]:
    """The record of their case: the gate thinks less of each than of the one before; every third was found
    by two strategies; retrievers disagree the more the lower the rank."""
    return {
        "pool": {
            "nodes": [{"id": item.passage_id, "score": 1 - n / 100} for n, item in enumerate(items)],
            "edges": [
                {"target": item.passage_id, "strategy": strategy}
                for n, item in enumerate(items)
                for strategy in (("scan",) if n % 3 else ("scan", "links"))
            ],
        },
        "passages": [
            {
                "id": item.passage_id,
                "hits": [
                    {"retriever": "dense", "rank": 1},
                    {"retriever": "lexical", "rank": item.rank},
                    {"retriever": "lexical", "rank": 1000},
                ],
            }
            for item in items
            if item.rank is not None
        ],
    }
