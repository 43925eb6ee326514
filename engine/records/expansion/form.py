"""The tree and its figures as plain JSON values. Their fields are told in ``docs/tree.md``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from engine.investigation.pool import QUESTION_NODE
from engine.model import Hop
from engine.records.expansion.naming import Names, cited
from engine.records.expansion.statistics import Counts, Statistics
from engine.records.expansion.tree import ExpansionTree
from engine.records.record import DIGITS
from engine.records.wording import Name, hop_words, query_title

TREE_FORMAT = 1


def tree_to_json(tree: ExpansionTree, names: Names, ids: Iterable[str] | None = None) -> dict[str, Any]:
    """The tree, or of it the nodes of some ``ids``: a list in which each stands behind its parent."""
    wanted = [*tree.nodes] if ids is None else [*ids]
    name = cited(names(_passages(tree, wanted)))
    hops = tree.first_hops(wanted)
    return {
        "format": TREE_FORMAT,
        "question": tree.facts.question,
        "passages": len(tree.facts.ids),
        "hops": len(tree.facts.steps.columns.targets),
        "nodes": [node_to_json(tree, one, hops.get(one), name) for one in wanted],
    }


def node_to_json(tree: ExpansionTree, node_id: str, hop: Hop | None, name: Name) -> dict[str, Any]:
    """A node with the hop on which it hangs; ``parent`` is null where that is the question."""
    node = tree.nodes[node_id]
    known: dict[str, Any] = {
        "id": node.id,
        "kind": "passage" if node.query is None else "query",
        "parent": None if node.parent == QUESTION_NODE else node.parent,
        "round": node.round,
        "strategy": node.strategy,
        "children": len(node.children),
        "descendants": node.descendants,
    }
    if node.query is not None:
        return known | {"title": query_title(node.query)} | asdict(node.query)
    return known | {
        "citation": name(node.id),
        "score": node.score,
        "rank": node.rank,
        "hops": node.hops,
        "also": node.also,
        "relation": None if hop is None else hop.relation.value,
        "direction": None if hop is None else hop.direction.value,
        "words": "" if hop is None else hop_words(hop, name),
        "quote": "" if hop is None else hop.quote,
    }


def descendants_to_json(tree: ExpansionTree, node_id: str, names: Names) -> dict[str, Any]:
    """What came of a passage, each with its citation and how it was reached."""
    found = tree.descendants(node_id)
    told = tree_to_json(tree, names, [*tree.path(node_id), *found.passages])
    return {
        "of": node_id,
        "count": len(found.passages),
        "by_round": _keyed(found.by_round.items()),
        "by_strategy": dict(found.by_strategy),
        "by_relation": dict(found.by_relation),
        "reached": list(found.reached),
        **told,
    }


def statistics_to_json(found: Statistics) -> dict[str, Any]:
    """The figures of a pool, rounded to six digits."""
    return {
        "format": TREE_FORMAT,
        "passages": found.passages,
        "hops": found.hops,
        "queries": found.queries,
        "roots": found.roots,
        "leaves": found.leaves,
        "connections": round(found.connections, DIGITS),
        "hops_in": round(found.hops_in, DIGITS),
        "hops_out": round(found.hops_out, DIGITS),
        "depth": len(found.longest),
        "longest": list(found.longest),
        "largest": [{"id": one, "descendants": count} for one, count in found.largest.items()],
        "passages_by": _counts(found.passages_by),
        "hops_by": _counts(found.hops_by),
        "threads_by_round": {str(number): dict(some) for number, some in found.threads_by_round.items()},
        "rounds": [
            {
                "round": one.round,
                "proposed": one.proposed,
                "admitted": one.admitted,
                "refused": dict(one.refused),
                "share": None if one.share is None else round(one.share, DIGITS),
                "ended": round(one.ended, 2),
            }
            for one in found.yields
        ],
    }


def _passages(tree: ExpansionTree, wanted: Sequence[str]) -> list[str]:
    """The passages that are named where some nodes are told: they, and those that they hang on."""
    near = (one for node_id in wanted for one in (node_id, tree.nodes[node_id].parent))
    return [one for one in dict.fromkeys(near) if one in tree.nodes and tree.nodes[one].query is None]


def _counts(counts: Counts) -> dict[str, dict[str, int]]:
    return {
        "thread": dict(counts.thread),
        "round": _keyed(counts.round.items()),
        "relation": dict(counts.relation),
        "document": dict(counts.document),
        "language": dict(counts.language),
    }


def _keyed(pairs: Iterable[tuple[int, int]]) -> dict[str, int]:
    return {str(key): count for key, count in pairs}
