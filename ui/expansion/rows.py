"""The lines of the tree: what of it is open, each node with how it was reached and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.investigation.pool import QUESTION_NODE
from engine.language.characters import marked
from engine.model import Hop
from engine.records.expansion import ExpansionTree
from engine.records.expansion.text import came_through
from engine.records.wording import Name, gap_query, hop_quote, hop_words, ordinal, query_title
from ui.palette import thread

# Of one node's children so many are sent at first, and with each "more"; of the whole tree at most so many.
CHILDREN_SHOWN, ROWS_SHOWN = 60, 600
# Branches that are open where nobody has opened or folded any.
OPEN_AT_FIRST = 4
QUOTE_LENGTH = 90


@dataclass(frozen=True, slots=True)
class Row:
    """A line: a node, or how many more children there are (``more``). ``level`` counts from 2, below the
    question; ``open`` is None for a node without children."""

    id: str
    level: int
    position: int
    siblings: int
    open: bool | None = None
    kind: str = "passage"
    token: str = ""
    rank: int | None = None
    rank_words: str = ""
    name: str = ""
    why: str = ""
    quote: str = ""
    also: str = ""
    below: int = 0
    below_words: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Branches:
    """What of a tree is shown: nodes that are ``open``, the ``path`` to the selected passage, which is open
    as well, and where something is searched the nodes that are ``kept``."""

    open: Collection[str]
    path: Sequence[str] = ()
    kept: Collection[str] | None = None


class Spot(NamedTuple):
    """A node that is shown, its level, and its place among its siblings; with the place -n: n more of its
    children, which are not sent."""

    node: str
    level: int
    place: int


class Spread(NamedTuple):
    """What is shown, in order, and the nodes whose children are."""

    spots: Sequence[Spot]
    unfolded: Collection[str]


def first_open(tree: ExpansionTree) -> list[str]:
    """The branches that are open at first: the best of the question's that have any."""
    return [one for one in tree.roots if tree.nodes[one].children][:OPEN_AT_FIRST]


def spread(tree: ExpansionTree, shown: Branches) -> Spread:
    """What is shown of a tree. Where that is too much, further branches stay folded."""
    spots: list[Spot] = []
    unfolded: set[str] = set()
    waiting = _children(tree, QUESTION_NODE, 2, shown)
    while waiting:
        spot = waiting.pop()
        spots.append(spot)
        if spot.place < 0 or not _is_open(spot.node, shown):
            continue
        below = _children(tree, spot.node, spot.level + 1, shown)
        if spot.node in shown.path or len(spots) + len(waiting) + len(below) <= ROWS_SHOWN:
            unfolded.add(spot.node)
            waiting += below
    return Spread(spots, unfolded)


def _is_open(node: str, shown: Branches) -> bool:
    return node in shown.open or node in shown.path[:-1] or shown.kept is not None


def _children(tree: ExpansionTree, node: str, level: int, shown: Branches, first: int = 0) -> list[Spot]:
    """The children of a node that are sent, the last first; in front of them how many more are not."""
    every = tree.children(node)
    if shown.kept is not None:
        every = tuple(one for one in every if one in shown.kept)
    # The selected passage is sent, however far behind it stands.
    there = max((every.index(one) + 1 for one in shown.path if one in every), default=0)
    most = max(first + CHILDREN_SHOWN, there)
    sent = [Spot(one, level, place) for place, one in enumerate(every[first:most], start=first)]
    rest = [Spot(node, level, most - len(every))] if len(every) > most else []
    return [*rest, *reversed(sent)]


def branch(tree: ExpansionTree, node: str, level: int, first: int) -> Spread:
    """The children of a node from the ``first`` on, none of them open."""
    return Spread([*reversed(_children(tree, node, level, Branches(()), first))], ())


def rows(tree: ExpansionTree, shown: Spread, name: Name) -> Iterator[Row]:
    """The lines of what is shown."""
    hops = tree.first_hops([node for node, _, place in shown.spots if place >= 0])
    for node_id, level, place in shown.spots:
        if place < 0:
            count = len(tree.children(node_id))
            yield Row(node_id, level, count, count, more=-place)
            continue
        node = tree.nodes[node_id]
        hop, query = hops.get(node_id), node.query
        siblings = len(tree.children(node.parent))
        said = "" if hop is None or gap_query(hop) is not None else hop_quote(hop, QUOTE_LENGTH)
        yield Row(
            node_id,
            level,
            place + 1,
            siblings,
            open=node_id in shown.unfolded if node.children else None,
            kind="passage" if query is None else "query",
            token=thread(node.strategy).token,
            rank=node.rank,
            rank_words=f"{ordinal(node.rank)} in the ranking" if node.rank else "",
            name=marked(name(node_id) if query is None else query.text),
            why=marked(_why(tree, node_id, hop, name)),
            quote=marked(said.strip("“”")),
            also=f"also by {node.also:,}" if node.also else "",
            below=node.descendants,
            below_words=came_through(node.descendants),
        )


def _why(tree: ExpansionTree, node_id: str, hop: Hop | None, name: Name) -> str:
    node = tree.nodes[node_id]
    if node.query is not None:
        return f"{query_title(node.query)}, round {node.round}"
    return hop_words(hop, name) if hop is not None else ""
