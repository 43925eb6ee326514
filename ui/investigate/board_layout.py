"""Tidy layered layout of a provenance forest: rounds are columns, read from left to right.

Each passage is the child of the passage that first led to it, so the graph is a forest. Subtrees are placed
by their contours (Reingold and Tilford 1981): no two edges cross, a parent is at the middle of its children,
and roots without children fill the gaps.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Position = tuple[float, float]

# Horizontal scatter of the dots of one column, in columns.
SCATTER = 0.14
# From this number of rows on, lone nodes below a column are set several to a row.
LEAST_ROWS = 26
MOST_ACROSS = 7
ACROSS_STEP = 0.11
# Offset to the right of a passage reached from one of its own round, in columns.
WITHIN_ROUND = 0.36


@dataclass(slots=True)
class _Tree:
    """A subtree placed relative to its root: offsets of its nodes, lowest and highest row per column."""

    offsets: dict[str, float] = field(default_factory=dict)
    top: dict[int, float] = field(default_factory=dict)
    bottom: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of all nodes. ``positions``: x in columns, y in 0..1. ``rows``: rows of dots in the
    height."""

    positions: Mapping[str, Position]
    rows: int


def tidy(columns: Sequence[Sequence[str]], parents: Mapping[str, str]) -> Layout:
    """Place the nodes of all columns; ``parents`` maps a node to its parent.

    A parent must be in the same or an earlier column. Within a column, earlier nodes come first.
    """
    column_of = {node: number for number, column in enumerate(columns) for node in column}
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for node in column_of:
        parent = parents.get(node)
        if parent in column_of and parent is not None:
            children.setdefault(parent, []).append(node)
        else:
            roots.append(node)
    heights, aside = _forest(roots, children, column_of)
    low = min(heights.values(), default=0.0)
    span = max(heights.values(), default=0.0) - low
    depth = _depths(column_of, parents)
    positions = {
        node: (
            round(column_of[node] + WITHIN_ROUND * min(depth[node], 2) + aside.get(node, _scatter(node)), 4),
            round((height - low) / span, 4) if span else 0.5,
        )
        for node, height in heights.items()
    }
    return Layout(positions, math.ceil(span) + 1)


def _forest(
    roots: Sequence[str], children: Mapping[str, Sequence[str]], column_of: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the heights of all nodes, in rows, and the sideways offsets of lone ones, in columns.

    Roots without children go where they do not push the others apart.
    """
    placed = _Tree()
    lone: dict[int, list[str]] = {}
    for root in roots:
        if root not in children:
            lone.setdefault(column_of[root], []).append(root)
    for root in roots:
        if root not in children:
            continue
        tree = _subtree(root, children, column_of)
        column = column_of[root]
        waiting = lone.get(column, [])
        start = _clear_of(placed, tree, besides=column)
        while waiting and placed.bottom.get(column, -1.0) + 2.0 <= start:
            _join(placed, _leaf(waiting.pop(0), column), placed.bottom.get(column, -1.0) + 1.0)
        _join(placed, tree, max(start, _clear_of(placed, tree)))
    aside: dict[str, float] = {}
    for column, waiting in lone.items():
        aside.update(_block(waiting, column, placed))
    return placed.offsets, aside


def _block(nodes: Sequence[str], column: int, placed: _Tree) -> dict[str, float]:
    """Place lone nodes below their column, several to a row if the board would be too tall otherwise.

    Returns the distance of each from the column's middle, in columns.
    """
    start = placed.bottom.get(column, -1.0) + 1.0
    room = max(max(placed.bottom.values(), default=0.0) - start + 1.0, LEAST_ROWS)
    across = min(math.ceil(len(nodes) / room), MOST_ACROSS)
    aside: dict[str, float] = {}
    for index, node in enumerate(nodes):
        _join(placed, _leaf(node, column), start + index // across)
        aside[node] = (index % across - (across - 1) / 2) * ACROSS_STEP if across > 1 else _scatter(node)
    return aside


def _subtree(node: str, children: Mapping[str, Sequence[str]], column_of: Mapping[str, int]) -> _Tree:
    below = _Tree()
    firsts: list[float] = []
    for child in children.get(node, ()):
        tree = _subtree(child, children, column_of)
        offset = _clear_of(below, tree)
        _join(below, tree, offset)
        firsts.append(below.offsets[child])
    middle = (firsts[0] + firsts[-1]) / 2 if firsts else 0.0
    column = column_of[node]
    tree = _leaf(node, column)
    for name, offset in below.offsets.items():
        tree.offsets[name] = offset - middle
    for number in below.top:
        tree.top[number] = min(tree.top.get(number, 0.0), below.top[number] - middle)
        tree.bottom[number] = max(tree.bottom.get(number, 0.0), below.bottom[number] - middle)
    return tree


def _leaf(node: str, column: int) -> _Tree:
    return _Tree({node: 0.0}, {column: 0.0}, {column: 0.0})


def _clear_of(placed: _Tree, tree: _Tree, besides: int | None = None) -> float:
    """Return the smallest offset that puts a tree one row below all placed nodes, in every column but
    ``besides``."""
    clear = [
        placed.bottom[number] + 1.0 - top
        for number, top in tree.top.items()
        if number in placed.bottom and number != besides
    ]
    return max(clear, default=0.0)


def _join(placed: _Tree, tree: _Tree, offset: float) -> None:
    for name, place in tree.offsets.items():
        placed.offsets[name] = place + offset
    for number, top in tree.top.items():
        placed.top[number] = min(placed.top.get(number, top + offset), top + offset)
        bottom = tree.bottom[number] + offset
        placed.bottom[number] = max(placed.bottom.get(number, bottom), bottom)


def _depths(column_of: Mapping[str, int], parents: Mapping[str, str]) -> dict[str, int]:
    """Return the number of steps within its own round that led to each node."""
    depth: dict[str, int] = {}
    for node in column_of:
        steps, at = 0, node
        while (parent := parents.get(at)) is not None and column_of.get(parent) == column_of[node]:
            steps, at = steps + 1, parent
        depth[node] = steps
    return depth


def _scatter(node: str) -> float:
    return (zlib.crc32(node.encode()) % 1000 / 999 - 0.5) * SCATTER
