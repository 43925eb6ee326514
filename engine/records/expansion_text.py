"""An expansion tree as plain values and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from engine.investigation.pool import QUESTION_NODE
from engine.model import Hop
from engine.records.expansion import ExpansionTree
from engine.records.expansion_figures import Counts, Named, Names, Statistics, cited
from engine.records.phrases import Name, gap_query, hop_quote, hop_words, plural, query_title, query_words
from engine.records.record import DIGITS
from engine.strategy_registry import strategy_title

# The tree and its statistics as plain JSON values; ``docs/tree.md`` describes their fields.

TREE_FORMAT = 1


def tree_to_json(tree: ExpansionTree, names: Names, ids: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the tree, or the nodes with some ``ids``, as a list in which each follows its parent."""
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
    """Return a node with the hop on which it hangs; ``parent`` is null for the question."""
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
    """Return the descendants of a passage, each with its citation and the hop to it."""
    found = tree.descendants(node_id)
    nodes = tree_to_json(tree, names, [*tree.path(node_id), *found.passages])
    return {
        "of": node_id,
        "count": len(found.passages),
        "by_round": _keyed(found.by_round.items()),
        "by_strategy": dict(found.by_strategy),
        "by_relation": dict(found.by_relation),
        "reached": list(found.reached),
        **nodes,
    }


def statistics_to_json(found: Statistics) -> dict[str, Any]:
    """Return the statistics of a pool, rounded to six digits."""
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


def _passages(tree: ExpansionTree, ids: Sequence[str]) -> list[str]:
    """Return the passages to name with some nodes: themselves and their parents."""
    near = (one for node_id in ids for one in (node_id, tree.nodes[node_id].parent))
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


# The tree and its statistics as lines of text.

Key = TypeVar("Key")
# Prefixes of a node and of the lines below it: if siblings follow, and for the last one.
_FORK, _LAST, _CONTINUED, _BLANK = "├─ ", "└─ ", "│  ", "   "


def tree_lines(
    tree: ExpansionTree, names: Names, start: str = QUESTION_NODE, depth: int | None = None
) -> Iterator[str]:
    """Yield the tree below a node, one line per node; ``depth``: maximum number of levels."""
    shown = [start, *tree.below(start, depth)]
    words = _Words(tree, names, shown)
    yield words.of(start)
    waiting = _fan(tree.children(start), "", 1) if depth != 0 else []
    while waiting:
        before, last, own, level = waiting.pop()
        yield f"{before}{_LAST if last else _FORK}{words.of(own)}"
        below = before + (_BLANK if last else _CONTINUED)
        if level != depth:
            waiting += _fan(tree.children(own), below, level + 1)
        elif hidden := tree.nodes[own].descendants:
            yield f"{below}{_LAST}… {hidden:,} more below"


def _fan(children: Sequence[str], before: str, level: int) -> list[tuple[str, bool, str, int]]:
    """Return children to print in reverse order, each with its prefix, whether it is last, id and level."""
    return [(before, index == 0, child, level) for index, child in enumerate(reversed(children))]


class _Words:
    """Makes descriptions of nodes."""

    def __init__(self, tree: ExpansionTree, names: Names, ids: Sequence[str]) -> None:
        here = [one for one in ids if one in tree.nodes]
        near = dict.fromkeys(other for one in here for other in (one, tree.nodes[one].parent))
        passages = [one for one in near if one in tree.nodes and tree.nodes[one].query is None]
        self._tree, self._name = tree, cited(names(passages))
        self._hops = tree.first_hops(here)

    def of(self, node_id: str) -> str:
        if node_id == QUESTION_NODE:
            return _line(self._tree.facts.question) or "The question"
        node = self._tree.nodes[node_id]
        if node.query is not None:
            came = plural(node.descendants, "passage") if node.descendants else "nothing new"
            return _line(f"{query_words(node.query)} · {came} came through it")
        hop = self._hops.get(node_id)
        # The line above shows the query.
        quote = "" if hop is None or gap_query(hop) is not None else hop_quote(hop)
        parts = [
            f"{f'{node.rank}. ' if node.rank else ''}{self._name(node_id)}",
            "" if hop is None else f"{hop_words(hop, self._name)} {quote}".strip(),
            f"also by {node.also:,}" if node.also else "",
            f"{plural(node.descendants, 'passage')} came through it" if node.descendants else "",
        ]
        return _line(" · ".join(part for part in parts if part))


def _line(words: str) -> str:
    return " ".join(words.split())


def descendants_lines(tree: ExpansionTree, node_id: str, names: Names) -> Iterator[str]:
    """Yield the trail of a passage, the counts of its descendants, and the tree below it."""
    found = tree.descendants(node_id)
    path = tree.path(node_id)
    words = _Words(tree, names, path)
    yield words.of(QUESTION_NODE)
    for level, one in enumerate(path[:-1]):
        yield f"{_BLANK * level}{_LAST}{words.of(one)}"
    yield ""
    yield came_through(len(found.passages)) + "."
    if found.passages:
        threads = {strategy_title(name): count for name, count in found.by_strategy.items()}
        rounds = {_round(number): count for number, count in found.by_round.items()}
        relations = {_plain(name): count for name, count in found.by_relation.items()}
        for label, counts in (("thread", threads), ("round", rounds), ("relation", relations)):
            yield f"by {label}: {_counts_text(counts)}"
    if others := len(set(found.reached) - set(found.passages)):
        yield f"{plural(others, 'other passage')} can be reached from it, but were found another way first."
    yield ""


def came_through(count: int) -> str:
    """Return the number of passages below one: "12 passages came through this one"."""
    return f"{plural(count, 'passage') if count else 'No passage'} came through this one"


def statistics_lines(found: Statistics, known: Mapping[str, Named]) -> Iterator[str]:
    """Yield the statistics of a pool; ``known`` are the names of its passages."""
    name = cited(known)
    titles = {own.document: own.title for own in known.values()}
    queries = plural(found.queries, "query for gaps", "queries for gaps")
    yield f"{plural(found.passages, 'passage')}, {plural(found.hops, 'hop')}, {queries}"
    yield f"{plural(found.roots, 'root')}, {plural(found.leaves, 'leaf', 'leaves')}"
    yield (
        f"{found.connections:.1f} connections of a passage on average: {found.hops_in:.1f} hops lead to it, "
        f"{found.hops_out:.1f} from it"
    )
    yield f"longest trail: {plural(len(found.longest), 'hop')}: {_line(' → '.join(map(name, found.longest)))}"
    passages, hops = found.passages_by, found.hops_by
    yield from _table("thread", passages.thread, hops.thread, strategy_title)
    yield from _table("round", passages.round, hops.round, _round)
    yield from _table("relation", passages.relation, hops.relation, _plain)
    yield from _table("document", passages.document, hops.document, lambda one: titles.get(one, one))
    yield from _table("language", passages.language, hops.language, str)
    yield ""
    yield "Rounds: proposed, admitted, refused, ended after"
    for one in found.yields:
        share = "" if one.share is None else f" ({one.share:.0%})"
        refused = _counts_text({_plain(name): count for name, count in one.refused.items()})
        yield (
            f"  {_round(one.round)}: {one.proposed:,}, {one.admitted:,}{share}, "
            f"{sum(one.refused.values()):,}{f' ({refused})' if refused else ''}, {one.ended:,.0f} ms"
        )
    if found.largest:
        yield ""
        yield "Through which most passages came"
        yield from (f"  {count:>6,}  {_line(name(one))}" for one, count in found.largest.items())


def _table(
    title: str, passages: Mapping[Key, int], hops: Mapping[Key, int], words: Callable[[Key], str]
) -> Iterator[str]:
    yield ""
    yield f"By {title}: passages, hops"
    for key in [*passages, *(one for one in hops if one not in passages)]:
        label = "not known" if key == "" else _line(words(key))
        yield f"  {passages.get(key, 0):>6,} {hops.get(key, 0):>7,}  {label}"


def _round(number: int) -> str:
    return f"round {number}" if number else "scan"


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
