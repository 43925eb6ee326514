"""Pools grown at random, with queries for gaps and circles, and what a record says of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hypothesis import strategies as st

from engine.investigation.pool import Pool
from engine.model import Direction, GapQuery, Hop, Metrics, Relation
from engine.records.expansion import PoolFacts, facts_of_pool
from engine.records.record import DIGITS, HopPart

QUESTION = "Who may moor?"
_NOTHING_FOUND: dict[str, Any] = {
    "format": 2,
    "question": QUESTION,
    "corpus": "harbour",
    "started": "2026-01-05T10:00:00+00:00",
    "day": None,
    "settings": {},
    "plan": {"question": QUESTION, "views": []},
    "transaction": None,
    "evidence": {"status": "none", "missing": [], "numbers": {}, "parts": []},
    "metrics": asdict(Metrics()),
    **{name: [] for name in ("passages", "coverage", "rounds", "threads", "retrievers", "notes")},
    "stop": {"reason": "rounds", "numbers": {}, "completeness": None},
    "model": "",
    "usage": {},
    "milliseconds": 0.0,
}
RELATIONS = [Relation.CITES, Relation.PART_OF, Relation.AMENDS]


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Pools grown by hops that a case could have found, in any order."""
    pool = Pool(limit=20)
    for _ in range(draw(st.integers(0, 50))):
        known = [None, *(entry.passage_id for entry in pool.entries())]
        source, target = draw(st.sampled_from(known)), f"p{draw(st.integers(0, 14))}"
        if source == target:
            continue
        number, score = draw(st.integers(0, 3)), draw(st.sampled_from([0.1, 0.5, 0.123456789]))
        if source is not None:
            strategy, relation = (
                draw(st.sampled_from(["citations", "entities"])),
                draw(st.sampled_from(RELATIONS)),
            )
            hop = Hop(target, source, strategy, relation, Direction.OUT, number, 0.5, "by Article 4", source)
        elif draw(st.booleans()):
            query = GapQuery(f"what of {draw(st.integers(0, 2))}", "area", "Area")
            hop = Hop(
                target, None, "gaps", Relation.MATCHES, Direction.OUT, number, 0.5, query.text, query=query
            )
        else:
            hop = Hop(target, None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.5, rank=1)
        pool.admit(hop, int(target[1:]), score)
    return pool


def facts(pool: Pool) -> PoolFacts:
    """What a tree is made of, of a pool whose case is not over."""
    return facts_of_pool(QUESTION, pool, (), ())


def record_of(pool: Pool) -> dict[str, Any]:
    return {
        **_NOTHING_FOUND,
        "pool": {
            "nodes": [
                {
                    "id": one.passage_id,
                    "round": one.round,
                    "strategy": one.strategy,
                    "score": round(one.score, DIGITS),
                    "search": None,
                    "similarity": None,
                    "referenced_by": [],
                    "areas": [],
                }
                for one in pool.entries()
            ],
            "edges": [HopPart.plain(hop) for hop in pool.hops()],
            "pinned": [],
            "dismissed": [],
            "explored": [],
        },
    }
